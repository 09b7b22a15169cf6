//! Runs commands.

use crate::{
    error::LabError,
    programs::{kernel_log::KernelLog, keys, tool},
};
use disk::{Disk, program};
use fs::{Cmd, HeldName};
use std::{
    ffi::{OsStr, OsString},
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

/// Prefix of the programs that make a file system on the disk that they are given.
const MKFS: &str = "mkfs.";
/// It has the kernel know the disk by the name that it is given, and the mount table shows that.
const REGISTERS: &str = "mkfs.btrfs";
/// Lines that explain a failure.
const LAST_LINES: usize = 3;

/// Output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output, lossy UTF-8.
    pub stdout: String,
    /// Standard error, lossy UTF-8.
    pub stderr: String,
}

/// Runs commands as the lab does.
pub trait Run: Sized {
    /// With `disks` by names that lead to what this process holds, where its program takes them: of every mkfs that
    /// was tried but that of Btrfs, and no program that looks its argument up among the devices of the machine.
    fn on_held(self, disks: &[Disk]) -> Self;

    /// Runs it to its end. The child is killed if this process dies, so that a killed coordinator
    /// leaves no mkfs at work. Messages are in English, because some output is read.
    ///
    /// # Errors
    /// The program is missing, cannot be started, or ends with a status other than 0.
    fn run(&self) -> Result<Output, LabError>;

    /// Like [`Run::run`], for programs whose exit status carries information.
    ///
    /// # Errors
    /// The program is missing or cannot be started.
    fn finish(&self) -> Result<(ExitStatus, Output), LabError>;

    /// Starts it and does not wait; all that it says goes to `log`. It dies with this process.
    ///
    /// # Errors
    /// The program is missing or cannot be started.
    fn start(&self, log: Stdio, errors: Stdio) -> Result<Child, LabError>;

    /// The error of its end with `status` after it wrote `stderr`.
    fn failure(&self, status: ExitStatus, stderr: &str) -> LabError;
}

impl Run for Cmd {
    fn on_held(self, disks: &[Disk]) -> Cmd {
        let takes = self.program.starts_with(MKFS) && self.program != REGISTERS;
        let name = |disk: &Disk| HeldName { node: disk.node().into(), path: disk.held_path() };
        let held = disks.iter().filter(|_| takes).map(name).collect();
        Cmd { held, ..self }
    }

    fn run(&self) -> Result<Output, LabError> {
        let log = mounted_kind(self).map(|kind| (kind, KernelLog::from_now()));
        let (status, output) = self.finish()?;
        let accepted = self.accepted.is_some() && status.code() == self.accepted;
        if status.success() || accepted {
            return Ok(output);
        }
        let kernel = log.map(|(kind, log)| log.of(kind)).unwrap_or_default();
        Err(self.failure(status, &[&[output.stderr][..], &kernel].concat().join("\n")))
    }

    fn finish(&self) -> Result<(ExitStatus, Output), LabError> {
        let path = path_of(self)?;
        let stdin = if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
        let mut command = command(self, &path);
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(LabError::io("run", &path))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read to the end says by its status whether that was right.
            let _ = stdin.write_all(self.stdin.as_bytes());
        }
        let output = child.wait_with_output().map_err(LabError::io("run", &path))?;
        let (stdout, stderr) = (lossy(&output.stdout), lossy(&output.stderr));
        Ok((output.status, Output { stdout, stderr }))
    }

    fn start(&self, log: Stdio, errors: Stdio) -> Result<Child, LabError> {
        let path = path_of(self)?;
        let mut command = command(self, &path);
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        command.spawn().map_err(LabError::io("run", &path))
    }

    fn failure(&self, status: ExitStatus, stderr: &str) -> LabError {
        let shown = self.held.iter().fold(keys::hide(stderr.into()), |said, held| {
            said.replace(&*held.path.to_string_lossy(), &held.node.to_string_lossy())
        });
        program::failure(abridged(self), status, &shown).into()
    }
}

/// Starts `cmd` with these as its standard input and output, and a pipe for what it says. It dies with this process.
pub(super) fn spawn_with(cmd: &Cmd, stdin: Stdio, stdout: Stdio) -> Result<Child, LabError> {
    let path = path_of(cmd)?;
    let mut command = command(cmd, &path);
    command.stdin(stdin).stdout(stdout).stderr(Stdio::piped());
    command.spawn().map_err(LabError::io("run", &path))
}

/// The type that it mounts, where it is mount(8).
fn mounted_kind(cmd: &Cmd) -> Option<&str> {
    let mut args = cmd.args.iter().filter(|_| cmd.program == "mount");
    args.find(|arg| *arg == "-t").and_then(|_| args.next()?.to_str())
}

fn path_of(cmd: &Cmd) -> Result<PathBuf, LabError> {
    tool::find_program(&cmd.program).ok_or_else(|| LabError::MissingProgram {
        program: cmd.program.clone(),
        fix: tool::how_to_install(&cmd.program),
    })
}

