//! The work of a job, as far as its output shows it: it distinguishes jobs of the same name, and selects the table.

use super::number;
use crate::gate::Mode;
use model::workload::Group;
use std::collections::BTreeMap;

/// Options that say where, how long or how often a job runs, and what is printed of it. Every other one,
/// known or not, tells two jobs apart.
const NEUTRAL: [&str; 58] = [
    "name",
    "description",
    "filename",
    "directory",
    "filename_format",
    "unique_filename",
    "opendir",
    "file_service_type",
    "numjobs",
    "group_reporting",
    "new_group",
    "stonewall",
    "wait_for",
    "wait_for_previous",
    "exitall",
    "exitall_on_error",
    "runtime",
    "timeout",
    "ramp_time",
    "startdelay",
    "randseed",
    "kb_base",
    "unit_base",
    "unlink",
    "unlink_each_loop",
    "create_serialize",
    "uid",
    "gid",
    "nice",
    "disk_util",
    "unified_rw_reporting",
    "stats",
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_hist_log",
    "bandwidth_log",
    "latency_log",
    "iops_log",
    "per_job_logs",
    "log_avg_msec",
    "log_hist_msec",
    "log_hist_coarseness",
    "log_max_value",
    "log_offset",
    "log_prio",
    "log_compression",
    "log_store_compressed",
    "log_unix_epoch",
    "log_alternate_epoch",
    "log_entries",
    "bwavgtime",
    "iopsavgtime",
    "clat_percentiles",
    "lat_percentiles",
    "slat_percentiles",
    "percentile_list",
    "significant_figures",
];

/// Other names of the same options.
const ALIASES: [(&str, &str); 14] = [
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blockalign", "ba"),
    ("blocksize_range", "bsrange"),
    ("blocksize_unaligned", "bs_unaligned"),
    ("io_limit", "io_size"),
    ("fileoffset", "offset"),
    ("fill_fs", "fill_device"),
    ("iodepth_batch_submit", "iodepth_batch"),
    ("allrandrepeat", "randrepeat"),
    ("nr_files", "nrfiles"),
    ("iomem", "mem"),
    ("ratemin", "rate_min"),
    ("ratecycle", "rate_cycle"),
];

/// Options whose values are sizes.
const SIZES: [&str; 8] =
    ["bs", "ba", "size", "io_size", "filesize", "offset", "offset_increment", "number_ios"];

/// What fio does without being told, where every output of it says so or could.
const DEFAULTS: [(&str, &str); 4] =
    [("rw", "read"), ("bs", "4096"), ("iodepth", "1"), ("ioengine", "psync")];

/// The options of a job that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Work {
    options: BTreeMap<String, String>,
    /// Whether an option that is not there was not given.
    complete: bool,
}

impl Work {
    /// From all options of a job, the later the stronger.
    pub(super) fn complete(options: impl Iterator<Item = (String, String)>) -> Work {
        let options: Vec<(String, String)> = options.collect();
        let base = options.iter().rev().find(|(key, _)| key == "kb_base");
        let base = if base.is_some_and(|(_, value)| value == "1000") { 1000 } else { 1024 };
        let mut work = Work { complete: true, ..Work::default() };
        for (key, value) in DEFAULTS {
            work.set(key, value);
        }
        for (key, value) in options {
            let key = name(&key);
            let value = if SIZES.contains(&key) { size(&value, base) } else { value };
            work.set(key, &value);
        }
        work
    }

