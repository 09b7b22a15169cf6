//! Checks that a requested scale fits, before anything is made for it. An automatic size follows the free space
//! instead.

mod in_memory;

use super::{free, load::TargetLoad};
use crate::{
    machine::memory,
    messages::refusal,
    stages::{Amount, Ordered, Placed, images},
};
use anyhow::{Context, Result};
use lab::error::LabError;
use model::{plan::Preset, result::Note, target::Target, text::Bytes, workload::DataKind};
use std::path::{Path, PathBuf};

/// The smallest scale that is proposed.
const LEAST: f64 = 0.0005;

/// The remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Request less.
    Choose,
    /// The request is fixed; only space can be freed.
    MakeRoom,
}

/// Work that does not fit in a place.
#[derive(Debug, PartialEq)]
struct Shortage {
    /// What the work needs, in words.
    needs: String,
    place: PathBuf,
    free: Bytes,
    /// The option that names another place.
    option: Option<&'static str>,
}

/// Fails when the tests of `placed` have a fixed scale or sizes that do not fit: no image could be written, or the
/// tests would run out of space or of memory; and when not even the smallest image fits. Disks are checked where they
/// are claimed.
pub fn check(placed: &Placed, state: &Path, remedy: Remedy) -> Result<()> {
    in_memory::check(placed)?;
    let (amount, sized) = (placed.amount(), !placed.plan.sizes.is_empty());
    if placed.fixed_scale().is_none() && !sized {
        return check_least(placed, state).and_then(|()| check_least_of_dirs(placed));
    }
    let scale = amount.scale;
    let at = |scale| shortage(placed, &Amount { scale, ..amount.clone() }, state);
    let Some(short) = at(scale)? else { return Ok(()) };
    let (place, free) = (short.place.display(), short.free);
    let elsewhere = short.option.map_or("another directory", |option| option);
    let fix = match remedy {
        Remedy::MakeRoom => format!("free space in {place}"),
        Remedy::Choose if sized => {
            format!(
                "let assay choose the sizes with --scale auto, or use {elsewhere} with more \
                     space"
            )
        }
        Remedy::Choose => {
            let smaller = match fitting(scale, at)? {
                Some(scale) => format!("--scale {scale}, which fits"),
                None => "fewer tests or processes".into(),
            };
            format!("use {smaller}, or {elsewhere} with more space")
        }
    };
    let needs = short.needs;
    let asked = match sized {
        true => "the sizes of this plan need".into(),
        false => format!("scale {scale} needs"),
    };
    Err(refusal::usage(format!("{asked} {needs}, but {place} has {free} free; {fix}")))
}

/// Fails when not even the smallest automatic image fits. A requested size of images does not matter for a directory.
fn check_least(placed: &Placed, state: &Path) -> Result<()> {
    let plan = &placed.plan;
    let is_dir = |target: &Target| matches!(target, Target::Dir(_));
    let has_other_work = plan.backing.size.is_some() && plan.targets.iter().any(is_dir);
    if has_other_work || !plan.backing.devices.is_empty() || !placed.needs_image() {
        return Ok(());
    }
    let dir = images::work_dir(placed, state);
    let (free, size) = (free::room(placed, &dir)?, image_size(placed, &Amount::scaled(LEAST))?);
    let needed = lab::backing::image_room(size);
    match needed > free {
        true => Err(LabError::NoSpace { dir, size, needed, free }.into()),
        false => Ok(()),
    }
}

/// Fails when not even the least work fits a directory.
fn check_least_of_dirs(placed: &Placed) -> Result<()> {
    let load = TargetLoad::of(placed, &Amount::scaled(LEAST), memory::total()?);
    match dir_shortage(placed, &load)? {
        None => Ok(()),
        // The trial of the backing reports that.
        Some(Shortage { free: Bytes(0), .. }) => Ok(()),
        Some(Shortage { needs, place, free, .. }) => Err(refusal::usage(format!(
            "the smallest possible run needs {needs}, but only {free} are free in {}; use fewer \
             tests or processes, or another directory with more space",
            place.display()
        ))),
    }
}

/// Checks whether the fixed scale of `placed` fits.
///
/// # Errors
/// The free space of a place cannot be determined.
pub fn fits(placed: &Placed, state: &Path) -> Result<bool> {
    if placed.fixed_scale().is_none() {
        return Ok(true);
    }
    Ok(shortage(placed, &placed.amount(), state)?.is_none())
}

