//! The bytes that a job writes and its duration, computed from all options that multiply them.
//!
//! Every figure is an upper bound. An option that prevents that is refused by name.

use super::{
    job_file::Section,
    number::{self, Unit, number},
};

/// Engines that open no file.
const WITHOUT_FILES: [&str; 2] = ["null", "cpuio"];

/// Engines that write by system calls whose bytes the kernel counts.
const BY_CALLS: [&str; 6] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "posixaio"];

/// The default engine.
const OWN_ENGINE: &str = "psync";

/// The work of a job, as numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Work {
    /// Bytes of all files of a process.
    pub(super) size: Option<u64>,
    /// Smallest and largest length of a file.
    pub(super) file_size: Option<(u64, u64)>,
    /// Bytes to be moved in a pass, if that is not the size.
    pub(super) io_size: Option<u64>,
    /// Operations of a pass, at most.
    pub(super) operations: Option<u64>,
    /// Offset in each file at which the work begins.
    pub(super) offset: u64,
    /// Increment of that offset for each further process.
    pub(super) offset_step: u64,
    /// Files of a process.
    pub(super) files: u64,
    /// Passes.
    pub(super) loops: u64,
    /// Processes.
    pub(super) processes: u64,
    /// Smallest and largest block.
    pub(super) block: (u64, u64),
    /// Time to run, microseconds; 0 if only the size ends it.
    pub(super) runtime_us: u64,
    /// Unmeasured time before that.
    pub(super) ramp_us: u64,
    /// Time to wait before the start.
    pub(super) delay_us: u64,
    /// Whether it repeats until its time is over.
    time_based: bool,
    /// Microseconds of waiting after each given number of blocks.
    think: (u64, u64),
    /// Bytes per second of a process, at most.
    rate: Option<u64>,
    /// Operations per second of a process, at most.
    rate_ops: Option<u64>,
    /// Percentages of the moved bytes that are written and read.
    shares: (u64, u64),
    /// Whether written data is read back.
    verifies: bool,
    /// Names of its files, if it shares them with others.
    pub(super) names: Option<String>,
    engine: String,
}

impl Work {
    /// Computes the work of `job`, whose options are its own and those of the global sections.
    ///
    /// # Errors
    /// It cannot be computed; the message names the option, and what to write instead.
    pub(super) fn of(job: &Section) -> Result<Work, String> {
        let read = Options { job, kilo: kilo(job)? };
        let time_based = read.is_set(&["time_based"]);
        if read.is_set(&["fill_device", "fill_fs"]) {
            return Err(read.refused(
                &["fill_device", "fill_fs"],
                "it fills the file system; set how much to write, e.g. size=1g",
            ));
        }
        if read.is_set(&["file_append"]) {
            return Err(read.refused(&["file_append"], "files would grow with every pass"));
        }
        let names = job.get(&["filename"]).filter(|names| !names.is_empty()).map(str::to_string);
        let files = match &names {
            Some(names) => names.split(':').count() as u64,
            None => read.count(&["nrfiles", "nr_files"])?.unwrap_or(1).max(1),
        };
        let pattern = job.pattern();
        let verifies = job.get(&["verify"]).is_some_and(|kind| !matches!(kind, "0" | "null"));
        let work = Work {
            size: read.bytes(&["size"])?.filter(|size| *size > 0),
            file_size: read.range(&["filesize", "file_size"])?.filter(|(_, most)| *most > 0),
            io_size: read.bytes(&["io_size", "io_limit"])?.filter(|size| *size > 0),
            operations: read.count(&["number_ios"])?.filter(|number| *number > 0),
            offset: read.bytes(&["offset", "fileoffset"])?.unwrap_or(0),
            offset_step: read.bytes(&["offset_increment"])?.unwrap_or(0),
            files,
            loops: read.count(&["loops"])?.unwrap_or(1).max(1),
            processes: read.count(&["numjobs"])?.unwrap_or(1).max(1),
            block: read.block()?,
            runtime_us: read.time(&["runtime", "timeout"], Unit::Seconds)?,
            ramp_us: read.time(&["ramp_time"], Unit::Seconds)?,
            delay_us: read.time(&["startdelay"], Unit::Seconds)?,
            time_based,
            think: (
                read.time(&["thinktime"], Unit::Micros)?,
                read.count(&["thinktime_blocks"])?.unwrap_or(1).max(1),
            ),
            rate: read.least(&["rate"])?,
            rate_ops: read.least(&["rate_iops"])?,
            shares: shares(pattern, read.write_share()?),
            verifies,
            names,
            engine: job.get(&["ioengine"]).unwrap_or(OWN_ENGINE).into(),
        };
        if work.engine == "cpuio" && work.runtime_us == 0 {
            return Err("`ioengine=cpuio` is refused: it would never end; add runtime=".into());
        }
        Ok(work)
    }

