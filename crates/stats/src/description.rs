//! Describes a campaign: what each sample is worth, which cells there are, and the tables, scores, checks and figures
//! of them. Nothing here decides.
//!
//! Its floors, each of which uses only those before it: `sample`, `class`, `cell`, `score`, `table`, `check`, `figure`.

pub(crate) mod cell;
pub(crate) mod check;
pub(crate) mod class;
pub(crate) mod equivalence;
mod error;
pub(crate) mod figure;
pub(crate) mod looks;
mod names;
pub(crate) mod sample;
pub(crate) mod score;
mod seed;
mod settings;
pub(crate) mod table;

pub use cell::{facts::CampaignFacts, missing::Missing, select::with_reasons};
pub use check::{aa::AaCheck, drift::Drift, selfcheck::SelfCheck, step::SpeedStep};
pub use class::durability::{Doubtful, Durability, doubtful, durability};
pub use equivalence::{Comparison, judge};
pub use error::StatsError;
pub use figure::{
    disks::{DiskCell, DiskRate, DiskTotal, disk_totals},
    folios::{UnequalFolios, unequal_folios},
    hosts::{HostCell, HostRate, HostTotal, host_totals},
    io500::{Io500, Io500Score},
    latency::{Latencies, TargetLatency},
    scaling::{Scaling, Step, TargetScaling},
};
pub use names::{list, processes};
pub(crate) use sample::contention::is_too_much;
pub use sample::{
    after_faults::FaultCell,
    amount::{Amount, Moved},
    contention::{Contention, shared_pct},
    full::{FullCell, Range},
    injected::{FailedWriteCell, MirrorCell, TurnedBitCell},
    proof::{Doubt, doubt},
    snapshots::SnapshotCell,
    steady::{Rounds, Steadiness},
    timed_share::{Timed, timed},
};
pub use score::precision::{Forecast, Precision, Wide, forecast, precision};
pub use settings::Settings;
pub use table::{
    footer::{Counts, Extreme, Footer},
    row::{Cell, Excluded, Lead, Row, Unjudged},
    sync_means::WithSyncs,
    tables::Table,
};
