//! Restores the terminal after a kill -9. While the live view reads keys, echo is off; a separate process waits on a
//! pipe for this one to end, and switches echo back on unless that was already done.

use crate::exit::Exit;
use anyhow::{Context, Result};
use rustix::{
    process::setsid,
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr},
};
use std::{
    env,
    io::{self, Read, Write},
    os::fd::AsFd,
    process::{Child, Command, Stdio},
};

/// The hidden verb: `PROGRAM __terminal BEFORE DURING`, with the terminal as its stdout.
pub const VERB: &str = "__terminal";

/// What is written when the terminal is as it was.
const DONE: u8 = b'.';

/// The process that waits.
pub(super) struct EchoGuard(Child);

impl EchoGuard {
    /// Starts one for the terminal on stdin, whose modes were `before`, and will be `during`.
    pub(super) fn start(before: &Termios, during: &Termios) -> io::Result<EchoGuard> {
        let modes = [before, during].map(|modes| modes.local_modes.bits().to_string());
        let terminal = io::stdin().as_fd().try_clone_to_owned()?;
        let mut command = Command::new(env::current_exe()?);
        command.arg(VERB).args(modes).current_dir("/");
        command.stdin(Stdio::piped()).stdout(terminal).stderr(Stdio::null());
        command.spawn().map(EchoGuard)
    }
}

impl Drop for EchoGuard {
    fn drop(&mut self) {
        // A guard that is gone needs no message.
        let _ = self.0.stdin.take().map(|mut pipe| pipe.write_all(&[DONE]));
        let _ = self.0.wait();
    }
}

/// What that process does.
pub fn keep(before: &str, during: &str) -> Result<Exit> {
    // Out of the reach of ^C, and no terminal of its own: the kernel stops no write to it.
    let _ = setsid();
    let modes = |text: &str| text.parse().map(LocalModes::from_bits_retain);
    let (before, during) = (modes(before)?, modes(during)?);
    let mut said = Vec::new();
    io::stdin().read_to_end(&mut said)?;
    if said.first() != Some(&DONE) {
        put_back(before, during).context("cannot restore the terminal")?;
    }
    Ok(Exit::Done)
}

/// A shell that has set the terminal for itself meanwhile keeps it so.
fn put_back(before: LocalModes, during: LocalModes) -> io::Result<()> {
    let terminal = io::stdout();
    let mut modes = tcgetattr(&terminal)?;
    if modes.local_modes == during {
        modes.local_modes = before;
        tcsetattr(&terminal, OptionalActions::Now, &modes)?;
    }
    Ok(())
}
