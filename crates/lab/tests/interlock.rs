//! Every reason for which a disk is not touched, on a loop device that stands in for one. Needs root;
//! where it or a tool is missing, a test says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::stand_in;

use disk::{DiskRequest, Refusal};
use lab::{backing::inspect, error::LabError};
use model::text::Bytes;
use needs::Mounted;
use needs::{Need, skip};
use stand_in::{BY_ID, Disk, can_attach, run};
use std::{
    fs,
    os::unix::fs::{FileExt, OpenOptionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

pub(crate) const SIZE: u64 = 400 << 20;

pub(crate) fn request(link: &Path) -> DiskRequest {
    DiskRequest { links: vec![link.into()], ..DiskRequest::default() }
}

pub(crate) fn refused(request: &DiskRequest) -> Refusal {
    match inspect(request) {
        Err(LabError::Disk(disk::Error::Refused(refusal))) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Mounts the ext4 of `node`, judges `link`, and unmounts.
fn refused_while_mounted(disk: &Disk, node: &Path, link: &Path) -> Refusal {
    let dir = disk.dir("m");
    run("mkfs.ext4", &["-q", path(node)]);
    let _mounted = Mounted::new(&[node], &dir);
    refused(&request(link))
}

#[test]
fn a_blank_disk_is_reported_with_its_serial_number() {
    if !can_attach("a blank disk") {
        return;
    }
    let disk = Disk::new(SIZE);
    let info = inspect(&request(&disk.link)).unwrap().0.remove(0);
    assert_eq!(
        (info.node, info.serials, info.size),
        (disk.node.clone(), vec![disk.serial()], Bytes(SIZE))
    );
    let large = DiskRequest { needed: Bytes(SIZE + 1), ..request(&disk.link) };
    assert!(matches!(refused(&large), Refusal::TooSmall { .. }));
}

#[test]
fn only_a_link_in_by_id_names_a_disk() {
    if !can_attach("names of disks") {
        return;
    }
    let disk = Disk::new(SIZE);
    let elsewhere = disk.dir("d").join("link");
    symlink(&disk.node, &elsewhere).unwrap();
    let roundabout = Path::new(BY_ID).join("..").join("by-id").join(disk.link.file_name().unwrap());
    for name in [&disk.node, &elsewhere, &roundabout] {
        match refused(&request(name)) {
            Refusal::NotStable { stable, .. } => {
                assert_eq!(stable, std::slice::from_ref(&disk.link))
            }
            other => panic!("{name:?}: {other}"),
        }
    }
    let mut disk = disk;
    let file = disk.name(&disk.image());
    assert!(matches!(refused(&request(&file)), Refusal::NotBlock { .. }));
    let absent = Path::new(BY_ID).join("no-such-disk");
    assert!(matches!(refused(&request(&absent)), Refusal::Absent { .. }));
}

#[test]
fn a_mounted_disk_or_partition_is_refused() {
    if !can_attach("mounted disks") {
        return;
    }
    let disk = Disk::new(SIZE);
    let refusal = refused_while_mounted(&disk, &disk.node, &disk.link);
    assert!(matches!(&refusal, Refusal::Mounted { .. }), "{refusal}");

    let mut disk = Disk::new(SIZE);
    let [one, two] = [1, 2].map(|n| disk.partition(n, u64::from(n) * (64 << 20), 64 << 20));
    let refusal = refused_while_mounted(&disk, &one, &disk.link);
    let name = one.file_name().unwrap().to_str().unwrap();
    assert!(matches!(&refusal, Refusal::PartMounted { part, .. } if part == name), "{refusal}");
    // Its neighbour is another space, and blank.
    let link = disk.name(&two);
    let dir = disk.dir("m");
    let mounted = Mounted::new(&[&one], &dir);
    let judged = inspect(&request(&link));
    drop(mounted);
    assert_eq!(judged.unwrap().0[0].serials[0], disk.serial());
    // What is not mounted is still content of the disk.
    run("wipefs", &["--quiet", "--all", path(&disk.node)]);
    let refusal = refused(&request(&disk.link)).to_string();
    assert!(refusal.contains(&format!("the partition {name} carries ext4")), "{refusal}");
}

#[test]
fn swap_in_use_is_refused() {
    if !can_attach("swap") {
        return;
    }
    let disk = Disk::new(SIZE);
    run("mkswap", &[path(&disk.node)]);
    let refusal = refused(&request(&disk.link));
    assert!(matches!(&refusal, Refusal::Content { kind, .. } if kind == "swap"), "{refusal}");
    if !Command::new("swapon").arg(&disk.node).status().unwrap().success() {
        skip(Need::Other, "swapon is not allowed here");
        return;
    }
    let refusal = std::panic::catch_unwind(|| refused(&request(&disk.link)));
    run("swapoff", &[path(&disk.node)]);
    assert!(matches!(refusal.unwrap(), Refusal::Swap { .. }));
}

#[test]
fn a_disk_under_another_device_is_refused() {
    if !can_attach("holders") {
        return;
    }
    let mut disk = Disk::new(SIZE);
    let node = disk.node.clone();
    let over = disk.attach(&node, &[]);
    match refused(&request(&disk.link)) {
        Refusal::Held { holder, .. } => assert_eq!(Path::new("/dev").join(holder), over),
        other => panic!("{other}"),
    }
    let upper = disk.name(&over);
    assert!(matches!(refused(&request(&upper)), Refusal::Indirect { .. }));
}

#[test]
fn one_content_under_two_names_is_refused() {
    if !can_attach("twins") {
        return;
    }
    let mut disk = Disk::new(SIZE);
    let again = disk.name(&disk.node.clone());
    let both = DiskRequest { links: vec![disk.link.clone(), again], ..DiskRequest::default() };
    assert!(matches!(refused(&both), Refusal::Twice { .. }));
    let twin = disk.attach(&disk.image(), &[]);
    match refused(&request(&disk.link)) {
        Refusal::SameSerial { other, .. } => assert_eq!(Path::new("/dev").join(other), twin),
        other => panic!("{other}"),
    }
}

#[test]
fn a_read_only_disk_is_refused() {
    if !can_attach("write protection") {
        return;
    }
    let mut disk = Disk::new(SIZE);
    let file = disk.dir("d").join("image");
    fs::File::create(&file).unwrap().set_len(SIZE).unwrap();
    let node = disk.attach(&file, &["--read-only"]);
    let link = disk.name(&node);
    assert!(matches!(refused(&request(&link)), Refusal::ReadOnly { .. }));
}

#[test]
fn a_disk_that_is_open_exclusively_is_refused() {
    if !can_attach("exclusive use") {
        return;
    }
    let disk = Disk::new(SIZE);
    let held =
        fs::OpenOptions::new().read(true).custom_flags(libc::O_EXCL).open(&disk.node).unwrap();
    assert!(matches!(refused(&request(&disk.link)), Refusal::Busy { .. }));
    drop(held);
    inspect(&request(&disk.link)).unwrap();
}

/// The name leads to the root's device here; nothing but a look at sysfs follows from it.
#[test]
fn the_disk_of_the_root_is_refused() {
    if !can_attach("the disk of the root") {
        return;
    }
    let Some(root) = disk::Device::under(Path::new("/")).unwrap() else {
        skip(Need::Other, "the root is on no block device");
        return;
    };
    let sysfs = fs::canonicalize(format!("/sys/dev/block/{root}")).unwrap();
    let mut disk = Disk::new(1 << 20);
    let link = disk.name(&Path::new("/dev").join(sysfs.file_name().unwrap()));
    let refusal = refused(&request(&link));
    assert!(matches!(refusal, Refusal::System { .. }), "{refusal}");
}

/// Makes each kind of content with its own tool, and expects its name in the refusal.
#[test]
fn signatures_of_real_tools_are_refused_by_type() {
    if !can_attach("content") {
        return;
    }
    let disk = Disk::new(SIZE);
    let makers: &[(&str, &[&str], &str)] = &[
        ("mkfs.ext4", &["-q", "-F"], "ext4"),
        ("mkfs.ext3", &["-q", "-F"], "ext3"),
        ("mkfs.ext2", &["-q", "-F"], "ext2"),
        ("mke2fs", &["-q", "-F", "-O", "journal_dev"], "jbd"),
        ("mkfs.xfs", &["-q", "-f"], "xfs"),
        ("mkfs.btrfs", &["-q", "-f"], "btrfs"),
        ("mkfs.f2fs", &["-q", "-f"], "f2fs"),
        ("mkfs.nilfs2", &["-q", "-f"], "nilfs2"),
        ("mkfs.jfs", &["-q"], "jfs"),
        ("mkfs.ntfs", &["-q", "-F", "-f"], "ntfs"),
        ("mkfs.vfat", &[], "vfat"),
        ("mkfs.exfat", &[], "exfat"),
        ("mkfs.minix", &[], "minix"),
        ("mkswap", &[], "swap"),
        ("pvcreate", &["-ff", "-y", "-q"], "LVM2_member"),
        ("mdadm", MDADM, "linux_raid_member"),
        ("cryptsetup", LUKS, "crypto_LUKS"),
    ];
    for (program, args, kind) in makers {
        blank(&disk);
        inspect(&request(&disk.link)).unwrap();
        if !make(program, args, &disk.node) {
            // One that is here fails where the kernel lacks something.
            if needs::program_or_skip(program) {
                skip(Need::Other, format!("{kind}: {program} fails"));
            }
            continue;
        }
        let refusal = refused(&request(&disk.link)).to_string();
        assert!(refusal.contains(kind), "{program}: {refusal}");
        let kinds = refusal.split("--wipe-signature ").nth(1).unwrap().trim_end_matches('`');
        let wipe_signatures = kinds.split(',').map(str::to_string).collect();
        let named = DiskRequest { wipe_signatures, ..request(&disk.link) };
        inspect(&named).unwrap_or_else(|error| panic!("{kind}: {error}"));
    }
}

/// An array without its second disk is there and can be stopped; where the kernel has no md, mdadm fails.
const MDADM: &[&str] =
    &["--create", "/dev/md/assay-test", "--run", "--level=1", "--raid-devices=2", "missing"];
const LUKS: &[&str] = &[
    "luksFormat",
    "-q",
    "--type",
    "luks1",
    "--pbkdf-force-iterations",
    "1000",
    "--key-file",
    "/proc/version",
];

/// Runs a maker on `node`; false where it is not installed or cannot work here.
fn make(program: &str, args: &[&str], node: &Path) -> bool {
    let made = Command::new(program)
        .args(args)
        .arg(node)
        .stdin(std::process::Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success());
    if program == "mdadm" {
        let _ = Command::new("mdadm").args(["--stop", "/dev/md/assay-test"]).output();
    }
    made
}

/// Zeroes where signatures lie.
fn blank(disk: &Disk) {
    let file = fs::File::options().write(true).open(&disk.node).unwrap();
    let zeros = vec![0; 8 << 20];
    file.write_all_at(&zeros, 0).unwrap();
    file.write_all_at(&zeros, SIZE - zeros.len() as u64).unwrap();
    file.sync_all().unwrap();
}

#[test]
fn data_without_a_signature_is_refused() {
    if !can_attach("unknown data") {
        return;
    }
    let disk = Disk::new(SIZE);
    let file = fs::File::options().write(true).open(&disk.node).unwrap();
    file.write_all_at(b"rows of a database", SIZE - (1 << 20)).unwrap();
    drop(file);
    assert!(matches!(refused(&request(&disk.link)), Refusal::Unknown { .. }));
    let named = DiskRequest { wipe_signatures: vec!["unknown".into()], ..request(&disk.link) };
    assert_eq!(inspect(&named).unwrap().0.len(), 1);
}

#[test]
fn the_partitions_behind_a_permitted_table_are_judged_too() {
    if !can_attach("partition tables") {
        return;
    }
    let disk = Disk::new(SIZE);
    let file = fs::File::options().write(true).open(&disk.node).unwrap();
    // One primary partition from 1 MiB on, which the kernel has not read.
    let mut table = [0u8; 512];
    table[446 + 4] = 0x83;
    table[446 + 8..446 + 12].copy_from_slice(&2048u32.to_le_bytes());
    table[446 + 12..446 + 16].copy_from_slice(&262_144u32.to_le_bytes());
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    file.write_all_at(&table, 0).unwrap();
    file.write_all_at(b"XFSB", 1 << 20).unwrap();
    drop(file);
    assert!(
        matches!(refused(&request(&disk.link)), Refusal::Content { kind, .. } if kind == "xfs")
    );
    let named = |kinds: &[&str]| DiskRequest {
        wipe_signatures: kinds.iter().map(ToString::to_string).collect(),
        ..request(&disk.link)
    };
    assert!(matches!(refused(&named(&["xfs"])), Refusal::Table { kind, .. } if kind == "dos"));
    let refusal = refused(&named(&["dos"])).to_string();
    assert!(refusal.contains("the partition at 1048576 carries xfs"), "{refusal}");
    inspect(&named(&["dos", "xfs"])).unwrap();
}

/// A sector with a table of `entries`: type, first and number of sectors.
fn table(entries: &[(u8, u32, u32)]) -> [u8; 512] {
    let mut table = [0u8; 512];
    for (number, (kind, first, sectors)) in entries.iter().enumerate() {
        let entry = &mut table[446 + 16 * number..];
        entry[4] = *kind;
        entry[8..12].copy_from_slice(&first.to_le_bytes());
        entry[12..16].copy_from_slice(&sectors.to_le_bytes());
    }
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    table
}

#[test]
fn logical_partitions_are_judged_or_the_disk_is_left_alone() {
    if !can_attach("logical partitions") {
        return;
    }
    let disk = Disk::new(SIZE);
    let write = |at: u64, bytes: &[u8]| {
        let file = fs::File::options().write(true).open(&disk.node).unwrap();
        file.write_all_at(bytes, at).unwrap();
    };
    let named = |kinds: &[&str]| DiskRequest {
        wipe_signatures: kinds.iter().map(ToString::to_string).collect(),
        ..request(&disk.link)
    };
    const MIB: u64 = 1 << 20;
    // An extended partition from 16 MiB on with two logical ones, which the kernel has not read; that at
    // 101 MiB is far from all that is looked at otherwise.
    write(0, &table(&[(0x05, 32_768, 524_288)]));
    write(16 * MIB, &table(&[(0x83, 2048, 65_536), (0x05, 172_032, 262_144)]));
    write(100 * MIB, &table(&[(0x83, 2048, 65_536)]));
    inspect(&named(&["dos"])).unwrap();
    write(101 * MIB, b"XFSB");
    let refusal = refused(&named(&["dos"])).to_string();
    assert!(refusal.contains("the partition at 105906176 carries xfs"), "{refusal}");
    inspect(&named(&["dos", "xfs"])).unwrap();

    // The way to the second is gone; what lies there still is.
    write(100 * MIB, &[0; 512]);
    let refusal = refused(&named(&["dos", "xfs", "unknown"]));
    assert!(matches!(&refusal, Refusal::Unreadable { .. }), "{refusal}");
    assert!(refusal.to_string().contains("logical partition at 104857600"), "{refusal}");
}

#[test]
fn the_table_of_a_machine_in_a_partition_is_followed() {
    if !can_attach("tables in partitions") {
        return;
    }
    let disk = Disk::new(SIZE);
    let file = fs::File::options().write(true).open(&disk.node).unwrap();
    file.write_all_at(&table(&[(0x83, 2048, 524_288)]), 0).unwrap();
    file.write_all_at(&table(&[(0x83, 204_800, 65_536)]), 1 << 20).unwrap();
    file.write_all_at(b"XFSB", 101 << 20).unwrap();
    drop(file);
    let named = DiskRequest { wipe_signatures: vec!["dos".into()], ..request(&disk.link) };
    let refusal = refused(&named).to_string();
    assert!(refusal.contains("the partition at 105906176 carries xfs"), "{refusal}");
}

#[test]
fn a_disk_with_files_to_keep_is_refused() {
    if !can_attach("kept files") {
        return;
    }
    let disk = Disk::new(SIZE);
    let dir = disk.dir("m");
    run("mkfs.ext4", &["-q", path(&disk.node)]);
    let _mounted = Mounted::new(&[&disk.node], &dir);
    let kept: Vec<PathBuf> = vec![dir.join("state")];
    let judged = inspect(&DiskRequest { kept, ..request(&disk.link) });
    let refusal = judged.unwrap_err().to_string();
    assert!(refusal.contains("in use by the system") && refusal.contains("state"), "{refusal}");
}
