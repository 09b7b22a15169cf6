//! Recording disks with real file systems on them. Needs root; where it or a program is missing, a test says so.
#![allow(clippy::unwrap_used, unreachable_pub)]

use crate::victim;
use faults::{
    log::{Event, Log},
    rule::{On, Rule, What, When},
};
use lab::{cleanup::Cleanup, recording::RecordingDisk, setup::Lab};
use needs::{Need, skip};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::{
    fs::{self as files, File},
    io::Read,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The least of XFS.
const XFS_BYTES: u64 = 300 << 20;
const BYTES: u64 = 128 << 20;
const LOG_BYTES: usize = 256 << 20;

pub fn ready(name: &str) -> bool {
    if let Some(why) = RecordingDisk::missing() {
        skip(Need::Root, why);
        return false;
    }
    match lab::machine::available(fs::find(name).unwrap()) {
        lab::machine::Availability::Ready => true,
        lab::machine::Availability::Missing { what, .. } => {
            skip(Need::file_system(name), format!("{name}: {what}"));
            false
        }
    }
}

pub fn format(name: &str, disk: &RecordingDisk) {
    let force: &[&str] = if name == "ext4" { &["-q", "-F"] } else { &["-q", "-f"] };
    let made = Command::new(format!("mkfs.{name}")).args(force).arg(disk.device()).output();
    let made = made.unwrap();
    assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
}

/// The file system of a disk, mounted.
struct Mounted {
    at: PathBuf,
}

impl Mounted {
    fn mount(disk: &RecordingDisk, name: &str, at: &Path) -> Mounted {
        files::create_dir_all(at).unwrap();
        mount(disk.device(), at, name, MountFlags::empty(), None).unwrap();
        Mounted { at: at.into() }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmount(&self.at, UnmountFlags::empty()).unwrap();
    }
}

pub fn size(name: &str) -> u64 {
    if name == "xfs" { XFS_BYTES } else { BYTES }
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 31 % 251) as u8).collect()
}

fn image(disk: &RecordingDisk) -> Vec<u8> {
    let mut all = Vec::new();
    File::open(disk.device()).unwrap().read_to_end(&mut all).unwrap();
    all
}

fn read_back(disk: &RecordingDisk, name: &str, at: &Path) {
    let on = Mounted::mount(disk, name, at);
    assert!(files::read(on.at.join("data")).unwrap() == bytes(3 << 20), "{name}");
}

/// What a log makes of an image, request by request.
fn replay(log: &Log, image: &mut [u8]) {
    for event in log.events() {
        match event {
            Event::Write { offset, data } => {
                let at = *offset as usize;
                image[at..at + data.len()].copy_from_slice(log.data(data));
            }
            Event::Discard { offset, length } => {
                image[*offset as usize..(offset + length) as usize].fill(0);
            }
            Event::Flush | Event::Mark(_) => {}
        }
    }
}

#[test]
fn what_is_logged_is_what_was_done() {
    let state = tempfile::tempdir().unwrap();
    for name in ["ext4", "xfs", "btrfs"] {
        if !ready(name) {
            continue;
        }
        let lab = Lab::open(state.path(), "recorded").unwrap();
        let disk = RecordingDisk::make(&lab, "d", size(name)).unwrap();
        format(name, &disk);
        let base = image(&disk);
        disk.record(LOG_BYTES);
        let at = state.path().join("at");
        {
            let on = Mounted::mount(&disk, name, &at);
            let file = File::create(on.at.join("data")).unwrap();
            file.write_all_at(&bytes(3 << 20), 0).unwrap();
            file.sync_all().unwrap();
            disk.mark(7);
            files::write(on.at.join("other"), bytes(100_000)).unwrap();
            files::remove_file(on.at.join("other")).unwrap();
        }
        let log = disk.recorded().unwrap();
        let after = image(&disk);
        let mut replayed = base.clone();
        replay(&log, &mut replayed);
        assert!(replayed == after, "{name}: the log does not give the image");
        assert!(replayed != base);
        let events = log.events();
        let mark = events.iter().position(|event| *event == Event::Mark(7)).unwrap();
        assert!(events[..mark].contains(&Event::Flush), "{name}: the sync had no flush");

        disk.show([]).unwrap();
        assert!(image(&disk) == base, "{name}: the base is another");
        let writes = events.iter().filter_map(|event| match event {
            Event::Write { offset, data } => Some((*offset, log.data(data).to_vec())),
            Event::Discard { offset, length } => Some((*offset, vec![0; *length as usize])),
            _ => None,
        });
        disk.show(writes).unwrap();
        assert!(image(&disk) == after, "{name}: all writes give another image");
        {
            let on = Mounted::mount(&disk, name, &at);
            assert!(files::read(on.at.join("data")).unwrap() == bytes(3 << 20), "{name}");
            files::write(on.at.join("more"), b"x").unwrap();
        }
        disk.show([]).unwrap();
        assert!(image(&disk) == base, "{name}: what a mount wrote was not undone");
        drop(disk);
        let report = lab.close().unwrap();
        assert_eq!(report.done.len(), 1, "the mount points alone: {report:?}");
    }
}

