//! Caps without a controller: what is read, what is found, what is written where.

use super::*;
use crate::mounts::mount;
use ::fs::caps;
use model::target::Options;

/// A device by number, as the controllers take it.
const DEVICE: &str = "7:9";

fn options(pairs: &[(&str, &str)]) -> Options {
    pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

#[test]
fn version_1_caps_the_root_and_the_own_group() {
    let root = tempfile::tempdir().unwrap();
    let own = "7:blkio:/a/b\n0::/\n";
    let mounts = [mount("cgroup", root.path(), "rw,blkio")];
    let groups = |c| match c {
        Some(Controller::V1 { groups }) => groups,
        other => panic!("{other:?}"),
    };
    assert_eq!(groups(Controller::among(&mounts, own)), [root.path()]);
    let home = root.path().join("a/b");
    fs::create_dir_all(&home).unwrap();
    assert_eq!(groups(Controller::among(&mounts, own)), [root.path(), &home]);
}

#[test]
fn without_the_controller_there_is_none() {
    let root = tempfile::tempdir().unwrap();
    let mounts = [mount("cgroup", root.path(), "rw,cpu"), mount("cgroup2", root.path(), "rw")];
    assert_eq!(Controller::among(&mounts, "0::/\n"), None);
}

#[test]
fn version_1_is_written_and_lifted() {
    let root = tempfile::tempdir().unwrap();
    let controller = Controller::V1 { groups: vec![root.path().into()] };
    let caps = caps("x", &options(&[("cap.read_iops", "500")])).unwrap();
    let file = root.path().join("blkio.throttle.read_iops_device");
    let undo = controller.undo(&caps, DEVICE, "c");
    assert_eq!(undo, [Undo::Uncap { file: file.clone(), device: DEVICE.into() }]);
    assert!(!lift(&file, DEVICE).unwrap(), "nothing is capped yet");
    controller.impose(&caps, DEVICE, "c").unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "7:9 500");
    assert!(lift(&file, DEVICE).unwrap());
    assert_eq!(fs::read_to_string(&file).unwrap(), "7:9 0");
    fs::write(&file, "").unwrap();
    assert!(!lift(&file, DEVICE).unwrap());
}

#[test]
fn version_2_moves_this_process_into_a_group_and_back() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("cgroup.controllers"), "cpu io memory\n").unwrap();
    fs::create_dir(root.path().join("shell")).unwrap();
    let mounts = [mount("cgroup2", root.path(), "rw")];
    let controller = Controller::among(&mounts, "0::/shell\n").unwrap();
    let caps = caps("x", &options(&[("cap.read_iops", "7"), ("cap.write_bytes_per_s", "1k")]));
    let caps = caps.unwrap();
    let (group, home) = (root.path().join("assay-c"), root.path().join("shell"));
    let undo = Undo::LeaveGroup { group: group.clone(), home: home.clone() };
    assert_eq!(controller.undo(&caps, DEVICE, "c"), [undo]);
    controller.impose(&caps, DEVICE, "c").unwrap();
    let limits = fs::read_to_string(group.join("io.max")).unwrap();
    assert_eq!(limits, "7:9 riops=7 wbps=1024");

    fs::write(group.join("cgroup.procs"), "12\n").unwrap();
    // Real control groups have no files to remove; these are plain ones.
    assert!(leave(&group, &home).is_err());
    assert_eq!(fs::read_to_string(home.join("cgroup.procs")).unwrap(), "12");
    fs::remove_dir_all(&group).unwrap();
    assert!(!leave(&group, root.path()).unwrap());
}
