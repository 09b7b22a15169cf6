//! The numeric kernel: means, draws, ratios with their intervals, priors of variances, the posterior of the best, and
//! what a test can find. A library of numbers, which knows no benchmark and no data model.

pub(crate) mod block_score;
pub(crate) mod bound;
pub(crate) mod detectable;
pub(crate) mod draw;
pub(crate) mod fit;
pub(crate) mod holm;
pub(crate) mod modes;
pub(crate) mod noise;
pub(crate) mod point;
mod posterior;
pub(crate) mod power;
pub(crate) mod prior;
pub(crate) mod ratio;
mod share;
pub(crate) mod significance;

pub use bound::Bound;
pub use modes::Mode;
pub use ratio::{Interval, Ratio, decimals, half_width, log_ratio};
pub use share::upper_bound;
pub use significance::{CLEAR_LEAD, LEADS_P};