    /// Notes one option; a flag is on where it has no value.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        let value = if value.is_empty() { "1" } else { value };
        self.options.insert(name(key).into(), value.into());
    }

    /// Whether an option was given, and is not off.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value != "0")
    }

    /// The value of an option that is a number.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.parse().ok()
    }

    /// The value of an option, when it is known.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.options.get(key).map(String::as_str)
    }

    /// Bytes of every operation, when there is one size.
    pub(super) fn block_bytes(&self) -> Option<f64> {
        let varies = ["bsrange", "bssplit", "bs_unaligned"].into_iter().any(|key| self.has(key));
        self.number("bs").filter(|_| !varies)
    }

    /// The direction of every operation, where the pattern has but one.
    pub(super) fn mode(&self) -> Option<Mode> {
        // Engines that only make files count them as reads.
        match self.kind()? {
            (Group::SequentialRead | Group::RandomRead, _) => Some(Mode::Reads),
            (Group::SequentialWrite | Group::RandomWrite, kind) if kind.ends_with(" write") => {
                Some(Mode::Writes).filter(|_| !kind.contains("trim"))
            }
            _ => None,
        }
    }

    /// Whether fio was told to read back what it wrote.
    pub(super) fn verifies(&self) -> bool {
        self.has("verify") && self.get("do_verify") != Some("0")
    }

    /// Whether it may have been told so: not every output has the options.
    pub(super) fn may_verify(&self) -> bool {
        self.verifies() || !self.complete
    }

    /// The options whose values differ from those in `other`, with their values here.
    pub(super) fn differences(&self, other: &Work) -> Vec<(&str, &str)> {
        let differs = |(key, value): &(&String, &String)| other.options.get(*key) != Some(*value);
        let told = self.options.iter().filter(differs).filter(|(key, _)| !is_neutral(key));
        told.map(|(key, value)| (key.as_str(), value.as_str())).collect()
    }

    /// Whether both may be the same work: no option that both know differs.
    pub(super) fn agrees(&self, other: &Work) -> bool {
        let differs = |key: &str| match (self.options.get(key), other.options.get(key)) {
            (Some(a), Some(b)) => a != b,
            (Some(_), None) => other.complete,
            (None, _) => self.complete,
        };
        let mut told = self.options.keys().chain(other.options.keys());
        !told.any(|key| !is_neutral(key) && differs(key))
    }

    /// Whether operations were started at a fixed rate.
    pub(super) fn paced(&self) -> bool {
        ["rate", "rate_iops", "rate_process"].iter().any(|key| self.get(key).is_some())
    }

    /// Whether its engine makes, looks up or removes files, and moves no data.
    pub(super) fn is_of_names(&self) -> bool {
        let engine = self.get("ioengine").unwrap_or_default();
        let what = engine.strip_prefix("file").or_else(|| engine.strip_prefix("dir"));
        what.is_some_and(|what| ["create", "stat", "delete", "operations"].contains(&what))
    }

    /// How many blocks a file has; `None` where its size is not given, or is not the same for all.
    pub(super) fn blocks_per_file(&self) -> Option<f64> {
        let files = self.number("nrfiles").unwrap_or(1.0);
        let bytes = match self.get("filesize") {
            Some(_) => self.number("filesize"),
            None => self.number("size").map(|bytes| bytes / files),
        };
        Some((bytes? / self.block_bytes()?).floor().max(1.0)).filter(|blocks| blocks.is_finite())
    }

    /// The table and the test type, when the pattern is known.
    pub(super) fn kind(&self) -> Option<(Group, &'static str)> {
        if self.is_of_names() {
            return Some((Group::Meta, "files"));
        }
        // `rw=randread:8` is still a random read.
        pattern_kind(self.get("rw")?.split(':').next()?)
    }
}

/// An option by the first of its names.
fn name(key: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, name)| name)
}

/// Whether an option changes nothing of what is measured.
pub(super) fn is_neutral(key: &str) -> bool {
    NEUTRAL.contains(&key)
}

/// A size in bytes; what fio takes for several or for none stays as it is.
fn size(text: &str, base: u64) -> String {
    number::option_size(text, base).map_or_else(|| text.to_owned(), |bytes| bytes.to_string())
}

/// The table and the test type of the pattern `rw`, when it is known.
pub fn pattern_kind(rw: &str) -> Option<(Group, &'static str)> {
    Some(match rw {
        "read" => (Group::SequentialRead, "sequential read"),
        "write" => (Group::SequentialWrite, "sequential write"),
        "trim" => (Group::SequentialWrite, "sequential trim"),
        "randread" => (Group::RandomRead, "random read"),
        "randwrite" => (Group::RandomWrite, "random write"),
        "randtrim" => (Group::RandomWrite, "random trim"),
        "rw" | "readwrite" => (Group::Mixed, "sequential read/write"),
        "randrw" => (Group::Mixed, "random read/write"),
        "trimwrite" => (Group::SequentialWrite, "sequential trim and write"),
        "randtrimwrite" => (Group::RandomWrite, "random trim and write"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(options: &[(&str, &str)]) -> Work {
        Work::complete(options.iter().map(|&(key, value)| (key.into(), value.into())))
    }

    #[test]
    fn an_option_that_is_not_known_tells_two_jobs_apart() {
        let plain = work(&[("rw", "write")]);
        for option in ["dedupe_percentage", "norandommap", "overwrite", "offset", "option_of_2031"]
        {
            assert!(!plain.agrees(&work(&[("rw", "write"), (option, "50")])), "{option}");
        }
        for option in NEUTRAL {
            assert!(plain.agrees(&work(&[("rw", "write"), (option, "50")])), "{option}");
        }
    }

    #[test]
    fn sizes_are_what_fio_takes_them_for() {
        assert!(work(&[("bs", "4k")]).agrees(&work(&[("blocksize", "4096")])));
        assert!(!work(&[("bs", "4k")]).agrees(&work(&[("bs", "4KiB")])));
        assert!(work(&[("bs", "4KiB"), ("kb_base", "1000")]).agrees(&work(&[("bs", "4k")])));
    }

    #[test]
    fn the_mode_of_a_pattern_is_its_only_direction() {
        for (rw, mode) in [
            ("read", Some(Mode::Reads)),
            ("randread:8", Some(Mode::Reads)),
            ("randwrite", Some(Mode::Writes)),
            ("randrw", None),
            ("trim", None),
            ("trimwrite", None),
        ] {
            assert_eq!(work(&[("rw", rw)]).mode(), mode, "{rw}");
        }
    }
}
