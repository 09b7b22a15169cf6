//! The lab without root: directories that exist, and the null file system.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use lab::{
    page_cache::{Coldness, residency},
    setup::Lab,
};
use model::{plan::User, target::Target};
use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    path::Path,
    process::Command,
};

const NOBODY: u32 = 65534;

/// A directory of the user `nobody`, where this is root.
fn directory_of_nobody() -> Option<tempfile::TempDir> {
    if !needs::root_or_skip("another user's directory") {
        return None;
    }
    let data = tempfile::tempdir().unwrap();
    chown(data.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    fs::set_permissions(data.path(), Permissions::from_mode(0o755)).unwrap();
    Some(data)
}

fn set_contents(path: &Path, owner: u32) {
    fs::write(path, vec![1; 1 << 16]).unwrap();
    chown(path, Some(owner), Some(owner)).unwrap();
}

#[test]
fn a_directory_gets_a_private_part_and_nothing_else_is_touched() {
    let (state, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(data.path().join("precious"), "x").unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let instance =
        lab.provision(&::fs::resolve(&Target::Dir(data.path().into())).unwrap(), "d").unwrap();
    instance.check().unwrap();
    let file = instance.root().join("f");
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    assert!(instance.used_bytes().unwrap() <= 2 << 20);
    let cold = instance.make_cold().unwrap();
    assert!(matches!(cold, Coldness::Dropped | Coldness::DataOnly), "{cold:?}");
    if !instance.devices().is_empty() {
        assert_eq!(residency(&[file]).unwrap().resident_bytes, 0);
    }
    assert!(instance.quiesce().unwrap().sync_s >= 0.0);
    instance.teardown().unwrap();
    let left: Vec<_> = fs::read_dir(data.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].file_name(), "precious");
}

#[test]
fn a_directory_that_is_gone_fails_the_check() {
    let (state, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "d").unwrap();
    let instance =
        lab.provision(&::fs::resolve(&Target::Dir(data.path().into())).unwrap(), "d").unwrap();
    fs::remove_dir_all(instance.root()).unwrap();
    assert!(instance.check().unwrap_err().to_string().contains("does not exist"));
}

#[test]
fn a_missing_directory_is_named() {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let error = lab.provision(&"dir:/no/such/dir".parse().unwrap(), "d").err().unwrap();
    assert!(error.to_string().starts_with("dir:/no/such/dir cannot be measured: "), "{error}");
}

#[test]
fn the_null_file_system_is_a_private_directory() {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "n").unwrap();
    let first = lab.provision(&"null".parse().unwrap(), "null").unwrap();
    let second = lab.provision(&"null".parse().unwrap(), "null#2").unwrap();
    assert_ne!(first.root(), second.root());
    fs::write(first.root().join("f"), "x").unwrap();
    first.check().unwrap();
    let root = first.root().to_path_buf();
    drop((first, second));
    assert!(!root.exists());
    drop(lab);
    assert_eq!(fs::read_dir(state.path().join("mnt")).unwrap().count(), 0);
}

#[test]
fn a_dropped_lab_leaves_nothing() {
    let (state, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "d").unwrap();
    std::mem::forget(
        lab.provision(&::fs::resolve(&Target::Dir(data.path().into())).unwrap(), "d").unwrap(),
    );
    drop(lab);
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    assert_eq!(fs::read_dir(state.path().join("journal")).unwrap().count(), 0);
}

#[test]
fn a_directory_of_another_user_is_worked_on_in_that_users_name() {
    let Some(data) = directory_of_nobody() else { return };
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let instance =
        lab.provision(&::fs::resolve(&Target::Dir(data.path().into())).unwrap(), "d").unwrap();
    assert_eq!(instance.user().map(|User { uid, .. }| uid), Some(NOBODY));
    assert_eq!(instance.facts().0["work.user"], NOBODY.to_string());
    let work = instance.root().join("w0");
    instance.make_dir(&work).unwrap();
    for path in [instance.root(), &work] {
        assert_eq!(fs::metadata(path).unwrap().uid(), NOBODY, "{path:?}");
    }
    instance.teardown().unwrap();
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);

    // Root's own directory, with no other user on the way to it.
    let own = tempfile::tempdir().unwrap();
    let instance =
        lab.provision(&::fs::resolve(&Target::Dir(own.path().into())).unwrap(), "d").unwrap();
    assert_eq!(instance.user(), None);
}

