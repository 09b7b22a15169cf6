//! The lab on real loop devices with real file systems. Needs root; where it or a file system is
//! missing, a test says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::victim;

use lab::{
    cleanup::Cleanup,
    error::LabError,
    instance::{Check, Instance},
    machine::Availability,
    observe::Snapshot,
    page_cache::{Coldness, residency},
    setup::Lab,
};
use model::text::Bytes;
use needs::{Need, skip};
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use std::{
    env, fs as files,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::AtomicBool,
    thread,
    time::{Duration, Instant},
};

const IMAGE: Bytes = Bytes(400 << 20);
const FILE_BYTES: u64 = 8 << 20;
/// Tells the helper test below that it runs in a process of its own, and where its state is.
const VICTIM_STATE: &str = "ASSAY_LAB_TEST_VICTIM_STATE";

fn ready(name: &str) -> bool {
    match lab::machine::available(fs::find(name).unwrap()) {
        Availability::Ready => true,
        Availability::Missing { what, .. } => {
            skip(Need::file_system(name), format!("{name}: {what}"));
            false
        }
    }
}

fn lab_with_image(state: &Path, campaign: &str) -> Lab {
    let mut lab = Lab::open(state, campaign).unwrap();
    let mut last = 0;
    lab.make_images(state, IMAGE, 1, &AtomicBool::new(false), &mut |done| last = done).unwrap();
    assert_eq!(last, IMAGE.0);
    lab
}

fn write_file(dir: &Path) -> PathBuf {
    let path = dir.join("data");
    let mut file = files::File::create(&path).unwrap();
    let bytes: Vec<u8> = (0..FILE_BYTES).map(|i| (i * 31 % 251) as u8).collect();
    file.write_all(&bytes).unwrap();
    file.sync_all().unwrap();
    path
}

fn mentions(file: &str, path: &Path) -> bool {
    files::read_to_string(file).unwrap().contains(path.to_str().unwrap())
}

fn loop_holds(path: &Path) -> bool {
    let backing = files::read_dir("/sys/block")
        .unwrap()
        .flatten()
        .filter_map(|entry| files::read_to_string(entry.path().join("loop/backing_file")).ok());
    backing.into_iter().any(|file| file.contains(path.to_str().unwrap()))
}

fn cold_and_hot_are_true(instance: &Instance<'_>) {
    let file = vec![write_file(instance.root())];
    assert_eq!(residency(&file).unwrap().share(), Some(1.0), "just written");

    assert_eq!(instance.make_cold().unwrap(), Coldness::Remounted);
    assert_eq!(residency(&file).unwrap().resident_bytes, 0);
    let before = Snapshot::take(instance.devices()).unwrap();
    assert_eq!(files::read(&file[0]).unwrap().len() as u64, FILE_BYTES);
    let usage = Snapshot::take(instance.devices()).unwrap().since(&before);
    assert!(usage.device_read_bytes.unwrap() >= FILE_BYTES, "{usage:?}");
    assert_eq!(residency(&file).unwrap().share(), Some(1.0));

    let before = Snapshot::take(instance.devices()).unwrap();
    files::read(&file[0]).unwrap();
    let usage = Snapshot::take(instance.devices()).unwrap().since(&before);
    assert!(usage.device_read_bytes.unwrap() < FILE_BYTES / 100, "{usage:?}");
}

/// A number that no other mount has had since the boot; Linux 6.8.
fn mount_number(instance: &Instance<'_>) -> Option<u64> {
    let unique = StatxFlags::from_bits_retain(0x4000);
    let found = statx(CWD, instance.root(), AtFlags::empty(), unique).unwrap();
    (found.stx_mask & unique.bits() != 0).then_some(found.stx_mnt_id)
}

