//! A place for a target: this machine, a guest of it, or none.

use super::machine;
use lab::guest::Guest;
use model::{Environment, LabKind};
use std::sync::Arc;

/// Where one target is made.
#[derive(Clone, Debug)]
pub enum Place {
    /// On this machine.
    Host,
    /// In a guest.
    Guest(Arc<dyn Guest>),
    /// Nowhere: why, and what to do.
    Nowhere(String),
}

impl Place {
    /// The kind of lab that its samples carry.
    pub fn kind(&self) -> LabKind {
        match self {
            Place::Guest(guest) => guest.venue().kind,
            Place::Host | Place::Nowhere(_) => LabKind::Host,
        }
    }

    /// Why it can be made nowhere, when that is so.
    pub fn nowhere(&self) -> Option<&str> {
        match self {
            Place::Nowhere(why) => Some(why),
            Place::Host | Place::Guest(_) => None,
        }
    }

    /// Whether it is a guest, or this machine.
    pub fn is_of(&self, in_guests: bool) -> bool {
        match self {
            Place::Host => !in_guests,
            Place::Guest(_) => in_guests,
            Place::Nowhere(_) => false,
        }
    }

    /// What it is, as facts of a target.
    pub fn facts(&self) -> Environment {
        match self {
            Place::Guest(venue) => {
                let mut facts = venue.venue().facts();
                facts.0.insert("lab.memory_bytes".into(), machine::guest_memory().0.to_string());
                facts
            }
            Place::Host | Place::Nowhere(_) => {
                Environment([("lab".into(), LabKind::Host.to_string())].into())
            }
        }
    }
}
