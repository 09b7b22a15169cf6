//! The kind `log`: records appended to a log file, each made durable before the next, as a database
//! does with the log of its commits.

use super::{Defaults, Head, Kind, scaled, settings};
use crate::{
    Estimate, Measured, Meter, Run, Test, TestError,
    commits::{self, Client, Load},
    figures::Metrics,
    page,
};
use engine::{
    clock::now_ns,
    data::{Data, Pattern, derive_seed},
};
use model::{
    Bytes, CacheNeed, CrewReport, Group, Histogram, Job, Knob, Metric, PhaseKind, TestInfo,
};
use rustix::fs::{FallocateFlags, OFlags, fallocate};
use serde::Deserialize;
use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

pub(super) static KIND: Kind = Kind {
    name: "log",
    about: "records appended to a log, each made durable before the next.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table)?;
        settings.check()?;
        Ok(Box::new(LogTest { head, settings }))
    },
};

static KNOBS: [Knob; 6] = [
    Knob {
        name: "record",
        unit: "bytes",
        help: "size of a record; a power of two from 64 to 1M",
        default: "4k",
        range: &[],
    },
    Knob {
        name: "sync",
        unit: "",
        help: "how a record is made durable; none leaves all to the sync after the run",
        default: "fdatasync",
        range: &["fdatasync", "fsync", "o_dsync", "none"],
    },
    Knob {
        name: "space",
        unit: "",
        help: "whether the log was written in full before and is written over, is allocated but never written, or grows",
        default: "written",
        range: &["written", "fallocate", "grow"],
    },
    Knob {
        name: "segment",
        unit: "bytes",
        help: "size of the log at scale 1, after which it begins again; at least 1M",
        default: "64M",
        range: &[],
    },
    commits::RUNTIME,
    commits::RATE,
];

/// Least size of a segment at any scale.
const LEAST_SEGMENT: u64 = 1 << 20;
/// The log, in the directory of the worker.
const FILE: &str = "commit.log";

/// What makes a record durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sync {
    Fdatasync,
    Fsync,
    ODsync,
    None,
}

/// What a record is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Space {
    /// Blocks that hold data.
    Written,
    /// Blocks that are allocated and were never written.
    Fallocate,
    /// The end of the file.
    Grow,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    record: Bytes,
    sync: Sync,
    space: Space,
    segment: Bytes,
    runtime_s: f64,
    rate: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            record: Bytes(4 << 10),
            sync: Sync::Fdatasync,
            space: Space::Written,
            segment: Bytes(64 << 20),
            runtime_s: 10.0,
            rate: 0,
        }
    }
}

impl Settings {
    fn check(&self) -> Result<(), String> {
        let record = self.record.0;
        if !record.is_power_of_two() || !(64..=1 << 20).contains(&record) {
            return Err(format!("`record` must be a power of two from 64 to 1M, not {record}"));
        }
        if self.segment.0 < LEAST_SEGMENT {
            return Err(format!("`segment` must be at least 1M, not {}", self.segment));
        }
        Load::check(self.runtime_s)
    }

    /// Bytes of a segment, whole records.
    fn segment_bytes(&self, job: &Job) -> u64 {
        let bytes = scaled(self.segment.0, job.scale, LEAST_SEGMENT);
        bytes - bytes % self.record.0
    }
}

struct LogTest {
    head: Head,
    settings: Settings,
}

impl LogTest {
    fn load(&self, scale: f64) -> Load {
        Load::new(self.settings.runtime_s, self.settings.rate, scale)
    }

    fn info(&self) -> TestInfo {
        let s = &self.settings;
        let (metric, unit, better) = self.load(1.0).ranks();
        let how = match s.sync {
            Sync::Fdatasync => "with fdatasync",
            Sync::Fsync => "with fsync",
            Sync::ODsync => "with O_DSYNC",
            Sync::None => "not synced",
        };
        let onto = match s.space {
            Space::Written => "",
            Space::Fallocate => ", allocated log",
            Space::Grow => ", growing log",
        };
        let rate = if s.rate > 0 { format!(", {} per second", s.rate) } else { String::new() };
        self.head.info(Defaults {
            name: format!("log commit {} {how}{onto}{rate}", s.record),
            testtype: "durable append",
            group: Group::Transactions,
            metric,
            unit,
            better,
        })
    }
}

