//! Runs all evaluations of a campaign: findings, advice, comparisons, and test vectors for independent implementations.

mod advised;
mod compared;
mod findings;
mod judged;
mod logs;
mod since;
mod workloads;

pub use advised::advise;
pub use compared::{compare, since};
pub use findings::{Failure, Findings, part};
pub use judged::findings;
pub use logs::{
    BlockLogs, Confidence, LogRow, LogTable, LogTest, VECTORS, VariancePrior, block_logs,
};
pub use since::{Change, Since};
pub use workloads::workloads;
