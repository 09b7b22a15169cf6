//! Makes targets on this machine, in one binary of which each module is run alone: its tests disturb others.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod claim;
mod condition;
mod directories;
mod durable;
mod fuse;
mod interlock;
mod loop_devices;
mod recording;
mod rehearsal;
mod split;
mod stand_in;
mod trials;
mod victim;
mod writers;
