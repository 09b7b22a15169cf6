//! What a job was told to do, as far as its output says: by this, jobs of one name are told apart,
//! and each is put into its table.

use super::number;
use model::Group;
use std::collections::BTreeMap;

/// Options that change what is measured. Names and places are not among them, so that the same job
/// on two file systems is the same test.
const OPTIONS: [&str; 30] = [
    "rw",
    "bs",
    "iodepth",
    "ioengine",
    "bsrange",
    "bssplit",
    "rwmixread",
    "rwmixwrite",
    "direct",
    "buffered",
    "sync",
    "fsync",
    "fdatasync",
    "end_fsync",
    "fsync_on_close",
    "sync_file_range",
    "size",
    "io_size",
    "filesize",
    "nrfiles",
    "rate",
    "rate_iops",
    "rate_process",
    "thinktime",
    "invalidate",
    "random_distribution",
    "percentage_random",
    "buffer_compress_percentage",
    "zero_buffers",
    "verify",
];

/// Other names of the same options.
const ALIASES: [(&str, &str); 3] =
    [("readwrite", "rw"), ("blocksize", "bs"), ("io_limit", "io_size")];

/// What fio does without being told, where every output of it says so or could.
const DEFAULTS: [(&str, &str); 4] =
    [("rw", "read"), ("bs", "4096"), ("iodepth", "1"), ("ioengine", "psync")];

/// The options of a job that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Work {
    options: BTreeMap<&'static str, String>,
    /// Whether an option that is not there was not given.
    complete: bool,
}

impl Work {
    /// From all options of a job, the later the stronger.
    pub(super) fn complete<'a>(options: impl Iterator<Item = (&'a str, String)>) -> Work {
        let mut work = Work { complete: true, ..Work::default() };
        for (key, value) in DEFAULTS {
            work.set(key, value);
        }
        for (key, value) in options {
            work.set(key, &value);
        }
        work
    }

    /// Notes one option; those that do not matter are let go.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        let key = ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, name)| name);
        if let Some(key) = OPTIONS.into_iter().find(|option| *option == key) {
            let size = |text: &str| number::size(text).map(|bytes| bytes.to_string());
            let plain = match key {
                "bs" | "size" | "io_size" | "filesize" => size(value),
                // `rw=randread:8` is still a random read.
                "rw" => value.split(':').next().map(str::to_owned),
                _ => None,
            };
            self.options.insert(key, plain.unwrap_or_else(|| value.to_owned()));
        }
    }

    /// The value of an option, when it is known.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.options.get(key).map(String::as_str)
    }

    /// Bytes of every operation, when there is one size.
    pub(super) fn block_bytes(&self) -> Option<f64> {
        self.get("bs")?.parse().ok()
    }

    /// Whether both may be the same work: no option that both know differs.
    pub(super) fn agrees(&self, other: &Work) -> bool {
        let differs = |key: &str| match (self.options.get(key), other.options.get(key)) {
            (Some(a), Some(b)) => a != b,
            (Some(_), None) => other.complete,
            (None, _) => self.complete,
        };
        !self.options.keys().chain(other.options.keys()).any(|key| differs(key))
    }

    /// Whether operations were started at a fixed rate.
    pub(super) fn paced(&self) -> bool {
        ["rate", "rate_iops", "rate_process"].iter().any(|key| self.get(key).is_some())
    }

    /// The table and the test type, when the pattern is known.
    pub(super) fn kind(&self) -> Option<(Group, &'static str)> {
        let engine = self.get("ioengine").unwrap_or_default();
        let makes = ["create", "stat", "delete", "operations"];
        if makes
            .iter()
            .any(|what| engine == format!("file{what}") || engine == format!("dir{what}"))
        {
            return Some((Group::Meta, "files"));
        }
        pattern_kind(self.get("rw")?)
    }
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
