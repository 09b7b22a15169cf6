//! The kind `prompt`: a small write that is synced at a fixed rate, as an editor saves a file or a shell its history,
//! next to another program that writes a stream through the page cache.

mod run;
mod streamer;

use self::{run::PromptRun, streamer::Streamer};
use super::{Defaults, Head, Kind, scaled, settings};
use crate::{
    Estimate, Measured, Run, Test, TestError,
    commits::{self, Client, CommitRate, data},
    figures::{self, Metrics, ratio},
    page,
};
use model::{
    figure::Better,
    target::Knob,
    text::Bytes,
    workload::{CacheNeed, Group, Job, PoolReport, Shape, TestInfo},
};
use serde::Deserialize;
use std::{fs::File, path::PathBuf};

pub(super) static KIND: Kind = Kind {
    name: "prompt",
    about: "small appends, each synced and due at a fixed rate, next to a writer of a stream: when is the prompt back?",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        settings.check()?;
        Ok(Box::new(PromptTest { head, settings }))
    },
};

static KNOBS: [Knob; 4] = [
    Knob::new("record", "bytes", "4k", "bytes of an append, from 64 to 1M"),
    Knob::new("rate", "1/s", "5", "appends that are due per second, at least 1"),
    Knob::new(
        "stream",
        "bytes",
        "512M",
        "size at scale 1 of each of the two files that the stream fills in turn; at least 16M, 0 for no stream",
    ),
    Knob::new(
        "runtime_s",
        "s",
        "30",
        "duration at scale 1; multiplied by the scale, at least 0.2 s",
    ),
];

/// Least size of a file of the stream at any scale.
const LEAST_STREAM: u64 = 16 << 20;
/// The largest at scale 1.
const MOST_STREAM: u64 = 1 << 50;
/// Assumed rate of the stream, for plans, bytes per second.
const ASSUMED_BYTES_PER_S: f64 = 300e6;
const FILE: &str = "prompt";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    record: Bytes,
    rate: u32,
    stream: Bytes,
    runtime_s: f64,
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        let (record, stream) = (self.record.0, self.stream.0);
        if !(64..=1 << 20).contains(&record) {
            return Err(format!("`record` must be from 64 to 1M, not {record}"));
        }
        if !(1..=100_000).contains(&self.rate) {
            return Err(format!("`rate` must be 1 to 100000, not {}", self.rate));
        }
        if stream != 0 && !(LEAST_STREAM..=MOST_STREAM).contains(&stream) {
            return Err("`stream` must be 0, or at least 16M and at most 1P".into());
        }
        CommitRate::check(self.runtime_s)
    }

    fn stream_bytes(&self, job: &Job) -> u64 {
        match self.stream.0 {
            0 => 0,
            bytes => scaled(bytes, job.scale, LEAST_STREAM),
        }
    }
}

struct PromptTest {
    head: Head,
    settings: Settings,
}

impl PromptTest {
    fn load(&self, scale: f64) -> CommitRate {
        CommitRate::new(self.settings.runtime_s, self.settings.rate, scale)
    }

    fn info(&self) -> TestInfo {
        let s = &self.settings;
        let beside = if s.stream.0 == 0 { "alone" } else { "next to a stream" };
        self.head.info(Defaults {
            name: format!("prompt {}, {} per second, {beside}", s.record.short(), s.rate),
            testtype: "prompt",
            group: Group::Transactions,
            metric: "latency_p99_us",
            unit: "us",
            better: Better::Lower,
            shape: Shape::default(),
        })
    }
}

impl Test for PromptTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn threads(&self, _job: &Job) -> u32 {
        if self.settings.stream.0 == 0 { 1 } else { 2 }
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    /// Always new files: those of a run that was broken off are emptied.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let path = job.dir.join(FILE);
        let file = File::create(&path).map_err(TestError::io("create", &path))?;
        file.sync_all().map_err(TestError::io("fsync", &path))?;
        streamer::remove(&job.dir)
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let (s, path) = (&self.settings, job.dir.join(FILE));
        let open = File::options().read(true).write(true).open(&path);
        let file = open.map_err(TestError::io("open", &path))?;
        let streamer = match s.stream_bytes(job) {
            0 => None,
            bytes => Some(Streamer::new(job, bytes)?),
        };
        Ok(Box::new(PromptRun {
            job,
            client: Client::new(self.load(job.scale), 0, 1, &path)?,
            data: data(job, &job.test, s.record.0.next_multiple_of(8)),
            record: s.record.0,
            file,
            path,
            streamer,
            streamed: 0,
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let (load, stream) = (self.load(job.scale), self.settings.stream_bytes(job));
        let prompts = load.commits().saturating_mul(self.settings.record.0);
        let streamed = if stream > 0 { (load.seconds() * ASSUMED_BYTES_PER_S) as u64 } else { 0 };
        Estimate {
            write_bytes: prompts.saturating_add(streamed),
            scratch_bytes: prompts.saturating_add(2 * stream),
            fixed_s: load.seconds(),
            ..Estimate::default()
        }
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    fn measure(&self, job: &Job, pool: &PoolReport) -> Vec<Measured> {
        let mut more = Metrics::default();
        let seconds = figures::time_s(pool, 0..1);
        more.bytes_per_s("stream_rate", ratio(commits::sum(pool, run::STREAMED), seconds));
        let mut measured = commits::measured(&self.head.id, self.load(job.scale), pool, more);
        // These follow from the schedule.
        measured.metrics.retain(|m| !m.name.starts_with("commits_rate") && m.name != "rate");
        vec![measured]
    }

    fn explain(&self, _id: &str) -> String {
        page::page(&self.head, &KIND, &self.info(), &self.does(), READ_IT)
    }
}

impl PromptTest {
    fn does(&self) -> String {
        let s = &self.settings;
        let stream = match s.stream.0 {
            0 => "Nothing else is written.".to_string(),
            _ => format!(
                "Meanwhile a second thread writes blocks of 1 MiB through the page cache as fast as the kernel lets \
                 it, never synced, to a file that grows to {} at scale 1 (at least 16 MiB), then to a second one, \
                 then to the first one again, truncated: space is always allocated anew, as for a copy or a backup.",
                s.stream
            ),
        };
        format!(
            "For {} s at scale 1 (at least 0.2 s), {} time(s) a second on a fixed schedule: pwrite(2) of {} to the end \
             of a file, then fsync(2). {stream} After the clock stopped every record is read back and compared, and \
             the files of the stream are removed, so that what was not yet written of them never is.",
            s.runtime_s, s.rate, s.record,
        )
    }
}

const READ_IT: &str = "The latency of an append counts from when it was due, until its fsync(2) returned, also if it \
                       started late because the one before was not back yet: it is how long a user waits for the \
                       prompt. `latency_p50_us` is a usual wait, `latency_p99_us` ranks, `latency_max_us` is the worst \
                       of the run; with fewer than 100 appends the 99th percentile is the worst.

`stream_rate` is what the stream wrote to the page cache meanwhile, in decimal MB/s, with the time in which it was \
throttled. A target may have short waits because its stream is slow, so compare both. Where the journal of a file \
system is shared, the fsync(2) of one file may wait for the data of another; a device that is full of writes delays it \
on every file system. `achieved_pct` below 95 means that appends were still waiting when the time was over.";

#[cfg(test)]
mod tests;
