//! The program from outside, on what every machine has and on loop devices: one module for each question.
//!
//! They are one binary, because each binary is linked with the whole program. `cargo run -p xtask -- test quick`
//! runs its modules one after the other: some look at the whole machine.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
#[path = "../../lab/tests/stand_in/mod.rs"]
mod stand_in;

mod advise;
mod assets;
mod bad_input;
mod bounds;
mod cells;
mod checks;
mod condition;
mod consent;
mod data;
mod device;
mod digits;
mod directories;
mod dist;
mod docs;
mod durable;
mod exchanged;
mod extend;
mod failures;
mod gate;
mod hostile;
mod imports;
mod kubernetes;
mod labs;
mod mirror;
mod naming;
mod numa;
mod orphans;
mod output;
mod pipeline;
mod progress;
mod provenance;
mod rebuild;
mod recording;
mod rehearsed;
mod remade;
mod remounted;
mod replaying;
mod report_files;
mod room;
mod setup;
mod stranger;
mod studies;
mod sweep;
mod together;
mod tools;
mod transfers;
