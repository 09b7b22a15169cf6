//! The delayed file system, mounted. Needs root and FUSE; where they are missing, the test says so.
#![allow(clippy::print_stdout)]

use super::*;
use std::os::unix::fs::FileExt;

const DELAY: Duration = Duration::from_millis(3);
const BYTES: u64 = 3 << 20;

fn ready() -> bool {
    match Delayed::missing() {
        None => true,
        Some(why) => {
            println!("skipped: {why}");
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
