//! The kernel that a target asks for, as `6.12` in `xfs@6.12`: a release, or the beginning of one. It is compared with
//! names of installed kernels and is never a path.

use std::{fmt, str::FromStr};

/// Longest version, bytes: that of a release in `uname`.
const LONGEST: usize = 64;

/// A release of Linux, e.g. `6.1.0-18-amd64`, or its beginning, which ends where a part of it does: `6.12` is that of
/// `6.12.48+deb13-amd64` and not of `6.120`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelVersion(String);

impl KernelVersion {
    /// Returns true if `release` is this version, or begins with it.
    pub fn begins(&self, release: &str) -> bool {
        let rest = release.strip_prefix(&self.0);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KernelVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<KernelVersion, String> {
        let is_sound = text.starts_with(|c: char| c.is_ascii_digit())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(is_of_version)
            && text.len() <= LONGEST;
        match is_sound {
            true => Ok(KernelVersion(text.into())),
            false => Err(format!(
                "`{text}` is not a kernel version; write the beginning of a release, e.g. 6.12 or 6.1.0-18-amd64"
            )),
        }
    }
}

/// Returns true if `c` may be in a version: what releases of distributions have, and nothing that leads elsewhere.
pub(crate) fn is_of_version(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+')
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_release_or_its_beginning() {
        let begins =
            |version: &str, release| version.parse::<KernelVersion>().unwrap().begins(release);
        for release in ["6.12", "6.12.48", "6.12.48+deb13-amd64", "6.12-rc1", "6.12_1"] {
            assert!(begins("6.12", release), "{release}");
        }
        for release in ["6.1", "6.120.1", "16.12", "6.12rc1", ""] {
            assert!(!begins("6.12", release), "{release}");
        }
        assert!(begins("6.1.0-18-amd64", "6.1.0-18-amd64") && begins("6.1.0-18", "6.1.0-18-amd64"));
        assert!(!begins("6.1.0-1", "6.1.0-18-amd64") && begins("6", "6.1.0-18-amd64"));
    }

    #[test]
    fn what_could_be_a_path_or_an_option_is_refused() {
        for text in [
            "",
            "/boot/vmlinuz",
            "6/../..",
            "../6.12",
            "..",
            "-6",
            "6.12.",
            "6.12-",
            "six",
            "6 1",
            "6.1é",
            "6\n1",
            "6%s",
        ] {
            assert!(text.parse::<KernelVersion>().is_err(), "{text}");
        }
        assert!("6".repeat(LONGEST).parse::<KernelVersion>().is_ok());
        let error = "6".repeat(LONGEST + 1).parse::<KernelVersion>().unwrap_err();
        assert!(error.contains("beginning of a release"), "{error}");
    }
}
