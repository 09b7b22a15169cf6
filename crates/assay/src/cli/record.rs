//! Arguments of `record`.

use super::values;
use clap::{ArgGroup, Args, ValueEnum};
use std::{ffi::OsString, path::PathBuf};

/// Arguments of `record`.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("subject").args(["command", "pid", "cgroup", "unit"]).required(true)))]
pub struct RecordArgs {
    /// Trace to write; must not exist yet
    #[arg(long, short, value_name = "FILE", value_parser = values::path_to_write())]
    pub out: PathBuf,
    /// Record these running processes and all that they start
    #[arg(long, value_name = "PID", value_delimiter = ',')]
    pub pid: Vec<u32>,
    /// Record every process in this control group, e.g. /sys/fs/cgroup/system.slice/postgresql.service
    #[arg(long, value_name = "PATH")]
    pub cgroup: Option<PathBuf>,
    /// Record every process of this systemd unit, e.g. postgresql.service
    #[arg(long, value_name = "NAME")]
    pub unit: Option<String>,
    /// Stop after this time, e.g. 60s or 10m [default: when the processes end, or on Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = values::duration_s)]
    pub time_s: Option<u64>,
    /// Record only calls on files below PATH; may be repeated [default: all file systems]
    #[arg(long = "dir", value_name = "PATH")]
    pub dirs: Vec<PathBuf>,
    /// Replace all names by hashes; file extensions are kept
    #[arg(long)]
    pub anonymous: bool,
    /// Recorder: ebpf needs root; strace does not, but makes each call 20 to 130 times slower
    #[arg(long, value_enum, default_value_t)]
    pub with: RecordWith,
    /// Command to run and record, after --
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Recorders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RecordWith {
    /// eBPF programs in the kernel
    #[default]
    Ebpf,
    /// The program strace
    Strace,
}
