//! Evidence that synced data reached the medium, or the reason why that is unknown. A sync is a promise of the file
//! system; a device that wrote the bytes and received a flush of its cache is evidence.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The proof of one sample, stored as one line of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Durability {
    /// When the sync returned, the device had written all data that it had to, and had been flushed.
    Proven,
    /// It may be durable, but nothing shows it.
    NotProven(Unproven),
}

/// Why durability is not proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// The file system, or the image that it is on, is in memory.
    InMemory,
    /// A file system of this type, e.g. `nfs4`, has no block device to observe: durability depends on its server.
    NoDevice(String),
    /// The place where the kernel shows devices and their flushes is not mounted here, as in a plain chroot.
    NoSysfs,
    /// The mount table names a device that has no node here.
    NoNode,
    /// The device wrote less than it must have.
    NotWritten {
        /// Bytes that it wrote from the start of the first phase to the return of the sync.
        device_bytes: u64,
        /// Bytes that it had to write at least, had all of them been written.
        of_bytes: u64,
    },
    /// The device has a cache, and received no flush.
    NotFlushed,
    /// The loop device was told to flush, and the disk below its image was not.
    NotFlushedBelow,
    /// Its mirror was being rebuilt, and what its disks wrote is of both.
    Rebuilt,
    /// The kernel does not count flushes (before Linux 5.5).
    FlushesNotCounted,
}

/// The data that a worker had written and made durable when its last sync returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synced {
    /// Distinct bytes of files; 0 where only a flush can be asked for, as after deletes.
    pub bytes: u64,
    /// Those of them that cannot be compressed.
    pub incompressible_bytes: u64,
    /// Whether it synced while it worked, and not only in a phase of its own.
    pub throughout: bool,
}

impl Synced {
    /// Only a flush can be asked for.
    pub const FLUSH: Synced = Synced { bytes: 0, incompressible_bytes: 0, throughout: false };

    /// `bytes` of which this share, 0 to 1, cannot be compressed.
    pub fn data(bytes: u64, incompressible_share: f64) -> Synced {
        let incompressible_bytes = (bytes as f64 * incompressible_share.clamp(0.0, 1.0)) as u64;
        Synced { bytes, incompressible_bytes, throughout: false }
    }

    /// What several workers synced.
    #[must_use]
    pub fn and(self, other: Synced) -> Synced {
        Synced {
            bytes: self.bytes.saturating_add(other.bytes),
            incompressible_bytes: self
                .incompressible_bytes
                .saturating_add(other.incompressible_bytes),
            throughout: self.throughout || other.throughout,
        }
    }
}

const PROVEN: &str = "proven";
const NOT_PROVEN: &str = "not proven: ";
const IN_MEMORY: &str = "it lies in memory";
const NO_DEVICE: &str = "no device to look at below ";
const NO_SYSFS: &str = "/sys is not mounted here, so its device and flushes cannot be seen; mount it, then measure again";
const NO_NODE: &str = "/dev has no node of its device here, so its flushes cannot be seen; mount /dev, then measure again";
const NOT_WRITTEN: &str = "the device wrote ";
const NOT_FLUSHED: &str = "the device was not flushed";
const NOT_FLUSHED_BELOW: &str = "the disk below the image was not flushed";
const REBUILT: &str = "its mirror was being rebuilt, which writes as well";
const FLUSHES_NOT_COUNTED: &str = "this kernel does not count flushes";

impl fmt::Display for Unproven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproven::InMemory => f.write_str(IN_MEMORY),
            Unproven::NoDevice(kind) => write!(f, "{NO_DEVICE}{kind}"),
            Unproven::NotWritten { device_bytes, of_bytes } => {
                write!(f, "{NOT_WRITTEN}{device_bytes} of {of_bytes} bytes")
            }
            Unproven::NoSysfs => f.write_str(NO_SYSFS),
            Unproven::NoNode => f.write_str(NO_NODE),
            Unproven::NotFlushed => f.write_str(NOT_FLUSHED),
            Unproven::NotFlushedBelow => f.write_str(NOT_FLUSHED_BELOW),
            Unproven::Rebuilt => f.write_str(REBUILT),
            Unproven::FlushesNotCounted => f.write_str(FLUSHES_NOT_COUNTED),
        }
    }
}

impl FromStr for Unproven {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let known = match text {
            IN_MEMORY => Some(Unproven::InMemory),
            NO_SYSFS => Some(Unproven::NoSysfs),
            NO_NODE => Some(Unproven::NoNode),
            NOT_FLUSHED => Some(Unproven::NotFlushed),
            NOT_FLUSHED_BELOW => Some(Unproven::NotFlushedBelow),
            REBUILT => Some(Unproven::Rebuilt),
            FLUSHES_NOT_COUNTED => Some(Unproven::FlushesNotCounted),
            _ => match text.strip_prefix(NO_DEVICE) {
                Some(kind) => Some(Unproven::NoDevice(kind.into())),
                None => not_written(text),
            },
        };
        known.ok_or_else(|| format!("`{text}` is not a known reason for unproven durability"))
    }
}

fn not_written(text: &str) -> Option<Unproven> {
    let numbers = text.strip_prefix(NOT_WRITTEN)?.strip_suffix(" bytes")?;
    let (device, of) = numbers.split_once(" of ")?;
    Some(Unproven::NotWritten { device_bytes: device.parse().ok()?, of_bytes: of.parse().ok()? })
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Durability::Proven => f.write_str(PROVEN),
            Durability::NotProven(why) => write!(f, "{NOT_PROVEN}{why}"),
        }
    }
}

impl FromStr for Durability {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix(NOT_PROVEN) {
            Some(why) => why.parse().map(Durability::NotProven),
            None if text == PROVEN => Ok(Durability::Proven),
            None => Err(format!("`{text}` is not a durability; use proven or not proven: WHY")),
        }
    }
}

impl TryFrom<String> for Durability {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Durability> for String {
    fn from(durability: Durability) -> String {
        durability.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_proof_survives_text() {
        let reasons = [
            Unproven::InMemory,
            Unproven::NoDevice("fuse.sshfs".into()),
            Unproven::NoSysfs,
            Unproven::NoNode,
            Unproven::NotWritten { device_bytes: 7, of_bytes: u64::MAX },
            Unproven::NotFlushed,
            Unproven::NotFlushedBelow,
            Unproven::Rebuilt,
            Unproven::FlushesNotCounted,
        ];
        for reason in reasons {
            let durability = Durability::NotProven(reason);
            assert_eq!(durability.to_string().parse(), Ok(durability));
        }
        assert_eq!("proven".parse(), Ok(Durability::Proven));
        for wrong in ["", "Proven", "not proven: ", "not proven: the device wrote 1 of x bytes"] {
            assert!(wrong.parse::<Durability>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_workers_synced_adds_up() {
        let one = Synced::data(100, 0.5);
        assert_eq!(one.and(Synced::FLUSH), one);
        let all = one.and(Synced { throughout: true, ..one });
        assert_eq!(all, Synced { bytes: 200, incompressible_bytes: 100, throughout: true });
    }
}