fn one_remount_serves_cold_cases_on_other_files(instance: &Instance<'_>) {
    let data = write_file(instance.root());
    let file = |name: &str| {
        let path = instance.root().join(name);
        files::copy(&data, &path).unwrap();
        files::File::open(&path).unwrap().sync_all().unwrap();
        path
    };
    let [a, b] = ["a", "b"].map(file);
    if mount_number(instance).is_none() {
        return skip(Need::Other, "this kernel gives mounts no numbers of their own");
    }
    let remounts = |path: &Path| {
        let before = mount_number(instance);
        let cold = instance.make_cold_for(&[path.to_path_buf()]).unwrap();
        assert_eq!(cold.coldness, Coldness::Remounted);
        let residency = cold.residency.unwrap();
        assert_eq!((residency.resident_bytes, residency.total_bytes), (0, FILE_BYTES));
        mount_number(instance) != before
    };
    let is_read_from_disk = |path: &Path| {
        let before = Snapshot::take(instance.devices()).unwrap();
        files::read(path).unwrap();
        let usage = Snapshot::take(instance.devices()).unwrap().since(&before);
        usage.device_read_bytes.unwrap() >= FILE_BYTES
    };
    assert!(remounts(&a) && is_read_from_disk(&a));
    // Part of it is resident, as after a look whether it is filled.
    files::File::open(&b).unwrap().read_exact(&mut [0; 100]).unwrap();
    assert!(!remounts(&b) && is_read_from_disk(&b));
    assert!(remounts(&a) && is_read_from_disk(&a), "it was read since the last");
    instance.invalidate_cold();
    assert!(remounts(&b), "something else has run");
    files::write(&data, "x").unwrap();
    assert!(remounts(&a), "something was written");
}

fn writes_under_way_are_seen(instance: &Instance<'_>) {
    let root = instance.root();
    let mut has_seen = false;
    for _ in 0..100 {
        thread::scope(|scope| {
            let writer = scope.spawn(|| write_file(root));
            while !writer.is_finished() {
                has_seen |= lab::observe::are_writing(instance.devices());
            }
        });
        if has_seen {
            break;
        }
    }
    assert!(has_seen, "a file was synced a hundred times, and nothing was written");
    let since = Instant::now();
    while lab::observe::are_writing(instance.devices()) {
        assert!(since.elapsed() < Duration::from_secs(60), "all is synced, and it writes on");
    }
}

fn facts_are_reported(instance: &Instance<'_>, name: &str) {
    let facts = &instance.facts().0;
    assert_eq!(facts["mount.fstype"], name);
    assert!(facts["mount.options"].contains("noatime"), "{facts:?}");
    assert!(facts["mkfs.command"].starts_with(&format!("mkfs.{name} ")));
    assert!(facts["mkfs.version"].chars().any(|c| c.is_ascii_digit()));
    assert!(facts.keys().any(|key| key.starts_with("geometry.")), "{facts:?}");
    assert!(instance.mkfs_ms() > 0.0 && instance.mount_ms() > 0.0);
    assert!(instance.used_bytes().unwrap() > 0);
    assert!(instance.passes_direct_on());
}

#[test]
fn every_file_system_is_made_checked_cold_and_undone() {
    let state = tempfile::tempdir().unwrap();
    let names: Vec<&str> = ["ext4", "xfs", "btrfs"].into_iter().filter(|n| ready(n)).collect();
    if names.is_empty() {
        return;
    }
    let lab = lab_with_image(state.path(), "all");
    for name in names {
        let target = format!("{name}[noatime]").parse().unwrap();
        let instance = lab.provision(&target, name).unwrap();
        instance.check().unwrap();
        facts_are_reported(&instance, name);
        cold_and_hot_are_true(&instance);
        writes_under_way_are_seen(&instance);
        one_remount_serves_cold_cases_on_other_files(&instance);
        assert!(instance.quiesce().unwrap().sync_s > 0.0);
        let busy = lab.provision(&target, name).err().unwrap();
        assert!(matches!(busy, LabError::Disk(disk::Error::Busy { .. })), "{busy}");
        instance.teardown().unwrap();
        assert!(!mentions("/proc/self/mountinfo", state.path()));
    }
    assert!(loop_holds(state.path()));
    lab.close().unwrap();
    assert!(!loop_holds(state.path()));
    assert_eq!(files::read_dir(state.path().join("mnt")).unwrap().count(), 0);
    assert_eq!(files::read_dir(state.path().join("journal")).unwrap().count(), 0);
}

