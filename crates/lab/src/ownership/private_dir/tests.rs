//! Private directories: what is removed with them, and what is never entered.

use super::*;
use crate::ownership::mark::own_name;
use std::os::unix::fs::{PermissionsExt, symlink};

fn of(campaign: &str) -> Mark {
    Mark::new(Path::new("/s"), campaign)
}

/// A directory whose path has no link in it.
fn top() -> (tempfile::TempDir, PathBuf) {
    let top = tempfile::tempdir().unwrap();
    let path = top.path().canonicalize().unwrap();
    (top, path)
}

#[test]
fn only_marked_directories_are_removed() {
    let (_top, path) = top();
    let ours = path.join(own_name("c-1"));
    create(&ours, &of("c")).unwrap();
    fs::create_dir(ours.join("d")).unwrap();
    fs::write(ours.join("d/f"), "x").unwrap();
    for other in [of("other"), Mark::new(Path::new("/t"), "c")] {
        assert!(remove(&ours, &other).unwrap_err().to_string().contains("marker"));
    }
    assert_eq!(mark_of(&ours), Some(of("c")));
    assert!(remove(&ours, &of("c")).unwrap());
    assert!(!remove(&ours, &of("c")).unwrap(), "a second time does nothing");

    let foreign = path.join("data");
    create(&foreign, &of("c")).unwrap();
    assert!(remove(&foreign, &of("c")).is_err(), "the name is not ours");
    assert!(foreign.exists());
    let unmarked = path.join("empty");
    fs::create_dir(&unmarked).unwrap();
    assert!(remove(&unmarked, &of("c")).is_err() && unmarked.exists());
}

#[test]
fn a_directory_without_marker_goes_only_when_empty() {
    let (_top, path) = top();
    let dir = path.join(own_name("c-1"));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("f"), "x").unwrap();
    assert!(remove(&dir, &of("c")).is_err());
    fs::remove_file(dir.join("f")).unwrap();
    assert!(remove(&dir, &of("c")).unwrap());
}

#[test]
fn removal_takes_directories_with_a_torn_marker() {
    let (_top, path) = top();
    let dir = path.join(own_name("c-1"));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join(MARKER), "{\"campaign\":\"c").unwrap();
    assert!(remove(&dir, &of("c")).unwrap() && !dir.exists());

    create(&dir, &of("c")).unwrap();
    let inside = dir.join(own_name("guest"));
    fs::create_dir(&inside).unwrap();
    // As a guest leaves it that may write there.
    fs::write(inside.join(MARKER), "rubbish").unwrap();
    fs::write(inside.join("f"), "x").unwrap();
    assert!(remove(&inside, &of("d")).is_err());
    assert!(remove(&inside, &of("c")).unwrap() && dir.exists());
}

#[test]
fn a_marker_that_others_may_write_does_not_count() {
    let (_top, path) = top();
    let dir = path.join(own_name("c-1"));
    create(&dir, &of("c")).unwrap();
    fs::write(dir.join("f"), "x").unwrap();
    let marker = dir.join(MARKER);
    fs::set_permissions(&marker, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(remove(&dir, &of("c")).is_err());
    fs::set_permissions(&marker, fs::Permissions::from_mode(0o600)).unwrap();
    fs::hard_link(&marker, path.join("other")).unwrap();
    assert!(remove(&dir, &of("c")).is_err());
    fs::rename(&marker, path.join("real")).unwrap();
    symlink(path.join("real"), &marker).unwrap();
    assert!(remove(&dir, &of("c")).is_err());
    assert!(dir.join("f").exists());
}

#[test]
fn links_are_removed_and_not_followed() {
    let (_top, path) = top();
    let precious = path.join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("f"), "x").unwrap();
    let dir = path.join(own_name("c-1"));
    create(&dir, &of("c")).unwrap();
    symlink(&precious, dir.join("link")).unwrap();
    // Nor one that is in the place of the directory, or above it.
    let (link, above) = (path.join(own_name("c-2")), path.join("above"));
    symlink(&dir, &link).unwrap();
    symlink(&path, &above).unwrap();
    assert!(remove(&link, &of("c")).is_err());
    assert!(remove(&above.join(own_name("c-1")), &of("c")).is_err());
    assert!(dir.join("link").is_symlink());
    assert!(remove(&dir, &of("c")).unwrap());
    assert!(precious.join("f").exists());
}

#[test]
fn removal_does_not_enter_a_mount() {
    if !rustix::process::geteuid().is_root() {
        return needs::skip(needs::Need::Root, "mounting needs root");
    }
    let (_top, path) = top();
    let (dir, other) = (path.join(own_name("c-1")), path.join("other"));
    create(&dir, &of("c")).unwrap();
    fs::create_dir(&other).unwrap();
    fs::write(other.join("precious"), "x").unwrap();
    let inside = dir.join("a/b");
    fs::create_dir_all(&inside).unwrap();
    // Of the same device, as no number tells it.
    let mounted = needs::Mounted::new(&[OsStr::new("--bind"), other.as_os_str()], &inside);
    let refused = remove(&dir, &of("c"));
    // As if it had been mounted after the table of mounts was read.
    let (_, opened) = open(&dir).unwrap().unwrap();
    let entered = empty(&opened, &dir);
    drop(mounted);
    assert!(refused.unwrap_err().to_string().contains("is mounted"));
    assert!(entered.unwrap_err().to_string().contains("something is mounted there"));
    assert!(other.join("precious").exists());
    assert!(dir.join(MARKER).exists(), "what is left is still known as ours");
    assert!(remove(&dir, &of("c")).unwrap());
}

#[test]
fn removal_leaves_directories_of_a_running_campaign() {
    let (_top, path) = top();
    let dir = path.join(own_name("c-1"));
    create(&dir, &of("c")).unwrap();
    let held = hold(&dir).unwrap();
    assert!(is_held(&dir) && hold(&dir).is_none());
    assert!(remove(&dir, &of("c")).unwrap_err().to_string().contains("running"));
    drop(held);
    assert!(!is_held(&dir) && remove(&dir, &of("c")).unwrap());
}

#[test]
fn used_bytes_are_those_of_the_files() {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir(top.path().join("d")).unwrap();
    fs::write(top.path().join("d/f"), vec![1; 8192]).unwrap();
    fs::File::open(top.path().join("d/f")).unwrap().sync_all().unwrap();
    assert_eq!(used_bytes(top.path()).unwrap(), 8192);
}
