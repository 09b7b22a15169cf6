//! A command as data: printed in a dry run, compared in a golden test, run by the lab.

use crate::secret::{HIDDEN, Secret};
use model::text::shell_word;
use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::PathBuf,
};

/// A program with its arguments; no shell takes part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cmd {
    /// Name of the program, searched on PATH and in the system directories.
    pub program: String,
    /// Arguments as they are.
    pub args: Vec<OsString>,
    /// Which of them, from 0, this program gives for its own sake and an administrator would not: those that overwrite
    /// what is there, are silent, or leave out a discard.
    pub own: Vec<usize>,
    /// Environment variables in addition to those of this process.
    pub env: Vec<(String, String)>,
    /// Variables whose values are not shown.
    pub secrets: Vec<(String, Secret)>,
    /// Its standard input; none if empty.
    pub stdin: String,
    /// A server, which stays when it is ready; `None` for a command that is waited for.
    pub serves: Option<Ready>,
    /// An exit status other than 0 that is not a failure.
    pub accepted: Option<i32>,
    /// Disks among its arguments that it gets by another name.
    pub held: Vec<HeldName>,
}

/// A disk that this process has open, as a program gets it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HeldName {
    /// Its node, as the command is shown.
    pub node: PathBuf,
    /// The path that leads to the open disk.
    pub path: PathBuf,
}

/// The sign that a server is ready.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ready {
    /// Something is mounted at this directory.
    Mounted(PathBuf),
    /// This path is there.
    Exists(PathBuf),
    /// A process listens on this Unix socket. The socket exists a moment earlier.
    Socket(PathBuf),
    /// A process listens on this TCP port of the loopback address.
    Port(u16),
}

impl Cmd {
    /// A command without arguments.
    pub fn new(program: &str) -> Cmd {
        Cmd {
            program: program.into(),
            args: Vec::new(),
            own: Vec::new(),
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

    /// With more arguments, which are left out where the command is shown to be typed.
    pub fn own(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Cmd {
        let before = self.args.len();
        self = self.args(args);
        self.own.extend(before..self.args.len());
        self
    }

    /// The command as an administrator would type it: it overwrites nothing without being told to.
    #[must_use]
    pub fn by_hand(mut self) -> Cmd {
        let own = std::mem::take(&mut self.own);
        let kept = self.args.into_iter().enumerate().filter(|(at, _)| !own.contains(at));
        self.args = kept.map(|(_, arg)| arg).collect();
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

    /// Marks it as a server that runs in the foreground until its mount is taken down.
    pub fn serve(mut self, ready: Ready) -> Cmd {
        self.serves = Some(ready);
        self
    }

    /// Accepts one more exit status as success.
    pub fn accepts(mut self, status: i32) -> Cmd {
        self.accepted = Some(status);
        self
    }
}

impl fmt::Display for Cmd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in &self.env {
            write!(f, "{key}={} ", shell_word(value))?;
        }
        for (key, _) in &self.secrets {
            write!(f, "{key}={HIDDEN} ")?;
        }
        f.write_str(&shell_word(&self.program))?;
        for arg in &self.args {
            write!(f, " {}", shell_word(&arg.to_string_lossy()))?;
        }
        if !self.stdin.is_empty() {
            write!(f, " <<< {}", shell_word(&self.stdin))?;
        }
        if self.serves.is_some() { f.write_str(" &") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_prints_as_a_shell_takes_it() {
        let cmd = Cmd::new("mkfs.ext4").args(["-O", "^has_journal"]).arg("/tmp/it's here").arg("");
        assert_eq!(cmd.to_string(), r"mkfs.ext4 -O ^has_journal '/tmp/it'\''s here' ''");
        let forced = Cmd::new("mkfs.xfs").own(["-f", "-q"]).args(["-m", "crc=0"]).arg("DEVICE");
        assert_eq!(forced.to_string(), "mkfs.xfs -f -q -m crc=0 DEVICE");
        assert_eq!(forced.by_hand().to_string(), "mkfs.xfs -m crc=0 DEVICE");
        let server = Cmd::new("nbdkit").env("A", "b c").stdin("key").serve(Ready::Port(1));
        assert_eq!(server.to_string(), "A='b c' nbdkit <<< key &");
    }
}
