//! Targets on parts of one disk, for which a loop device stands in: where they are, what of it is refused,
//! and what a killed process leaves. Needs root; where it or a file system is missing, a test says so and
//! ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::stand_in;
use crate::victim;

use disk::{DiskRequest, Refusal, part_size};
use lab::{backing::inspect, cleanup::Cleanup, error::LabError, machine::Availability, setup::Lab};
use model::{plan::Purge, text::Bytes};
use needs::{Need, skip};
use stand_in::{Disk, can_attach, run};
use std::{
    env, fs as files,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

const MIB: u64 = 1 << 20;
/// Two parts of 400 MiB between ends of 8 MiB.
const SIZE: u64 = 816 * MIB;
const PART: u64 = 400 * MIB;
const EDGE: u64 = 8 * MIB;
const VICTIM_STATE: &str = "ASSAY_SPLIT_TEST_STATE";
const VICTIM_LINK: &str = "ASSAY_SPLIT_TEST_LINK";

fn request(disk: &Disk) -> DiskRequest {
    DiskRequest {
        links: vec![disk.link.clone()],
        serials: vec![disk.serial()],
        parts: Some(2),
        ..DiskRequest::default()
    }
}

fn can_split(names: &[&str]) -> bool {
    let lacks =
        |name: &&&str| lab::machine::available(fs::find(name).unwrap()) != Availability::Ready;
    if let Some(name) = names.iter().find(lacks) {
        skip(Need::file_system(name), format!("{name} cannot be made here"));
        return false;
    }
    can_attach("a split disk")
}

fn claimed(disk: &Disk, state: &Path) -> Lab {
    let mut lab = Lab::open(state, "c").unwrap();
    lab.claim(&request(disk)).unwrap();
    lab
}

fn target(name: &str) -> fs::ResolvedTarget {
    name.parse().unwrap()
}

fn refusal(error: LabError) -> Refusal {
    match error {
        LabError::Disk(disk::Error::Refused(refusal)) => refusal,
        other => panic!("{other}"),
    }
}

/// The partitions that the kernel knows of the disk.
fn partitions(disk: &Disk) -> Vec<String> {
    let name = disk.node.file_name().unwrap().to_str().unwrap();
    let entries = files::read_dir(Path::new("/sys/block").join(name)).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|entry| entry.starts_with(name)).collect()
}

fn bytes(disk: &Disk, at: u64, len: u64) -> Vec<u8> {
    let mut bytes = vec![0; len as usize];
    files::File::open(disk.image()).unwrap().read_exact_at(&mut bytes, at).unwrap();
    bytes
}

fn write_at(disk: &Disk, at: u64, bytes: &[u8]) {
    files::File::options().write(true).open(&disk.node).unwrap().write_all_at(bytes, at).unwrap();
}

fn is_zero(disk: &Disk, at: u64, len: u64) -> bool {
    bytes(disk, at, len).iter().all(|byte| *byte == 0)
}

#[test]
fn a_target_stays_in_its_part_and_nothing_is_left() {
    if !can_split(&["ext4", "xfs", "btrfs"]) {
        return;
    }
    assert_eq!(part_size(Bytes(SIZE), 2), Bytes(PART));
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    let lab = claimed(&disk, state.path());
    for (name, part) in [("ext4", 0), ("xfs", 1), ("xfs", 0), ("btrfs", 1), ("ext4", 1)] {
        let other = EDGE + PART * u64::from(1 - part);
        let before = bytes(&disk, other, PART);
        let instance = lab.provision_on(part, &target(name), name).unwrap();
        let facts = &instance.facts().0;
        let own = format!("{}p{}", disk.node.display(), part + 1);
        assert_eq!(facts["mount.source"], own);
        assert_eq!(facts["device.part"], format!("{} of 2", part + 1));
        assert_eq!(facts["device.bytes"], PART.to_string());
        files::write(instance.root().join("data"), vec![7; 4 << 20]).unwrap();
        instance.make_cold().unwrap();
        let busy = refusal(inspect(&request(&disk)).unwrap_err());
        assert!(matches!(busy, Refusal::PartMounted { .. }), "{busy}");
        instance.teardown().unwrap();
        // The very first purge is of the whole disk.
        assert!(bytes(&disk, other, PART) == before, "{name} wrote outside of its part");
        assert!(is_zero(&disk, 0, EDGE) && is_zero(&disk, SIZE - EDGE, EDGE), "{name}");
        assert!(partitions(&disk).is_empty(), "{name}");
    }
    lab.close().unwrap();
    for edge in [0, EDGE, EDGE + PART - EDGE, EDGE + PART, SIZE - 2 * EDGE, SIZE - EDGE] {
        assert!(is_zero(&disk, edge, EDGE), "left at {edge}");
    }
    inspect(&request(&disk)).unwrap();
}

