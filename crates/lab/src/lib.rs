//! Where to do it: file systems, backings, cache control and the undo journal.
//!
//! [`Lab`] owns what a campaign put on the machine, [`Instance`] is one freshly made candidate.
//! Everything that must be torn down is written to a journal before it is done, so that
//! [`Cleanup`] can undo it after a kill -9 or a reboot. What a file system needs is data
//! ([`FileSystem`] returns commands); only [`Lab`] and [`Instance`] run it.

pub mod artifacts;
mod backing;
mod cleanup;
mod command;
mod condition;
mod disks;
mod error;
#[allow(unsafe_code)]
mod extents;
mod fault;
mod fuse;
pub mod guest;
#[allow(unsafe_code)]
mod inherited;
mod instance;
mod kernel_log;
mod keys;
mod kinds;
mod lab;
mod link;
mod machine;
mod mounts;
mod network;
mod object_store;
mod observe;
mod ours;
mod page_cache;
mod plan;
mod rebuild;
mod rehearsal;
mod stack;
mod sweep;
mod throttle;
mod tool;

use backing::{bcache, image, layers, loop_device, nbd, zpool};
use cleanup::journal;
use condition::{age, fullness, layout};
use instance::{held, held_dir, persistence, quiesce};
use machine::{environment, health, matrix, medium, modules, needs, probe};
use ours::{beneath, mark, private_dir, state, undo, user};
use page_cache::{drop_caches, kept, residency};
use stack::{service, vigil};

pub use ::fs::{
    self, About, BUSY_VERB, CLAIM_VERB, Cmd, Endpoint, Exclusion, FileSystem, Inner, LINK_VERB,
    Link, Meaning, Part, Ready, Rebuild, ResolvedTarget, Secret, Settle, Site, Small, Tool, Trial,
    Unrehearsed, Unvouched, Word, resolve,
};
pub use age::{Aged, Ageing, age};
pub use artifacts as cache;
pub use cleanup::Cleanup;
pub use command::{Output, Run};
pub use disk::{
    Device, DiskInfo, DiskPart, DiskRequest, Error as DiskError, Refusal, lock::Lock, part_size,
    program::die_with_parent,
};
pub use disks::{inspect, judge_disks};
pub use drop_caches::Coldness;
pub use environment::{collect as collect_environment, tool_versions};
pub use error::LabError;
pub use fault::io_fault;
pub use fullness::{fill, fullness};
pub use fuse::{BURN, Delayed, Lying, Slowing, serve_busy};
pub use health::{Health, health};
pub use image::room as image_room;
pub use inherited::inherited_to_write;
pub use instance::{Check, Cold, Instance, Upkeep, look_from_here};
pub use journal::CleanupReport;
#[doc(hidden)]
pub use journal::{believed as believed_of_journal, sealed as journal_line};
pub use lab::Lab;
pub use layout::{Layout, layout};
pub use link::serve_link;
pub use machine::memory;
pub use matrix::{Cell, Column, Install, Matrix, Row, guest_lacks, matrix, unseen_by_guests};
pub use medium::medium;
pub use needs::Need;
pub use object_store::claim_prefix;
pub use observe::{
    Below, BelowUsage, Census, DeviceUsage, Others, Snapshot, Usage, Watched, are_writing,
    await_reads, counted_on,
};
pub use persistence::{Flushes, Persisted, Persistence};
pub use plan::{Backing, plan};
pub use probe::{Availability, DoctorLine, Finding, available, doctor};
pub use quiesce::Waited;
pub use residency::{Residency, residency};
pub use state::State;
pub use sweep::sweep;
pub use throttle::can_cap;
pub use tool::{install, is_installed};
pub use undo::Undo;
