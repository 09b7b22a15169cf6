//! The kind of lab in which something was measured. Figures of one kind are never ranked against those of another,
//! because the machine between the work and the disk is part of what was measured.

use crate::text::did_you_mean;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A class of comparable samples. The order is the one in which labs are preferred and shown.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum LabKind {
    /// The machine itself, on a device, a loop image or a directory.
    #[default]
    Host,
    /// A QEMU guest that runs on the processor itself.
    Kvm,
    /// A User-Mode Linux guest: one processor, system calls through ptrace.
    Uml,
    /// A QEMU guest whose processor is emulated.
    Tcg,
}

impl LabKind {
    /// Every kind, the preferred first.
    pub const ALL: [LabKind; 4] = [LabKind::Host, LabKind::Kvm, LabKind::Uml, LabKind::Tcg];

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            LabKind::Host => "host",
            LabKind::Kvm => "kvm",
            LabKind::Uml => "uml",
            LabKind::Tcg => "tcg",
        }
    }

    /// What a reader knows it by, for sentences that begin "measured ...".
    pub fn place(self) -> &'static str {
        match self {
            LabKind::Host => "on the host",
            LabKind::Kvm => "in QEMU with KVM",
            LabKind::Uml => "in User-Mode Linux",
            LabKind::Tcg => "in QEMU with an emulated CPU",
        }
    }
}

impl fmt::Display for LabKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LabKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        LabKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| format!("`{text}` is not a kind of lab; use host, kvm, uml or tcg"))
    }
}

/// Which kinds of lab a campaign may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabChoice {
    /// For each target the first kind that can make it.
    #[default]
    Auto,
    /// This machine alone.
    Host,
    /// QEMU, with KVM where it works.
    Qemu,
    /// User-Mode Linux.
    Uml,
}

impl LabChoice {
    /// The kinds to try, the preferred first.
    pub fn kinds(self) -> &'static [LabKind] {
        match self {
            LabChoice::Auto => &LabKind::ALL,
            LabChoice::Host => &[LabKind::Host],
            LabChoice::Qemu => &[LabKind::Kvm, LabKind::Tcg],
            LabChoice::Uml => &[LabKind::Uml],
        }
    }
}

impl FromStr for LabChoice {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(LabChoice::Auto),
            "host" => Ok(LabChoice::Host),
            "qemu" => Ok(LabChoice::Qemu),
            "uml" => Ok(LabChoice::Uml),
            _ => {
                let meant = did_you_mean(text, ["auto", "host", "qemu", "uml"]);
                Err(format!("`{text}` is not a lab{meant}; use auto, host, qemu or uml"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_survive_text() {
        for kind in LabKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert!("vm".parse::<LabKind>().unwrap_err().contains("`vm`"));
    }

    #[test]
    fn a_choice_tries_the_preferred_first() {
        assert_eq!("auto".parse::<LabChoice>().unwrap().kinds()[0], LabKind::Host);
        assert_eq!("qemu".parse::<LabChoice>().unwrap().kinds(), [LabKind::Kvm, LabKind::Tcg]);
        assert!("kvm".parse::<LabChoice>().unwrap_err().contains("auto, host"));
    }
}
