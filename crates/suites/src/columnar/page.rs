//! The frame of an explanation: headings, the table of sizes, what the figures mean, the knobs.

use super::{row::Row, settings::KNOBS};
use crate::Stretch;
use model::{
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, Job},
};
use std::fmt::Write;

/// The metrics of a test.
#[derive(Clone, Copy, Debug)]
pub(super) enum Figures {
    Write,
    Append,
    Sync,
    SortSync,
    Read,
    Meta,
}

/// A page that grows.
pub(super) struct Page(String);

/// A job of full size, on a machine with memory for it.
pub(super) fn full_job(workers: u32) -> Job {
    Job { workers, seed: 1, ..Job::of("", "worker") }
}

impl Page {
    pub(super) fn new(row: Row, cache: CacheNeed) -> Page {
        let cache = match cache {
            CacheNeed::Cold => "cold: unmounted, dropped and proven absent",
            CacheNeed::Hot => "hot: read once before, untimed",
            CacheNeed::Any => "as the tests before left it",
        };
        Page(format!(
            "# {} (`{}`)\n\nType `{}`, table *{}*. Cache: {cache}.\n",
            row.name,
            row.id,
            row.testtype,
            row.group.title()
        ))
    }

    fn heading(&mut self, title: &str) {
        if !self.0.contains(&format!("\n## {title}\n")) {
            self.0.push_str(&format!("\n## {title}\n\n"));
        }
    }

    pub(super) fn about(&mut self, text: &str) {
        self.heading("What it does");
        self.0.push_str(text);
        self.0.push('\n');
    }

    pub(super) fn steps(&mut self, phase: &str, steps: &[&str]) {
        self.0.push_str(&format!("\n{phase}:\n\n"));
        for (i, step) in steps.iter().enumerate() {
            self.0.push_str(&format!("{}. {step}\n", i + 1));
        }
    }

    /// A line in the table of sizes, for 1 and for 64 workers.
    pub(super) fn size(&mut self, what: &str, of: impl Fn(&Job) -> u64) {
        if !self.0.contains("\n## Sizes\n") {
            self.heading("Sizes");
            self.0.push_str("For one worker at scale 1, with enough memory.\n\n");
            self.0.push_str("| | 1 worker | 64 workers |\n|---|---:|---:|\n");
        }
        let show = |workers| {
            let value = of(&full_job(workers));
            let binary = if what.contains("bytes") && value >= 1024 {
                format!(" ({})", Bytes(value))
            } else {
                String::new()
            };
            format!("{value}{binary}")
        };
        self.0.push_str(&format!("| {what} | {} | {} |\n", show(1), show(64)));
    }

    /// Describes how a test that is sized separately is made long enough.
    pub(super) fn longer(&mut self, stretch: Stretch) {
        let how = match stretch {
            Stretch::Copies(_) => "more files like this one, each with data of its own",
            Stretch::Passes(_) => {
                "more passes, over this file and others like it that earlier tests made"
            }
            Stretch::Times => "more of the same operations",
            Stretch::Given | Stretch::Scale => {
                return self.0.push_str("\nIts size follows from that of the large vectors: others read what it makes.\n");
            }
        };
        self.0.push_str(&format!(
            "\nWithout `--scale`, a vector below a large one has this length, a large one at least that of two medium \
             ones, and the test is made long enough by {how}. The spawned sync is left out then.\n"
        ));
    }

    pub(super) fn figures(&mut self, figures: Figures) {
        self.heading("Figures");
        self.0.push_str(match figures {
            Figures::Write | Figures::Append => "- `durable_rate` ranks: bytes / (write + sync), \
                                                 each from the first worker's start to the last \
                                                 one's end. Data counts as written only once it \
                                                 is on disk.\n- `cache_rate`: bytes / write only. \
                                                 `sync_s`: the time to durable.\n- `sum_rate`: \
                                                 every worker's bytes over its own time of \
                                                 writing, added up. `overlap_rate`: only while \
                                                 all wrote.\n",
            Figures::Sync => "- `sync_ms`: time of the fsync after the write, from the first \
                              worker's start to the last one's end. The durable rate of the write \
                              includes it, so it is excluded from means and scores.\n- `spawn_s`: \
                              the spawned shell.\n",
            Figures::SortSync => "- `sync_ms`: time of the fsyncs after the sort, of the \
                                  directory and of each column. The durable rate of the sort \
                                  includes it, so it is excluded from means and scores.\n- \
                                  `spawn_s`: the spawned shell.\n",
            Figures::Read => "- `rate` ranks: bytes from the first worker's start to the last \
                              one's end.\n- `overlap_rate`: only while all read. `sum_rate`: each \
                              worker's rate over its own time, summed, which overstates uneven \
                              workers.\n- `first_done_s`, `last_done_s`: when the first and the \
                              last worker ended.\n",
            Figures::Meta => "- `latency_ms` ranks, lower is better: each worker's time divided by its operations, then the mean over workers.\n- `latency_max_ms`: the slowest worker's. `ops_rate`: all operations a second.\n",
        });
        self.0.push_str(match figures {
            Figures::Write | Figures::Read => {
                "- `nano_rate`: the original suite's arithmetic, 8 bytes per element, rates \
                 summed.\n"
            }
            Figures::Append => "- `nano_rate`: the original suite's arithmetic, 8 bytes an element over write, sync and spawned shell, rates added up.\n",
            Figures::Sync | Figures::SortSync => "- `nano_rate`: the original suite's arithmetic, with the length of its command as a factor.\n",
            Figures::Meta => "",
        });
    }

    pub(super) fn reading(&mut self, text: &str) {
        self.heading("How to read it");
        self.0.push_str(text);
        self.0.push('\n');
    }

    pub(super) fn caveats(&mut self, caveats: &[&str]) {
        self.heading("Caveats");
        for caveat in caveats {
            self.0.push_str(&format!("- {caveat}\n"));
        }
    }

    /// Describes what is unknown about the original suite, and the knobs that measure the alternative.
    pub(super) fn guesses(&mut self, text: &str, knobs: &[&str]) {
        self.heading("Uncertain");
        self.0.push_str(text);
        self.0.push('\n');
        for (i, knob) in KNOBS.iter().filter(|k| knobs.contains(&k.name)).enumerate() {
            if i == 0 {
                self.0.push('\n');
            }
            self.knob(knob);
        }
    }

    fn knob(&mut self, knob: &Knob) {
        let values = if knob.range.is_empty() { knob.unit.into() } else { knob.range.join("|") };
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.0,
            "- `{}={values}`: {}; default `{}`",
            knob.name, knob.help, knob.default
        );
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}