#[test]
fn every_disk_of_a_target_gives_the_same_part() {
    if !can_split(&["btrfs", "ext4"]) {
        return;
    }
    let (one, two) = (Disk::new(SIZE), Disk::new(SIZE));
    let state = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(state.path(), "c").unwrap();
    let both = DiskRequest {
        links: vec![one.link.clone(), two.link.clone()],
        serials: vec![one.serial(), two.serial()],
        ..request(&one)
    };
    lab.claim(&both).unwrap();
    for (name, part, disks) in [("btrfs[raid1]", 1, 2), ("ext4", 0, 1), ("btrfs[raid1]", 0, 2)] {
        let instance = lab.provision_on(part, &target(name), name).unwrap();
        assert_eq!(instance.devices().len(), disks, "{name}");
        let suffix = format!("p{}", part + 1);
        for disk in [&one, &two].into_iter().take(disks) {
            let parts = partitions(disk);
            assert!(parts.len() == 1 && parts[0].ends_with(&suffix), "{name}: {parts:?}");
        }
        instance.teardown().unwrap();
    }
    lab.close().unwrap();
    inspect(&both).unwrap();
}

#[test]
fn a_disk_that_cannot_be_split_is_refused_in_its_own_words() {
    if !can_attach("a split disk") {
        return;
    }
    let mut disk = Disk::new(SIZE);
    let judged = |request: &DiskRequest| refusal(inspect(request).unwrap_err());
    let small = judged(&DiskRequest { needed: Bytes(PART + 1), ..request(&disk) });
    assert!(matches!(small, Refusal::PartTooSmall { parts: 2, .. }), "{small}");
    inspect(&DiskRequest { needed: Bytes(PART), ..request(&disk) }).unwrap();
    let many = judged(&DiskRequest { parts: Some(1000), ..request(&disk) });
    assert!(many.to_string().contains("into 1000 gives"), "{many}");
    let part = disk.partition(1, MIB, 64 * MIB);
    let link = disk.name(&part);
    let part = judged(&DiskRequest { links: vec![link], ..request(&disk) });
    assert!(matches!(part, Refusal::Indivisible { .. }), "{part}");
}

