//! One of each reason that a sample can have.

use crate::result::{
    BytesOf, CacheFault, Contradiction, Counted, Imported, Number, Reason, RebuildEnd,
};

/// The examples behind the arrows, after a match that does not compile unless each variant has one.
macro_rules! one_of_each {
    ($of:ty: $($pattern:pat => [$($example:expr),+ $(,)?],)+) => {{
        let is_listed = |one: &$of| match one {
            $($pattern => [$($example),+].contains(one),)+
        };
        let all: Vec<$of> = vec![$($($example),+),+];
        assert!(all.iter().all(is_listed), "an example is not of its variant");
        all
    }};
}

/// One of each reason, with each value of a field that is an enum.
pub fn reasons() -> Vec<Reason> {
    let text = || "direct=1, \"x\"".to_string();
    let own = one_of_each!(Reason:
        Reason::Cache(_) => [Reason::Cache(CacheFault::InMemory {})],
        Reason::TooShort { .. } => [Reason::TooShort { seconds: Number(8.5e-6), clock_s: Number(1e-5) }],
        Reason::DirectFromMemory { .. } => [
            Reason::DirectFromMemory { bytes: 100_000_000, device_bytes: 0 },
        ],
        Reason::PausedButWorked { .. } => [
            Reason::PausedButWorked { device_bytes: 8 << 20, own_bytes: 100 << 20 },
        ],
        Reason::RebuildEnded(_) => [
            Reason::RebuildEnded(RebuildEnd::Before),
            Reason::RebuildEnded(RebuildEnd::During),
        ],
        Reason::MountOptionsChanged { .. } => [
            Reason::MountOptionsChanged { gone: "relatime".into(), new: "noatime".into() },
            Reason::MountOptionsChanged { gone: String::new(), new: "ro".into() },
            Reason::MountOptionsChanged { gone: "rw".into(), new: String::new() },
        ],
        Reason::ClocksDisagree { .. } => [
            Reason::ClocksDisagree { bound_s: Number(0.05), seconds: Number(0.999) },
        ],
        Reason::NotSupported { .. } => [Reason::NotSupported { what: "RWF_DONTCACHE".into() }],
        Reason::OthersUsed { .. } => [Reason::OthersUsed { pct: Number(60.0 + 1.0 / 3.0) }],
        Reason::MetricNotFinite { .. } => [
            Reason::MetricNotFinite { name: text(), value: Number(f64::NAN) },
        ],
        Reason::TimeNotFinite { .. } => [
            Reason::TimeNotFinite { name: "seconds".into(), value: Number(f64::INFINITY) },
            Reason::TimeNotFinite { name: "seconds".into(), value: Number(f64::NEG_INFINITY) },
        ],
        Reason::HistogramUnsound { .. } => [Reason::HistogramUnsound { op: "read".into() }],
        Reason::SeriesUnsound {} => [Reason::SeriesUnsound {}],
        Reason::NotAboveZero { .. } => [
            Reason::NotAboveZero { metric: "rate".into(), value: Number(0.0) },
        ],
        Reason::MetricMissing { .. } => [Reason::MetricMissing { metric: "rate".into() }],
        Reason::ReplayDiffers { .. } => [
            Reason::ReplayDiffers {
                calls: 170_000,
                differing: 300,
                call: "open".into(),
                recorded: "success".into(),
                found: "ENOENT".into(),
                count: 250,
            },
        ],
        Reason::Contradicts(_) => [Reason::Contradicts(Contradiction::MeanTimesRequests {})],
        Reason::Imported(_) => [Reason::Imported(Imported::DeviceIdle {})],
        Reason::Said(_) => [Reason::said("no space left"), Reason::Said(text())],
    );
    let nested = [
        cache_faults().into_iter().map(Reason::from).collect(),
        contradictions().into_iter().map(Reason::from).collect(),
        imported().into_iter().map(Reason::from).collect::<Vec<_>>(),
    ];
    let mut all: Vec<Reason> = own.into_iter().chain(nested.into_iter().flatten()).collect();
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|reason| seen.insert(reason.clone()));
    all
}

fn cache_faults() -> Vec<CacheFault> {
    let less = |of| CacheFault::DeviceReadLess { pct: Number(2.5), of };
    one_of_each!(CacheFault:
        CacheFault::DirectThroughCache { .. } => [
            CacheFault::DirectThroughCache { multiple_bytes: 4096 },
        ],
        CacheFault::InMemory {} => [CacheFault::InMemory {}],
        CacheFault::ResidentBefore { .. } => [CacheFault::ResidentBefore { share_pct: Number(12.5) }],
        CacheFault::OnlyResidentBefore { .. } => [
            CacheFault::OnlyResidentBefore { share_pct: Number(98.0) },
        ],
        CacheFault::ResidencyUnknown {} => [CacheFault::ResidencyUnknown {}],
        CacheFault::DeviceReadLess { .. } => [less(BytesOf::Touched), less(BytesOf::Declared)],
        CacheFault::DeviceRead { .. } => [CacheFault::DeviceRead { pct: Number(1.25) }],
    )
}

