//! Formats the reason why a sample is invalid.

use model::{
    result::{BytesOf, CacheFault, Contradiction, Counted, Imported, Reason, RebuildEnd, Validity},
    text::Bytes,
};

/// Whether a sample may be used, and why not: "lukewarm: 12.5 % resident before the start".
pub fn validity(validity: &Validity) -> String {
    match validity.why() {
        None => validity.word().into(),
        Some(why) => format!("{}: {}", validity.word(), reason(why)),
    }
}

/// Why a sample is not valid, as part of a sentence.
pub fn reason(why: &Reason) -> String {
    match why {
        Reason::Cache(fault) => cache_fault(fault),
        Reason::TooShort { seconds, clock_s } => format!(
            "too short: {:.1} us; the clock can resolve {:.0} us",
            seconds.0 * 1e6,
            clock_s.0 * 1e6
        ),
        Reason::DirectFromMemory { bytes, device_bytes } => {
            let (bytes, device) = (Bytes(*bytes), Bytes(*device_bytes));
            format!(
                "direct I/O moved {bytes} but its device only {device}: it was served from memory"
            )
        }
        Reason::PausedButWorked { device_bytes, own_bytes } => {
            let (bytes, own) = (Bytes(*device_bytes), Bytes(*own_bytes));
            format!(
                "its device moved {bytes} while it was paused for other candidates, and {own} in \
                 its timed part"
            )
        }
        Reason::NotSupported { what } => format!("{what} is not supported on this target"),
        Reason::RebuildEnded(end) => rebuild_end(*end),
        Reason::MountOptionsChanged { gone, new } => {
            format!("its mount options changed: {}", options(gone, new))
        }
        Reason::ClocksDisagree { bound_s, seconds } => format!(
            "the clocks of the hosts agree only within {:.3} ms, more than 5 % of its {:.3} ms",
            bound_s.0 * 1e3,
            seconds.0 * 1e3
        ),
        Reason::OthersUsed { pct } => {
            format!("other processes used {:.0} % of the CPU or of the disk; measured again", pct.0)
        }
        Reason::MetricNotFinite { name, value } => {
            format!("its {name:?} is {value}, not a finite number")
        }
        Reason::TimeNotFinite { name, value } => {
            format!("its {name} is {value}, not a finite number")
        }
        Reason::HistogramUnsound { op } => {
            format!("histogram {op:?} is not ascending or has an empty bin")
        }
        Reason::SeriesUnsound {} => {
            "its series has columns of different lengths, or is not ascending".into()
        }
        Reason::NotAboveZero { metric, value } => format!("{metric} is {value}"),
        Reason::MetricMissing { metric } => format!("has no {metric}"),
        Reason::ReplayDiffers { calls, differing, call, recorded, found, count } => format!(
            "{differing} of {calls} replayed calls did not return what was recorded; most often \
             {call}: {found} instead of {recorded} ({count} times)"
        ),
        Reason::Contradicts(why) => format!("contradicts itself: {}", contradiction(why)),
        Reason::Imported(why) => imported(why),
        Reason::Said(text) => text.clone(),
    }
}

fn cache_fault(fault: &CacheFault) -> String {
    match fault {
        CacheFault::DirectThroughCache { multiple_bytes } => {
            let multiple = Bytes(*multiple_bytes);
            format!(
                "direct I/O went through the page cache: the file system needs multiples of \
                 {multiple}"
            )
        }
        CacheFault::InMemory {} => "it is in memory and has no device".into(),
        CacheFault::ResidentBefore { share_pct } => {
            format!("{:.1} % resident before the start", share_pct.0)
        }
        CacheFault::OnlyResidentBefore { share_pct } => {
            format!("only {:.1} % resident before the start", share_pct.0)
        }
        CacheFault::ResidencyUnknown {} => "the residency of its files is unknown".into(),
        CacheFault::DeviceReadLess { pct, of } => {
            let what = match of {
                BytesOf::Touched => "were touched",
                BytesOf::Declared => "the test is declared to read",
            };
            format!("the device read {:.0} % of the bytes that {what}", pct.0)
        }
        CacheFault::DeviceRead { pct } => format!("the device read {:.1} % of the bytes", pct.0),
    }
}

fn rebuild_end(end: RebuildEnd) -> String {
    let when = match end {
        RebuildEnd::During => "during the timed part",
        RebuildEnd::Before => "before the timed part started",
    };
    format!(
        "the rebuild of its mirror ended {when}; use a lower resync rate, or a larger --image-size"
    )
}

/// What became of mount options: `noatime instead of relatime`.
fn options(gone: &str, new: &str) -> String {
    match (gone.is_empty(), new.is_empty()) {
        (false, false) => format!("{new} instead of {gone}"),
        (true, _) => format!("{new} is new"),
        (false, true) => format!("{gone} was removed"),
    }
}

