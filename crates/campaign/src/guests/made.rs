//! Record of the targets that guests have made before, in the cache folder, with everything that this depends on.

use crate::messages::Notes;
use ::fs::ResolvedTarget;
use lab::{guest::Venue, programs::artifacts};
use std::{
    fs::{self, File},
    io::Write,
    path::PathBuf,
};

/// The targets that guests of `venue` have made before, with the tools that are installed now.
pub fn made_before(venue: &Venue) -> Vec<String> {
    let memory = Memory::of(venue);
    let own = memory.known.lines().filter_map(|line| line.strip_prefix(&memory.guest));
    // Entries of an earlier version that this one does not know do not count.
    let targets = own.filter_map(|rest| rest.strip_prefix(": ")?.split(": ").next()?.parse().ok());
    let mut made: Vec<String> =
        targets.filter(|t| memory.knows(t)).map(|t: ResolvedTarget| t.to_string()).collect();
    made.sort();
    made.dedup();
    made
}

/// Record of the targets that a guest has made before, a line each.
pub(super) struct Memory {
    path: PathBuf,
    known: String,
    /// What the result depends on apart from the target.
    guest: String,
    /// Version of the guest's kernel.
    kernel: String,
}

impl Memory {
    pub(super) fn of(venue: &Venue) -> Memory {
        let path = artifacts::dir().join("made-in-guests");
        let known = fs::read_to_string(&path).unwrap_or_default();
        let host = rustix::system::uname().release().to_string_lossy().into_owned();
        let guest = format!("assay {} on {host}, {}", env!("CARGO_PKG_VERSION"), venue);
        Memory { path, known, guest, kernel: venue.kernel.clone() }
    }

    fn line(&self, target: &ResolvedTarget) -> String {
        let versions = lab::machine::tool_versions(target, &self.kernel);
        // The guest's description has the kernel.
        let target = target.target().clone().without_kernel();
        format!("{}: {target}: {}", self.guest, versions.join(", "))
    }

    pub(super) fn knows(&self, target: &ResolvedTarget) -> bool {
        let line = self.line(target);
        self.known.lines().any(|known| known == line)
    }

    /// If it cannot be stored, the target is tried again next time.
    pub(super) fn learn(&self, target: &ResolvedTarget, notes: Notes<'_>) {
        let kept = self.path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
            let mut file = File::options().create(true).append(true).open(&self.path)?;
            file.write_all(format!("{}\n", self.line(target)).as_bytes())
        });
        if let Err(error) = kept {
            notes(&format!("cannot save {}: {error}", self.path.display()));
        }
    }
}
