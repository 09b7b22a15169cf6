//! A state folder is made closed, closed when it was open, and refused when it is not ours.

use super::*;
use std::os::unix::fs::{MetadataExt, chown, symlink};

fn top() -> (tempfile::TempDir, PathBuf) {
    let top = tempfile::tempdir().unwrap();
    let path = top.path().canonicalize().unwrap();
    (top, path)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn new_files_and_folders_are_closed_to_others() {
    let (_top, path) = top();
    let state = State::open(&path.join("a/b/state")).unwrap();
    assert_eq!(state.path(), path.join("a/b/state"));
    assert!(state.messages().is_empty());
    let folder = state.folder("journal").unwrap();
    open_file(&folder, "f", &state.path().join("journal/f"), true).unwrap();
    let modes = ["", "journal", "journal/f"].map(|name| mode(&state.path().join(name)));
    assert_eq!(modes, [0o700, 0o700, 0o600]);
}

#[test]
fn a_state_folder_open_to_others_is_closed_and_reported() {
    let (_top, path) = top();
    let path = path.join("state");
    fs::create_dir_all(path.join("journal")).unwrap();
    chmod(&path, 0o777);
    let seen = State::look(&path).unwrap().unwrap();
    assert!(seen.messages()[0].contains("would close") && mode(&path) == 0o777);
    let state = State::open(&path).unwrap();
    assert!(state.messages()[0].contains("0777"), "{:?}", state.messages());
    state.folder("journal").unwrap();
    assert_eq!([mode(&path), mode(&path.join("journal"))], [0o700, 0o700]);
    assert!(State::open(&path).unwrap().messages().is_empty());
}

#[test]
fn a_folder_of_other_things_is_not_closed() {
    let (_top, path) = top();
    fs::create_dir(path.join("home")).unwrap();
    fs::write(path.join("home/letter"), "x").unwrap();
    chmod(&path.join("home"), 0o755);
    let error = State::open(&path.join("home")).unwrap_err().to_string();
    assert!(error.contains("contains `letter`"), "{error}");
    assert_eq!(mode(&path.join("home")), 0o755);
}

#[test]
fn links_files_and_folders_of_others_are_refused() {
    let (_top, path) = top();
    fs::create_dir(path.join("real")).unwrap();
    symlink(path.join("real"), path.join("link")).unwrap();
    fs::write(path.join("file"), "x").unwrap();
    for name in ["link", "file"] {
        assert!(State::open(&path.join(name)).unwrap_err().to_string().contains("is not a folder"));
    }
    assert!(State::look(&path.join("absent")).unwrap().is_none());
    assert!(!path.join("absent").exists());
    if !geteuid().is_root() {
        return needs::skip(needs::Need::Root, "giving files away needs root");
    }
    chown(path.join("real"), Some(12345), None).unwrap();
    for refused in [State::open(&path.join("real")).err(), State::look(&path.join("real")).err()] {
        assert!(refused.unwrap().to_string().contains("belongs to user 12345"));
    }
    // Nor one that another user could replace.
    let state = path.join("theirs/state");
    fs::create_dir_all(&state).unwrap();
    chmod(&state, 0o700);
    chown(path.join("theirs"), Some(12345), None).unwrap();
    assert!(State::open(&state).unwrap_err().to_string().contains("user 12345"));
    chown(path.join("theirs"), Some(0), None).unwrap();
    chmod(&path.join("theirs"), 0o777);
    assert!(State::open(&state).unwrap_err().to_string().contains("0777"));
    chmod(&path.join("theirs"), 0o1777);
    State::open(&state).unwrap();
}

#[test]
fn running_campaign_is_known_without_its_files() {
    let (_top, path) = top();
    let path = path.join("state");
    let worker = State::open(&path).unwrap();
    worker.enter().unwrap();
    worker.folder("journal").unwrap();
    let cleaner = State::open(&path).unwrap();
    assert!(!cleaner.is_alone());
    fs::remove_dir(path.join("journal")).unwrap();
    assert!(!cleaner.is_alone());
    drop(worker);
    assert!(cleaner.is_alone());
}

#[test]
fn a_starting_program_does_not_keep_the_state_busy() {
    let (_top, path) = top();
    let worker = State::open(&path.join("state")).unwrap();
    worker.enter().unwrap();
    let _copy = worker.folder.try_clone().unwrap();
    drop(worker);
    assert!(State::open(&path.join("state")).unwrap().is_alone());
}