impl Test for LogTest {
    fn infos(&self) -> Vec<TestInfo> {
        vec![self.info()]
    }

    fn cache(&self) -> CacheNeed {
        CacheNeed::Any
    }

    fn threads(&self, _job: &Job) -> u32 {
        1
    }

    fn declaration(&self) -> Option<String> {
        Some(self.head.declaration.clone())
    }

    /// Always a new file, so that a run does not begin on what the last one left.
    fn fill(&self, job: &Job) -> Result<(), TestError> {
        let path = job.dir.join(FILE);
        let bytes = self.settings.segment_bytes(job);
        let file = File::create(&path).map_err(TestError::io("create", &path))?;
        match self.settings.space {
            Space::Grow => {}
            Space::Fallocate => allocate(&file, &path, bytes)?,
            Space::Written => write_all(&file, &path, &data(job, FILE, 64 << 10), bytes)?,
        }
        file.sync_all().map_err(TestError::io("fsync", &path))
    }

    fn files(&self, _job: &Job) -> Vec<PathBuf> {
        Vec::new()
    }

    fn start<'a>(&'a self, job: &'a Job) -> Result<Box<dyn Run + 'a>, TestError> {
        let path = job.dir.join(FILE);
        let flags =
            if self.settings.sync == Sync::ODsync { OFlags::DSYNC } else { OFlags::empty() };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags.bits() as i32)
            .open(&path)
            .map_err(TestError::io("open", &path))?;
        let record = self.settings.record.0;
        Ok(Box::new(LogRun {
            client: Client::new(self.load(job.scale), 0, 1, &path)?,
            data: data(job, &job.test, record),
            log: Log {
                file,
                path,
                sync: self.settings.sync,
                space: self.settings.space,
                record,
                segment: self.settings.segment_bytes(job),
            },
        }))
    }

    fn estimate(&self, job: &Job) -> Estimate {
        let load = self.load(job.scale);
        Estimate {
            write_bytes: load.commits() * self.settings.record.0,
            scratch_bytes: self.settings.segment_bytes(job),
            fixed_s: load.seconds(),
            ..Estimate::default()
        }
    }

    fn space(&self, _job: &Job) -> Vec<(PathBuf, u64)> {
        Vec::new()
    }

    fn measure(&self, job: &Job, crew: &CrewReport) -> Vec<Measured> {
        let load = self.load(job.scale);
        vec![commits::measured(&self.head.id, load, crew, Metrics::default())]
    }

    fn explain(&self, _id: &str) -> String {
        let read_it = format!("{}\n\n{TRAPS}", commits::read_it(self.load(1.0)));
        page::page(&self.head, &KIND, &self.info(), &self.does(), &read_it)
    }
}

const TRAPS: &str = "How the log got its blocks often matters more than the file system: a record written over old data in place changes no metadata, one into allocated blocks makes an extent written, one at the end of the file changes its size, and each of these changes needs a commit of the file system's own journal. A copy-on-write file system allocates anew in all three. Compare tests of the same `space` only.";

impl LogTest {
    fn does(&self) -> String {
        let s = &self.settings;
        let before = match s.space {
            Space::Written => {
                "the log is written in full with random data and synced; it is then written over in place, as databases recycle their log files"
            }
            Space::Fallocate => {
                "the log is allocated with fallocate(2), which also sets its size, and synced"
            }
            Space::Grow => "the log is created empty and synced",
        };
        let commit = match s.sync {
            Sync::Fdatasync => "pwrite(2) of the record, then fdatasync(2)",
            Sync::Fsync => "pwrite(2) of the record, then fsync(2)",
            Sync::ODsync => "pwrite(2) of the record to a file opened with `O_DSYNC`",
            Sync::None => "pwrite(2) of the record, which is not synced",
        };
        let end = match s.space {
            Space::Written => "goes on at its beginning",
            Space::Fallocate => "is truncated to nothing and allocated again within that commit",
            Space::Grow => "is truncated to nothing within that commit",
        };
        format!(
            "Each process has its own log of {} at scale 1 (at least 1 MiB). Before the clock starts, {before}.\n\n- For {} s at scale 1 (at least {} s): {commit}. Records have {} and random content, different for each.\n- A log that is full {end}.\n- As a phase of its own: fsync(2) of the log.\n- After the clock stopped: every record that the log must still hold is read back and compared, with the size of the file; then it is removed.",
            s.segment, s.runtime_s, 0.2, s.record,
        )
    }
}

