//! The magic numbers by which file systems, volume managers, encryption and partition tables are
//! known, and where they lie.
//!
//! Offsets are those of the formats' own documents and headers, as libblkid collects them
//! (util-linux, `libblkid/src/superblocks` and `partitions`); types carry the names that `blkid`
//! and `wipefs` print, so that all three readers say the same word.

use ::fs::About;
use ::fs::magic::{Magic, Signature, end, start, uuid};

const GPT: &[u8] = b"EFI PART";
const GFS2: &[u8] = &[0x01, 0x16, 0x19, 0x70, 0, 0, 0, 1];
const STRATIS: &[u8] = b"!Stra0tis\x86\xff\x02^\x41rh";

/// Every self-contained magic number: of the file systems that assay makes, and of all others. What needs a
/// second look (ext's generation, ZFS labels, the DOS partition table) is in the reader.
pub(super) fn all() -> impl Iterator<Item = &'static Magic> {
    let made = ::fs::ALL.iter().flat_map(|fs| match fs.about().signature {
        Signature::Magic(all) => all,
        Signature::Unsaid | Signature::Read(_) | Signature::Without(_) => &[],
    });
    made.chain(OTHERS)
}

/// The signatures of content that assay never makes.
const OTHERS: &[Magic] = &[
    // File systems of Linux.
    start("reiserfs", 0x10034, b"ReIsErFs", None),
    start("reiserfs", 0x10034, b"ReIsEr2Fs", None),
    start("reiserfs", 0x10034, b"ReIsEr3Fs", None),
    start("reiserfs", 0x2034, b"ReIsErFs", None),
    start("reiser4", 0x10000, b"ReIsEr4", None),
    start("minix", 0x410, &[0x7f, 0x13], None),
    start("minix", 0x410, &[0x8f, 0x13], None),
    start("minix", 0x410, &[0x68, 0x24], None),
    start("minix", 0x410, &[0x78, 0x24], None),
    start("minix", 0x418, &[0x5a, 0x4d], None),
    start("squashfs", 0, b"hsqs", None),
    start("erofs", 0x400, &[0xe2, 0xe1, 0xf5, 0xe0], uuid(48)),
    start("cramfs", 0, &[0x45, 0x3d, 0xcd, 0x28], None),
    start("romfs", 0, b"-rom1fs-", None),
    start("zonefs", 0, b"SFOZ", None),
    start("gfs2", 0x10000, GFS2, None),
    start("ocfs2", 0x400, b"OCFSV2", None),
    start("ocfs2", 0x800, b"OCFSV2", None),
    start("ocfs2", 0x1000, b"OCFSV2", None),
    start("ocfs2", 0x2000, b"OCFSV2", None),
    // File systems of others.
    start("ReFS", 0, b"\0\0\0ReFS\0", None),
    start("vfat", 54, b"FAT", None),
    start("vfat", 82, b"FAT32   ", None),
    start("BitLocker", 3, b"-FVE-FS-", None),
    start("iso9660", 0x8001, b"CD001", None),
    start("udf", 0x8001, b"NSR0", None),
    start("udf", 0x8001, b"BEA01", None),
    start("udf", 0x8801, b"NSR0", None),
    start("hfsplus", 0x400, b"H+\0\x04", None),
    start("hfsplus", 0x400, b"HX\0\x05", None),
    start("hfs", 0x400, b"BD", None),
    start("apfs", 32, b"NXSB", None),
    start("ufs", 0x255c, &[0x54, 0x19, 0x01, 0x00], None),
    start("ufs", 0x255c, &[0x19, 0x01, 0x54, 0x19], None),
    start("ufs", 0x1055c, &[0x19, 0x01, 0x54, 0x19], None),
    start("VMFS", 0x20_0000, &[0x5e, 0xf1, 0xab, 0x2f], None),
    start("VMFS_volume_member", 0x10_0000, &[0x0d, 0xd0, 0x01, 0xc0], None),
    // Swap and hibernation, by size of the page.
    start("swap", 0xff6, b"SWAPSPACE2", uuid(-0xff6 + 0x40c)),
    start("swap", 0xff6, b"SWAP-SPACE", None),
    start("swap", 0x1ff6, b"SWAPSPACE2", None),
    start("swap", 0x3ff6, b"SWAPSPACE2", None),
    start("swap", 0x7ff6, b"SWAPSPACE2", None),
    start("swap", 0xfff6, b"SWAPSPACE2", None),
    start("swsuspend", 0xff6, b"S1SUSPEND", None),
    start("swsuspend", 0xff6, b"S2SUSPEND", None),
    start("swsuspend", 0xff6, b"ULSUSPEND", None),
    start("swsuspend", 0xff6, b"LINHIB0001", None),
    start("swsuspend", 0xfff6, b"S1SUSPEND", None),
    // Members of arrays, pools and volume groups.
    start("LVM1_member", 0, &[b'H', b'M', 1, 0], None),
    start("LVM1_member", 0, &[b'H', b'M', 2, 0], None),
    start("stratis", 0x204, STRATIS, None),
    start("stratis", 0x1204, STRATIS, None),
    start("ceph_bluestore", 0, b"bluestore block device", None),
    start("oracleasm", 32, b"ORCLDISK", None),
    start("vdo", 0, b"dmvdo001", None),
    start("DM_verity_hash", 0, b"verity\0\0", None),
    start("DM_snapshot_cow", 0, b"SnAp", None),
    end("drbd", 4096, 4096 - 60, &[0x83, 0x74, 0x02, 0x6b]),
    end("drbd", 4096, 4096 - 60, &[0x83, 0x74, 0x02, 0x6c]),
    end("drbd", 4096, 4096 - 60, &[0x83, 0x74, 0x02, 0x6d]),
    end("ddf_raid_member", 512, 512, &[0xde, 0x11, 0xde, 0x11]),
    end("ddf_raid_member", 512, 512, &[0x11, 0xde, 0x11, 0xde]),
    end("isw_raid_member", 512, 1024, b"Intel Raid ISM Cfg Sig. "),
    end("nvidia_raid_member", 512, 1024, b"NVIDIA"),
    end("lsi_mega_raid_member", 512, 512, b"$XIDE$"),
    // Partition tables, with sectors of 512 and 4096 bytes; of GPT also the copy in the last sector.
    start("gpt", 512, GPT, uuid(56)),
    start("gpt", 4096, GPT, uuid(56)),
    end("gpt", 512, 512, GPT),
    end("gpt", 4096, 4096, GPT),
    start("bsd", 512, &[0x57, 0x45, 0x56, 0x82], None),
    start("bsd", 64, &[0x57, 0x45, 0x56, 0x82], None),
    start("sun", 508, &[0xda, 0xbe], None),
    start("sgi", 0, &[0x0b, 0xe5, 0xa9, 0x41], None),
    start("mac", 512, b"PM\0\0", None),
    start("aix", 0, &[0xc9, 0xc2, 0xd4, 0xc1], None),
];