#[test]
fn data_of_others_on_a_split_disk_is_not_wiped() {
    if !can_split(&["ext4"]) {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    disk.make("mkfs.xfs", &["-q", "-f"]);
    let mut lab = Lab::open(state.path(), "c").unwrap();
    let permitted = DiskRequest { wipe_signatures: vec!["xfs".into()], ..request(&disk) };
    lab.claim(&permitted).unwrap();
    let provision = |part| lab.provision_on(part, &target("ext4"), "e");
    provision(0).unwrap().teardown().unwrap();
    // Of a type that was permitted before; and bytes of no type, where our own never write.
    disk.make("mkfs.xfs", &["-q", "-f"]);
    let refused = refusal(provision(1).err().unwrap());
    assert!(matches!(&refused, Refusal::Content { kind, .. } if kind == "xfs"), "{refused}");
    run("xfs_repair", &["-n", disk.node.to_str().unwrap()]);
    run("wipefs", &["--quiet", "--all", disk.node.to_str().unwrap()]);
    let refused = refusal(provision(1).err().unwrap());
    assert!(matches!(refused, Refusal::Unknown { .. }), "{refused}");
    let not_undone = lab.close().unwrap_err().to_string();
    assert!(not_undone.contains("no known type"), "{not_undone}");
}

#[test]
fn a_partition_of_another_program_is_left_alone() {
    if !can_split(&["ext4"]) {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    let lab = claimed(&disk, state.path());
    lab.provision_on(0, &target("ext4"), "e").unwrap().teardown().unwrap();
    let theirs = disk.partition(7, EDGE + MIB, 64 * MIB);
    // Blank, and in the way.
    let error = lab.provision_on(0, &target("ext4"), "e").err().unwrap().to_string();
    assert!(error.contains("cannot split"), "{error}");
    run("mkfs.ext4", &["-q", theirs.to_str().unwrap()]);
    let refused = refusal(lab.provision_on(0, &target("ext4"), "e").err().unwrap());
    assert!(refused.to_string().contains("p7 carries ext4"), "{refused}");
    assert_eq!(partitions(&disk).len(), 1);
    run("e2fsck", &["-f", "-n", theirs.to_str().unwrap()]);
    run("delpart", &[disk.node.to_str().unwrap(), "7"]);
    lab.provision_on(0, &target("ext4"), "e").unwrap().teardown().unwrap();
    lab.close().unwrap();
}

#[test]
fn partitions_of_a_table_that_may_go_are_forgotten() {
    if !can_split(&["ext4"]) {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    if Command::new("sfdisk").arg("--version").output().is_err() {
        skip(Need::program("sfdisk"), "sfdisk is not installed");
        return;
    }
    let script = format!("printf 'label: gpt\n,300M\n,\n' | sfdisk -q {}", disk.node.display());
    run("sh", &["-c", &script]);
    if partitions(&disk).is_empty() {
        return skip(Need::Other, "this kernel reads no partition table of a loop device");
    }
    assert_eq!(partitions(&disk).len(), 2);
    let mut lab = Lab::open(state.path(), "c").unwrap();
    let gpt = DiskRequest { wipe_signatures: vec!["gpt".into()], ..request(&disk) };
    lab.claim(&DiskRequest { purge: Some(Purge::None), ..gpt }).unwrap();
    let instance = lab.provision_on(1, &target("ext4"), "e").unwrap();
    assert_eq!(partitions(&disk).len(), 1);
    instance.teardown().unwrap();
    lab.close().unwrap();
    assert!(partitions(&disk).is_empty());
    inspect(&request(&disk)).unwrap();
}

/// Not a test of its own: the process that the next test kills.
#[test]
fn victim() {
    let (Some(state), Some(link)) = (env::var_os(VICTIM_STATE), env::var_os(VICTIM_LINK)) else {
        return;
    };
    let links = vec![PathBuf::from(link)];
    let look = DiskRequest { links, parts: Some(2), ..DiskRequest::default() };
    let serials = inspect(&look).unwrap().0.remove(0).serials;
    let mut lab = Lab::open(Path::new(&state), "c").unwrap();
    lab.claim(&DiskRequest { serials: serials[..1].to_vec(), ..look }).unwrap();
    let _instance = lab.provision_on(1, &target("ext4"), "e").unwrap();
    victim::wait_for_the_end()
}

/// Kills a process that has just made ext4 on the second part of `disk`.
fn kill_at_work(disk: &Disk, state: &Path) {
    let victim = victim::start(module_path!(), |command| {
        command.env(VICTIM_STATE, state).env(VICTIM_LINK, &disk.link)
    });
    victim::kill(victim);
}

#[test]
fn cleanup_after_a_kill_releases_the_part_and_wipes_nothing() {
    if !can_split(&["ext4"]) {
        return;
    }
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    kill_at_work(&disk, state.path());
    assert_eq!(partitions(&disk).len(), 1);
    let magic = |disk: &Disk| bytes(disk, EDGE + PART + 1024 + 0x38, 2);
    assert_eq!(magic(&disk), [0x53, 0xef]);
    let report = Cleanup::of(state.path()).run().unwrap();
    assert!(report.failed.is_empty(), "{report:?}");
    assert!(report.done.iter().any(|line| line.starts_with("gave up ")), "{report:?}");
    assert!(partitions(&disk).is_empty());
    assert_eq!(magic(&disk), [0x53, 0xef], "cleanup wiped");
    // It shows nothing that anybody could find, so that the next campaign may have it.
    let lab = claimed(&disk, state.path());
    lab.provision_on(1, &target("ext4"), "e").unwrap().teardown().unwrap();
    lab.close().unwrap();
    assert!(is_zero(&disk, EDGE + PART, EDGE));
}

#[test]
fn cleanup_releases_no_partition_that_may_belong_to_others() {
    if !can_split(&["ext4"]) {
        return;
    }
    let disk = Disk::new(SIZE);
    // A table describes just that part now.
    let state = tempfile::tempdir().unwrap();
    kill_at_work(&disk, state.path());
    let mut table = vec![0; 512];
    let sectors = |bytes: u64| ((bytes / 512) as u32).to_le_bytes();
    table[446 + 4] = 0x83;
    table[446 + 8..446 + 12].copy_from_slice(&sectors(EDGE + PART));
    table[446 + 12..446 + 16].copy_from_slice(&sectors(PART));
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    write_at(&disk, 0, &table);
    let report = Cleanup::of(state.path()).run().unwrap();
    assert!(!report.done.iter().any(|line| line.starts_with("gave up ")), "{report:?}");
    assert_eq!(partitions(&disk).len(), 1);
    assert!(report.done.iter().any(|line| line.contains("--wipe-signature dos")), "{report:?}");

    // Another program may take the device in the moment in which nothing is attached to it.
    assert!((0..20).any(|_| is_forgotten_once_brought_again()), "another program took each device");
}

/// The disk was taken away and brought again, as by a boot; the same partition is there once more. False where
/// another program took the device meanwhile, and nothing was tried.
fn is_forgotten_once_brought_again() -> bool {
    let (disk, state) = (Disk::new(SIZE), tempfile::tempdir().unwrap());
    kill_at_work(&disk, state.path());
    let node = disk.node.to_str().unwrap();
    let mounted = run("findmnt", &["-n", "-o", "TARGET", &format!("{node}p2")]);
    needs::unmount(Path::new(&mounted));
    run("delpart", &[node, "2"]);
    let is_again = disk.exchange();
    if is_again {
        disk.partition(2, EDGE + PART, PART);
        Cleanup::of(state.path()).run().unwrap();
        assert_eq!(partitions(&disk).len(), 1);
    }
    is_again
}