/// Data of this worker for the thing called `name`, in runs of `run_bytes`.
fn data(job: &Job, name: &str, run_bytes: u64) -> Data {
    let seed = derive_seed(job.seed, name);
    Data::of(Pattern::new(&job.data, seed, job.worker, run_bytes / 8), u64::MAX >> 8)
}

fn allocate(file: &File, path: &Path, bytes: u64) -> Result<(), TestError> {
    fallocate(file, FallocateFlags::empty(), 0, bytes)
        .map_err(|errno| TestError::io("fallocate", path)(errno.into()))
}

fn write_all(file: &File, path: &Path, data: &Data, bytes: u64) -> Result<(), TestError> {
    let mut at = 0;
    while at < bytes {
        let piece = data.piece_bytes(at / 8, (bytes - at) / 8);
        file.write_all_at(piece, at).map_err(TestError::io("write", path))?;
        at += piece.len() as u64;
    }
    Ok(())
}

/// The file, and how records get into it.
struct Log {
    file: File,
    path: PathBuf,
    sync: Sync,
    space: Space,
    record: u64,
    segment: u64,
}

impl Log {
    /// Appends record `k`; returns when it was durable.
    fn append(&self, k: u64, bytes: &[u8]) -> Result<u64, TestError> {
        let at = k * self.record % self.segment;
        if at == 0 && k > 0 {
            self.begin_again()?;
        }
        self.file.write_all_at(bytes, at).map_err(TestError::io("write", &self.path))?;
        match self.sync {
            Sync::Fdatasync => self.file.sync_data(),
            Sync::Fsync => self.file.sync_all(),
            Sync::ODsync | Sync::None => Ok(()),
        }
        .map_err(TestError::io("sync", &self.path))?;
        Ok(now_ns())
    }

    fn begin_again(&self) -> Result<(), TestError> {
        if self.space == Space::Written {
            return Ok(());
        }
        self.file.set_len(0).map_err(TestError::io("truncate", &self.path))?;
        match self.space {
            Space::Fallocate => allocate(&self.file, &self.path, self.segment),
            Space::Grow | Space::Written => Ok(()),
        }
    }

    /// The records that the file holds after `count` were appended, and its size.
    fn holds(&self, count: u64) -> (std::ops::Range<u64>, u64) {
        let per_segment = self.segment / self.record;
        let begun = count.saturating_sub(1) / per_segment * per_segment;
        match self.space {
            Space::Written => (count.saturating_sub(per_segment)..count, self.segment),
            Space::Fallocate => (begun..count, self.segment),
            Space::Grow => (begun..count, (count - begun) * self.record),
        }
    }
}

struct LogRun {
    client: Client,
    data: Data,
    log: Log,
}

impl LogRun {
    fn wrong(&self, why: String) -> TestError {
        TestError::Wrong { path: self.log.path.clone(), why }
    }
}

fn record(data: &Data, k: u64, bytes: u64) -> &[u8] {
    data.piece_bytes(k * bytes / 8, bytes / 8)
}

