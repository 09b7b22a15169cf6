//! A job file of fio: sections of options, read and written again.

use super::LEAST_RUN_S;
use model::Bytes;
use std::fmt;

/// Smallest size to which a scale brings a file.
const LEAST_BYTES: u64 = 4 << 20;

/// Most sections and options of a file: every section has the options of the global ones besides its own, so
/// that what a job takes grows with the product.
const MOST_SECTIONS: usize = 200;
const MOST_OPTIONS: usize = 2000;

/// Options that are sizes of data, all of which follow the scale.
const SIZES: [&str; 6] = ["size", "filesize", "file_size", "io_size", "io_limit", "fill_fs_size"];
/// Options that are times.
const TIMES: [&str; 2] = ["runtime", "ramp_time"];

/// A section: what stands between two lines in brackets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Section {
    /// The text in brackets.
    pub(super) name: String,
    /// Options in their order; one without `=` has an empty value.
    pub(super) options: Vec<(String, String)>,
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JobFile {
    pub(super) sections: Vec<Section>,
}

impl JobFile {
    /// Reads a file; comments are dropped, which fio lets begin anywhere in a line.
    pub(super) fn parse(text: &str) -> Result<JobFile, String> {
        let mut file = JobFile::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split([';', '#']).next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                let name = name.split_once(']').map(|(name, _)| name.trim());
                let name = name.filter(|name| !name.is_empty());
                let name =
                    name.ok_or_else(|| format!("line {number}: `{line}` names no section"))?;
                file.sections.push(Section { name: name.into(), options: Vec::new() });
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let section = file.sections.last_mut();
            let section = section.ok_or_else(|| {
                format!("line {number}: `{line}` stands before the first section")
            })?;
            section.options.push((key.trim().to_lowercase(), value.trim().into()));
        }
        file.bounded()
    }

    fn bounded(self) -> Result<JobFile, String> {
        let options: usize = self.sections.iter().map(|section| section.options.len()).sum();
        if self.sections.len() > MOST_SECTIONS || options > MOST_OPTIONS {
            return Err(format!(
                "it has more than {MOST_SECTIONS} sections or {MOST_OPTIONS} options; use several files"
            ));
        }
        Ok(self)
    }

    /// Its jobs, each with the options of the global sections before it.
    pub(super) fn jobs(&self) -> Vec<Section> {
        let mut global = Vec::new();
        let mut jobs = Vec::new();
        for section in &self.sections {
            if section.is_global() {
                global.extend(section.options.iter().cloned());
            } else {
                let options = global.iter().chain(&section.options).cloned().collect();
                jobs.push(Section { name: section.name.clone(), options });
            }
        }
        jobs
    }

    /// With times and sizes at `scale`, and `procs` times as many processes.
    pub(super) fn scaled(mut self, scale: f64, procs: u32) -> JobFile {
        let processes: Vec<u64> =
            self.jobs().iter().map(|job| job.processes().saturating_mul(procs.into())).collect();
        for (key, value) in self.sections.iter_mut().flat_map(|section| &mut section.options) {
            if scale != 1.0 && SIZES.contains(&key.as_str()) {
                *value = scaled_size(value, scale);
            } else if scale != 1.0 && TIMES.contains(&key.as_str()) {
                *value = scaled_time(value, scale);
            }
        }
        let jobs = self.sections.iter_mut().filter(|section| !section.is_global());
        for (section, processes) in jobs.zip(processes).filter(|_| procs > 1) {
            section.options.push(("numjobs".into(), processes.to_string()));
        }
        self
    }
}

impl fmt::Display for JobFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.sections {
            writeln!(f, "[{}]", section.name)?;
            for (key, value) in &section.options {
                match value.is_empty() {
                    true => writeln!(f, "{key}")?,
                    false => writeln!(f, "{key}={value}")?,
                }
            }
        }
        Ok(())
    }
}

impl Section {
    /// Whether fio takes it for options of all jobs: of its name only the beginning counts.
    fn is_global(&self) -> bool {
        self.name.starts_with("global")
    }

    /// The value of the last of `keys`, which are names of one option.
    fn get(&self, keys: &[&str]) -> Option<&str> {
        let last = self.options.iter().rfind(|(key, _)| keys.contains(&key.as_str()));
        last.map(|(_, value)| value.as_str())
    }

    /// What it does, without the modifier after a colon.
    pub(super) fn pattern(&self) -> &str {
        let value = self.get(&["rw", "readwrite"]).unwrap_or("read");
        value.split(':').next().unwrap_or(value)
    }

    /// Whether it changes files.
    pub(super) fn writes(&self) -> bool {
        !matches!(self.pattern(), "read" | "randread")
    }

    /// Processes that it starts.
    pub(super) fn processes(&self) -> u64 {
        self.get(&["numjobs"]).and_then(|text| text.parse().ok()).unwrap_or(1)
    }

    /// Bytes of the files of one process, when they are told in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let size = self.get(&["size"]).or_else(|| self.get(&["filesize", "file_size"]));
        size.and_then(|text| text.parse::<Bytes>().ok()).map_or(0, |bytes| bytes.0)
    }

    /// For how long it runs, seconds; 0 where only its size ends it.
    pub(super) fn seconds(&self) -> f64 {
        let time = |key: &str| self.get(&[key]).and_then(seconds).unwrap_or(0.0);
        time("runtime") + time("ramp_time")
    }
}

/// A size at `scale`; percentages, ranges and what is small already stay as they are.
fn scaled_size(text: &str, scale: f64) -> String {
    match text.parse::<Bytes>() {
        Ok(Bytes(full)) => super::super::scaled(full, scale, LEAST_BYTES.min(full)).to_string(),
        Err(_) => text.into(),
    }
}

fn scaled_time(text: &str, scale: f64) -> String {
    match seconds(text) {
        Some(full) => {
            let least = LEAST_RUN_S.min(full);
            format!("{}ms", ((full * scale).max(least) * 1e3).round())
        }
        None => text.into(),
    }
}

/// A time as fio reads it: seconds unless a unit follows.
fn seconds(text: &str) -> Option<f64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_lowercase().as_str() {
        "" | "s" | "sec" => 1.0,
        "us" | "usec" => 1e-6,
        "ms" | "msec" => 1e-3,
        "m" | "min" => 60.0,
        "h" | "hour" => 3600.0,
        "d" | "day" => 86_400.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * factor).filter(|s| s.is_finite())
}
