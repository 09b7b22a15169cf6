//! Scales a job: sizes, times and passes are multiplied, and stay at least as large as can be measured.

use super::{
    LEAST_RUN_S,
    job_file::{JobFile, Section},
    plan,
    work::Work,
};

/// Smallest sum of sizes to which a scale brings the files of a process.
const LEAST_BYTES: u64 = 4 << 20;

/// Options that are rewritten, with all of their names.
const REWRITTEN: [&str; 17] = [
    "size",
    "filesize",
    "file_size",
    "io_size",
    "io_limit",
    "number_ios",
    "offset",
    "fileoffset",
    "offset_increment",
    "loops",
    "runtime",
    "timeout",
    "ramp_time",
    "startdelay",
    "nrfiles",
    "nr_files",
    "numjobs",
];

impl JobFile {
    /// Returns the file with times and sizes at `scale`, and `procs` times as many processes.
    ///
    /// # Errors
    /// The work of a job cannot be computed; the message names the option.
    pub(super) fn scaled(mut self, scale: f64, procs: u32) -> Result<JobFile, String> {
        if scale == 1.0 && procs == 1 {
            return Ok(self);
        }
        let mut works = plan::works(&self)?.into_iter();
        for section in &mut self.sections {
            strip(section);
            if let Some(work) = (!section.is_global()).then(|| works.next()).flatten() {
                work.scaled(scale, procs).write_into(section);
            }
        }
        Ok(self)
    }
}

impl Work {
    /// Returns the same work at `scale`, by `procs` times as many processes.
    fn scaled(&self, scale: f64, procs: u32) -> Work {
        let mut work = self.clone();
        work.processes = self.processes.saturating_mul(procs.into());
        if scale == 1.0 {
            return work;
        }
        let block = self.block.1;
        // The duration of a job that waits between operations depends on their number, and few suffice.
        let least = if self.is_paced() { block } else { LEAST_BYTES };
        // Named files are all needed; the number of others is reduced if each would be less than a block.
        let files = if self.names.is_some() { self.files } else { 1 };
        let of_all = |full: u64| scaled(full, scale, least.max(block.saturating_mul(files)));
        let of_one = |full: u64| scaled(full, scale, (least / self.files).max(block));
        let aligned = |full: u64| (full as f64 * scale) as u64 / block * block;
        work.size = self.size.map(of_all);
        work.file_size = self.file_size.map(|(low, high)| (of_one(low), of_one(high)));
        work.io_size = self.io_size.map(of_all);
        if self.names.is_none() {
            work.files = work.files_for(scaled(self.all_files(), scale, least));
        }
        work.operations =
            self.operations.map(|number| scaled(number, scale, least.div_ceil(block)));
        (work.offset, work.offset_step) = (aligned(self.offset), aligned(self.offset_step));
        let time = |full: u64, least_s: f64| scaled(full, scale, (least_s * 1e6) as u64);
        work.runtime_us = time(self.runtime_us, LEAST_RUN_S);
        work.ramp_us = time(self.ramp_us, LEAST_RUN_S);
        work.delay_us = time(self.delay_us, 0.0);
        let (asked, done) = (self.pass() as f64 * scale, work.pass() as f64);
        if done > asked {
            work.loops = ((self.loops as f64 * asked / done).round() as u64).max(1);
        }
        work
    }

    /// Returns the number of its files in `bytes`, each of at least a block.
    fn files_for(&self, bytes: u64) -> u64 {
        let of_each = self.file_size.map_or(self.block.1, |(_, most)| most);
        self.files.min(bytes.div_ceil(of_each.max(1))).max(1)
    }

    /// Writes its numbers into `section`, from which they were stripped.
    fn write_into(&self, section: &mut Section) {
        let (low, high) = self.file_size.unwrap_or_default();
        let file_size = if low == high { high.to_string() } else { format!("{low}-{high}") };
        let ms = |us: u64| format!("{}ms", us.div_ceil(1000));
        let files = if self.names.is_none() && self.files > 1 { self.files } else { 0 };
        let loops = if self.loops > 1 { self.loops } else { 0 };
        for (key, value, is_said) in [
            ("size", self.size.unwrap_or(0).to_string(), self.size.is_some()),
            ("filesize", file_size, self.file_size.is_some()),
            ("io_size", self.io_size.unwrap_or(0).to_string(), self.io_size.is_some()),
            ("number_ios", self.operations.unwrap_or(0).to_string(), self.operations.is_some()),
            ("offset", self.offset.to_string(), self.offset > 0),
            ("offset_increment", self.offset_step.to_string(), self.offset_step > 0),
            ("nrfiles", files.to_string(), files > 0),
            ("loops", loops.to_string(), loops > 0),
            ("runtime", ms(self.runtime_us), self.runtime_us > 0),
            ("ramp_time", ms(self.ramp_us), self.ramp_us > 0),
            ("startdelay", ms(self.delay_us), self.delay_us > 0),
            ("numjobs", self.processes.to_string(), self.processes > 1),
        ] {
            if is_said {
                section.options.push((key.into(), value));
            }
        }
    }
}

/// Removes from `section` the options that a scale changes.
fn strip(section: &mut Section) {
    section.options.retain(|(key, _)| !REWRITTEN.contains(&key.as_str()));
}

/// Scales `full` by `scale`, to at least `least` unless it is less itself.
fn scaled(full: u64, scale: f64, least: u64) -> u64 {
    super::super::scaled(full, scale, least.min(full))
}
