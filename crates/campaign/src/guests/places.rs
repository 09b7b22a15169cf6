//! Chooses a place for each target: this machine, or a guest that has what this machine lacks.
//!
//! A kind of guest qualifies for a target when it has created, written and torn it down once. The result is
//! stored in the cache folder, together with everything that it depends on.

use super::{
    closed::Closed,
    guest::{self, Boot},
    kernels::{self, Supply, ThisMachine},
    made::Memory,
    protocol::{Report, Work},
    reports,
};
use crate::{
    messages::{Notes, refusal, with_causes},
    stages::{Placed, place::TargetPlace},
};
use ::fs::ResolvedTarget;
use anyhow::{Context, Result};
use lab::{
    error::LabError,
    guest::{Guest, GuestExit},
    setup::Lab,
};
use model::plan::{LabChoice, LabKind, Plan};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
    sync::atomic::AtomicBool,
    time::Duration,
};

/// Size of the disks on which a guest tries targets; only mkfs writes to them.
const TRIAL_DISK: u64 = 2 << 30;
/// Longest time for a boot, and for each target that is tried; an emulated processor needs most of it.
const BOOT: Duration = Duration::from_secs(180);
const TRIAL: Duration = Duration::from_secs(120);

/// A target of the plan, and the state of the search for its place.
struct Search<'p> {
    target: &'p ResolvedTarget,
    /// Where it can be made, the preferred first.
    places: Vec<TargetPlace>,
    reasons: Vec<String>,
    /// Whether it lacks nothing but programs here: guests have those of this machine, so none is booted for it.
    lacks_programs: bool,
}

impl Search<'_> {
    fn in_kind(&self, kind: LabKind) -> Option<&TargetPlace> {
        self.places.iter().find(|place| place.kind() == kind)
    }

    /// Returns the place in the lab `kind`, or the preferred one if no lab serves all.
    fn place(self, kind: Option<LabKind>) -> TargetPlace {
        let chosen = kind.and_then(|kind| self.in_kind(kind)).or(self.places.first()).cloned();
        chosen.unwrap_or_else(|| TargetPlace::Nowhere(self.reasons.join("; ")))
    }
}

/// Finds the place of every target of the plan, by trying what is unknown. `notes` receives the use of guests, and the
/// reason.
///
/// # Errors
/// A test runs programs that its guest would not see, or a signal asked to stop.
pub fn choose(
    placed: &Placed,
    (state, stop): (&Path, &AtomicBool),
    notes: Notes<'_>,
) -> Result<Vec<TargetPlace>> {
    let try_out = |guest: &dyn Guest, targets: &[&ResolvedTarget]| {
        try_out(guest, targets, (state, stop), notes)
    };
    let places = search(placed, &try_out, &ThisMachine, notes)?;
    check_programs(placed, &places)?;
    Ok(places)
}

/// Like [`choose`], but tries nothing: a guest is assumed to make a target if it has the module and programs for it.
///
/// # Errors
/// As of [`choose`].
pub fn foresee(placed: &Placed, notes: Notes<'_>) -> Result<Vec<TargetPlace>> {
    let by_lists = |guest: &dyn Guest, targets: &[&ResolvedTarget]| {
        let venue = guest.venue();
        Ok(targets.iter().map(|target| lab::machine::guest_lacks(target, &venue)).collect())
    };
    let places = search(placed, &by_lists, &ThisMachine, notes)?;
    check_programs(placed, &places)?;
    Ok(places)
}

/// Refuses programs of tests that a guest would not find, before it is booted for them.
fn check_programs(placed: &Placed, places: &[TargetPlace]) -> Result<()> {
    if !places.iter().any(|place| place.is_of(true)) {
        return Ok(());
    }
    let mut programs = placed.items.iter().flat_map(|item| item.test.programs());
    match programs.find_map(|name| Some((lab::guest::unseen(&name)?, name))) {
        None => Ok(()),
        Some((path, name)) => Err(refusal::lacking(format!(
            "a test runs {name}, which is {} here, where guests cannot see it; install it in \
             /usr/local/bin, readable by all users, or measure on the host only with --lab host",
            path.display()
        ))),
    }
}

/// States for each target why a guest cannot make it.
type GuestTrial<'t> = dyn Fn(&dyn Guest, &[&ResolvedTarget]) -> Result<Vec<Option<String>>> + 't;

