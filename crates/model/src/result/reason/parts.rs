//! The texts and figures within a reason.

use super::{CacheFault, Contradiction, Imported, Number, Reason};

/// A field of a reason.
enum Part<'a> {
    Text(&'a mut String),
    Figure(&'a mut Number),
    Count(&'a mut u64),
}

use Part::{Count, Figure, Text};

impl Reason {
    /// Returns each text within it, which may be of foreign origin.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        let text = |part| match part {
            Text(text) => Some(text),
            Figure(_) | Count(_) => None,
        };
        self.parts().into_iter().filter_map(text).collect()
    }

    /// Returns the same without its figures: equal for reasons that differ only in what was measured.
    pub fn kind(&self) -> Reason {
        let mut kind = self.clone();
        for part in kind.parts() {
            match part {
                Text(_) => {}
                Figure(figure) => *figure = Number(0.0),
                Count(count) => *count = 0,
            }
        }
        kind
    }

    fn parts(&mut self) -> Vec<Part<'_>> {
        match self {
            Reason::Said(text) => vec![Text(text)],
            Reason::Cache(fault) => fault.parts(),
            Reason::TooShort { seconds, clock_s } => vec![Figure(seconds), Figure(clock_s)],
            Reason::DirectFromMemory { bytes, device_bytes } => {
                vec![Count(bytes), Count(device_bytes)]
            }
            Reason::PausedButWorked { device_bytes, own_bytes } => {
                vec![Count(device_bytes), Count(own_bytes)]
            }
            Reason::MountOptionsChanged { gone, new } => vec![Text(gone), Text(new)],
            Reason::ClocksDisagree { bound_s, seconds } => vec![Figure(bound_s), Figure(seconds)],
            Reason::OthersUsed { pct } => vec![Figure(pct)],
            Reason::MetricNotFinite { name, value } | Reason::TimeNotFinite { name, value } => {
                vec![Text(name), Figure(value)]
            }
            Reason::HistogramUnsound { op } => vec![Text(op)],
            Reason::RebuildEnded(_) | Reason::SeriesUnsound {} => Vec::new(),
            Reason::NotAboveZero { metric, value } => vec![Text(metric), Figure(value)],
            Reason::MetricMissing { metric } => vec![Text(metric)],
            Reason::ReplayDiffers { calls, differing, call, recorded, found, count } => vec![
                Count(calls),
                Count(differing),
                Text(call),
                Text(recorded),
                Text(found),
                Count(count),
            ],
            Reason::NotSupported { what } => vec![Text(what)],
            Reason::Contradicts(contradiction) => contradiction.parts(),
            Reason::Imported(imported) => imported.parts(),
        }
    }
}

impl CacheFault {
    fn parts(&mut self) -> Vec<Part<'_>> {
        match self {
            CacheFault::DirectThroughCache { multiple_bytes } => vec![Count(multiple_bytes)],
            CacheFault::ResidentBefore { share_pct }
            | CacheFault::OnlyResidentBefore { share_pct } => vec![Figure(share_pct)],
            CacheFault::DeviceReadLess { pct, of: _ } | CacheFault::DeviceRead { pct } => {
                vec![Figure(pct)]
            }
            CacheFault::InMemory {} | CacheFault::ResidencyUnknown {} => Vec::new(),
        }
    }
}

impl Contradiction {
    fn parts(&mut self) -> Vec<Part<'_>> {
        match self {
            Contradiction::Direction { mode, counted: _ } => vec![Text(mode)],
            Contradiction::Size { what, ops, op_bytes, bytes } => {
                vec![Text(what), Figure(ops), Figure(op_bytes), Figure(bytes)]
            }
            Contradiction::Rate { what, ops, seconds, ops_per_s } => {
                vec![Text(what), Figure(ops), Figure(seconds), Figure(ops_per_s)]
            }
            Contradiction::Order { low, low_value, high, high_value } => {
                vec![Text(low), Figure(low_value), Text(high), Figure(high_value)]
            }
            Contradiction::Concurrency { seen, most } => vec![Figure(seen), Figure(most)],
            Contradiction::BytesOverTime { bytes_per_s, computed_bytes_per_s } => {
                vec![Figure(bytes_per_s), Figure(computed_bytes_per_s)]
            }
            Contradiction::RequestsTimesSize { what, bytes_per_s, computed_bytes_per_s } => {
                vec![Text(what), Figure(bytes_per_s), Figure(computed_bytes_per_s)]
            }
            Contradiction::MeanTimesRequests {} => Vec::new(),
            Contradiction::Total { read_iops, write_iops, total_iops } => {
                vec![Figure(read_iops), Figure(write_iops), Figure(total_iops)]
            }
            Contradiction::Printed { bytes, seconds, rate } => {
                vec![Count(bytes), Figure(seconds), Text(rate)]
            }
        }
    }
}

impl Imported {
    /// Statuses and numbers of errors are not measured, and part of the kind.
    fn parts(&mut self) -> Vec<Part<'_>> {
        match self {
            Imported::HyperfineTooShort { seconds, least_s } => {
                vec![Figure(seconds), Figure(least_s)]
            }
            Imported::FioStopped { errno: _, error } | Imported::SysbenchStopped { error } => {
                vec![Text(error)]
            }
            Imported::FioOperationsFailed { count, errno: _, error } => {
                vec![Count(count), Text(error)]
            }
            Imported::FioTooShort { ms, least_ms } => vec![Figure(ms), Figure(least_ms)],
            Imported::IorPrintedBest { repetitions } => vec![Count(repetitions)],
            Imported::NothingPrinted {}
            | Imported::PrintedAsZero {}
            | Imported::CommandFailed { exit_code: _ }
            | Imported::CommandKilled {}
            | Imported::DdTooShort {}
            | Imported::FioCountedNothing {}
            | Imported::FioMergedJobs {}
            | Imported::FioVerifiedMix {}
            | Imported::BonnieHidPhase {}
            | Imported::BonniePrintedCount {}
            | Imported::Io500MarkedInvalid {}
            | Imported::IozoneIdleProcess {}
            | Imported::DeviceIdle {}
            | Imported::OnlyReportSinceBoot {}
            | Imported::FirstReportSinceBoot {} => Vec::new(),
        }
    }
}