fn command(cmd: &Cmd, path: &Path) -> Command {
    let mut command = program::command(path);
    command
        .args(cmd.args.iter().map(|arg| given(cmd, arg)))
        .envs(cmd.env.iter().map(|(key, value)| (key, value)));
    // With keys of ours goes nothing of the user's own account.
    let own = |key: &OsString| !cmd.secrets.is_empty() && is_of_aws(key);
    std::env::vars_os().map(|(key, _)| key).filter(own).for_each(|key| {
        command.env_remove(key);
    });
    command.envs(cmd.secrets.iter().filter_map(|(key, secret)| Some((key, keys::value(*secret)?))));
    command
}

/// `arg` as the program gets it.
fn given<'a>(cmd: &'a Cmd, arg: &'a OsStr) -> &'a OsStr {
    let held = cmd.held.iter().find(|held| held.node == arg);
    held.map_or(arg, |held| held.path.as_os_str())
}

/// In one line: of an argument that is a script the first.
fn abridged(cmd: &Cmd) -> String {
    let first = |arg: &OsString| match arg.to_string_lossy().split_once('\n') {
        Some((line, _)) => format!("{line} ...").into(),
        None => arg.clone(),
    };
    Cmd { args: cmd.args.iter().map(first).collect(), ..cmd.clone() }.to_string()
}

impl Output {
    /// The first line that is not blank, standard output first; versions are printed there.
    pub fn first_line(&self) -> Option<&str> {
        self.stdout.lines().chain(self.stderr.lines()).map(str::trim).find(|line| !line.is_empty())
    }
}

/// The last lines of `text` that say something, on one line.
pub(crate) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join(" / ")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns true if clients of object stores read an account, its settings or its certificates from `variable`.
fn is_of_aws(variable: &OsStr) -> bool {
    variable.as_encoded_bytes().starts_with(b"AWS")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::fs::Secret;

    #[test]
    fn input_and_environment_are_given() {
        let cmd = Cmd::new("sh").args(["-c", "cat; echo $KEY"]).stdin("in ").env("KEY", "value");
        assert_eq!(cmd.run().unwrap().stdout, "in value\n");
    }

    #[test]
    fn a_secret_is_given_and_not_shown() {
        let script = "test ${#KEY} = 40 || { echo no key; exit 1; }; exit 3";
        let cmd = Cmd::new("sh").args(["-c", script]).secret("KEY", Secret::SecretKey);
        assert!(cmd.to_string().starts_with("KEY=... sh -c "), "{cmd}");
        let error = cmd.run().unwrap_err().to_string();
        assert!(error.contains("(exit 3)"), "{error}");
        let value = keys::value(Secret::SecretKey).unwrap();
        assert!(!error.contains(&value) && !format!("{cmd:?}").contains(&value));
    }

    #[test]
    fn output_is_captured() {
        let output = Cmd::new("sh").args(["-c", "echo out; echo err >&2"]).run().unwrap();
        assert_eq!(output, Output { stdout: "out\n".into(), stderr: "err\n".into() });
        assert_eq!(output.first_line(), Some("out"));
    }

    #[test]
    fn a_failure_shows_command_status_and_last_line() {
        let error = Cmd::new("sh").args(["-c", "echo a >&2; echo b >&2; exit 3"]).run();
        assert_eq!(
            error.unwrap_err().to_string(),
            "`sh -c 'echo a >&2; echo b >&2; exit 3'` failed (exit 3): b"
        );
    }

    #[test]
    fn a_script_that_fails_is_named_by_its_first_line() {
        let error = Cmd::new("sh").args(["-c", "# Fails\nexit $1\n", "x", "3"]).run();
        assert_eq!(
            error.unwrap_err().to_string(),
            "`sh -c '# Fails ...' x 3` failed (exit 3): it printed no reason"
        );
    }

    #[test]
    fn the_error_line_before_a_usage_is_shown() {
        let error =
            Cmd::new("sh").args(["-c", "echo bad x >&2; echo Usage: y >&2; echo z >&2; exit 1"]);
        assert!(error.run().unwrap_err().to_string().ends_with("(exit 1): bad x"));
    }

    #[test]
    fn an_accepted_status_is_no_failure() {
        let cmd = Cmd::new("sh").args(["-c", "exit 3"]);
        assert!(cmd.clone().accepts(3).run().is_ok());
        assert!(cmd.accepts(4).run().is_err());
    }

    #[test]
    fn the_last_lines_are_one() {
        assert_eq!(last_lines("a\n\n b \r\nc\nd\n"), "b / c / d");
        assert_eq!(last_lines(""), "");
    }

    #[test]
    fn a_missing_program_says_so() {
        let error = Cmd::new("no-such-program-here").run().unwrap_err().to_string();
        assert!(error.starts_with("`no-such-program-here` is not installed; "), "{error}");
    }
}
