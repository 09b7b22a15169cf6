//! The queue settings of a loop device. By default the kernel reads ahead megabytes where the disk below reads ahead
//! 128 KiB, so that most random reads of a file hit the page cache, and it uses another scheduler. The queue gets the
//! settings of the disk that holds the image.

use crate::Device;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The settings copied from the disk, and kept as facts of a target. Read-ahead comes last: the kernel computes it
/// anew when another limit is set.
const COPIED: [(&str, &str); 3] = [
    ("rotational", "loop.rotational"),
    (SCHEDULER, "loop.scheduler"),
    ("read_ahead_kb", "loop.read_ahead_kb"),
];
const SCHEDULER: &str = "scheduler";
const SECTOR: (&str, &str) = ("logical_block_size", "loop.logical_block_size");
/// The default sector size of a loop device, bytes.
const USUAL_SECTOR: &str = "512";

/// Sets the queue of the loop device `node` as that of the disk on which `image` lies, as far as the kernel lets
/// it; its facts tell what came of it. Its scheduler outlives the image, so it is recorded next to it.
pub fn imitate(node: &Path, image: &Path) {
    let (Some(own), Some(disk)) = (Device::of_node(node), disk_below(image)) else { return };
    for (name, _) in COPIED {
        let (Some(is), Some(wanted)) = (setting(own, name), setting(disk, name)) else { continue };
        if is == wanted || (name == SCHEDULER && fs::write(noted(image), &is).is_err()) {
            continue;
        }
        let _ = fs::write(own.sysfs().join("queue").join(name), wanted);
    }
}

/// Gives the loop device `node` the scheduler that it had before `image` was attached to it, or, if it was
/// removed both, the one that the kernel gives to loop devices.
pub fn put_back(node: &Path, image: &Path) {
    let before = match fs::read_to_string(noted(image)) {
        Ok(before) => before,
        Err(_) if !image.exists() => "none".into(),
        Err(_) => return,
    };
    let Some(own) = Device::of_node(node) else { return };
    if fs::write(own.sysfs().join("queue").join(SCHEDULER), before).is_ok() {
        let _ = fs::remove_file(noted(image));
    }
}

/// Bytes of a sector of the disk on which `image` lies, where a loop device has to be told them: with smaller ones
/// it could not go past the page cache.
pub fn sector_bytes(image: &Path) -> Option<String> {
    setting(disk_below(image)?, SECTOR.0).filter(|bytes| bytes != USUAL_SECTOR)
}

/// Returns the queue settings of the loop device `node`, as facts of a target.
pub(crate) fn facts(node: &Path) -> Vec<(&'static str, String)> {
    let Some(own) = Device::of_node(node) else { return Vec::new() };
    let fact = |(name, key): (&str, &'static str)| Some((key, setting(own, name)?));
    COPIED.into_iter().chain([SECTOR]).filter_map(fact).collect()
}

/// A setting of the queue of a device; of several the one in force.
fn setting(device: Device, name: &str) -> Option<String> {
    chosen(&device.attribute(&format!("queue/{name}"))?)
}

/// The disk under the first directory above `image` that is there.
fn disk_below(image: &Path) -> Option<Device> {
    let dir = image.ancestors().skip(1).find(|dir| dir.is_dir())?;
    Some(Device::under(dir).ok()??.disk())
}

/// The word in brackets, by which sysfs marks the one in force: `none [mq-deadline] bfq`.
pub fn chosen(text: &str) -> Option<String> {
    let word =
        text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word);
    Some(word.unwrap_or(text).to_string())
}

fn noted(image: &Path) -> PathBuf {
    image.with_extension(SCHEDULER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops;

    #[test]
    fn a_loop_device_looks_like_the_disk_below_and_is_given_back_as_it_was() {
        if !needs::root_or_skip("a loop device") {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let image = dir.path().join("image");
        fs::write(&image, vec![0; 1 << 20]).unwrap();
        let Some(disk) = disk_below(&image) else {
            let why = format!("there is no disk under {}", dir.path().display());
            return needs::skip(needs::Need::Other, why);
        };
        let Some(node) = loops::attach(&image) else {
            return needs::skip(needs::Need::Loop, "no loop device can be attached");
        };
        imitate(&node, &image);
        let own = Device::of_node(&node).unwrap();
        let both = COPIED.map(|(name, _)| [own, disk].map(|device| setting(device, name)));
        let (facts, before) = (facts(&node), fs::read_to_string(noted(&image)).ok());
        put_back(&node, &image);
        let scheduler = setting(own, SCHEDULER);
        loops::detach(&node);
        assert!(both.iter().all(|[own, disk]| own == disk), "{both:?}");
        assert_eq!(facts.len(), 4, "{facts:?}");
        assert!(before.is_none() || before == scheduler, "{before:?} {scheduler:?}");
        assert!(!noted(&image).exists());
    }

    #[test]
    fn the_setting_in_force_is_in_brackets() {
        assert_eq!(chosen("none [mq-deadline] bfq").as_deref(), Some("mq-deadline"));
        assert_eq!(chosen("none").as_deref(), Some("none"));
    }

    #[test]
    fn an_image_that_is_not_there_yet_lies_on_the_disk_of_its_directory() {
        let dir = tempfile::tempdir().unwrap();
        let there = Device::under(dir.path()).unwrap().map(Device::disk);
        let planned = disk_below(&dir.path().join("to/be/made/image"));
        assert_eq!(planned.map(|disk| disk.sysfs()), there.map(|disk| disk.sysfs()));
    }
}
