//! The only file that writes to the terminal. Names, reasons and the output of programs are untrusted, so control
//! sequences are removed, except the colours of assay's own renderer.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod echo_guard;
mod fold;
mod hints;
mod keys;
mod left;
mod live;
mod locale;
mod machine;
mod progress;

pub use echo_guard::{VERB as ECHO_GUARD_VERB, keep};
pub use hints::{carry, commands};
pub use keys::keys;
pub use progress::{Progress, Shown};

use crate::exit::Exit;
use anyhow::{Context, Result};
use campaign::messages::with_causes;
use indicatif::{ProgressBar, ProgressStyle};
use model::text::{printable, printable_line};
use report::TerminalOptions;
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    env,
    io::{self, IsTerminal, Write},
    os::fd::{AsFd, BorrowedFd},
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Prints `text` on stdout; a reader that closed the pipe early is not an error.
pub fn out(text: &str) -> Result<()> {
    print(&printable(text))
}

/// Prints `text`, which is for a person, on stdout, as the locale can show it.
///
/// # Errors
/// As for [`out`].
pub fn prose(text: &str) -> Result<()> {
    out(&locale::spelled(text.into()))
}

/// Prints what a renderer made, with its colours where [`options`] asked for them.
///
/// # Errors
/// As for [`out`].
pub fn tables(text: &str) -> Result<()> {
    match options().color {
        true => print(&styled(text)),
        false => out(text),
    }
}

/// Prints what a renderer made for a person, as the locale can show it.
///
/// # Errors
/// As for [`out`].
pub fn answer(text: &str) -> Result<()> {
    tables(&locale::spelled(text.into()))
}

/// `text` with its changes of colour and weight, which are numbers up to an `m`, and printable for the
/// rest.
fn styled(text: &str) -> String {
    let (first, others) = text.split_once(STYLE).unwrap_or((text, ""));
    let mut shown = printable(first).into_owned();
    for part in others.split(STYLE).filter(|part| !part.is_empty()) {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        let (style, rest) = match part[end..].strip_prefix('m') {
            Some(rest) => (format!("{STYLE}{}m", &part[..end]), rest),
            None => (printable(STYLE).into_owned(), part),
        };
        shown += &style;
        shown += &printable(rest);
    }
    shown
}

/// What a change of colour or weight begins with.
const STYLE: &str = "\u{1b}[";

fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(stdout, "{text}{end}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("cannot write to the standard output"),
    }
}

/// Whether events are written for a program.
static AS_OBJECTS: AtomicBool = AtomicBool::new(false);

/// Has [`note`] print objects from now on, where that is how progress is to be shown.
pub fn notes_for(shown: Shown) {
    AS_OBJECTS.store(shown == Shown::Json, Ordering::Relaxed);
}

/// Prints one line on stderr: what happens, not a result.
pub fn note(line: &str) {
    let line = locale::spelled(hints::completed(line));
    match AS_OBJECTS.load(Ordering::Relaxed) {
        true => object(&json!({ "event": "note", "text": line })),
        false => _ = writeln!(io::stderr(), "{}", fold::for_stderr(&printable(&line))),
    }
}

/// Prints one object on a line of stderr.
fn object(object: &Value) {
    let _ = writeln!(io::stderr(), "{}", printable(&object.to_string()));
}

/// Whether a person is at the terminal who can be asked.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether who reads the notes sees the results too: a person at a terminal, or a log that gets both.
pub fn shows_results() -> bool {
    let file = |fd: BorrowedFd<'_>| rustix::fs::fstat(fd).map(|s| (s.st_dev, s.st_ino));
    let is_one = || matches!((file(io::stdout().as_fd()), file(io::stderr().as_fd())), (Ok(a), Ok(b)) if a == b);
    io::stdout().is_terminal() || is_one()
}

/// Asks the person at the terminal, and returns the typed line; `None` without a terminal.
pub fn ask(question: &str) -> Option<String> {
    if !can_ask() {
        return None;
    }
    let mut stderr = io::stderr();
    write!(stderr, "{}", printable_line(&locale::spelled(question.into())))
        .and_then(|()| stderr.flush())
        .ok()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line).ok()?;
    Some(line.trim().to_string())
}

/// Prints an error with its causes on one line.
pub fn error(error: &anyhow::Error) {
    let text = with_causes(error);
    let _ =
        writeln!(io::stderr(), "assay: {}", printable(&locale::spelled(hints::completed(&text))));
}

/// Prints clap's message, help or version, and gives the status that belongs to it.
pub fn usage(error: &clap::Error) -> ExitCode {
    let is_lost = |printed: io::Result<()>| {
        printed.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe)
    };
    if error.use_stderr() {
        let _ = write!(io::stderr(), "{}", printable(&error.render().to_string()));
        return Exit::Usage.into();
    }
    match is_lost(error.print()) {
        true => Exit::Failed.into(),
        false => Exit::Done.into(),
    }
}

/// Width and colour of tables on stdout.
pub fn options() -> TerminalOptions {
    let tty = io::stdout().is_terminal();
    let columns = env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let size = || rustix::termios::tcgetwinsize(io::stdout()).ok().map(|s| usize::from(s.ws_col));
    let width = columns.or_else(size).filter(|&w| w > 0).unwrap_or(120);
    let plain = env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    TerminalOptions { width, color: tty && !plain && env::var("TERM").as_deref() != Ok("dumb") }
}

/// `text` as a bar can show it.
fn shown(text: &str) -> String {
    locale::spelled(printable_line(text)).into_owned()
}

/// How often a line is printed without a terminal.
const INTERVAL: Duration = Duration::from_secs(60);

/// What is shown while something is built: the time, the step and its last line; on a terminal all the
/// time, elsewhere a line each minute.
pub struct Activity {
    name: String,
    bar: ProgressBar,
    began: Instant,
    printed: Cell<Instant>,
    step: RefCell<String>,
}

impl Activity {
    /// Begins to show the building of `name`.
    pub fn new(name: &str) -> Activity {
        let hidden = !io::stderr().is_terminal();
        let bar = if hidden { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {prefix}: {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        let began = Instant::now();
        let printed = Cell::new(began);
        Activity { name: name.into(), bar, began, printed, step: RefCell::default() }
    }

    /// A step begins.
    pub fn step(&self, title: String) {
        self.bar.set_prefix(shown(&format!("{} {title}", self.name)));
        self.step.replace(title);
        self.tell("");
    }

    /// The last line that the step wrote.
    pub fn line(&self, line: &str) {
        self.bar.set_message(shown(line));
        if self.printed.get().elapsed() >= INTERVAL {
            self.tell(line);
        }
    }

    fn tell(&self, line: &str) {
        self.printed.set(Instant::now());
        if self.bar.is_hidden() {
            let elapsed =
                humantime::format_duration(Duration::from_secs(self.began.elapsed().as_secs()));
            let colon = if line.is_empty() { "" } else { ": " };
            note(&format!("{elapsed} {} {}{colon}{line}", self.name, self.step.borrow()));
        }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_alone_pass() {
        let table = "\u{1b}[1mhead\u{1b}[0m\n\u{1b}[38;5;16mcell\u{1b}[0m";
        assert_eq!(styled(table), table);
        let harm = "a\u{1b}[2Jb\u{1b}]0;x\u{7}\u{1b}[1;31";
        assert_eq!(styled(harm), "a\\u001b[2Jb\\u001b]0;x\\u0007\\u001b[1;31");
        assert_eq!(styled("\u{1b}[mplain\u{9b}1m"), "\u{1b}[mplain\\u009b1m");
        assert_eq!(styled("plain"), "plain");
    }
}
