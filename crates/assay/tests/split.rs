//! Campaigns on a split disk, for which a loop device stands in, and on a whole one that is killed at work:
//! where each target lay, what a resumed campaign does, and what is left.

use crate::common::{Place, ready, root_or_skip, text};
use crate::stand_in::{Disk, can_attach};
use std::{fs, os::unix::fs::FileExt, path::Path, thread, time::Duration};

const EDGE: u64 = 8 << 20;
/// Two parts of the least size that a campaign asks for.
const SIZE: u64 = (2 << 30) + 2 * EDGE;

/// A place, and a disk of `size` bytes where ext4 and XFS can be made.
fn set_up(size: u64) -> Option<(Place, Disk)> {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return None;
    }
    let place = Place::new();
    let both = ready(&place, &["ext4", "xfs"]).len() == 2;
    both.then(|| (place, Disk::new(size)))
}

fn args<'a>(verb: &'a str, disk: &'a Disk, more: &[&'a str]) -> Vec<&'a str> {
    let link = disk.link.to_str().unwrap();
    let base = [verb, "--device", link, "--on", "ext4,xfs", "--procs", "1", "--scale", "smoke"];
    [&base[..], &["--tests", "columnar.write.*"], more].concat()
}

/// Fails unless the disk has no table, no partition and blank ends, and its two parts, too.
fn assert_split_blank(disk: &Disk) {
    assert_blank(disk, &[EDGE, SIZE / 2 - EDGE, SIZE / 2, SIZE - 2 * EDGE]);
}

/// Fails unless the disk has no table, no partition and blank ends, and is blank at `inside`, too.
fn assert_blank(disk: &Disk, inside: &[u64]) {
    let file = fs::File::open(disk.image()).unwrap();
    let size = file.metadata().unwrap().len();
    for at in [0, size - EDGE].iter().chain(inside) {
        let mut bytes = vec![0; EDGE as usize];
        file.read_exact_at(&mut bytes, *at).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 0), "something is left at {at}");
    }
    let name = disk.node.file_name().unwrap();
    let partition = Path::new("/sys/block").join(name).join(name).display().to_string() + "p";
    let left = [1, 2].map(|n| format!("{partition}{n}"));
    assert!(left.iter().all(|path| !Path::new(path).exists()), "{left:?}");
}

/// The parts of ext4 and of XFS in both blocks, as `assay show` tells them.
fn parts(place: &Place) -> Vec<String> {
    let shown = place.ok(&["show"]);
    let of = |target: &str| {
        let own = shown.split(&format!("\ntarget {target}\n")).nth(1).unwrap();
        let own = own.split("\n\n").next().unwrap();
        let fact = |block: u32| {
            let key = format!("  device.part.block.{block} = ");
            let line = own.lines().find_map(|line| line.strip_prefix(&key));
            line.unwrap_or_else(|| panic!("{target} has no {key}: {shown}")).to_string()
        };
        [fact(1), fact(2)]
    };
    [of("ext4"), of("xfs")].concat()
}

/// Starts a run and kills it when the instance with this number, from 0, is mounted.
fn kill_at(place: &Place, args: &[&str], number: u32) {
    let mut child = place.spawn(args);
    let (state, dir) = (place.path("state/mnt"), format!("/assay-{number}-"));
    let is_up = || {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        mounts.lines().any(|line| line.contains(state.to_str().unwrap()) && line.contains(&dir))
    };
    while !is_up() {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "the run ended before instance {number}: {ended:?}");
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn each_target_has_each_part_once_and_nothing_is_left() {
    let Some((place, disk)) = set_up(SIZE) else { return };
    let serial = disk.serial();
    let split = ["--split", "--blocks", "2", "--seed", "7"];
    let plan = place.ok(&args("plan", &disk, &split));
    assert!(plan.contains("split into 2 equal partitions of 1.0 GiB"), "{plan}");
    assert!(plan.contains(&format!("mkfs.xfs -f -q -K {}-partN", disk.link.display())), "{plan}");
    assert!(!plan.contains("equally often"), "{plan}");
    let uneven = place.ok(&args("plan", &disk, &["--split", "--blocks", "3"]));
    assert!(uneven.contains("--blocks 4 would balance them"), "{uneven}");

    let run = [&split[..], &["--destroy", &serial]].concat();
    let output = place.assay(&args("run", &disk, &run));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("each on one of 2 equal partitions"));
    let parts = parts(&place);
    let [one, two] = ["1 of 2", "2 of 2"];
    let straight = [one, two, two, one];
    let crossed = [two, one, one, two];
    assert!(parts == straight || parts == crossed, "{parts:?}");
    for (block, [ext4, xfs]) in [[0, 2], [1, 3]].into_iter().enumerate() {
        let line = plan.lines().find(|line| line.starts_with(&format!("block {}: ", block + 1)));
        for (label, at) in [("ext4", ext4), ("xfs", xfs)] {
            let told = format!("{label} on partition {}", &parts[at][..1]);
            assert!(line.unwrap().contains(&told), "{told}: {plan}");
        }
    }
    assert_split_blank(&disk);
    place.assert_clean();
}