#[test]
fn a_disk_that_is_passed_by_keeps_its_content() {
    if !ready("ext4") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "passed").unwrap();
    let disk = RecordingDisk::make(&lab, "d", BYTES).unwrap();
    if !disk.can_pass() {
        return skip(Need::Other, "this kernel has no FUSE passthrough");
    }
    format("ext4", &disk);
    let device = disk.device().to_path_buf();
    let at = state.path().join("at");
    let before = image(&disk);
    disk.pass(true).unwrap();
    assert!(image(&disk) == before);
    let served = disk.served();
    {
        let on = Mounted::mount(&disk, "ext4", &at);
        let busy = disk.pass(false).unwrap_err().to_string();
        assert!(busy.contains("is in use"), "{busy}");
        files::write(on.at.join("data"), bytes(3 << 20)).unwrap();
    }
    let by = disk.served();
    assert_eq!((by.reads, by.writes), (served.reads, served.writes), "they came to this process");
    assert!(by.flushes > served.flushes);
    disk.record(LOG_BYTES);
    assert!(disk.recorded().unwrap_err().to_string().contains("passes by"));
    disk.pass(false).unwrap();
    assert_eq!(disk.device(), device);
    read_back(&disk, "ext4", &at);
    assert!(disk.served().reads > served.reads);
}

fn rule(on: On, when: When, what: What) -> Rule {
    Rule { on, range: 0..u64::MAX, when, what }
}

#[test]
fn a_write_that_fails_reaches_fsync() {
    let state = tempfile::tempdir().unwrap();
    for name in ["ext4", "xfs", "btrfs"] {
        if !ready(name) {
            continue;
        }
        let lab = Lab::open(state.path(), "failing").unwrap();
        let disk = RecordingDisk::make(&lab, "d", size(name)).unwrap();
        format(name, &disk);
        let on = Mounted::mount(&disk, name, &state.path().join("at"));
        let file = File::create(on.at.join("data")).unwrap();
        file.write_all_at(&bytes(1 << 20), 0).unwrap();
        file.sync_all().unwrap();
        file.write_all_at(&bytes(1 << 20), 0).unwrap();
        disk.inject(vec![rule(On::Write, When::ONCE, What::Error)]);
        let failed = file.sync_all().unwrap_err();
        assert_eq!(failed.raw_os_error(), Some(libc::EIO), "{name}");
        assert_eq!(disk.served().injected, [1], "{name}");
    }
}