/// Returns the first thing that does not fit if the tests do `amount`.
fn shortage(placed: &Placed, amount: &Amount, state: &Path) -> Result<Option<Shortage>> {
    let load = TargetLoad::of(placed, amount, memory::total()?);
    if placed.plan.backing.devices.is_empty() && placed.needs_image() {
        let place = images::work_dir(placed, state);
        let free = free::room(placed, &place)?;
        let short = image_shortage(placed, &load, free);
        if let Some((needs, option)) = short {
            return Ok(Some(Shortage { needs, place, free, option: Some(option) }));
        }
    }
    dir_shortage(placed, &load)
}

/// Returns the first directory that is too small for `load`.
fn dir_shortage(placed: &Placed, load: &TargetLoad) -> Result<Option<Shortage>> {
    for target in &placed.plan.targets {
        let Target::Dir(place) = target else { continue };
        let free = free::room(placed, place)?;
        if load.peak_bytes > free.0 && (is_incompressible(placed) || !may_compress(place)?) {
            let needs = format!(
                "{} for its files plus the reserve of its file system",
                Bytes(load.peak_bytes)
            );
            return Ok(Some(Shortage { needs, place: place.clone(), free, option: None }));
        }
    }
    Ok(None)
}

/// Drops the targets whose images of the requested size do not fit, like a run that cannot write them.
///
/// # Errors
/// No target is left, or nothing to compare one with.
pub fn give_up_images(mut ordered: Ordered, state: &Path) -> Result<Ordered> {
    let backing = &ordered.plan.backing;
    let (Some(size), true) = (backing.image_size(), backing.devices.is_empty()) else {
        return Ok(ordered);
    };
    for in_guests in [false, true] {
        while let disks @ 1.. = ordered.disks_of(in_guests) {
            let dir = images::work_dir(&ordered, state);
            let (free, needed) = (free::room(&ordered, &dir)?, lab::backing::image_room(size));
            if needed <= free {
                break;
            }
            let error = LabError::NoSpace { dir, size, needed, free };
            ordered = ordered.give_up(in_guests, disks, &error.to_string()).ok_or(error)?;
        }
    }
    Ok(ordered)
}

/// Size of the images of `placed` if the tests do `amount`.
pub fn image_size(placed: &Placed, amount: &Amount) -> Result<Bytes> {
    let load = || Ok(TargetLoad::of(placed, amount, memory::total()?).image_bytes());
    placed.plan.backing.image_size().map_or_else(load, Ok)
}

/// The least size of images at which each candidate of `placed` behaves as on a large volume, where images of `size`
/// are too small for that. `None` also where the size is given, and for guests, whose images are not kept.
pub fn large(placed: &Placed, size: Bytes) -> Option<Bytes> {
    let (plan, made) = (&placed.plan, placed.available());
    let is_open = plan.backing.devices.is_empty() && plan.backing.image_size().is_none();
    let needed = made.filter_map(|at| placed.entrants[at].target.small(size));
    let needed = needed.map(|small| small.below).max();
    needed.filter(|_| is_open && plan.preset != Preset::Smoke && placed.disks_of(true) == 0)
}

/// A note for each target that behaves differently on an image of `size` than on a larger volume.
pub fn small(placed: &Placed, size: Bytes) -> Vec<Note> {
    let on_images = placed.plan.backing.devices.is_empty();
    let made = placed.available().filter(|_| on_images);
    let note = |at: usize| {
        let fs::Small { below, how } = placed.entrants[at].target.small(size)?;
        Some(Note::SmallImage {
            target: placed.entrants[at].label.clone(),
            image_bytes: size.0,
            below_bytes: below.0,
            effect: how.into(),
        })
    };
    made.filter_map(note).collect()
}

/// Work that does not fit on images, and the option that changes that.
fn image_shortage(
    placed: &Placed,
    load: &TargetLoad,
    free: Bytes,
) -> Option<(String, &'static str)> {
    let files = Bytes(load.peak_bytes);
    let size = placed.plan.backing.image_size().unwrap_or_else(|| load.image_bytes());
    let needed = lab::backing::image_room(size);
    if needed > free {
        return Some((
            format!("{needed}, for a loop image of {size} and free space next to it"),
            "--image-dir",
        ));
    }
    let given = placed.plan.backing.image_size().filter(|size| files > *size);
    given
        .filter(|_| is_incompressible(placed))
        .map(|size| (format!("{files} for its files on an image of {size}"), "--image-size"))
}

/// Returns whether no file system stores less than it is given.
fn is_incompressible(placed: &Placed) -> bool {
    placed.plan.data == DataKind::Random
}