    /// Returns whether it states the size of its files, or needs none.
    pub(super) fn has_size(&self) -> bool {
        self.size.is_some() || self.file_size.is_some() || self.engine == "cpuio"
    }

    /// Returns the bytes of the files of a process.
    pub(super) fn all_files(&self) -> u64 {
        let of_range = |(_, most): (u64, u64)| self.files.saturating_mul(most);
        self.file_size.map(of_range).or(self.size).unwrap_or(0)
    }

    /// Returns the bytes that a process moves in a pass.
    pub(super) fn pass(&self) -> u64 {
        let all = self.all_files();
        let moved = self.io_size.unwrap_or(self.size.map_or(all, |size| size.min(all)));
        let most = self.operations.map(|number| number.saturating_mul(self.block.1));
        most.map_or(moved, |most| most.min(moved))
    }

    /// Returns the bytes that all processes move if only their number ends it.
    fn moved(&self) -> u64 {
        self.pass().saturating_mul(self.loops).saturating_mul(self.processes)
    }

    /// Returns the bytes on the file system when all files exist.
    pub(super) fn peak(&self) -> u64 {
        if WITHOUT_FILES.contains(&self.engine.as_str()) {
            return 0;
        }
        let last = self.offset_step.saturating_mul(self.processes - 1);
        let before = self.offset.saturating_add(last).saturating_mul(self.files);
        let sets = if self.names.is_some() { 1 } else { self.processes };
        self.all_files().saturating_add(before).saturating_mul(sets)
    }

    /// Returns the bytes written and read if only their number ends it.
    pub(super) fn written_and_read(&self) -> (u64, u64) {
        let of = |share: u64| (u128::from(self.moved()) * u128::from(share)).div_ceil(100);
        let of = |share| u64::try_from(of(share)).unwrap_or(u64::MAX);
        let (written, read) = (of(self.shares.0), of(self.shares.1));
        (written, if self.verifies { read.saturating_add(written) } else { read })
    }

    /// Returns whether its time ends it, so that its bytes depend on the device.
    pub(super) fn ends_by_time(&self) -> bool {
        self.runtime_us > 0
    }

    /// Returns whether only its time ends it.
    pub(super) fn is_without_end(&self) -> bool {
        self.time_based && self.runtime_us > 0
    }

    /// Returns whether it writes.
    pub(super) fn writes(&self) -> bool {
        self.shares.0 > 0
    }

    /// Returns whether the kernel counts its writes by the system calls.
    pub(super) fn writes_by_calls(&self) -> bool {
        BY_CALLS.contains(&self.engine.as_str()) || WITHOUT_FILES.contains(&self.engine.as_str())
    }

    /// Returns whether it waits between its operations.
    pub(super) fn is_paced(&self) -> bool {
        self.think.0 > 0 || self.rate.is_some() || self.rate_ops.is_some()
    }

    /// Returns the most seconds that it takes, whatever the disk does.
    pub(super) fn seconds(&self) -> f64 {
        let run_us = match self.runtime_us {
            0 => self.paced_us(),
            time => time as f64,
        };
        (self.delay_us as f64 + self.ramp_us as f64 + run_us) / 1e6
    }

    /// Returns the microseconds of waiting in all passes of a process.
    fn paced_us(&self) -> f64 {
        let moved = self.pass().saturating_mul(self.loops);
        let operations = moved.div_ceil(self.block.0.max(1)) as f64;
        let thought = operations / self.think.1 as f64 * self.think.0 as f64;
        let by = |of: f64, rate: Option<u64>| rate.map_or(0.0, |rate| of * 1e6 / rate as f64);
        thought + by(moved as f64, self.rate).max(by(operations, self.rate_ops))
    }
}

