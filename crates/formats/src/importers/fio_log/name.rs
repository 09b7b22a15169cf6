//! Reads the name of a log: its job, and what the log counts, which is written nowhere else.

/// What a log counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LogKind {
    Bandwidth,
    Iops,
    Total,
    Completion,
    Submission,
}

impl LogKind {
    pub(super) fn is_latency(self) -> bool {
        !matches!(self, LogKind::Bandwidth | LogKind::Iops)
    }

    /// The name in files, the metric of a mean and its unit.
    pub(super) fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            LogKind::Bandwidth => ("bw", "rate", "MB/s"),
            LogKind::Iops => ("iops", "iops", "IOPS"),
            LogKind::Total => ("lat", "service_mean_us", "us"),
            LogKind::Completion => ("clat", "service_mean_us", "us"),
            LogKind::Submission => ("slat", "service_mean_us", "us"),
        }
    }
}

/// What the name of a file says.
#[derive(Clone, Copy)]
pub(super) struct Log<'a> {
    pub(super) job: &'a str,
    pub(super) kind: LogKind,
    /// It has the number of a worker, which fio leaves out with `per_job_logs=0`.
    pub(super) numbered: bool,
}

impl<'a> Log<'a> {
    /// `randrw_bw.1.log`, without the number of the worker, or with other marks between the words.
    pub(super) fn of(name: &'a str) -> Option<Log<'a>> {
        let marks = ['_', '-', '.'];
        let (mut stem, mut numbered) = (name, false);
        loop {
            let (rest, word) = stem.rsplit_once(marks)?;
            let kinds = [
                LogKind::Bandwidth,
                LogKind::Iops,
                LogKind::Total,
                LogKind::Completion,
                LogKind::Submission,
            ];
            if let Some(kind) = kinds.into_iter().find(|known| known.words().0 == word) {
                let job = rest.trim_end_matches(marks);
                return (!job.is_empty()).then_some(Log { job, kind, numbered });
            }
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            numbered |= is_number && !word.is_empty();
            let is_end = is_number || matches!(word, "log" | "txt");
            stem = if is_end { rest } else { return None };
        }
    }
}