fn contradiction(why: &Contradiction) -> String {
    match why {
        Contradiction::Direction { mode, counted } => {
            let counted = match counted {
                Counted::ReadsToo => "reads were counted, too",
                Counted::WritesToo => "writes were counted, too",
                Counted::OnlyReads => "only reads were counted, and no writes",
                Counted::OnlyWrites => "only writes were counted, and no reads",
            };
            format!("mode {mode}, but {counted}")
        }
        Contradiction::Size { what, ops, op_bytes, bytes } => format!(
            "{:.0} {what} operations of {:.0} bytes cannot move {:.0} bytes",
            ops.0, op_bytes.0, bytes.0
        ),
        Contradiction::Rate { what, ops, seconds, ops_per_s } => {
            format!("{:.0} {what} operations in {seconds} s are not {ops_per_s} a second", ops.0)
        }
        Contradiction::Order { low, low_value, high, high_value } => {
            format!("{low} is {low_value}, above {high} {high_value}")
        }
        Contradiction::Concurrency { seen, most } => format!(
            "mean latency times rate is {:.1} operations in flight, of at most {most}",
            seen.0
        ),
        Contradiction::BytesOverTime { bytes_per_s, computed_bytes_per_s } => format!(
            "the rate is {:.4} MB/s, bytes over time are {:.4} MB/s",
            bytes_per_s.0 / 1e6,
            computed_bytes_per_s.0 / 1e6
        ),
        Contradiction::RequestsTimesSize { what, bytes_per_s, computed_bytes_per_s } => format!(
            "{what}s of {:.2} MB/s, but requests times their size are {:.2} MB/s",
            bytes_per_s.0 / 1e6,
            computed_bytes_per_s.0 / 1e6
        ),
        Contradiction::MeanTimesRequests {} => {
            "mean latency times request count is not the total time".into()
        }
        Contradiction::Total { read_iops, write_iops, total_iops } => {
            format!(
                "{read_iops} reads/s and {write_iops} writes/s do not add up to {total_iops} IOPS"
            )
        }
        Contradiction::Printed { bytes, seconds, rate } => format!(
            "{bytes} bytes in {seconds} s are {:.1} MB/s, and {rate} was printed",
            *bytes as f64 / seconds.0 / 1e6
        ),
    }
}

fn imported(why: &Imported) -> String {
    let fixed = match why {
        Imported::CommandFailed { exit_code } => {
            return format!("the command failed with exit code {exit_code}");
        }
        Imported::HyperfineTooShort { seconds, least_s } => {
            return format!(
                "took {:.1} ms; below {} ms hyperfine itself calls its results inaccurate",
                seconds.0 * 1e3,
                least_s.0 * 1e3
            );
        }
        Imported::FioStopped { errno, error } => {
            return format!("fio stopped: {error} (error {errno})");
        }
        Imported::FioOperationsFailed { count, errno, error } => {
            return format!("{count} operations failed, the first with {error} (error {errno})");
        }
        Imported::FioTooShort { ms, least_ms } => {
            return format!(
                "ran for {ms} ms; fio counts whole ms, which is too coarse below {least_ms} ms"
            );
        }
        Imported::SysbenchStopped { error } => return format!("sysbench stopped: {error}"),
        Imported::IorPrintedBest { repetitions } => {
            return format!("IOR printed only the best of {repetitions} repetitions");
        }
        Imported::NothingPrinted {} => "the tool printed no figure for it",
        Imported::PrintedAsZero {} => "printed as 0: no work done, or too short",
        Imported::CommandKilled {} => "the command was killed by a signal",
        Imported::DdTooShort {} => "ran for less than the resolution of dd's clock",
        Imported::FioCountedNothing {} => "fio counted no operations",
        Imported::FioMergedJobs {} => {
            "group_reporting merged several jobs, with the name of the first and the options of \
             the last; run them without it"
        }
        Imported::FioVerifiedMix {} => {
            "verify reads are counted with the reads of the mix; run it without `verify`"
        }
        Imported::BonnieHidPhase {} => "bonnie++ hid a phase shorter than 0.5 s",
        Imported::BonniePrintedCount {} => {
            "bonnie++ printed the number of files in place of their rate; import its CSV line"
        }
        Imported::Io500MarkedInvalid {} => "IO500 marked the phase as invalid",
        Imported::IozoneIdleProcess {} => {
            "one process transferred nothing while all were active: the files are too small"
        }
        Imported::DeviceIdle {} => "the device was idle",
        Imported::OnlyReportSinceBoot {} => {
            "a single report averages since boot, unless `iostat -y` wrote it; measure an \
             interval: `iostat -y -x -o JSON 10 1`"
        }
        Imported::FirstReportSinceBoot {} => "the first report averages since boot",
    };
    fixed.into()
}

#[cfg(test)]
mod tests;
