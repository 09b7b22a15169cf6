//! The delayed file system, mounted. Needs root and FUSE; where they are missing, the test says so.
#![allow(clippy::print_stdout)]

use super::*;
use crate::instance::Persistence;
use std::{os::unix::fs::FileExt, time::Instant};

const DELAY: Duration = Duration::from_millis(3);
const BYTES: u64 = 3 << 20;

fn ready() -> bool {
    match Delayed::missing() {
        None => true,
        Some(why) => {
            needs::skip(needs::Need::Other, why);
            false
        }
    }
}

fn mounted(lab: &Lab) -> Delayed {
    Delayed::mount(lab, &[("w0/io/old-1".into(), BYTES), ("w0/io/b".into(), 5)], DELAY).unwrap()
}

#[test]
fn every_read_takes_at_least_the_delay_and_is_written_down() {
    if !ready() {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "fuse").unwrap();
    let delayed = mounted(&lab);
    let path = delayed.root().join("w0/io/old-1");
    assert_eq!(fs::metadata(&path).unwrap().len(), BYTES);
    assert_eq!(fs::read(delayed.root().join("w0/io/b")).unwrap(), [0; 5]);
    assert!(fs::metadata(delayed.root().join("w0/none")).is_err());
    let file = File::open(&path).unwrap();
    let mut block = [1; 4096];
    for nth in 0..5 {
        let start = Instant::now();
        file.read_exact_at(&mut block, nth * 4096).unwrap();
        assert!(start.elapsed() >= DELAY);
    }
    assert_eq!(block, [0; 4096]);
    drop(file);
    let root = delayed.root().to_path_buf();
    let times_ns = delayed.unmount().unwrap();
    // Five blocks, the small file and the end of it; none of them came from a cache.
    assert!((6..=8).contains(&times_ns.len()), "{times_ns:?}");
    assert!(times_ns.iter().all(|&ns| ns >= DELAY.as_nanos() as u64), "{times_ns:?}");
    assert!(!root.exists());
}

#[test]
fn lying_file_system_keeps_files_and_does_no_sync() {
    if !ready() {
        return;
    }
    let (state, below) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "lying").unwrap();
    let lying = Lying::mount(&lab, below.path()).unwrap();
    let root = lying.root().to_path_buf();
    let source = mounts::at(&root).unwrap().unwrap().source;
    assert_eq!(source, below.path().canonicalize().unwrap());
    // What shows that a sync was done is looked for where the files are.
    let unseen = |dir: &Path| Persistence::of_dir(dir).unwrap().unseen().cloned();
    assert_eq!(unseen(&root), unseen(below.path()));
    fs::create_dir_all(root.join("a/b")).unwrap();
    let data: Vec<u8> = (0..200_000u32).map(|n| (n % 251) as u8).collect();
    let path = root.join("a/b/file");
    fs::write(&path, &data).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    file.write_all_at(b"other", 70_000).unwrap();
    file.sync_all().unwrap();
    file.sync_data().unwrap();
    drop(file);
    fs::rename(root.join("a"), root.join("c")).unwrap();
    let expected = [&data[..70_000], b"other", &data[70_005..]].concat();
    assert_eq!(fs::read(root.join("c/b/file")).unwrap(), expected);
    assert_eq!(fs::read(below.path().join("c/b/file")).unwrap(), expected);
    assert_eq!(fs::read_dir(root.join("c/b")).unwrap().count(), 1);
    fs::remove_dir_all(root.join("c")).unwrap();
    assert!(lying.unmount().unwrap() >= 2);
    assert!(fs::read_dir(below.path()).unwrap().next().is_none() && !root.exists());
}

#[test]
fn slowing_file_system_gets_no_read_ahead() {
    if !ready() {
        return;
    }
    let (state, below) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lab = Lab::open(state.path(), "slowing").unwrap();
    fs::write(below.path().join("file"), vec![7; 64 << 10]).unwrap();
    let slowing = Slowing::mount(&lab, below.path(), DELAY, 1.0).unwrap();
    let file = File::open(slowing.root().join("file")).unwrap();
    let mut page = [0; 4096];
    for nth in 0..3 {
        file.read_exact_at(&mut page, nth * 4096).unwrap();
    }
    assert_eq!(page, [7; 4096]);
    drop(file);
    assert_eq!(slowing.unmount().unwrap(), 3);
}
