//! Shows the progress of a campaign: a live view on a terminal, plain lines elsewhere, JSON objects for programs, or
//! nothing.

use super::{
    INTERVAL, fold,
    left::Left,
    live::{Live, Standings},
    locale,
    machine::Machine,
    note, object, shown,
};
use campaign::messages::{Ahead, Watch};
use clap::ValueEnum;
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use model::{
    result::{Dataset, Note, Sample},
    text::printable,
    workload::TestInfo,
};
use serde_json::json;
use std::{
    cell::{Cell, RefCell},
    fmt,
    io::{self, IsTerminal},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// How progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// Live where stderr is a terminal, else lines
    #[default]
    Auto,
    /// A line for each target and block, and one each minute
    Lines,
    /// One JSON object per line for each step, sample and block
    Json,
    /// No progress, only notices
    None,
}

/// `3/96, left 2m`; before it is known how many there are, that the campaign is not there yet.
fn place(done: u64, all: u64, left: Option<String>) -> String {
    match (all, left) {
        (0, _) => "preparing".into(),
        (_, Some(left)) => format!("{done}/{all}, {left}"),
        (_, None) => format!("{done}/{all}"),
    }
}

/// What a campaign shows while it runs, on stderr.
pub struct Progress {
    how: Shown,
    view: MultiProgress,
    bar: ProgressBar,
    /// Lines below the bar: the machine, the last figure, then the scores.
    machine: ProgressBar,
    last: ProgressBar,
    scores: RefCell<Vec<ProgressBar>>,
    live: RefCell<Live>,
    printed: Cell<Instant>,
    /// Shared with the bar, which draws itself.
    left: Arc<Mutex<Left>>,
}

impl Progress {
    /// A progress of a campaign of `tests` in which others are compared with `baseline`.
    pub fn new(how: Shown, tests: Vec<TestInfo>, baseline: &str) -> Progress {
        let how = match how {
            Shown::Auto if !io::stderr().is_terminal() => Shown::Lines,
            how => how,
        };
        let view = MultiProgress::new();
        let left = Arc::default();
        let bar =
            if how == Shown::Auto { view.add(ProgressBar::new(0)) } else { ProgressBar::hidden() };
        let machine = if how == Shown::Auto { view.add(machine()) } else { ProgressBar::hidden() };
        machine.enable_steady_tick(Duration::from_secs(1));
        let last = if how == Shown::Auto { view.add(line()) } else { ProgressBar::hidden() };
        if let Ok(style) =
            ProgressStyle::with_template(&shown("{elapsed_precise} preparing · {wide_msg}"))
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        let live = RefCell::new(Live::new(tests, baseline));
        let printed = Cell::new(Instant::now());
        Progress { how, view, bar, machine, last, scores: RefCell::default(), live, printed, left }
    }

    /// Takes the view away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
        self.machine.finish_and_clear();
        self.last.finish_and_clear();
        self.scores.borrow().iter().for_each(ProgressBar::finish_and_clear);
        // A view that cannot be cleared is no reason to fail.
        let _ = self.view.clear();
    }

    /// How far the campaign is, once it is known how far it goes.
    fn counted(&self) -> Option<ProgressStyle> {
        let left = Arc::clone(&self.left);
        let left = move |_: &ProgressState, text: &mut dyn fmt::Write| {
            let left = words(&left);
            // A bar that cannot be drawn is no reason to end a campaign.
            let _ = write!(text, "{}", left.as_deref().unwrap_or("left ?"));
        };
        let template = "{elapsed_precise} [{wide_bar}] {pos}/{len} {left} · {msg}";
        let style = ProgressStyle::with_template(&shown(template)).ok()?;
        Some(style.with_key("left", left).progress_chars("=> "))
    }

    /// Changes what the time left is known by.
    fn told(&self, change: impl FnOnce(&mut Left)) {
        // What is left is not worth ending a campaign for.
        if let Ok(mut left) = self.left.lock() {
            change(&mut left);
        }
    }

    /// Shows `lines` below the last figure.
    fn show(&self, lines: &[String]) {
        let mut bars = self.scores.borrow_mut();
        while bars.len() < lines.len() {
            bars.push(self.view.add(line()));
        }
        bars.iter().zip(lines).for_each(|(bar, text)| bar.set_message(shown(text)));
    }
}

