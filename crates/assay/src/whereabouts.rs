//! Names the disk under test before a campaign starts, because all of its figures are about that hardware, and says if
//! candidates use different numbers of disks.

use campaign::stages::{Ordered, Placed, images, shared_device::SharedDevice};
use model::{result::Note, target::Target};
use std::path::Path;

/// A line for the loop images, one for each directory that is a target, and what follows from where they are. Disks
/// that are given up to the campaign are listed where consent is asked.
pub fn lines(ordered: &Ordered, state: &Path) -> Vec<String> {
    let on_images = ordered.plan.backing.devices.is_empty() && ordered.needs_image();
    let images = on_images.then(|| images(ordered, state));
    let directories = ordered.plan.targets.iter().filter_map(|target| match target {
        Target::Dir(path) => Some(format!("{target} is on {}", lab::machine::medium(path))),
        Target::Made { .. } => None,
    });
    let in_turn = ordered.shared_device.as_ref().map(SharedDevice::note);
    let notes = unequal(ordered).into_iter().chain(in_turn);
    let notes = notes.map(|note| report::words::note(&note));
    images.into_iter().chain(directories).chain(notes).collect()
}

/// The note if one candidate has more disks than another, e.g. a mirror next to a single disk.
pub fn unequal(placed: &Placed) -> Option<Note> {
    let with = placed.entrants.iter().map(|entrant| (&entrant.label, entrant.target.disks()));
    let mut with: Vec<(&String, usize)> = with.filter(|(_, disks)| *disks > 0).collect();
    with.sort_by_key(|(_, disks)| *disks);
    let ((fewest, fewest_disks), (most, most_disks)) = (*with.first()?, *with.last()?);
    let (most, fewest) = (most.clone(), fewest.clone());
    let note = Note::UnequalDisks { most, most_disks, fewest, fewest_disks };
    (fewest_disks < most_disks).then_some(note)
}

fn images(placed: &Placed, state: &Path) -> String {
    let dir = images::image_dir(placed, state);
    let disk = lab::machine::medium(&images::work_dir(placed, state));
    let hint = match placed.plan.backing.dir {
        Some(_) => "",
        None => "  (choose another with --image-dir)",
    };
    format!("disk under test: {disk}; loop images in {}{hint}", dir.display())
}
