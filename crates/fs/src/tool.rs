//! Programs that file systems need, and the packages that bring them.

use crate::Family;

/// A program and the packages that bring it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Name of the program.
    pub program: &'static str,
    /// Its package in each family of [`Family::ALL`]; empty in one that has none.
    pub packages: [&'static str; 4],
}

impl Tool {
    /// `program` with its packages in Debian, RHEL, SUSE and Arch.
    pub const fn new(program: &'static str, packages: [&'static str; 4]) -> Tool {
        Tool { program, packages }
    }

    /// One that assay builds itself, as no distribution has a package of it.
    pub const fn built(program: &'static str) -> Tool {
        Tool::new(program, [""; 4])
    }

    /// Returns true if any distribution packages it.
    pub fn is_packaged(&self) -> bool {
        self.packages.iter().any(|package| !package.is_empty())
    }

    /// The package of `family` that brings it; empty where that has none.
    pub fn package(&self, family: Family) -> &'static str {
        self.packages[family as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_its_own_names() {
        let tool =
            Tool::new("mkfs.btrfs", ["btrfs-progs", "btrfs-progs", "btrfsprogs", "btrfs-progs"]);
        assert_eq!(Family::ALL.map(|family| tool.package(family)), tool.packages);
        assert!(tool.is_packaged() && !Tool::built("zerofs").is_packaged());
    }
}
