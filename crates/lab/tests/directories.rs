//! The lab without root: directories that exist, and the null file system.
#![allow(clippy::unwrap_used)]

use lab::{Coldness, Lab, residency};
use model::Target;
use std::fs;

#[test]
fn a_directory_gets_a_private_part_and_nothing_else_is_touched() {
    let (state, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(data.path().join("precious"), "x").unwrap();
    let lab = Lab::open(state.path(), "d").unwrap();
    let instance = lab.provision(&Target::Dir(data.path().into()), "d").unwrap();
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
    let instance = lab.provision(&Target::Dir(data.path().into()), "d").unwrap();
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
    std::mem::forget(lab.provision(&Target::Dir(data.path().into()), "d").unwrap());
    drop(lab);
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    assert_eq!(fs::read_dir(state.path().join("journal")).unwrap().count(), 0);
}