fn search(
    placed: &Placed,
    trial: &GuestTrial<'_>,
    supply: &dyn Supply,
    notes: Notes<'_>,
) -> Result<Vec<TargetPlace>> {
    let kinds = kinds(placed);
    let own = placed.targets.iter().zip(placed.entrants.iter().map(|own| &own.place));
    let all = own.map(|(target, own)| begin(target, own, kinds));
    let (named, others): (Vec<_>, Vec<_>) =
        all.partition(|search| search.target.target().kernel().is_some());
    let named = search_named(named, placed.plan.lab, (trial, supply))?;
    let others = search_others(others, (&placed.plan, kinds), trial, notes)?;
    apart(placed, (&named, &others)).iter().for_each(|line| notes(line));
    let (mut named, mut others) = (named.into_iter(), others.into_iter());
    let next = |target: &ResolvedTarget| match target.target().kernel() {
        Some(_) => named.next(),
        None => others.next(),
    };
    Ok(placed.targets.iter().filter_map(next).collect())
}

/// The kinds of lab for targets that name no kernel, the preferred first.
fn kinds(placed: &Placed) -> &'static [LabKind] {
    let plan = &placed.plan;
    // A disk of this machine is not handed to a guest.
    let lab = if plan.backing.devices.is_empty() { plan.lab } else { LabChoice::Host };
    // A named kernel is used even if another lab would do.
    let lab = match (&plan.kernel, lab) {
        (Some(_), LabChoice::Auto) => LabChoice::Qemu,
        _ => lab,
    };
    lab.kinds()
}

/// The search for a place of `target`, where this machine alone says `own`.
fn begin<'p>(target: &'p ResolvedTarget, own: &TargetPlace, kinds: &[LabKind]) -> Search<'p> {
    let lacks = lab::machine::missing_programs(target).is_some();
    if target.target().kernel().is_some() {
        // Of this machine a guest has the programs, and nothing of its kernel.
        let reasons = own.nowhere().filter(|_| lacks).map(String::from).into_iter().collect();
        return Search { target, places: Vec::new(), reasons, lacks_programs: lacks };
    }
    let (places, reasons) = match own {
        TargetPlace::Nowhere(why) if kinds.contains(&LabKind::Host) => {
            (Vec::new(), vec![why.clone()])
        }
        TargetPlace::Host if kinds.contains(&LabKind::Host) || is_of_this_machine(target) => {
            (vec![TargetPlace::Host], Vec::new())
        }
        _ => (Vec::new(), Vec::new()),
    };
    let lacks_programs = !reasons.is_empty() && lacks;
    Search { target, places, reasons, lacks_programs }
}

