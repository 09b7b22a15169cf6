//! Tests of rendering in one binary, because each binary costs a link and its share of generic code.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod advice;
mod after_faults;
mod ageing;
mod agree;
mod bare;
mod by_group;
mod by_weights;
mod bypassed_network;
mod commands;
mod common;
mod cost;
mod crash_safe;
mod disks;
mod durable;
mod failures;
mod folios;
mod full_disk;
mod hosts;
mod io500;
mod labs;
mod large;
mod marks;
mod method;
mod next;
mod not_as_asked;
mod orders;
mod page;
mod renderers;
mod scaling;
mod sections;
mod selfcheck;
mod short;
mod since;
mod snapshots;
mod steady;
mod summary;
mod sweeps;
mod time_series;
mod timeline;
mod trust;
