//! The program from outside where it takes guests, kills, minutes, or the whole machine: one module for each question.
//!
//! As `e2e`, and run by `cargo run -p xtask -- test labs`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
#[path = "../../lab/tests/stand_in/mod.rs"]
mod stand_in;

mod adaptive;
mod audit;
mod bare_root;
mod browser;
mod confine;
mod contention;
mod crash;
mod durability;
mod every_target;
mod faults;
mod full_disk;
mod guests;
mod import_memory;
mod injected;
mod leftovers;
mod loop_devices;
mod object_store;
mod packages;
mod read_ahead;
mod selftest;
mod side_by_side;
mod split;
mod suites;
mod tune;