/// Finds the places of targets that name their kernel: all in guests of one kind.
fn search_named(
    mut all: Vec<Search<'_>>,
    lab: LabChoice,
    (trial, supply): (&GuestTrial<'_>, &dyn Supply),
) -> Result<Vec<TargetPlace>> {
    let open = all.iter_mut().filter(|search| !search.lacks_programs);
    let (far, mut open): (Vec<_>, Vec<_>) = open.partition(|search| search.target.is_remote());
    far.into_iter().for_each(|search| search.reasons.push(NO_SERVER.into()));
    if !open.is_empty() {
        let targets: Vec<&ResolvedTarget> = open.iter().map(|search| search.target).collect();
        for (version, guest) in kernels::choose(&targets, lab, supply)? {
            let is_of =
                |search: &&mut &mut Search<'_>| search.target.target().kernel() == Some(&version);
            let own = open.iter_mut().filter(is_of).map(|search| &mut **search).collect();
            in_guests(&guest, own, trial)?;
        }
    }
    Ok(all.into_iter().map(|search| search.place(None)).collect())
}

/// Why a target on a named server cannot have a kernel.
const NO_SERVER: &str = "a kernel is that of a guest, which has no network and cannot reach the server; drop the kernel";

/// A note where targets with a kernel and others are in different labs.
fn apart(placed: &Placed, (named, others): (&[TargetPlace], &[TargetPlace])) -> Option<String> {
    let kind = |places: &[TargetPlace]| {
        places.iter().find(|place| place.nowhere().is_none()).map(TargetPlace::kind)
    };
    let (named, others) = (kind(named)?, kind(others)?);
    let labels = |with: bool| {
        let own = placed.targets.iter().filter(|own| own.target().kernel().is_some() == with);
        own.map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    (named != others).then(|| {
        format!(
            "{} {} and {} {}: results from two labs are not compared; give each target a kernel to compare them",
            labels(true),
            named.place(),
            labels(false),
            others.place()
        )
    })
}

/// Finds the places of targets that name no kernel.
fn search_others(
    mut all: Vec<Search<'_>>,
    (plan, kinds): (&Plan, &[LabKind]),
    trial: &GuestTrial<'_>,
    notes: Notes<'_>,
) -> Result<Vec<TargetPlace>> {
    let mut closed = Closed::default();
    for &kind in kinds.iter().filter(|kind| **kind != LabKind::Host) {
        let searches = all.iter_mut().filter(|search| !search.lacks_programs);
        let (open, placed): (Vec<_>, Vec<_>) =
            searches.partition(|search| search.places.is_empty());
        let (far, open): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|search| search.target.is_remote());
        far.into_iter().for_each(|search| search.reasons.push(no_network(kind)));
        if open.is_empty() {
            continue;
        }
        let guest = match lab::guest::find(kind, plan.kernel.as_deref()) {
            Ok(guest) => Arc::from(guest),
            Err(lacks) => {
                closed.add(kind, format!("{}; {}", lacks.what, lacks.fix));
                continue;
            }
        };
        let made = in_guests(&guest, open, trial)?;
        let placed: Vec<_> =
            placed.into_iter().filter(|search| !is_of_this_machine(search.target)).collect();
        // The other targets are made in the same lab for comparison, if possible.
        if made > 0 && !placed.is_empty() {
            in_guests(&guest, placed, trial)?;
        }
    }
    closed.explain(&mut all).iter().for_each(|line| notes(line));
    let one = one_lab(&all);
    said(&all, one).iter().for_each(|line| notes(line));
    Ok(all.into_iter().map(|search| search.place(one)).collect())
}

/// The preferred lab that makes everything that any lab makes; `None` where none does.
fn one_lab(all: &[Search<'_>]) -> Option<LabKind> {
    let makes_all = |kind: &LabKind| {
        let mut made = all.iter().filter(|search| !search.places.is_empty());
        made.all(|search| search.in_kind(*kind).is_some())
    };
    LabKind::ALL.into_iter().find(makes_all)
}

/// Note for the user about the choice of `one` lab, or of several.
fn said(all: &[Search<'_>], one: Option<LabKind>) -> Option<String> {
    let preferred = |search: &Search<'_>| search.places.first().map(TargetPlace::kind);
    let of = |kind: LabKind| -> Vec<String> {
        let own = all.iter().filter(|search| preferred(search) == Some(kind));
        own.map(|search| search.target.to_string()).collect()
    };
    match one {
        Some(kind) => {
            let moved = all.iter().any(|search| preferred(search).is_some_and(|own| own != kind));
            moved.then(|| {
                format!(
                    "all targets are measured {}, because the host does not support {} and \
                     results from two labs are not compared; --lab host measures the others on \
                     the host",
                    kind.place(),
                    of(kind).join(", ")
                )
            })
        }
        None => {
            let part = |kind: LabKind| {
                let own = of(kind);
                (!own.is_empty()).then(|| format!("{} {}", own.join(", "), kind.place()))
            };
            let parts: Vec<String> = LabKind::ALL.into_iter().filter_map(part).collect();
            Some(format!(
                "no lab supports all targets, so they are measured in several ({}), and results \
                 from two labs are not compared; choose targets of one lab to compare them",
                parts.join("; ")
            ))
        }
    }
}

/// Returns whether no guest can have `target`.
fn is_of_this_machine(target: &ResolvedTarget) -> bool {
    target.directory().is_some() || target.is_remote()
}

/// Returns why a guest cannot have the export of a named server.
fn no_network(kind: LabKind) -> String {
    format!("{}: it has no network, so it cannot reach the server", kind.place())
}

impl Closed {
    /// Gives the reasons to targets that have no other; returns a line for the user where others have no place either.
    fn explain(self, all: &mut [Search<'_>]) -> Option<String> {
        let reasons = self.reasons();
        let mut is_noted = false;
        let without = all.iter_mut().filter(|search| search.places.is_empty());
        for search in without.filter(|search| !search.lacks_programs) {
            match search.reasons.is_empty() {
                true => search.reasons.clone_from(&reasons),
                false => is_noted = !reasons.is_empty(),
            }
        }
        let line = || format!("no guest can stand in for this machine: {}", reasons.join("; "));
        is_noted.then(line)
    }
}

/// Finds which targets of `open` the guest can make, in one boot. Returns their number.
fn in_guests(
    guest: &Arc<dyn Guest>,
    open: Vec<&mut Search<'_>>,
    trial: &GuestTrial<'_>,
) -> Result<usize> {
    let kind = guest.venue().kind;
    let memory = Memory::of(&guest.venue());
    let (known, unknown): (Vec<_>, Vec<_>) =
        open.into_iter().partition(|search| memory.knows(search.target));
    let (unseen, unknown): (Vec<_>, Vec<_>) = unknown
        .into_iter()
        .map(|search| (lab::machine::unseen_by_guests(search.target), search))
        .partition(|(why, _)| why.is_some());
    for (why, search) in unseen {
        search.reasons.extend(why.map(|why| format!("{}: {why}", kind.place())));
    }
    let unknown: Vec<_> = unknown.into_iter().map(|(_, search)| search).collect();
    let mut made = known.len();
    known.into_iter().for_each(|search| search.places.push(TargetPlace::Guest(Arc::clone(guest))));
    if unknown.is_empty() {
        return Ok(made);
    }
    let targets: Vec<&ResolvedTarget> = unknown.iter().map(|search| search.target).collect();
    let tried = trial(&**guest, &targets)?;
    for (search, why) in unknown.into_iter().zip(tried) {
        match why {
            None => {
                made += 1;
                search.places.push(TargetPlace::Guest(Arc::clone(guest)));
            }
            Some(why) => search.reasons.push(format!("{}: {why}", kind.place())),
        }
    }
    Ok(made)
}

/// Makes, writes and undoes each of `targets` in one boot of `guest`. Returns for each why that failed, if it did.
fn try_out(
    guest: &dyn Guest,
    targets: &[&ResolvedTarget],
    (state, stop): (&Path, &AtomicBool),
    notes: Notes<'_>,
) -> Result<Vec<Option<String>>> {
    let names: Vec<String> = targets.iter().map(ToString::to_string).collect();
    notes(&format!("trying {} in {}", names.join(", "), guest.venue()));
    let lab = Lab::open(state, &format!("try-{}", std::process::id()))?;
    lab.messages().iter().for_each(|line| notes(line));
    let dir = lab.make_guest_dir()?;
    let disks = targets.iter().map(|target| target.disks()).max().unwrap_or(0);
    let images: Result<Vec<PathBuf>> = (0..disks).map(|n| trial_disk(&dir, n)).collect();
    let images = images?;

    let boot = Boot {
        guest,
        lab: &lab,
        images: &images,
        assets: &[],
        slot: None,
        stop,
        timeout: BOOT + TRIAL * targets.len() as u32,
    };
    let tasks = targets.iter().map(|target| target.target().clone()).collect();
    let mut tried: Vec<Option<String>> = vec![Some("not tried".into()); targets.len()];
    let ended = guest::run(&boot, "try", Work::Try(tasks), &mut |report| {
        if let Report::Tried { target, why } = report
            && let Some(place) = tried.get_mut(target)
        {
            *place = why.as_deref().map(reports::plain);
        }
        Ok(())
    });
    lab.remove_guest_dir(&dir)?;
    lab.close()?;
    match ended {
        Ok(GuestExit::Stopped) => Err(refusal::stopped("stopped; everything was cleaned up")),
        Ok(GuestExit::Exit(_)) => {
            let memory = Memory::of(&guest.venue());
            let made = targets.iter().zip(&tried).filter(|(_, why)| why.is_none());
            made.for_each(|(target, _)| memory.learn(target, notes));
            Ok(tried)
        }
        Err(error) if error.downcast_ref::<LabError>().is_some() => {
            let failed = |tried: Option<String>| tried.map(|_| with_causes(&error));
            Ok(tried.into_iter().map(failed).collect())
        }
        Err(error) => Err(error),
    }
}

fn trial_disk(dir: &Path, number: usize) -> Result<PathBuf> {
    let path = dir.join(format!("disk{number}"));
    let made = File::create(&path).and_then(|file| file.set_len(TRIAL_DISK));
    made.with_context(|| format!("cannot make {}", path.display()))?;
    Ok(path)
}

/// States for every target that is not made on this machine where it is made instead.
pub(crate) fn announce(placed: &Placed, notes: Notes<'_>) {
    for entrant in &placed.entrants {
        if let TargetPlace::Guest(guest) = &entrant.place {
            notes(&format!("{}: in {}", entrant.label, guest.venue()));
        }
    }
    let uml = placed.entrants.iter().any(|entrant| entrant.place.kind() == LabKind::Uml);
    if uml && placed.counts.iter().any(|count| *count > 1) {
        notes(
            "User-Mode Linux has one CPU, so its results with several processes say nothing about \
             parallelism",
        );
    }
}

#[cfg(test)]
mod tests;
