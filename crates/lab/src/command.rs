//! A command as data: printed in a dry run, compared in a golden test, run by the lab.

use crate::{
    LabError,
    kernel_log::KernelLog,
    keys::{HIDDEN, Secret, hide},
    tool,
};
use disk::{Disk, program};
use std::{
    ffi::{OsStr, OsString},
    fmt,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

/// How programs are called that make a file system on the disk that they are given.
const MKFS: &str = "mkfs.";
/// It has the kernel know the disk by the name that it is given, and the mount table shows that.
const REGISTERS: &str = "mkfs.btrfs";
/// Lines that explain a failure.
const LAST_LINES: usize = 3;

/// A program with its arguments; no shell takes part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cmd {
    /// Name of the program, searched on PATH and in the system directories.
    pub program: String,
    /// Arguments as they are.
    pub args: Vec<OsString>,
    /// Variables that its environment has beside those of this process.
    pub env: Vec<(String, String)>,
    /// Variables whose values are not shown.
    pub secrets: Vec<(String, Secret)>,
    /// What it reads from standard input; nothing when empty.
    pub stdin: String,
    /// A server, which stays when it is ready; `None` for a command that is waited for.
    pub serves: Option<Ready>,
    /// An exit status beside 0 that is no failure.
    pub accepted: Option<i32>,
    /// Disks among its arguments that it gets by another name.
    pub(crate) held: Vec<HeldName>,
}

/// A disk that this process has open, as a program gets it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HeldName {
    /// Its node, as the command is shown.
    pub(crate) node: PathBuf,
    /// What leads to the open disk.
    pub(crate) path: PathBuf,
}

/// How one sees that a server is ready.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ready {
    /// Something is mounted at this directory.
    Mounted(PathBuf),
    /// This path is there.
    Exists(PathBuf),
    /// Somebody listens on this Unix socket. It is there a moment before.
    Socket(PathBuf),
    /// Somebody listens on this TCP port of the loopback address.
    Port(u16),
}

/// What a command wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output, lossy UTF-8.
    pub stdout: String,
    /// Standard error, lossy UTF-8.
    pub stderr: String,
}

impl Cmd {
    /// A command without arguments.
    pub fn new(program: &str) -> Cmd {
        Cmd {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            secrets: Vec::new(),
            stdin: String::new(),
            serves: None,
            accepted: None,
            held: Vec::new(),
        }
    }

