//! Requirements of tests, and the one way to skip tests that cannot run: [`skip`], with a typed need and a reason.
//! [`Mounted`] is what a test mounts. Only tests and the runner of tests, `cargo run -p xtask -- test`, use this
//! crate.
//!
//! libtest hides what a passing test prints. A skip is written to standard error past it, and as a line into
//! the file that [`SKIPS`] names. The runner counts these lines, and asks the machine itself by [`Need::is_met`],
//! which shares no code with what is tested: a skip for something that is there is a failure.

mod mounted;
mod probe;

pub use mounted::{Mounted, unmount};

use std::{
    env,
    fmt::{self, Display},
    fs::File,
    io::{self, Write},
    str::FromStr,
    thread,
};

/// The environment variable with the path of the file that takes a line for each skip.
pub const SKIPS: &str = "ASSAY_SKIPS";

/// What a test needs. A name is that of a file system or of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// To be root.
    Root,
    /// Loop devices that can be attached.
    Loop,
    /// To make a file system on a loop device and mount it.
    FileSystem(String),
    /// A FUSE file system that serves a directory, e.g. `bindfs`.
    Fuse(String),
    /// An installed program.
    Program(String),
    /// A `python3` that has this package.
    Python(String),
    /// Process and mount namespaces.
    Namespaces,
    /// User-Mode Linux.
    Uml,
    /// QEMU, with a kernel for it.
    Qemu,
    /// KVM.
    Kvm,
    /// Something that only the test can determine: it is shown and counted, and not checked.
    Other,
}

impl Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Root => f.write_str("root"),
            Need::Loop => f.write_str("loop"),
            Need::FileSystem(name) => write!(f, "fs:{name}"),
            Need::Fuse(name) => write!(f, "fuse:{name}"),
            Need::Program(name) => write!(f, "program:{name}"),
            Need::Python(name) => write!(f, "python:{name}"),
            Need::Namespaces => f.write_str("namespaces"),
            Need::Uml => f.write_str("uml"),
            Need::Qemu => f.write_str("qemu"),
            Need::Kvm => f.write_str("kvm"),
            Need::Other => f.write_str("other"),
        }
    }
}

impl FromStr for Need {
    type Err = String;

    fn from_str(text: &str) -> Result<Need, String> {
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        Ok(match kind {
            "root" => Need::Root,
            "loop" => Need::Loop,
            "fs" => Need::FileSystem(name.into()),
            "fuse" => Need::Fuse(name.into()),
            "program" => Need::Program(name.into()),
            "python" => Need::Python(name.into()),
            "namespaces" => Need::Namespaces,
            "uml" => Need::Uml,
            "qemu" => Need::Qemu,
            "kvm" => Need::Kvm,
            "other" => Need::Other,
            _ => return Err(format!("`{text}` is no need")),
        })
    }
}

impl Need {
    /// A program.
    pub fn program(name: impl Into<String>) -> Need {
        Need::Program(name.into())
    }

    /// A package of Python.
    pub fn python(name: impl Into<String>) -> Need {
        Need::Python(name.into())
    }

    /// A file system by the name of a target: one on a device, or one that serves a directory.
    pub fn file_system(name: &str) -> Need {
        match name {
            "bindfs" | "mergerfs" => Need::Fuse(name.into()),
            _ => Need::FileSystem(name.into()),
        }
    }

    /// Whether this machine has it, by trying; `None` where only the test can tell.
    pub fn is_met(&self) -> Option<bool> {
        probe::is_met(self)
    }
}

/// A skip, as the runner reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// What was missing.
    pub need: Need,
    /// The test that was skipped, or a part of it.
    pub test: String,
    /// Why, in the words of the test.
    pub why: String,
}

impl FromStr for Skip {
    type Err = String;

    fn from_str(line: &str) -> Result<Skip, String> {
        let mut parts = line.splitn(3, '\t');
        let mut next = || parts.next().ok_or_else(|| format!("no skip: {line}"));
        Ok(Skip { need: next()?.parse()?, test: next()?.into(), why: next()?.into() })
    }
}

/// Says that this test, or a part of it, is skipped because `need` is not met. The test then returns.
///
/// # Panics
/// The file that [`SKIPS`] names cannot be written: an unseen skip would look like a pass.
pub fn skip(need: Need, why: impl Display) {
    let thread = thread::current();
    // With one thread libtest runs tests on the main one, which does not tell which.
    let test = thread.name().unwrap_or("main");
    let why = why.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(io::stderr(), "skipped: {test}: {why} (needs {need})");
    if let Some(path) = env::var_os(SKIPS) {
        // One write, so that lines of several threads and processes stay whole.
        let line = format!("{need}\t{test}\t{why}\n");
        let file = File::options().append(true).create(true).open(&path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// True for root; else `what` is skipped.
pub fn root_or_skip(what: &str) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skip(Need::Root, format!("{what} needs root"));
    }
    is_root
}

/// True where `program` is installed; else the test is skipped.
pub fn program_or_skip(program: &str) -> bool {
    let is_there = probe::find(program).is_some();
    if !is_there {
        skip(Need::program(program), format!("`{program}` is not installed"));
    }
    is_there
}

/// True where this kernel can mount the file system `name`; else the test is skipped.
pub fn file_system_or_skip(name: &str) -> bool {
    let need = Need::file_system(name);
    let is_there = need.is_met() == Some(true);
    if !is_there {
        skip(need, format!("this kernel has no {name}"));
    }
    is_there
}

/// True where `python3` has `package`; else the test is skipped.
pub fn python_or_skip(package: &str) -> bool {
    let need = Need::python(package);
    let is_there = need.is_met() == Some(true);
    if !is_there {
        skip(need, format!("there is no python3 with the package {package}"));
    }
    is_there
}

/// True where User-Mode Linux is installed; else the test is skipped.
pub fn uml_or_skip() -> bool {
    let is_there = probe::find("linux.uml").is_some();
    if !is_there {
        skip(Need::Uml, "User-Mode Linux is not installed");
    }
    is_there
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_is_read_as_it_is_written() {
        let named = ["ext4", "bindfs"].map(Need::file_system);
        let plain = [Need::Root, Need::Loop, Need::Namespaces, Need::Uml, Need::Qemu, Need::Kvm];
        let installed = [Need::program("fio"), Need::python("pandas"), Need::Other];
        for need in named.into_iter().chain(plain).chain(installed) {
            assert_eq!(need.to_string().parse(), Ok(need));
        }
        assert!("loops".parse::<Need>().is_err());
    }

    #[test]
    fn a_line_is_a_skip() {
        let skip: Skip = "fs:xfs\ta::b\tno mkfs.xfs".parse().unwrap();
        assert_eq!((skip.need, skip.test.as_str()), (Need::file_system("xfs"), "a::b"));
        assert_eq!(skip.why, "no mkfs.xfs");
        assert!("root\ta".parse::<Skip>().is_err());
    }

    #[test]
    fn what_is_here_is_met_and_what_is_not_is_not() {
        assert_eq!(Need::program("sh").is_met(), Some(true));
        assert_eq!(Need::program("no-such-program").is_met(), Some(false));
        assert_eq!(Need::python("no_such_package").is_met(), Some(false));
        assert_eq!(Need::file_system("no-such-fs").is_met(), None);
        assert_eq!(Need::Other.is_met(), None);
        assert_eq!(Need::Root.is_met(), Some(rustix::process::geteuid().is_root()));
    }
}