#[test]
fn compressed_files_have_the_stored_bytes_that_a_cold_read_transfers() {
    if !ready("btrfs") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = lab_with_image(state.path(), "compressed");
    let instance = lab.provision(&"btrfs[compress=zstd]".parse().unwrap(), "btrfs").unwrap();
    let text = instance.root().join("text");
    let words = b"what a file system compresses, it stores in fewer blocks\n".iter().copied();
    files::write(&text, words.cycle().take(FILE_BYTES as usize).collect::<Vec<u8>>()).unwrap();
    let noise = instance.root().join("noise");
    let mut random = Vec::new();
    files::File::open("/dev/urandom").unwrap().take(FILE_BYTES).read_to_end(&mut random).unwrap();
    files::write(&noise, &random).unwrap();
    let read_cold = |path: &PathBuf| {
        let cold = instance.make_cold_for(std::slice::from_ref(path)).unwrap();
        let before = Snapshot::take(instance.devices()).unwrap();
        files::read(path).unwrap();
        let usage = Snapshot::take(instance.devices()).unwrap().since(&before);
        (cold.residency.unwrap(), usage.device_read_bytes.unwrap())
    };
    let (residency, read) = read_cold(&text);
    assert_eq!((residency.resident_bytes, residency.total_bytes), (0, FILE_BYTES));
    assert!((4096..FILE_BYTES / 10).contains(&residency.stored_bytes), "{residency:?}");
    assert!((residency.stored_bytes..FILE_BYTES / 4).contains(&read), "{residency:?}, read {read}");
    let (residency, read) = read_cold(&noise);
    assert_eq!(residency.stored_bytes, FILE_BYTES);
    assert!(read >= FILE_BYTES, "{read}");
    instance.teardown().unwrap();
    lab.close().unwrap();
}

#[test]
fn a_running_lab_keeps_and_undoes_its_loop_device_whatever_is_removed() {
    if !ready("ext4") {
        return;
    }
    let top = tempfile::tempdir().unwrap();
    let state = top.path().join("state");
    files::create_dir(&state).unwrap();
    for is_there in [true, false] {
        let lab = lab_with_image(&state, "c");
        files::remove_dir_all(&state).unwrap();
        if is_there {
            files::create_dir(&state).unwrap();
        }
        for dry_run in [true, false] {
            let report = Cleanup { dry_run, ..Cleanup::of(&state) }.run().unwrap();
            assert_eq!((report.live, report.done), (vec!["c".to_string()], Vec::new()));
        }
        assert!(loop_holds(&state));
        let report = lab.close().unwrap();
        assert!(report.messages[0].contains("was removed"), "{report:?}");
        assert!(report.done.len() == 1 && !loop_holds(&state), "{report:?}");
        assert_eq!(Cleanup::of(&state).run().unwrap().done, Vec::<String>::new());
    }
}

#[test]
fn upkeep_is_timed_and_the_file_system_is_checked() {
    let state = tempfile::tempdir().unwrap();
    let names: Vec<&str> = ["ext4", "xfs", "btrfs"].into_iter().filter(|n| ready(n)).collect();
    if names.is_empty() {
        return;
    }
    let lab = lab_with_image(state.path(), "upkeep");
    for name in names {
        let instance = lab.provision(&name.parse().unwrap(), name).unwrap();
        write_file(instance.root());
        let cost = instance.finish(true).unwrap().unwrap();
        assert!(cost.mkfs_ms > 0.0 && cost.mount_ms > 0.0 && cost.unmount_ms > 0.0, "{cost:?}");
        assert_eq!(cost.logical_bytes, Some(FILE_BYTES));
        // Data, and less of metadata than that.
        assert!((FILE_BYTES..2 * FILE_BYTES).contains(&cost.taken_bytes), "{name}: {cost:?}");
        match cost.check {
            Check::Sound(ms) => assert!(ms > 0.0),
            Check::Skipped(why) => skip(Need::Other, why),
            other => panic!("{name}: {other:?}"),
        }
        assert!(!mentions("/proc/self/mountinfo", state.path()));
    }
    let unchecked = lab.provision(&"null".parse().unwrap(), "n").unwrap().finish(true).unwrap();
    assert_eq!(unchecked, None);
    lab.close().unwrap();
}