impl Run for LogRun {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let LogRun { client, data, log } = self;
        meter.phase(PhaseKind::Operate, &mut |progress| {
            client.run(now_ns(), |k| {
                let durable_ns = log.append(k, record(data, k, log.record))?;
                progress.add(log.record, 1);
                Ok(durable_ns)
            })
        })?;
        meter.phase(PhaseKind::Sync, &mut |_| {
            log.file.sync_all().map_err(TestError::io("fsync", &log.path))
        })
    }

    fn verify(&mut self) -> Result<(), TestError> {
        let Log { file, path, record: size, segment, .. } = &self.log;
        let (records, expected) = self.log.holds(self.client.commits);
        let found = file.metadata().map_err(TestError::io("stat", path))?.len();
        if found != expected {
            return Err(self.wrong(format!("{found} bytes instead of {expected}")));
        }
        let mut read = vec![0; *size as usize];
        for k in records {
            file.read_exact_at(&mut read, k * size % segment)
                .map_err(TestError::io("read", path))?;
            if read != record(&self.data, k, *size) {
                return Err(self.wrong(format!("record {k} is not what was committed")));
            }
        }
        fs::remove_file(path).map_err(TestError::io("remove", path))
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        self.client.histograms()
    }

    fn metrics(&mut self) -> Vec<Metric> {
        self.client.metrics()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{crew, declared, job, run};

    #[test]
    fn every_way_commits_and_leaves_nothing() {
        for sync in ["fdatasync", "fsync", "o_dsync", "none"] {
            for space in ["written", "fallocate", "grow"] {
                let dir = tempfile::tempdir().unwrap();
                let text = format!("kind = 'log'\nid = 'x.l'\nsync = '{sync}'\nspace = '{space}'");
                let test = declared(&text);
                let job = job("x.l", dir.path());
                let crew = crew(run(test, &job).unwrap());
                let commits = crew.workers[0].phases[0].ops;
                assert!(commits > 0);
                assert_eq!(crew.workers[0].phases[0].bytes, 4096 * commits);
                assert_eq!(crew.workers[0].histograms[0].count(), commits);
                let measured = test.measure(&job, &crew);
                assert_eq!(measured[0].metrics[0].name, "commits_rate");
                assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
            }
        }
    }

    #[test]
    fn a_fixed_rate_ranks_by_what_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let test = declared("kind = 'log'\nid = 'x.l'\nrate = 100");
        let job = job("x.l", dir.path());
        let crew = crew(run(test, &job).unwrap());
        // 0.2 s at 100 per second.
        assert_eq!(crew.workers[0].histograms[0].count(), 20);
        let measured = &test.measure(&job, &crew)[0];
        assert_eq!(measured.metrics[0].name, test.infos()[0].metric);
        assert_eq!(measured.metrics[0].name, "latency_p99_us");
    }

    fn log(space: Space) -> (tempfile::TempDir, LogRun) {
        let dir = tempfile::tempdir().unwrap();
        let text = "kind = 'log'\nid = 'x.l'\nsync = 'none'";
        let test: Settings = settings(toml::Table::new()).unwrap();
        let declared = LogTest {
            settings: Settings { space, sync: Sync::None, record: Bytes(64 << 10), ..test },
            head: Head {
                id: "x.l".into(),
                suite: "x".into(),
                name: None,
                about: None,
                group: None,
                testtype: None,
                declaration: text.into(),
            },
        };
        let job = job("x.l", dir.path());
        declared.fill(&job).unwrap();
        let path = dir.path().join(FILE);
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let (record, segment) = (64 << 10, 1 << 20);
        let log = Log { file, path, sync: Sync::None, space, record, segment };
        let client = Client::new(declared.load(0.002), 0, 1, dir.path()).unwrap();
        (dir, LogRun { client, data: data(&job, "x.l", record), log })
    }

    /// 16 records in a segment: after 20 the second segment holds 4.
    #[test]
    fn a_full_log_begins_again() {
        for (space, held, bytes) in [
            (Space::Written, 4..20, 1 << 20),
            (Space::Fallocate, 16..20, 1 << 20),
            (Space::Grow, 16..20, 4 << 16),
        ] {
            let (_dir, mut run) = log(space);
            for k in 0..20 {
                run.log.append(k, record(&run.data, k, run.log.record)).unwrap();
            }
            run.client.commits = 20;
            assert_eq!(run.log.holds(20), (held, bytes));
            run.verify().unwrap();
        }
    }

    #[test]
    fn a_lost_record_is_found() {
        let (_dir, mut run) = log(Space::Written);
        for k in (0..16).filter(|&k| k != 9) {
            run.log.append(k, record(&run.data, k, run.log.record)).unwrap();
        }
        run.client.commits = 16;
        assert!(run.verify().unwrap_err().to_string().contains("record 9"));
        let (_dir, mut run) = log(Space::Grow);
        run.client.commits = 1;
        assert!(run.verify().unwrap_err().to_string().contains("0 bytes instead of 65536"));
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        let refused = |text: &str| {
            let settings: Result<Settings, String> = settings(text.parse().unwrap());
            settings.and_then(|s| s.check()).unwrap_err()
        };
        assert!(refused("record = '100'").contains("power of two"));
        assert!(refused("segment = '4k'").contains("at least 1M"));
        assert!(refused("runtime_s = 0").contains("runtime_s"));
        assert!(refused("sync = 'maybe'").contains("sync"));
        assert!(refused("recrod = '4k'").contains("recrod"));
    }
}
