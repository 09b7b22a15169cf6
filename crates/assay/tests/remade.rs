//! `assay remake`: a state with harm is made again as an image that holds the harm, and the disk of a suite that makes
//! its own is not made in vain.

use crate::common::{Place, ready_or_skip, root_or_skip, text};
use std::{fs, path::Path, process::Command};

/// A mount of an image, undone at the end.
struct Mounted<'a>(&'a Path);

impl Mounted<'_> {
    /// Mounts as `command` says, at `dir` instead of /mnt.
    fn by<'a>(place: &Place, command: &str, dir: &'a Path) -> Mounted<'a> {
        let words: Vec<&str> = command.split(' ').collect();
        let (last, args) = words[1..].split_last().unwrap();
        assert_eq!((words[0], *last), ("mount", "/mnt"), "{command}");
        let status = Command::new("mount").args(args).arg(dir).current_dir(place.path("")).status();
        assert!(status.unwrap().success(), "{command}");
        Mounted(dir)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn harm_is_in_the_image_that_its_command_makes() {
    if !root_or_skip("a recording disk") {
        return;
    }
    let place = Place::new();
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    let run = place.assay(&[
        "run",
        "--on",
        "ext4[nobarrier]",
        "--suite",
        "faults",
        "--tests",
        "faults.crash.append",
        "--knob",
        "states=60",
        "--blocks",
        "1",
        "--seed",
        "3",
    ]);
    assert!(!text(&run.stderr).contains("loop image"), "{}", text(&run.stderr));
    let listed = place.ok(&["remake"]);
    let command =
        listed.lines().map(str::trim).find(|line| line.starts_with("assay remake ")).unwrap();
    // Markdown has a backslash before each bracket.
    let report = place.ok(&["report", "--format", "md"]).replace('\\', "");
    assert!(report.contains(command), "{command}: {report}");
    let words: Vec<String> =
        command.split(' ').skip(1).map(|word| word.trim_matches('\'').to_string()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let told = place.ok(&[&words[..], &["--out", "a.img"]].concat());
    // "acknowledged data is lost: log: N bytes long, and M were synced, after mark K".
    let harm =
        told.lines().find(|line| line.starts_with("harm: acknowledged data is lost")).unwrap();
    let found: u64 =
        harm.split(" bytes long").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    let line = told.lines().find(|line| line.starts_with("mount, as root")).unwrap();
    let (_, mount) = line.split_once(": ").unwrap();
    let dir = place.dir("mnt");
    {
        let _mounted = Mounted::by(&place, mount, &dir);
        let log = dir.join("work0/log");
        assert_eq!(fs::metadata(&log).unwrap().len(), found, "{harm}");
    }
    // An image is sparse, and the recording goes with its campaign.
    let image = fs::metadata(place.path("a.img")).unwrap();
    use std::os::unix::fs::MetadataExt;
    assert!(image.blocks() * 512 < image.len() / 4, "{}", image.blocks());
    let id = words[1].to_string();
    place.ok(&["rm", &id]);
    place.fails(&words, 1);
    place.assert_clean();
}

#[test]
fn no_image_is_made_for_disks_in_memory() {
    let place = Place::new();
    let plan = |tests: &str| {
        place.ok(&["plan", "--on", "ext4", "--suite", "faults,columnar", "--tests", tests])
    };
    assert!(!plan("faults.crash.append").contains("loop image"));
    assert!(plan("faults.crash.append,columnar.write.*").contains("loop image"));
}