#[test]
fn a_mount_that_is_gone_fails_the_check() {
    if !ready("tmpfs") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "gone").unwrap();
    let instance = lab.provision(&"tmpfs[size=16M]".parse().unwrap(), "t").unwrap();
    instance.check().unwrap();
    let mount_point = instance.root().parent().unwrap();
    needs::unmount(mount_point);
    let error = instance.check().unwrap_err().to_string();
    assert!(error.starts_with("the mount was lost: "), "{error}");
    files::create_dir(instance.root()).unwrap();
    let error = instance.check().unwrap_err().to_string();
    assert!(error.contains("parent directory"), "{error}");
    files::remove_dir(instance.root()).unwrap();
}

const STAYS: &str = "echo began; read line";

/// A process in a mount namespace of its own, which keeps what is mounted below `state`, releases the targets of
/// other tests, and then runs `script`, in the directory `state`.
fn keep_mounted(state: &Path, script: &str) -> Child {
    const GIVE_UP: &str = "while read -r _ _ _ _ point _; do \
        case $point in \"$0\"/*) ;; */assay-*) umount -l \"$point\" ;; esac; \
        done </proc/self/mountinfo; cd \"$0\"; ";
    let script = GIVE_UP.to_string() + script;
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "sh", "-c", &script]).arg(state.canonicalize().unwrap());
    let mut other = unshare.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut began = String::new();
    BufReader::new(other.stdout.take().unwrap()).read_line(&mut began).unwrap();
    other
}

/// It stays mounted where a mount namespace began meanwhile: mounted again it would be as warm as before.
#[test]
fn a_mount_of_another_process_is_not_called_cold() {
    if !ready("ext4") {
        return;
    }
    const BELOW_ANOTHER_ROOT: &str =
        "mkdir other; mount --bind / other; exec chroot other sh -c 'echo began; read line'";
    let state = tempfile::tempdir().unwrap();
    let lab = lab_with_image(state.path(), "elsewhere");
    for (script, does) in [
        (STAYS, " has it mounted in its own namespace"),
        // Others that are out of sight, too, are named next to it.
        (BELOW_ANOTHER_ROOT, " may have it mounted in "),
    ] {
        let instance = lab.provision(&"ext4".parse().unwrap(), "ext4").unwrap();
        let mut other = keep_mounted(state.path(), script);
        let why = instance.make_cold().unwrap_err().to_string();
        let process = format!(" {} (sh)", other.id());
        assert!(["/dev/loop", &process, does].iter().all(|part| why.contains(part)), "{why}");
        other.kill().unwrap();
        other.wait().unwrap();
        instance.teardown().unwrap();
    }
    lab.close().unwrap();
}

#[test]
fn tmpfs_cannot_be_cold() {
    if !ready("tmpfs") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = Lab::open(state.path(), "memory").unwrap();
    let instance = lab.provision(&"tmpfs[size=16M]".parse().unwrap(), "t").unwrap();
    assert_eq!(instance.make_cold().unwrap(), Coldness::Impossible);
    assert!(instance.devices().is_empty());
    assert_eq!(instance.facts().0["mount.fstype"], "tmpfs");
}

#[test]
fn an_image_that_is_missing_or_too_small_is_reported() {
    if !ready("xfs") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(state.path(), "small").unwrap();
    let xfs = "xfs".parse().unwrap();
    assert!(matches!(lab.provision(&xfs, "x").err(), Some(LabError::FewDisks { .. })));
    let stop = AtomicBool::new(false);
    lab.make_images(state.path(), Bytes(32 << 20), 1, &stop, &mut |_| {}).unwrap();
    assert!(matches!(
        lab.provision(&xfs, "x").err(),
        Some(LabError::Disk(disk::Error::TooSmall { .. }))
    ));
}

