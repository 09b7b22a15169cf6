//! A place for a target: this machine, a guest of it, or none.

use crate::machine::memory;
use lab::guest::Guest;
use model::{plan::LabKind, result::Environment};
use std::sync::Arc;

/// Where one target is made.
#[derive(Clone, Debug)]
pub enum TargetPlace {
    /// On this machine.
    Host,
    /// In a guest.
    Guest(Arc<dyn Guest>),
    /// Nowhere: the reason, and the remedy.
    Nowhere(String),
}

impl TargetPlace {
    /// Returns the kind of lab of its samples.
    pub fn kind(&self) -> LabKind {
        match self {
            TargetPlace::Guest(guest) => guest.venue().kind,
            TargetPlace::Host | TargetPlace::Nowhere(_) => LabKind::Host,
        }
    }

    /// Returns why it cannot be made anywhere, if so.
    pub fn nowhere(&self) -> Option<&str> {
        match self {
            TargetPlace::Nowhere(why) => Some(why),
            TargetPlace::Host | TargetPlace::Guest(_) => None,
        }
    }

    /// Returns whether it is a guest, or this machine.
    pub fn is_of(&self, in_guests: bool) -> bool {
        match self {
            TargetPlace::Host => !in_guests,
            TargetPlace::Guest(_) => in_guests,
            TargetPlace::Nowhere(_) => false,
        }
    }

    /// Describes it, as facts of a target.
    pub fn facts(&self) -> Environment {
        match self {
            TargetPlace::Guest(venue) => {
                let mut facts = venue.venue().facts();
                facts.0.insert("lab.memory_bytes".into(), memory::of_guest().0.to_string());
                facts
            }
            TargetPlace::Host | TargetPlace::Nowhere(_) => {
                Environment([("lab".into(), LabKind::Host.to_string())].into())
            }
        }
    }
}
