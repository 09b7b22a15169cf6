//! Arguments of `import`.

use clap::Args;
use std::path::PathBuf;

/// Arguments of `import`.
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// Files to import, or a folder written by `assay export`
    #[arg(required_unless_present = "target")]
    pub files: Vec<PathBuf>,
    /// Name of the measured target, or a target and its files, e.g. alpha='a-*.json'; may be repeated; each
    /// further file of a target is one block
    #[arg(long, value_name = "NAME[=FILES]")]
    pub target: Vec<String>,
    /// Tool that wrote the files [default: detected], e.g. fio, mdtest, ior, sysbench
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Convert the output of `strace -f -ttt -T` to this trace, which must not exist yet
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["target", "format"])]
    pub out: Option<PathBuf>,
    /// With --out: keep only calls on files below PATH; may be repeated
    #[arg(long = "dir", value_name = "PATH", requires = "out")]
    pub dirs: Vec<PathBuf>,
    /// With --out: working directory in which the application was started [default: /]
    #[arg(long, value_name = "PATH", requires = "out")]
    pub cwd: Option<PathBuf>,
    /// With --out: replace all names by hashes
    #[arg(long, requires = "out")]
    pub anonymous: bool,
}
