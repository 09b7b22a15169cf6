//! Figures other than ratios: latencies, hosts, disks, folios, IO500 scores and scaling.

pub(crate) mod disks;
pub(crate) mod folios;
pub(crate) mod hosts;
pub(crate) mod io500;
pub(crate) mod latency;
pub(crate) mod scaling;