#[test]
fn faults_are_as_the_rules_say() {
    if !ready("ext4") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "rules").unwrap();
    let disk = RecordingDisk::make(&lab, "d", BYTES).unwrap();
    let direct = |read, write| {
        use std::os::unix::fs::OpenOptionsExt;
        let mut options = File::options();
        options.read(read).write(write).custom_flags(libc::O_DIRECT).open(disk.device()).unwrap()
    };
    let device = direct(true, true);
    let mut page = Page([7; 4096]);
    device.write_all_at(&page.0, 8192).unwrap();

    disk.inject(vec![rule(On::Read, When::ONCE, What::Flip { bit: 8 * 8200 + 2 })]);
    let mut read = |at| {
        device.read_exact_at(&mut page.0, at).unwrap();
        page.0
    };
    let turned = read(8192);
    assert_eq!((turned[8], turned.iter().filter(|byte| **byte != 7).count()), (3, 1));
    assert_eq!(read(8192), [7; 4096]);

    disk.record(1 << 20);
    disk.inject(vec![
        rule(On::Write, When::nth(1), What::Lose),
        rule(On::Write, When::nth(2), What::Misdirect { to: 0 }),
        rule(On::Write, When::nth(3), What::Flip { bit: 8 * 4096 }),
        rule(On::Flush, When::ONCE, What::Error),
    ]);
    let nine = Page([9; 4096]);
    (0..3).for_each(|_| device.write_all_at(&nine.0, 4096).unwrap());
    assert_eq!(device.sync_all().unwrap_err().raw_os_error(), Some(libc::EIO));
    device.sync_all().unwrap();
    assert_eq!(read(0), [9; 4096]);
    let turned = read(4096);
    assert_eq!((turned[0], turned[1]), (8, 9));
    assert_eq!(disk.served().injected, [1, 1, 1, 1]);
    drop(device);
    let log = disk.recorded().unwrap();
    let [Event::Write { offset: 0, .. }, Event::Write { offset: 4096, .. }, Event::Flush] =
        log.events()
    else {
        panic!("{:?}", log.events());
    };

    disk.record(4096);
    let device = direct(false, true);
    (0..2).for_each(|_| device.write_all_at(&nine.0, 0).unwrap());
    let full = disk.recorded().unwrap_err().to_string();
    assert!(full.contains("its log is full"), "{full}");
    let idle = disk.recorded().unwrap_err().to_string();
    assert!(idle.contains("is not recording"), "{idle}");
}

/// Aligned as direct I/O asks for.
#[repr(align(4096))]
struct Page([u8; 4096]);

const VICTIM_STATE: &str = "ASSAY_RECORDING_TEST_VICTIM_STATE";

#[test]
fn victim() {
    let Ok(state) = std::env::var(VICTIM_STATE) else { return };
    let lab = Lab::open(Path::new(&state), "killed").unwrap();
    let disk = RecordingDisk::make(&lab, "d", BYTES).unwrap();
    format("ext4", &disk);
    let at = lab.make_mount_dir("at").unwrap();
    let on = Mounted::mount(&disk, "ext4", &at);
    files::write(on.at.join("data"), bytes(3 << 20)).unwrap();
    let block = Path::new("/sys/block").join(disk.device().file_name().unwrap());
    let file = files::read(block.join("loop/backing_file")).unwrap();
    files::write(Path::new(&state).join("file"), file).unwrap();
    victim::wait_for_the_end();
}

#[test]
fn a_cleanup_detaches_what_a_killed_process_left() {
    if !ready("ext4") {
        return;
    }
    for has_journal in [true, false] {
        let state = tempfile::tempdir().unwrap();
        let child =
            victim::start(module_path!(), |command| command.env(VICTIM_STATE, state.path()));
        let file = files::read_to_string(state.path().join("file")).unwrap();
        assert!(is_attached(&file));
        victim::kill(child);
        if !has_journal {
            files::remove_dir_all(state.path().join("journal")).unwrap();
        }
        let report = Cleanup::of(state.path()).run().unwrap();
        assert_eq!(report.failed, [""; 0]);
        assert!(report.done.iter().any(|done| done.contains("recording disk")), "{report:?}");
        assert!(!is_attached(&file));
        let mounts = files::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(state.path().to_str().unwrap()));
        assert_eq!(files::read_dir(state.path().join("mnt")).unwrap().count(), 0);
    }
}

/// Whether a loop device has this file, as the kernel tells it.
fn is_attached(file: &str) -> bool {
    let block = files::read_dir("/sys/block").unwrap().flatten();
    let mut backing = block.map(|device| device.path().join("loop/backing_file"));
    backing.any(|own| files::read_to_string(own).is_ok_and(|own| own == file))
}