/// Percentages of the bytes of `pattern` that are written and read.
fn shares(pattern: &str, mixed: u64) -> (u64, u64) {
    match pattern {
        "read" | "randread" => (0, 100),
        "trim" | "randtrim" => (0, 0),
        "rw" | "readwrite" | "randrw" => (mixed, 100 - mixed),
        _ => (100, 0),
    }
}

/// Bytes per `k` in `job`.
fn kilo(job: &Section) -> Result<u64, String> {
    match job.get(&["kb_base"]) {
        None | Some("1024") => Ok(1024),
        Some("1000") => Ok(1000),
        Some(text) => Err(format!("`kb_base={text}` is refused: expected 1000 or 1024")),
    }
}

/// The options of a job, read as numbers.
struct Options<'a> {
    job: &'a Section,
    kilo: u64,
}

impl Options<'_> {
    /// Returns the sentence that refuses the option of `keys` for the reason `why`.
    fn refused(&self, keys: &[&str], why: &str) -> String {
        let option = self.job.option(keys).unwrap_or_default();
        format!("`{option}` is refused: {why}")
    }

    fn read<T>(
        &self,
        keys: &[&str],
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let value = self.job.get(keys).map(read).transpose();
        value.map_err(|why| self.refused(keys, &why))
    }

    fn bytes(&self, keys: &[&str]) -> Result<Option<u64>, String> {
        self.read(keys, |text| number(text, Unit::Bytes { kilo: self.kilo }))
    }

    /// Reads a count, which in fio may have the suffixes of sizes.
    fn count(&self, keys: &[&str]) -> Result<Option<u64>, String> {
        self.bytes(keys)
    }

    fn range(&self, keys: &[&str]) -> Result<Option<(u64, u64)>, String> {
        self.read(keys, |text| number::range(text, Unit::Bytes { kilo: self.kilo }))
    }

    /// Reads the longest of a range of times, microseconds.
    fn time(&self, keys: &[&str], unit: Unit) -> Result<u64, String> {
        let longest = |text: &str| number::range(text, unit).map(|(_, longest)| longest);
        Ok(self.read(keys, longest)?.unwrap_or(0))
    }

    /// Reads the least of a list of rates except 0, which means no limit.
    fn least(&self, keys: &[&str]) -> Result<Option<u64>, String> {
        let list = self.read(keys, |text| number::list(text, Unit::Bytes { kilo: self.kilo }))?;
        Ok(list.unwrap_or_default().into_iter().filter(|rate| *rate > 0).min())
    }

    /// Reads the percentage of writes in a mixed pattern; the last option counts.
    fn write_share(&self) -> Result<u64, String> {
        let keys = ["rwmixread", "rwmixwrite"];
        let is_of_writes =
            self.job.option(&keys).is_some_and(|text| text.starts_with("rwmixwrite"));
        let share = self.count(&keys)?.unwrap_or(50).min(100);
        Ok(if is_of_writes { share } else { 100 - share })
    }

    /// Reads the smallest and the largest block.
    fn block(&self) -> Result<(u64, u64), String> {
        let unit = Unit::Bytes { kilo: self.kilo };
        let mut all = Vec::new();
        for keys in [["bs", "blocksize"], ["bsrange", "blocksize_range"]] {
            all.extend(self.read(&keys, |text| number::list(text, unit))?.unwrap_or_default());
        }
        let sizes = |text: &str| {
            let parts = text.split([':', ',']).map(|part| part.split('/').next().unwrap_or(part));
            let parts = parts.filter(|part| !part.is_empty());
            parts.map(|part| number(part, unit)).collect::<Result<Vec<u64>, _>>()
        };
        all.extend(self.read(&["bssplit"], sizes)?.unwrap_or_default());
        let (least, most) = (all.iter().min(), all.iter().max());
        Ok((least.copied().unwrap_or(4096).max(1), most.copied().unwrap_or(4096).max(1)))
    }

    /// Returns whether a switch is on; without a value it is.
    fn is_set(&self, keys: &[&str]) -> bool {
        self.job
            .get(keys)
            .is_some_and(|value| value.is_empty() || !value.bytes().all(|b| b == b'0'))
    }
}
