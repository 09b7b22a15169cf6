//! The key of the live view: `q` asks the campaign to stop, as ^C does.

use super::{Shown, echo_guard::EchoGuard, note};
use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, eventfd, poll},
    process::{Signal, getpgrp, getpid, kill_process},
    termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr},
};
use std::{
    io::{self, IsTerminal},
    os::fd::OwnedFd,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

/// How long keys wait while another program has the terminal.
const AWAY: Duration = Duration::from_secs(1);

/// Listens to the keyboard, which shows nothing and needs no Enter meanwhile. Dropped, it leaves the terminal as it
/// was.
pub struct Keys {
    before: Termios,
    /// Written to to end the thread.
    end: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
    /// Dropped after the terminal is as it was.
    _echo_guard: EchoGuard,
}

/// `None` without a live view or a keyboard.
pub fn keys(shown: Shown) -> Option<Keys> {
    let is_live = shown == Shown::Auto && io::stderr().is_terminal();
    let before = (is_live && is_ours()).then(|| tcgetattr(io::stdin()).ok())??;
    let end = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).ok()?);
    let mut at_once = before.clone();
    at_once.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
    let echo_guard = EchoGuard::start(&before, &at_once).ok()?;
    tcsetattr(io::stdin(), OptionalActions::Now, &at_once).ok()?;
    let ended = Arc::clone(&end);
    let thread = thread::spawn(move || listen(&ended));
    note("q or ^C stops; finished samples are kept");
    Some(Keys { before, end, thread: Some(thread), _echo_guard: echo_guard })
}

/// Whether this program is in the foreground of the terminal that it reads from. One that reads in the background is
/// stopped by the kernel.
fn is_ours() -> bool {
    io::stdin().is_terminal() && tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
}

fn listen(ended: &OwnedFd) {
    let stdin = io::stdin();
    loop {
        let mut either = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
        match poll(&mut either, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
            Ok(_) if !either[1].revents().is_empty() => return,
            Ok(_) if !is_ours() => thread::sleep(AWAY),
            Ok(_) => match key() {
                Some(b'q' | b'Q') => _ = kill_process(getpid(), Signal::INT),
                Some(_) => {}
                None => return,
            },
        }
    }
}

/// The key that was pressed; `None` when the terminal is gone.
fn key() -> Option<u8> {
    let mut key = [0];
    let read = rustix::io::read(io::stdin(), &mut key).ok()?;
    (read == 1).then_some(key[0])
}

impl Drop for Keys {
    fn drop(&mut self) {
        let is_told = rustix::io::write(&*self.end, &1_u64.to_ne_bytes()).is_ok();
        self.thread.take().filter(|_| is_told).map(JoinHandle::join);
        // The terminal of a program that is stopped or in the background is another's.
        if is_ours() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
        }
    }
}