fn contradictions() -> Vec<Contradiction> {
    let direction = |counted| Contradiction::Direction { mode: "random write".into(), counted };
    one_of_each!(Contradiction:
        Contradiction::Direction { .. } => [
            direction(Counted::ReadsToo),
            direction(Counted::WritesToo),
            direction(Counted::OnlyReads),
            direction(Counted::OnlyWrites),
        ],
        Contradiction::Size { .. } => [Contradiction::Size {
            what: "read".into(),
            ops: Number(1000.0),
            op_bytes: Number(4096.0),
            bytes: Number(8_192_000.0),
        }],
        Contradiction::Rate { .. } => [Contradiction::Rate {
            what: "write".into(),
            ops: Number(1000.0),
            seconds: Number(1.5),
            ops_per_s: Number(200.25),
        }],
        Contradiction::Order { .. } => [Contradiction::Order {
            low: "read p50".into(),
            low_value: Number(400.0),
            high: "read p99".into(),
            high_value: Number(300.5),
        }],
        Contradiction::Concurrency { .. } => [
            Contradiction::Concurrency { seen: Number(5000.0), most: Number(1.0) },
        ],
        Contradiction::BytesOverTime { .. } => [Contradiction::BytesOverTime {
            bytes_per_s: Number(2.05e9),
            computed_bytes_per_s: Number(2.05e8),
        }],
        Contradiction::RequestsTimesSize { .. } => [Contradiction::RequestsTimesSize {
            what: "read".into(),
            bytes_per_s: Number(4.1e6),
            computed_bytes_per_s: Number(4.1e5),
        }],
        Contradiction::MeanTimesRequests {} => [Contradiction::MeanTimesRequests {}],
        Contradiction::Total { .. } => [Contradiction::Total {
            read_iops: Number(100.0),
            write_iops: Number(50.0),
            total_iops: Number(500.0),
        }],
        Contradiction::Printed { .. } => [Contradiction::Printed {
            bytes: 1 << 30,
            seconds: Number(2.5),
            rate: "42.9 MB/s".into(),
        }],
    )
}

fn imported() -> Vec<Imported> {
    one_of_each!(Imported:
        Imported::NothingPrinted {} => [Imported::NothingPrinted {}],
        Imported::PrintedAsZero {} => [Imported::PrintedAsZero {}],
        Imported::CommandFailed { .. } => [Imported::CommandFailed { exit_code: 3 }],
        Imported::CommandKilled {} => [Imported::CommandKilled {}],
        Imported::HyperfineTooShort { .. } => [
            Imported::HyperfineTooShort { seconds: Number(0.0042), least_s: Number(0.005) },
        ],
        Imported::DdTooShort {} => [Imported::DdTooShort {}],
        Imported::FioStopped { .. } => [
            Imported::FioStopped { errno: 125, error: "Operation canceled".into() },
        ],
        Imported::FioOperationsFailed { .. } => [
            Imported::FioOperationsFailed { count: 7, errno: 5, error: "I/O error".into() },
        ],
        Imported::FioCountedNothing {} => [Imported::FioCountedNothing {}],
        Imported::FioTooShort { .. } => [
            Imported::FioTooShort { ms: Number(42.0), least_ms: Number(100.0) },
        ],
        Imported::FioMergedJobs {} => [Imported::FioMergedJobs {}],
        Imported::FioVerifiedMix {} => [Imported::FioVerifiedMix {}],
        Imported::SysbenchStopped { .. } => [
            Imported::SysbenchStopped { error: "at least 16MiB is expected".into() },
        ],
        Imported::BonnieHidPhase {} => [Imported::BonnieHidPhase {}],
        Imported::BonniePrintedCount {} => [Imported::BonniePrintedCount {}],
        Imported::Io500MarkedInvalid {} => [Imported::Io500MarkedInvalid {}],
        Imported::IorPrintedBest { .. } => [Imported::IorPrintedBest { repetitions: 5 }],
        Imported::IozoneIdleProcess {} => [Imported::IozoneIdleProcess {}],
        Imported::DeviceIdle {} => [Imported::DeviceIdle {}],
        Imported::OnlyReportSinceBoot {} => [Imported::OnlyReportSinceBoot {}],
        Imported::FirstReportSinceBoot {} => [Imported::FirstReportSinceBoot {}],
    )
}
