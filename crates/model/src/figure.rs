//! Parts of a measurement: metrics, latencies, intervals, durability.

mod durability;
mod histogram;
mod limit;
mod metric;
pub mod series;
mod shared;

pub use durability::{Durability, Synced, Unproven};
pub use histogram::{Histogram, LatencyKind};
pub use limit::{LatencyLimit, Quantile};
pub use metric::{Better, Metric, MetricKind, Quantity};
pub use series::Series;
pub use shared::Shared;