/// Returns whether the file system of `place` is of a kind that may store less than it is given. Data kept by another
/// program, e.g. a server of FUSE or NFS, is assumed to.
fn may_compress(place: &Path) -> Result<bool> {
    // From linux/magic.h; those of ZFS and bcachefs from their sources.
    const BTRFS: u64 = 0x9123_683e;
    const F2FS: u64 = 0xf2f5_2010;
    const NFS: u64 = 0x6969;
    const FUSE: u64 = 0x6573_5546;
    const ZFS: u64 = 0x2fc1_2fc1;
    const BCACHEFS: u64 = 0xca45_1a4e;
    let found = rustix::fs::statfs(place)
        .with_context(|| format!("cannot read the file system type of {}", place.display()))?;
    Ok([BTRFS, F2FS, NFS, FUSE, ZFS, BCACHEFS].contains(&(found.f_type as u64)))
}

/// Returns the largest scale below `high` at which everything fits, to two digits.
fn fitting(mut high: f64, short: impl Fn(f64) -> Result<Option<Shortage>>) -> Result<Option<f64>> {
    let mut low = LEAST;
    if high < low || short(low)?.is_some() {
        return Ok(None);
    }
    while high / low > 1.02 {
        let middle = (low * high).sqrt();
        if short(middle)?.is_some() { high = middle } else { low = middle }
    }
    // Rounded down, so that the printed factor fits.
    let digit = 10f64.powf(low.log10().floor() - 1.0);
    let rounded = ((low / digit).floor() * digit * 1e9).round() / 1e9;
    Ok(Some(rounded.max(LEAST)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use model::plan::Plan;

    #[test]
    fn small_image_note_names_target_and_remedy() {
        let targets = ["ext4", "btrfs", "crypt(btrfs)", "tmpfs"];
        let targets = targets.map(|target| target.parse().unwrap()).to_vec();
        let plan = Plan { targets, suites: vec!["null".into()], ..Plan::default() };
        let placed = testing::placed(plan);
        let effect = placed.entrants[1].target.small(Bytes(3 << 30)).unwrap().how;
        let note = |target: &str| Note::SmallImage {
            target: target.into(),
            image_bytes: 3 << 30,
            below_bytes: 16 << 30,
            effect: effect.into(),
        };
        assert_eq!(small(&placed, Bytes(3 << 30)), ["btrfs", "crypt(btrfs)"].map(note));
        assert!(effect.starts_with("it reserves"), "{effect}");
        assert!(small(&placed, Bytes(16 << 30)).is_empty());
    }

    #[test]
    fn images_are_as_large_as_the_candidates_need() {
        let placed = |plan: Plan| {
            let targets = ["ext4", "btrfs"].map(|target| target.parse().unwrap()).to_vec();
            testing::placed(Plan { targets, suites: vec!["null".into()], ..plan })
        };
        let usual = placed(Plan::default());
        assert_eq!(large(&usual, Bytes(3 << 30)), Some(Bytes(16 << 30)));
        assert_eq!(large(&usual, Bytes(16 << 30)), None);
        let smoke = placed(Plan { preset: Preset::Smoke, ..Plan::default() });
        assert_eq!(large(&smoke, Bytes(3 << 30)), None);
        let backing = model::plan::BackingPlan { size: Some(Bytes(2 << 30)), ..Default::default() };
        let asked = placed(Plan { backing, ..Plan::default() });
        assert_eq!(large(&asked, Bytes(2 << 30)), None, "the size was asked for");
    }

    #[test]
    fn resumed_campaign_makes_images_as_large_as_its_first_ones() {
        let size = |made: Option<Bytes>, size: Option<Bytes>| {
            let backing = model::plan::BackingPlan { made, size, ..Default::default() };
            let targets = vec!["ext4".parse().unwrap(), "btrfs".parse().unwrap()];
            let suites = vec!["null".into()];
            let placed = testing::placed(Plan { targets, suites, backing, ..Plan::default() });
            let size = image_size(&placed, &Amount::scaled(0.01)).unwrap();
            (size, large(&placed, size))
        };
        let (first, enlarged) = (Bytes(7 << 30), Some(Bytes(16 << 30)));
        assert_eq!(size(Some(first), None), (first, None));
        assert_eq!(size(Some(first), Some(Bytes(9 << 30))), (Bytes(9 << 30), None), "asked for");
        assert_eq!(size(None, None), (Bytes(1 << 30), enlarged));
    }

    #[test]
    fn largest_fitting_scale_is_proposed_to_two_digits() {
        let free = |most: f64| {
            move |scale: f64| {
                let (needs, place, free) = (String::new(), PathBuf::new(), Bytes(0));
                Ok((scale > most).then_some(Shortage { needs, place, free, option: None }))
            }
        };
        assert_eq!(fitting(4.0, free(0.1234)).unwrap(), Some(0.12));
        assert_eq!(fitting(1.0, free(0.00071)).unwrap(), Some(0.0007));
        assert_eq!(fitting(1.0, free(LEAST)).unwrap(), Some(LEAST));
        assert_eq!(fitting(1.0, free(0.0004)).unwrap(), None);
    }
}
