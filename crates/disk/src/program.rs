//! System programs: finding them, running them, and reporting their failures.

use crate::Error;
use std::{
    env, fs, io,
    os::unix::{
        fs::PermissionsExt,
        process::{CommandExt, ExitStatusExt},
    },
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

/// Looks where administrators' programs lie even when the user's PATH does not name it.
const SYSTEM_DIRS: &[&str] =
    &["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/lib/openssh", "/usr/libexec/openssh"];

/// Full path of `program`, on PATH, in the system directories or in those of `more`; `None` when it is not
/// installed.
pub fn find(program: &str, more: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(SYSTEM_DIRS.iter().map(PathBuf::from))
        .chain(more)
        .map(|dir| dir.join(program))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// The program at `path`, to be started: it dies with this process, speaks English, because some output is
/// read, and works in a directory where no file can be made.
pub fn command(path: &Path) -> Command {
    let mut command = Command::new(path);
    // A name without a path that an option brings in is one of nothing there.
    command.env("LC_ALL", "C").env("NO_COLOR", "1").current_dir("/sys");
    die_with_parent(&mut command);
    command
}

/// Makes the kernel kill the child when this process, or its thread that starts the child, dies.
pub fn die_with_parent(command: &mut Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    let parent = getpid();
    // SAFETY: between fork and exec the closure makes two system calls and builds an error without
    // allocating; it touches no lock and no memory of other threads.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The parent may have died before the signal was asked for.
            match getppid() {
                Some(now) if now == parent => Ok(()),
                _ => Err(io::Error::from_raw_os_error(libc::ESRCH)),
            }
        });
    }
}

/// The error that `command` ended with `status`, with the line of `stderr` that says why.
pub fn failure(command: String, status: ExitStatus, stderr: &str) -> Error {
    let all = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let of_options = all().find(|line| is_of_options(line));
    // Programs that explain their arguments after a mistake say first what it is.
    let line = match stderr.to_lowercase().contains("usage:") {
        true => all().next(),
        false => of_options.or_else(|| all().rfind(|line| !is_of_mount(line))),
    };
    let last_line = line.unwrap_or("it printed no reason").into();
    Error::Command { command, status: ending(status), last_line, of_options: of_options.is_some() }
}

/// Returns true if `line` says that a program rejected an option.
fn is_of_options(line: &str) -> bool {
    const SAID: [&str; 9] = [
        "usage:",
        "invalid ",
        "illegal ",
        "unrecognized ",
        "unrecognised ",
        "unknown ",
        "bad journal option",
        "bad value for",
        "bad option(s)",
    ];
    // What kernels and libraries say of all kinds of failures.
    const OTHERWISE: [&str; 5] = [
        "invalid argument",
        "unknown error",
        "invalid vdev",
        "unknown filesystem type",
        "invalid superblock",
    ];
    let line = line.to_lowercase();
    SAID.iter().any(|said| line.contains(said)) && !OTHERWISE.iter().any(|said| line.contains(said))
}

/// Returns true if `line` is the hint that mount(8) prints below each failure.
fn is_of_mount(line: &str) -> bool {
    line.starts_with("dmesg(1) may have more information")
}

/// Describes how a process ended, in two words.
pub fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown status".into(),
    }
}

/// A program that looks at a disk, and what came of it.
pub(crate) struct ProgramOutput {
    command: String,
    stderr: String,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
}

impl ProgramOutput {
    pub(crate) fn failure(&self) -> Error {
        failure(self.command.clone(), self.status, &self.stderr)
    }
}

/// Runs `program` with `args` to its end; `None` when it is not installed.
pub(crate) fn run(program: &str, args: &[&str]) -> Result<Option<ProgramOutput>, Error> {
    let Some(path) = find(program, []) else { return Ok(None) };
    let output = command(&path).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(Error::io("run", &path))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Some(ProgramOutput {
        command: [&[program], args].concat().join(" "),
        stderr: text(&output.stderr),
        status: output.status,
        stdout: text(&output.stdout),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_that_tells_the_mistake_is_chosen() {
        let status = ExitStatus::from_raw(1 << 8);
        let told = |stderr: &str| match failure("mkfs".into(), status, stderr) {
            Error::Command { last_line, of_options, .. } => (last_line, of_options),
            other => panic!("{other}"),
        };
        let said = |line: &str, of_options| (line.to_string(), of_options);
        let xfs = "Invalid value banana for -d agcount option.\nUsage: mkfs.xfs\n/* blocksize */ [-b size=num]";
        assert_eq!(told(xfs), said("Invalid value banana for -d agcount option.", true));
        let ext4 = "\nBad journal options specified.\n\nJournal options are separated by commas, and\n\tis set off.";
        assert_eq!(told(ext4), said("Bad journal options specified.", true));
        let btrfs = "ERROR: illegal nodesize 5000 (not aligned to 4096)";
        assert_eq!(told(btrfs), said(btrfs, true));
        let mount = "mount: /m: wrong fs type, bad option, bad superblock on /dev/loop4.\n \
                     dmesg(1) may have more information after failed mount system call.";
        assert_eq!(
            told(mount),
            said("mount: /m: wrong fs type, bad option, bad superblock on /dev/loop4.", false)
        );
        for other in
            ["mkfs.ext4: Invalid argument while trying", "mount: /m: unknown filesystem type 'x'."]
        {
            assert_eq!(told(other), said(other, false));
        }
    }

    #[test]
    fn programs_are_found_and_their_failure_is_reported() {
        assert!(find("sh", []).is_some());
        assert_eq!(find("no-such-program-here", []), None);
        assert!(run("no-such-program-here", &[]).unwrap().is_none());
        let ended = run("ls", &["/no/such/path"]).unwrap().unwrap();
        let told = ended.failure().to_string();
        assert!(told.starts_with("`ls /no/such/path` failed (exit 2): "), "{told}");
    }
}
