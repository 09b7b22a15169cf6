//! The request for a campaign: a plan, and which of its targets the user vouches for.

use super::{sweeps, uninstalled::Uninstalled};
use crate::messages::{Notes, refusal};
use anyhow::Result;
use fs::{FileSystem, ResolvedTarget, resolve};
use lab::machine::Availability;
use model::{plan::Plan, target::Target};
use std::path::PathBuf;

/// A plan and who vouches for its targets. It is the only thing that a campaign is prepared from.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The plan.
    pub plan: Plan,
    by: By,
}

/// Origin of the targets.
#[derive(Clone, Debug)]
enum By {
    /// The user, or assay itself.
    User,
    /// A file, except for the targets that the command line names.
    File { path: Option<PathBuf>, named: Vec<Target> },
}

impl Asked {
    /// A plan that assay made, or started and marked itself: its targets were checked when they were requested.
    pub fn by_user(plan: Plan) -> Asked {
        Asked { plan, by: By::User }
    }

    /// A plan of unknown origin, read from `path`; `named` are the targets that the command line itself names. All
    /// others may use only options that assay knows.
    pub fn by_file(plan: Plan, path: Option<PathBuf>, named: Vec<Target>) -> Asked {
        Asked { plan, by: By::File { path, named } }
    }

    /// Returns every target of the plan, with those of its sweeps and its defaults: all that the campaign can make, and
    /// all that is checked. In the plan, options get their full names, so that a candidate has one label in any
    /// notation. `notes` takes the defaults that only programs are missing for.
    ///
    /// # Errors
    /// A target is impossible, or uses an option reserved for the command line; none is named and none can be made
    /// here.
    pub fn targets(&mut self, notes: Notes<'_>) -> Result<Vec<ResolvedTarget>> {
        let plan = &mut self.plan;
        let mut targets = plan.targets.iter().map(resolved).collect::<Result<Vec<_>>>()?;
        plan.targets = targets.iter().map(|target| target.target().clone()).collect();
        for target in plan.names.values_mut() {
            *target = resolved(target)?.target().clone();
        }
        sweeps::enter(plan)?;
        if plan.targets.is_empty() {
            plan.targets = default_targets(notes)?;
        }
        for target in &plan.targets[targets.len()..] {
            targets.push(resolved(target)?);
        }
        self.check(&targets)?;
        Ok(targets)
    }

    /// Refuses `targets` with options that a file may not use.
    fn check(&self, targets: &[ResolvedTarget]) -> Result<()> {
        let given = self.plan.backing.object_store.as_ref().map(|store| store.host());
        let other = |target: &ResolvedTarget| {
            target.object_host().filter(|host| Some(*host) != given).map(String::from)
        };
        if let Some(host) = targets.iter().find_map(other) {
            return Err(refusal::usage(format!(
                "a target names the object store {host}; pass --s3-endpoint https://{host}/BUCKET \
                 instead"
            )));
        }
        let By::File { path, named } = &self.by else { return Ok(()) };
        let named = named.iter().map(resolved).collect::<Result<Vec<_>>>()?;
        let mut foreign = targets.iter().filter(|target| !named.contains(target));
        match foreign.find_map(ResolvedTarget::command_line_only) {
            None => Ok(()),
            Some(why) => Err(refusal::usage(match path {
                Some(path) => format!("{}: {why}", path.display()),
                None => why.to_string(),
            })),
        }
    }
}

/// Resolves `target`; an error in its text is for the user to fix.
///
/// # Errors
/// As of [`fs::resolve`].
fn resolved(target: &Target) -> Result<ResolvedTarget> {
    resolve(target).map_err(|error| refusal::usage(error.to_string()))
}

fn default_targets(notes: Notes<'_>) -> Result<Vec<Target>> {
    if !rustix::process::geteuid().is_root() {
        return Err(refusal::lacking(
            "making and mounting file systems on loop images needs root: use `sudo assay run`; without root, \
             compare directories that are already mounted: `assay run --on dir:A --on dir:B`",
        ));
    }
    let defaults = fs::ALL.iter().filter(|fs| fs.about().by_default);
    let (ready, others): (Vec<_>, Vec<_>) =
        defaults.partition(|fs| lab::machine::available(**fs) == Availability::Ready);
    let named = |fs: &&&dyn FileSystem| Target::named(fs.about().name);
    let others = others.iter().map(|fs| resolved(&named(fs))).collect::<Result<Vec<_>>>()?;
    let lacking = Uninstalled::of(&others);
    if ready.is_empty() {
        return Err(refusal::lacking(match lacking {
            Some(lacking) => format!("no file system can be created here: {}", lacking.why),
            None => {
                "no file system can be created here; `assay doctor` lists what is missing".into()
            }
        }));
    }
    if let Some(Uninstalled { targets, why }) = lacking {
        notes(&format!("left out: {}: {why}", targets.join(", ")));
    }
    Ok(ready.iter().map(named).collect())
}