#[test]
fn private_part_below_another_users_directory_is_given_to_that_user() {
    let Some(data) = directory_of_nobody() else { return };
    let (state, roots) = (tempfile::tempdir().unwrap(), data.path().join("roots"));
    fs::create_dir(&roots).unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let instance =
        lab.provision(&::fs::resolve(&Target::Dir(roots.clone())).unwrap(), "d").unwrap();
    assert_eq!(instance.user().map(|user| user.uid), Some(NOBODY));
    assert_eq!(fs::metadata(instance.root()).unwrap().uid(), NOBODY);
    instance.teardown().unwrap();
    assert_eq!(fs::read_dir(&roots).unwrap().count(), 0);
}

#[test]
fn planted_files_are_not_read_changed_or_waited_for() {
    let Some(data) = directory_of_nobody() else { return };
    let (state, roots) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let precious = roots.path().join("precious");
    set_contents(&precious, 0);
    fs::set_permissions(&precious, Permissions::from_mode(0o600)).unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let instance =
        lab.provision(&::fs::resolve(&Target::Dir(data.path().into())).unwrap(), "d").unwrap();
    let root = instance.root().to_path_buf();
    let (link, hard, pipe, up) =
        (root.join("link"), root.join("hard"), root.join("p"), root.join("up"));
    set_contents(&root.join("f"), NOBODY);
    symlink(&precious, &link).unwrap();
    symlink(roots.path(), &up).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    instance.make_cold().unwrap();
    assert_eq!(instance.used_bytes().unwrap(), (1 << 16) + 4096, "the file and the marker");
    fs::hard_link(&precious, &hard).unwrap();
    for planted in [&link, &hard, &pipe, &up.join("precious")] {
        assert!(instance.residency(std::slice::from_ref(planted)).is_err(), "{planted:?}");
    }
    assert!(instance.make_dir(&up.join("w0")).is_err());
    instance.teardown().unwrap();
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    assert_eq!(fs::read(&precious).unwrap(), vec![1; 1 << 16]);
    assert_eq!(fs::metadata(&precious).unwrap().nlink(), 1);
    assert_eq!(fs::read_dir(roots.path()).unwrap().count(), 1);
}

#[test]
fn a_directory_that_was_replaced_fails_the_check_and_is_left_alone() {
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let replaced = |replace: fn(&Path, &Path)| {
        let top = tempfile::tempdir().unwrap();
        let named = top.path().join("named");
        fs::create_dir(&named).unwrap();
        let instance =
            lab.provision(&::fs::resolve(&Target::Dir(named.clone())).unwrap(), "d").unwrap();
        let root = instance.root().to_path_buf();
        replace(&named, &root);
        fs::write(root.join("theirs"), "x").unwrap();
        let error = instance.check().unwrap_err().to_string();
        assert!(error.contains("was replaced during the run"), "{error}");
        drop(instance);
        assert!(root.join("theirs").exists());
    };
    let replace = |_: &Path, root: &Path| {
        fs::rename(root, root.with_extension("aside")).unwrap();
        fs::create_dir(root).unwrap();
    };
    replaced(replace);
    // The same marker does not make it the same directory.
    replaced(|named, root| {
        fs::rename(named, named.with_extension("aside")).unwrap();
        fs::create_dir_all(root).unwrap();
        let marker = named.with_extension("aside").join(root.file_name().unwrap());
        fs::copy(marker.join(".assay-private"), root.join(".assay-private")).unwrap();
    });
    replaced(|named, _| {
        fs::rename(named, named.with_extension("aside")).unwrap();
        symlink(named.with_extension("aside"), named).unwrap();
    });
}
