//! Families of distributions: how each installs packages, and what it calls them.

use crate::Tool;

/// What distributions of a family have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Debian, Ubuntu.
    Debian,
    /// RHEL, Fedora and clones.
    Rhel,
    /// SUSE.
    Suse,
    /// Arch.
    Arch,
}

/// Debian's name of a package, SUSE's and Arch's, where one of these differs. An empty one says that there is no
/// package.
const OTHER_NAMES: &[(&str, &str, &str)] = &[
    ("bcache-tools", "bcache-tools", ""),
    ("btrfs-progs", "btrfsprogs", "btrfs-progs"),
    ("busybox-static", "busybox-static", "busybox"),
    ("cryptsetup-bin", "cryptsetup", "cryptsetup"),
    ("dmsetup", "device-mapper", "device-mapper"),
    ("glusterfs-client", "glusterfs", "glusterfs"),
    ("glusterfs-server", "glusterfs", "glusterfs"),
    ("linux-image-amd64", "kernel-default", "linux"),
    ("mount", "util-linux", "util-linux"),
    ("nbd-client", "nbd", "nbd"),
    ("nfs-common", "nfs-client", "nfs-utils"),
    ("nfs-kernel-server", "nfs-kernel-server", "nfs-utils"),
    ("nilfs-tools", "nilfs-utils", "nilfs-utils"),
    ("openssh-sftp-server", "openssh-server", "openssh"),
    ("qemu-system-x86", "qemu-x86", "qemu-system-x86"),
    ("s3fs", "s3fs", "s3fs-fuse"),
    ("zfs-fuse", "", ""),
    ("zfsutils-linux", "zfs", ""),
];

impl Family {
    /// Each of them.
    pub const ALL: [Family; 4] = [Family::Debian, Family::Rhel, Family::Suse, Family::Arch];

    /// Judges by ID and ID_LIKE of os-release(5).
    pub fn of(os_release: &str) -> Option<Family> {
        let ids = os_release
            .lines()
            .filter_map(|line| line.strip_prefix("ID=").or(line.strip_prefix("ID_LIKE=")))
            .flat_map(|value| value.trim_matches('"').split_whitespace());
        ids.filter_map(|id| match id {
            "debian" | "ubuntu" => Some(Family::Debian),
            "rhel" | "fedora" | "centos" => Some(Family::Rhel),
            "suse" | "opensuse" | "sles" => Some(Family::Suse),
            "arch" => Some(Family::Arch),
            _ => None,
        })
        .next()
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Family::Debian => "Debian",
            Family::Rhel => "RHEL",
            Family::Suse => "SUSE",
            Family::Arch => "Arch",
        }
    }

    /// The command that installs packages.
    pub fn command(self) -> &'static str {
        match self {
            Family::Debian => "apt-get install",
            Family::Rhel => "dnf install",
            Family::Suse => "zypper install",
            Family::Arch => "pacman -S",
        }
    }

    /// The package that brings `tool`; empty where this family has none.
    pub fn package(self, tool: &Tool) -> &'static str {
        let other = OTHER_NAMES.iter().find(|(debian, ..)| *debian == tool.debian);
        match (self, other) {
            (Family::Rhel, _) => tool.rhel,
            (Family::Suse, Some((_, suse, _))) => suse,
            (Family::Arch, Some((.., arch))) => arch,
            _ => tool.debian,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_by_os_release() {
        assert_eq!(Family::of("NAME=\"x\"\nID=debian\n"), Some(Family::Debian));
        let rocky = "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n";
        assert_eq!(Family::of(rocky), Some(Family::Rhel));
        let leap = "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n";
        assert_eq!(Family::of(leap), Some(Family::Suse));
        assert_eq!(Family::of("ID=manjaro\nID_LIKE=arch\n"), Some(Family::Arch));
        assert_eq!(Family::of("ID=void\n"), None);
    }

    #[test]
    fn each_family_has_its_own_names() {
        let tool = |debian| Tool { program: "x", debian, rhel: "of-rhel" };
        let names = |debian| Family::ALL.map(|family| family.package(&tool(debian)));
        assert_eq!(names("btrfs-progs"), ["btrfs-progs", "of-rhel", "btrfsprogs", "btrfs-progs"]);
        assert_eq!(names("xfsprogs"), ["xfsprogs", "of-rhel", "xfsprogs", "xfsprogs"]);
    }
}
