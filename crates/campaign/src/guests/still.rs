//! Guests for tests, which are never booted, and machines that have them.

use super::kernels::Supply;
use lab::{
    error::LabError,
    guest::{Guest, Machine, Missing, Shared, Stranger, Venue},
};
use model::plan::LabKind;
use std::{path::PathBuf, sync::Arc};

/// A guest of this kind with this kernel.
#[derive(Debug)]
pub(super) struct Still(pub(super) LabKind, pub(super) &'static str);

impl Guest for Still {
    fn venue(&self) -> Venue {
        let (kind, kernel) = (self.0, self.1.to_string());
        Venue { kind, kernel, accelerator: "none", image_cache: "none" }
    }

    fn disk(&self, _: usize) -> PathBuf {
        PathBuf::new()
    }

    fn prepare(&self, _: &Shared) -> Result<(), LabError> {
        Ok(())
    }

    fn boot(&self, _: &Machine, _: Option<Stranger>) -> ::fs::Cmd {
        ::fs::Cmd::new("false")
    }
}

/// Kinds of guests, each with its releases, the newest first, and whether it can be booted.
pub(super) type Kinds = Vec<(LabKind, &'static [&'static str], Result<(), &'static str>)>;

/// A machine with these guests.
pub(super) struct StillMachine(pub(super) Kinds);

impl Supply for StillMachine {
    fn releases(&self, kind: LabKind) -> Result<Vec<String>, Missing> {
        match self.0.iter().find(|(own, ..)| *own == kind) {
            Some((_, releases, _)) => Ok(releases.iter().map(ToString::to_string).collect()),
            None => Err(Missing { what: format!("no {kind}"), fix: "install it".into() }),
        }
    }

    fn guest(&self, kind: LabKind, release: &str) -> Result<Arc<dyn Guest>, Missing> {
        let (_, releases, works) = self.0.iter().find(|(own, ..)| *own == kind).unwrap();
        let release = releases.iter().find(|own| **own == release).unwrap();
        match works {
            Ok(()) => Ok(Arc::new(Still(kind, release))),
            Err(why) => Err(Missing { what: why.to_string(), fix: "use another".into() }),
        }
    }
}
