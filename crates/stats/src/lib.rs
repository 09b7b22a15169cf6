//! Pure statistics: a dataset into findings. No clock, no I/O, no state: the same dataset and the
//! same settings give the same findings to the last bit, so an old campaign can be judged again.
//!
//! Data goes one way: `select` groups samples into cells, `noise` learns from all of them what the variance of one
//! probably is, `ratio` compares two series of a cell, `comparison` and `holm` judge them, `footer` sums a table up,
//! `decide` reaches the verdict.

mod aa;
mod advise;
mod advised;
mod amount;
mod bar;
mod baseline;
mod blocks;
mod board;
mod bound;
mod cell;
mod classes;
mod compare;
mod compared;
mod comparison;
mod contention;
mod cost;
mod decide;
mod design;
mod disks;
mod draw;
mod drift;
mod durable;
mod effect;
mod error;
mod evidence;
mod facts;
mod findings;
mod footer;
mod holm;
mod hosts;
mod io500;
mod judged;
mod latency;
mod leaders;
mod left;
mod logs;
mod looks;
mod missing;
mod model_fit;
mod modes;
mod names;
mod next;
mod noise;
mod partial;
mod place;
mod point;
mod posterior;
mod power;
mod precision;
mod prior;
mod proof;
mod race;
mod ratio;
mod row;
mod scaling;
mod seed;
mod select;
mod selfcheck;
mod settings;
mod short;
mod steady;
mod sweep;
mod table;
mod table_lead;
mod timed;
pub mod tune;
mod versus;
mod with_syncs;
mod workloads;

pub use aa::AaCheck;
pub use advise::{
    Advice, Advised, Basis, BlockTime, Choice, Counsel, Eligibility, FloorFinding, GroupCover,
    GroupLead, Merit, More, Objection, Question, Refusal, Remark, Sensitivity, Share, Shortfall,
    Support, Tipping, Without, WorkCells, Workload, Workloads,
};
pub use advised::advise;
pub use amount::{Amount, Moved};
pub use bar::{CLEAR_LEAD, LEADS_P};
pub use bound::Bound;
pub use compare::pooled;
pub use compare::{
    Apart, AskedCell, Beside, Blindness, CampaignComparison, Changed, Difference, Finding, Gate,
    Loss, Outcome, Pair, Placed, Power, Regression, Unmatched,
};
pub use compared::compare;
pub use comparison::{Comparison, judge};
pub use contention::{Contention, shared_pct};
pub use cost::{Cost, Priced};
pub use decide::{Candidate, CellLoss, CellRatio, Compared, Note, Reason, Verdict, VerdictKind};
pub use disks::{DiskCell, DiskRate, DiskTotal, disk_totals};
pub use drift::Drift;
pub use durable::{Doubtful, Durability, doubtful, durability};
pub use effect::Affected;
pub use error::StatsError;
pub use facts::CampaignFacts;
pub use findings::{Failure, Findings, part};
pub use footer::{Counts, Extreme, Footer};
pub use hosts::{HostCell, HostRate, HostTotal, host_totals};
pub use io500::{Io500, Io500Score};
pub use judged::findings;
pub use latency::{Latencies, TargetLatency};
pub use leaders::{Contrast, Leaders, Lost};
pub use logs::{
    BlockLogs, Confidence, LogRow, LogTable, LogTest, VECTORS, VariancePrior, block_logs,
};
pub use missing::Missing;
pub use modes::Mode;
pub use names::{list, processes};
pub use next::Next;
pub use precision::{Forecast, Precision, Wide, forecast, precision};
pub use proof::{Doubt, doubt};
pub use race::{Behind, Look, Standoff, look};
pub use ratio::{Interval, Ratio, decimals, half_width, log_ratio};
pub use row::{Cell, Lead, Row, Unjudged};
pub use scaling::{Scaling, Step, TargetScaling};
pub use select::with_reasons;
pub use selfcheck::SelfCheck;
pub use settings::Settings;
pub use steady::{Rounds, Steadiness};
pub use sweep::{SweepEffects, VariantEffect};
pub use table::Table;
pub use timed::{Timed, timed};
pub use with_syncs::WithSyncs;
pub use workloads::workloads;

use baseline::target_order;
