//! Data about each file system: commands, options with their meaning, packages, facts. Nothing here runs a program,
//! reads a disk or queries this machine; the lab does.
//!
//! [`ALL`] is the registry: a module in `systems` and an entry there make a file system known to
//! all crates. [`resolve`] turns a target into parts of the registry, [`sites`] says what their commands name.

mod about;
mod busy_target;
mod by_hand;
mod cap;
mod command;
mod error;
mod facts;
mod family;
mod file_system;
mod layer;
mod link;
pub mod magic;
mod mounted;
mod options;
mod others;
pub mod rebuild;
mod redundancy;
mod rehearsed;
mod remains;
mod resolve;
mod secret;
mod sending;
mod site;
mod sites;
mod systems;
#[cfg(test)]
mod tests;
mod tool;
mod trial;
mod words;

pub use about::{About, Inner, Small};
pub use busy_target::{BUSY_KIND, BUSY_VERB};
pub use by_hand::by_hand;
pub use cap::{Cap, QUANTITIES, Quantity, caps, is_cap};
pub use command::{Cmd, HeldName, Ready};
pub use error::Error;
pub use facts::Facts;
pub use family::Family;
pub use file_system::{FileSystem, Memory, Settle};
pub use layer::{Layer, layers};
pub use link::{LINK_VERB, Link};
pub use mounted::{Durability, Locality, Mounted, Stores};
pub use options::OTHER;
pub use rebuild::Rebuild;
pub use redundancy::{Redundancy, Repair};
pub use rehearsed::Unrehearsed;
pub use remains::Remains;
pub use resolve::{
    CommandLineOnly, Part, ResolvedTarget, full_name, in_store, is_by_mount, knobs, resolve,
    short_name,
};
pub use secret::{HIDDEN, Secret};
pub use sending::{End, SendStep, Sending};
pub use site::{Endpoint, OURS, Site};
pub use sites::sites;
pub use systems::{ALL, CLAIM_VERB, find, mounted, net, set_mark, sheets};
pub use tool::Tool;
pub use trial::{Exclusion, TrialSetting, with_part};
pub use words::{Meaning, Word};