/// Not a test of its own: the process that the next test kills.
#[test]
fn victim() {
    let Some(state) = env::var_os(VICTIM_STATE).map(PathBuf::from) else {
        return;
    };
    let mut lab = Lab::open(&state, "victim").unwrap();
    lab.make_images(&state, Bytes(32 << 20), 1, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let instance = lab.provision(&"ext4".parse().unwrap(), "e").unwrap();
    write_file(instance.root());
    victim::wait_for_the_end()
}

#[test]
fn cleanup_undoes_what_a_killed_process_left() {
    if !ready("ext4") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let victim = victim::start(module_path!(), |command| command.env(VICTIM_STATE, state.path()));
    assert_eq!(Cleanup::of(state.path()).run().unwrap().live, ["victim"]);
    assert!(matches!(Lab::open(state.path(), "victim"), Err(LabError::Live { .. })));

    victim::kill(victim);
    assert!(loop_holds(state.path()) && mentions("/proc/self/mountinfo", state.path()));
    let report = Cleanup::of(state.path()).run().unwrap();
    assert!(report.failed.is_empty() && report.done.len() == 5, "{report:?}");
    assert!(!loop_holds(state.path()) && !mentions("/proc/self/mountinfo", state.path()));
    assert!(!state.path().join("assay-victim-image0").exists());
    assert!(Cleanup::of(state.path()).run().unwrap().done.is_empty());
}

/// A process that began its own mount namespace while a target stood keeps it mounted.
#[test]
fn a_file_system_that_is_mounted_elsewhere_is_not_checked() {
    if !ready("ext4") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let lab = lab_with_image(state.path(), "elsewhere");
    let instance = lab.provision(&"ext4".parse().unwrap(), "e").unwrap();
    let mut other = keep_mounted(state.path(), STAYS);
    write_file(instance.root());
    let cost = instance.finish(true);
    other.kill().unwrap();
    other.wait().unwrap();
    let check = cost.unwrap().unwrap().check;
    let Check::Skipped(why) = &check else { panic!("it was checked: {check:?}") };
    assert!(why.contains("(sh) has it mounted in its own namespace"), "{why}");
}

/// Returns true if no piece of the file would be allocated or converted by the host when it is written.
fn is_written(image: &Path) -> bool {
    let file = files::File::open(image).unwrap();
    let len = file.metadata().unwrap().len();
    // What is allocated and not written counts as a hole.
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Hole(0)).unwrap() == len
}

/// mkfs has the device zero a journal or a log.
#[test]
fn images_are_written_in_full_after_mkfs() {
    for name in ["ext4", "xfs", "btrfs"] {
        if !needs::root_or_skip("a loop device") || !ready(name) {
            continue;
        }
        let state = tempfile::tempdir().unwrap();
        let lab = lab_with_image(state.path(), "written");
        let instance = lab.provision(&name.parse().unwrap(), name).unwrap();
        let image = state.path().join("assay-written-image0/image");
        assert!(is_written(&image), "{name}");
        instance.finish(false).unwrap();
    }
}

#[test]
fn kept_images_stay_and_are_used_again() {
    if !needs::root_or_skip("a loop device") || !ready("ext4") {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let target = "ext4".parse().unwrap();
    let image = state.path().join("assay-kept-image0/image");
    let campaign = |name: &str, size: Bytes| {
        let mut lab = Lab::open(state.path(), name).unwrap();
        let mut written = 0;
        lab.keep_image_sets(state.path(), size, (1, 1), &AtomicBool::new(false), &mut |done| {
            written = done;
        })
        .unwrap();
        let instance = lab.provision(&target, "ext4").unwrap();
        write_file(instance.root());
        assert!(is_written(&image));
        let live = Cleanup { images: true, ..Cleanup::of(state.path()) }.run().unwrap();
        assert!(live.done.is_empty() && image.exists(), "{live:?}");
        instance.finish(false).unwrap();
        lab.close().unwrap();
        assert!(!loop_holds(&image));
        written
    };
    assert_eq!(campaign("first", IMAGE), IMAGE.0);
    assert_eq!(campaign("second", IMAGE), 0, "it was written");
    assert_eq!(campaign("third", Bytes(300 << 20)), 0, "a part of it is used");
    let told = Cleanup::of(state.path()).run().unwrap();
    assert!(told.done.is_empty() && told.messages[0].contains("cleanup --images"), "{told:?}");
    let removed = Cleanup { images: true, ..Cleanup::of(state.path()) }.run().unwrap();
    assert!(removed.failed.is_empty() && !image.exists(), "{removed:?}");
}
