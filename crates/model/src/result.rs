//! The result of a campaign: samples with their evidence, the dataset, and its check.

mod after_fault;
mod check;
mod classes;
mod dataset;
mod environment;
mod evidence;
mod fault;
mod note;
mod reason;
mod sample;

pub use after_fault::{
    AfterFault, Change, CrashStates, DamagedPlace, ErrnoCount, FailedWrite, FailedWrites, Failing,
    FaultOnDisk, FileHistory, Fill, Found, Freed, FsyncAnswer, FsyncReport, FullAnswer,
    FullAnswers, FullCall, FullDisk, FullOperation, FullRefusal, FullSpeed, FullTry, Harm,
    LegFault, MirrorReads, Mirrors, Moment, ReadBack, ReadFrom, Scrub, SilentFault, SnapshotLevel,
    SnapshotMoment, SnapshotOperation, SnapshotReads, SnapshotSpeed, SnapshotTry, Snapshots,
    Spread, TurnedBits,
};
pub use check::{Checker, DatasetError};
pub use dataset::{
    BY_HAND, Campaign, CampaignState, Dataset, Head, NOT_AS_ASKED, NOT_DURABLE, Origin,
    SUITES_ABOUT, TESTS_LEFT_OUT, TargetRecord, TargetState,
};
pub use environment::Environment;
pub use evidence::{BUFFERED_BELOW, PART, READ_AHEAD_PCT, Readings, is_cost, part_fact};
pub use fault::{Fault, FaultKind};
pub use note::{
    Copied, EndCause, Ended, HostsWith, LastLook, Mending, NamedTarget, Note, OtherEdition, Ratios,
    Side, Standing, WideRatio,
};
pub use reason::{
    BytesOf, CacheFault, Contradiction, Counted, Imported, Number, Reason, RebuildEnd,
};
pub use sample::{
    Covariates, DiskUse, Evidence, Figures, HostUse, Known, Limiter, MetricSlot, Numbers, Rare,
    Sample, Validity, known,
};