/// Returns the kind of set that a disk of `kind` is a member of, for a refusal; `None` for single-disk file systems and
/// for tables.
pub(super) fn membership(kind: &str) -> Option<&'static str> {
    let members = ::fs::ALL.iter().map(|fs| fs.about()).filter(|about| !about.member_of.is_empty());
    let member_of = members.filter(|about| kinds(about).any(|own| own == kind));
    let member_of = member_of.map(|about| about.member_of).next();
    member_of.or_else(|| MEMBERS.iter().find(|(known, _)| *known == kind).map(|(_, of)| *of))
}

/// The types that a disk which holds one has.
fn kinds(about: &'static About) -> impl Iterator<Item = &'static str> {
    let (magic, read) = match about.signature {
        Signature::Magic(all) => (all, None),
        Signature::Read(kind) => (&[][..], Some(kind)),
        Signature::Unsaid | Signature::Without(_) => (&[][..], None),
    };
    magic.iter().map(|magic| magic.kind).chain(read)
}

/// Memberships of what assay does not make.
const MEMBERS: &[(&str, &str)] = &[
    ("ddf_raid_member", "a RAID set"),
    ("isw_raid_member", "a RAID set"),
    ("nvidia_raid_member", "a RAID set"),
    ("lsi_mega_raid_member", "a RAID set"),
    ("LVM1_member", "an LVM volume group"),
    ("stratis", "a Stratis pool"),
    ("drbd", "a DRBD resource"),
    ("ceph_bluestore", "a Ceph cluster"),
    ("oracleasm", "an Oracle disk group"),
    ("vdo", "a VDO volume"),
    ("VMFS_volume_member", "a VMFS volume"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_is_one_that_assay_makes() {
        let made = ::fs::ALL.iter().flat_map(|fs| kinds(fs.about()));
        let twice: Vec<&str> =
            made.filter(|kind| OTHERS.iter().any(|magic| magic.kind == *kind)).collect();
        assert!(twice.is_empty(), "with its file system, and in OTHERS of magic.rs too: {twice:?}");
    }
}