    /// With one more argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Cmd {
        self.args.push(arg.as_ref().into());
        self
    }

    /// With more arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Cmd {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_os_string()));
        self
    }

    /// With one more variable in its environment.
    pub fn env(mut self, key: &str, value: impl Into<String>) -> Cmd {
        self.env.push((key.into(), value.into()));
        self
    }

    /// With one more variable, whose value is not shown.
    pub fn secret(mut self, key: &str, value: Secret) -> Cmd {
        self.secrets.push((key.into(), value));
        self
    }

    /// With `text` as its standard input.
    pub fn stdin(mut self, text: impl Into<String>) -> Cmd {
        self.stdin = text.into();
        self
    }

    /// As a server in the foreground, which is kept running until what it serves is taken down.
    pub fn serve(mut self, ready: Ready) -> Cmd {
        self.serves = Some(ready);
        self
    }

    /// With one more exit status that is no failure.
    pub fn accepts(mut self, status: i32) -> Cmd {
        self.accepted = Some(status);
        self
    }

    /// With `disks` by names that lead to what this process holds, where its program takes them: of every mkfs that
    /// was tried but that of Btrfs, and no program that looks its argument up among the devices of the machine.
    pub(crate) fn on_held(self, disks: &[Disk]) -> Cmd {
        let takes = self.program.starts_with(MKFS) && self.program != REGISTERS;
        let name = |disk: &Disk| HeldName { node: disk.node().into(), path: disk.held_path() };
        let held = disks.iter().filter(|_| takes).map(name).collect();
        Cmd { held, ..self }
    }

    /// Runs it to its end. The child is killed if this process dies, so that a killed coordinator
    /// leaves no mkfs at work. Messages are in English, because some output is read.
    ///
    /// # Errors
    /// The program is missing, cannot be started, or ends with a status other than 0.
    pub fn run(&self) -> Result<Output, LabError> {
        let log = self.mounts().map(|kind| (kind, KernelLog::from_now()));
        let (status, output) = self.finish()?;
        let accepted = self.accepted.is_some() && status.code() == self.accepted;
        if status.success() || accepted {
            return Ok(output);
        }
        let kernel = log.map(|(kind, log)| log.of(kind)).unwrap_or_default();
        Err(self.failure(status, &[&[output.stderr][..], &kernel].concat().join("\n")))
    }

    /// The type that it mounts, where it is mount(8).
    fn mounts(&self) -> Option<&str> {
        let mut args = self.args.iter().filter(|_| self.program == "mount");
        args.find(|arg| *arg == "-t").and_then(|_| args.next()?.to_str())
    }

    /// As [`Cmd::run`], for programs that tell something by their status.
    pub(crate) fn finish(&self) -> Result<(ExitStatus, Output), LabError> {
        let path = self.path()?;
        let stdin = if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
        let mut command = self.command(&path);
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

    /// Starts it and does not wait; all that it says goes to `log`. It dies with this process.
    pub(crate) fn start(&self, log: Stdio, errors: Stdio) -> Result<Child, LabError> {
        let path = self.path()?;
        let mut command = self.command(&path);
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        command.spawn().map_err(LabError::io("run", &path))
    }

    fn path(&self) -> Result<PathBuf, LabError> {
        tool::find_program(&self.program).ok_or_else(|| LabError::MissingProgram {
            program: self.program.clone(),
            fix: tool::how_to_install(&self.program),
        })
    }

    fn command(&self, path: &Path) -> Command {
        let mut command = program::command(path);
        command
            .args(self.args.iter().map(|arg| self.given(arg)))
            .envs(self.env.iter().map(|(key, value)| (key, value)));
        // With keys of ours goes nothing of the user's own account.
        let own = |key: &OsString| !self.secrets.is_empty() && is_of_aws(key);
        std::env::vars_os().map(|(key, _)| key).filter(own).for_each(|key| {
            command.env_remove(key);
        });
        command.envs(self.secrets.iter().filter_map(|(key, secret)| Some((key, secret.value()?))));
        command
    }

    /// `arg` as the program gets it.
    fn given<'a>(&'a self, arg: &'a OsStr) -> &'a OsStr {
        let held = self.held.iter().find(|held| held.node == arg);
        held.map_or(arg, |held| held.path.as_os_str())
    }

    pub(crate) fn failure(&self, status: ExitStatus, stderr: &str) -> LabError {
        let shown = self.held.iter().fold(hide(stderr.into()), |said, held| {
            said.replace(&*held.path.to_string_lossy(), &held.node.to_string_lossy())
        });
        program::failure(self.abridged(), status, &shown).into()
    }

    /// In one line: of an argument that is a script the first.
    fn abridged(&self) -> String {
        let first = |arg: &OsString| match arg.to_string_lossy().split_once('\n') {
            Some((line, _)) => format!("{line} ...").into(),
            None => arg.clone(),
        };
        Cmd { args: self.args.iter().map(first).collect(), ..self.clone() }.to_string()
    }
}

impl Output {
    /// The first line that is not blank, standard output first; versions are told there.
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

impl fmt::Display for Cmd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.env {
            write!(f, "{key}={} ", quoted(value))?;
        }
        for (key, _) in &self.secrets {
            write!(f, "{key}={HIDDEN} ")?;
        }
        f.write_str(&quoted(&self.program))?;
        for arg in &self.args {
            write!(f, " {}", quoted(&arg.to_string_lossy()))?;
        }
        if !self.stdin.is_empty() {
            write!(f, " <<< {}", quoted(&self.stdin))?;
        }
        if self.serves.is_some() { f.write_str(" &") } else { Ok(()) }
    }
}

/// Whether clients of object stores take an account, its settings or its certificates from `variable`.
fn is_of_aws(variable: &OsStr) -> bool {
    variable.as_encoded_bytes().starts_with(b"AWS")
}

/// `word` as a POSIX shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_prints_as_a_shell_takes_it() {
        let cmd = Cmd::new("mkfs.ext4").args(["-O", "^has_journal"]).arg("/tmp/it's here").arg("");
        assert_eq!(cmd.to_string(), r"mkfs.ext4 -O ^has_journal '/tmp/it'\''s here' ''");
        let server = Cmd::new("nbdkit").env("A", "b c").stdin("key").serve(Ready::Port(1));
        assert_eq!(server.to_string(), "A='b c' nbdkit <<< key &");
    }

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
        let value = Secret::SecretKey.value().unwrap();
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
            "`sh -c '# Fails ...' x 3` failed (exit 3): it gave no reason"
        );
    }

    #[test]
    fn before_the_usage_stands_the_mistake() {
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
