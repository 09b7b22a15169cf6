//! Families of distributions, and how each installs packages.

/// A family of distributions.
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

impl Family {
    /// Each of them, in the order of the packages of a tool.
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

    /// Returns its common name.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_identified_by_os_release() {
        assert_eq!(Family::of("NAME=\"x\"\nID=debian\n"), Some(Family::Debian));
        let rocky = "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n";
        assert_eq!(Family::of(rocky), Some(Family::Rhel));
        let leap = "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n";
        assert_eq!(Family::of(leap), Some(Family::Suse));
        assert_eq!(Family::of("ID=manjaro\nID_LIKE=arch\n"), Some(Family::Arch));
        assert_eq!(Family::of("ID=void\n"), None);
    }
}