/// The time left, in words.
fn words(left: &Mutex<Left>) -> Option<String> {
    left.lock().ok()?.words(Instant::now())
}

/// The line that tells what the machine does.
fn machine() -> ProgressBar {
    let machine = Arc::new(Mutex::new(Machine::new()));
    let line = move |_: &ProgressState, text: &mut dyn fmt::Write| {
        if let Ok(mut machine) = machine.lock() {
            // A line that cannot be drawn is no reason to end a campaign.
            let _ = text.write_str(&shown(machine.line()));
        }
    };
    let bar = ProgressBar::new_spinner();
    match ProgressStyle::with_template("{machine}") {
        Ok(style) => bar.with_style(style.with_key("machine", line)),
        Err(_) => bar,
    }
}

/// A line of the view that is no bar.
fn line() -> ProgressBar {
    let line = ProgressBar::new_spinner();
    match ProgressStyle::with_template("{wide_msg}") {
        Ok(style) => line.with_style(style),
        Err(_) => line,
    }
}

impl Watch for Progress {
    fn expect(&self, ahead: Ahead) {
        if self.bar.length() == Some(0) {
            self.counted().into_iter().for_each(|style| self.bar.set_style(style));
        }
        self.bar.set_length(ahead.cases);
        self.told(|left| left.expect(ahead));
    }

    fn step(&self, line: &str) {
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        self.told(|left| left.step(Instant::now()));
        match self.how {
            Shown::Auto => self.bar.set_message(shown(line)),
            Shown::Lines => {
                self.printed.set(Instant::now());
                note(&format!("[{}] {line}", place(done, all, words(&self.left))));
            }
            Shown::Json => object(&json!({
                "event": "step", "text": line, "cases_done": done, "cases": all,
                "elapsed_s": self.left.lock().map_or(0.0, |left| left.elapsed_s(Instant::now())),
            })),
            Shown::None => {}
        }
    }

    fn now(&self, message: &str) {
        if self.how == Shown::Lines && self.printed.get().elapsed() >= INTERVAL {
            return self.step(message);
        }
        self.bar.set_message(shown(message));
    }

    fn done(&self, cases: u64) {
        self.bar.inc(cases);
        self.told(|left| left.done(cases, Instant::now()));
    }

    fn measured(&self, sample: &Sample) {
        match self.how {
            Shown::Auto => {
                let line = self.live.borrow_mut().line(sample);
                line.into_iter().for_each(|line| self.last.set_message(shown(&line)));
            }
            Shown::Json => object(&self.live.borrow_mut().object(sample)),
            Shown::Lines | Shown::None => {}
        }
    }

    fn block(&self, dataset: &Dataset) {
        self.told(|left| left.block(Instant::now()));
        let Some(standings) = (self.how != Shown::None).then(|| Standings::of(dataset)).flatten()
        else {
            return;
        };
        match self.how {
            Shown::Auto => self.show(&standings.lines()),
            Shown::Json => object(&standings.object()),
            Shown::Lines => standings.lines().iter().for_each(|line| note(line)),
            Shown::None => {}
        }
    }

    fn remark(&self, line: &str) {
        match self.how {
            Shown::Auto => {
                // A view that cannot be drawn is no reason to end a campaign.
                let line = fold::for_stderr(&locale::spelled(printable(line)));
                let _ = self.view.println(line);
            }
            Shown::Json => object(&json!({ "event": "remark", "text": line })),
            Shown::Lines | Shown::None => note(line),
        }
    }

    fn noted(&self, note: &Note) {
        self.remark(&report::words::note(note));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_counted_before_it_is_known_how_much_there_is() {
        assert_eq!(place(0, 0, None), "preparing");
        assert_eq!(place(0, 9, None), "0/9");
        assert_eq!(place(3, 9, Some("left 3m".into())), "3/9, left 3m");
    }
}
