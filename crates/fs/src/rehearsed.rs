//! Selects the targets that are created once on small files before a run, and their form.

use crate::{Error, Part, ResolvedTarget, resolve};
use model::target::Target;

/// Why a target is not rehearsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrehearsed {
    /// It is a directory, of which nothing is made.
    #[error("it is a directory, so nothing is created")]
    Directory,
    /// It is on a server that is not of this machine, where nothing is made twice.
    #[error("it is on a remote server, where nothing is created for a trial")]
    Elsewhere,
    /// It takes longer than a try may.
    #[error("{0} takes seconds to start")]
    Slow(&'static str),
}

impl ResolvedTarget {
    /// Why it is not rehearsed; `None` where it is.
    pub fn unrehearsed(&self) -> Option<Unrehearsed> {
        if self.directory().is_some() {
            return Some(Unrehearsed::Directory);
        }
        let slow = |part: &Part| part.fs.about().is_slow.then_some(part.fs.about().name);
        let is_elsewhere = |part: &Part| part.fs.about().is_remote || part.fs.about().is_outside;
        match self.parts().iter().find_map(slow) {
            _ if self.parts().iter().any(is_elsewhere) => Some(Unrehearsed::Elsewhere),
            Some(name) => Some(Unrehearsed::Slow(name)),
            None => None,
        }
    }

    /// The same without the options of any of its parts.
    ///
    /// # Errors
    /// It cannot be without them.
    pub fn bare(&self) -> Result<ResolvedTarget, Error> {
        resolve(&bare(self.target()))
    }
}

fn bare(target: &Target) -> Target {
    match target {
        Target::Dir(_) => target.clone(),
        Target::Made { name, inner, kernel, .. } => {
            let inner = inner.as_ref().map(|inner| Box::new(bare(inner)));
            let (name, kernel) = (name.clone(), kernel.clone());
            Target::Made { name, options: Default::default(), inner, kernel }
        }
    }
}
