//! Targets for which only programs are missing on this machine: one command installs all of these.

use fs::ResolvedTarget;
use lab::machine;

/// Such targets, and how they become available.
#[derive(Debug)]
pub(crate) struct Uninstalled {
    /// Their names.
    pub(crate) targets: Vec<String>,
    /// What is missing, and the command that installs it.
    pub(crate) why: String,
}

impl Uninstalled {
    /// Those of `targets`, if there are any.
    pub(crate) fn of<'t>(
        targets: impl IntoIterator<Item = &'t ResolvedTarget>,
    ) -> Option<Uninstalled> {
        let lacking = |target: &'t ResolvedTarget| {
            Some((target.to_string(), machine::missing_programs(target)?))
        };
        let (targets, programs): (Vec<_>, Vec<_>) = targets.into_iter().filter_map(lacking).unzip();
        let programs = programs.concat();
        (!targets.is_empty())
            .then(|| Uninstalled { targets, why: machine::not_installed(&programs) })
    }
}