#[test]
fn a_split_campaign_that_was_killed_goes_on_in_the_same_parts() {
    let Some((place, disk)) = set_up(SIZE) else { return };
    let serial = disk.serial();
    let run = ["--split", "--blocks", "2", "--seed", "7", "--destroy", &serial];
    // The first of the second block.
    kill_at(&place, &args("run", &disk, &run), 2);
    let told = place.ok(&["cleanup"]);
    assert!(told.contains("gave up "), "{told}");
    place.assert_clean();
    let output = place.assay(&["resume", "--destroy", &serial]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let resumed = parts(&place);
    assert_split_blank(&disk);
    place.assert_clean();

    let whole = place.assay(&args("run", &disk, &run));
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    assert_eq!(parts(&place), resumed);
}

#[test]
fn a_campaign_on_a_whole_disk_that_was_killed_needs_permission_to_go_on() {
    let Some((place, disk)) = set_up(SIZE) else { return };
    let serial = disk.serial();
    kill_at(&place, &args("run", &disk, &["--blocks", "2", "--destroy", &serial]), 2);
    let told = place.ok(&["cleanup"]);
    let left = told.split("--wipe-signature ").nth(1).unwrap().split('`').next().unwrap();
    assert!(["ext4", "xfs"].contains(&left), "{told}");
    place.assert_clean();

    let refused = place.assay(&["resume", "--destroy", &serial]);
    assert_eq!(refused.status.code(), Some(2));
    let why = text(&refused.stderr);
    assert!(why.contains(&format!("`--wipe-signature {left}`")), "{why}");
    assert!(place.ok(&["show"]).contains("open"));
    let output = place.assay(&["resume", "--destroy", &serial, "--wipe-signature", left]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = place.ok(&["show"]);
    // What else this machine does may disturb some.
    assert!(shown.contains(" valid, 0 lukewarm, ") && shown.contains(", 0 invalid"), "{shown}");
    let report = place.ok(&["report"]);
    assert!(report.contains("2 blocks"), "{report}");
    assert_blank(&disk, &[]);
    place.assert_clean();
}

#[test]
fn a_sweep_runs_on_a_split_disk_and_on_a_whole_one() {
    let Some((place, disk)) = set_up(SIZE) else { return };
    let (link, serial) = (disk.link.to_str().unwrap(), disk.serial());
    let base = ["run", "--device", link, "--destroy", &serial, "--suite", "null", "--procs", "1"];
    let sweep = ["--sweep", "xfs[agcount=2]", "--blocks", "2"];
    for more in [&[][..], &["--split"]] {
        let output = place.assay(&[&base[..], &sweep, more].concat());
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{stderr}");
        assert!(stdout.contains("xfs[mkfs.d=agcount=2]"), "{stdout}");
        assert!(place.ok(&["show"]).contains("agcount = 2"));
        assert_blank(&disk, &[]);
        place.assert_clean();
    }
}

#[test]
fn what_cannot_be_split_is_refused_before_anything_is_done() {
    let place = Place::new();
    let no_disk = place.fails(&["run", "--on", "null,tmpfs", "--split"], 2);
    assert!(no_disk.contains("`--split` partitions a disk"), "{no_disk}");
    let Some((place, disk)) = set_up(SIZE - (1 << 20)) else { return };
    let (link, serial) = (disk.link.to_str().unwrap(), disk.serial());
    let base = [
        "run",
        "--device",
        link,
        "--destroy",
        &serial,
        "--preset",
        "smoke",
        "--scale",
        "smoke",
        "--split",
    ];
    let fails = |more: &[&str]| place.fails(&[&base[..], more].concat(), 2);
    let alone = fails(&["--on", "ext4"]);
    assert!(alone.contains("there is only one"), "{alone}");
    let small = fails(&["--on", "ext4,xfs"]);
    assert!(small.contains(" into 2 gives ") && small.contains("are needed"), "{small}");
    let raid = fails(&["--on", "btrfs[raid1]", "--on", "ext4"]);
    assert!(raid.contains("needs 2 disks"), "{raid}");
    assert!(!place.path("store.db").exists());
    assert_blank(&disk, &[]);
    place.assert_clean();
}

#[test]
fn what_cannot_be_side_by_side_on_a_disk_is_refused_by_plan() {
    let Some((place, disk)) = set_up(SIZE) else { return };
    let link = disk.link.to_str().unwrap();
    let capped = ["--on", "ext4[cap.read_iops=500]", "--on", "ext4", "--order", "interleaved"];
    let disk_of = ["plan", "--device", link, "--split", "--scale", "smoke"];
    let shared = place.fails(&[&disk_of[..], &capped].concat(), 2);
    assert!(shared.contains("I/O caps apply to the whole disk"), "{shared}");
    let whole = ["plan", "--device", link, "--scale", "smoke", "--on", "ext4,xfs"];
    let in_turn = place.fails(&[&whole[..], &["--order", "interleaved"]].concat(), 2);
    assert!(in_turn.contains("cannot run side by side"), "{in_turn}");
    assert_blank(&disk, &[]);
    place.assert_clean();
}
