//! Keeps a disk open from its claim to its end. While it is open the kernel gives its number to no other disk, and a
//! loop device that is detached keeps its file. What can be exchanged nevertheless is compared before each use.

use crate::{Device, Error, attached::Attached};
use model::text::Bytes;
use std::{
    collections::BTreeSet,
    fs::File,
    io::{Seek, SeekFrom},
    os::{fd::AsRawFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
};

/// A disk that is open for reading. It is not open exclusively, as mkfs opens it so.
#[derive(Debug)]
pub(crate) struct Hold {
    file: File,
    node: PathBuf,
    number: u64,
    was: Traits,
}

/// The properties of an open disk that can change.
#[derive(Debug, PartialEq, Eq)]
struct Traits {
    bytes: u64,
    /// Counts up with every disk that appears (Linux 5.15).
    sequence: Option<String>,
    attached: Option<Attached>,
    /// All devices that it lies on: the table of a mapping can be exchanged below it.
    below: BTreeSet<Device>,
}

impl Hold {
    /// Opens the disk `node`.
    pub(crate) fn open(node: &Path) -> Result<Hold, Error> {
        let file = File::open(node).map_err(Error::io("open", node))?;
        let number = number(&file, node)?;
        let was = Traits::of(&file, node, number)?;
        Ok(Hold { file, node: node.into(), number, was })
    }

    /// Returns true if `file` is open on the same disk.
    pub(crate) fn is_of(&self, file: &File) -> Result<bool, Error> {
        Ok(number(file, &self.node)? == self.number)
    }

    /// Its number, as the kernel writes it.
    pub(crate) fn number(&self) -> String {
        Device::from_number(self.number).to_string()
    }

    /// Returns its size.
    pub(crate) fn size(&self) -> Bytes {
        Bytes(self.was.bytes)
    }

    /// Returns its state as a loop device, if it is one.
    pub(crate) fn attached(&self) -> Option<Attached> {
        self.was.attached
    }

    /// A name that leads to it whatever its node leads to, as long as this process holds it.
    pub(crate) fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd()).into()
    }

    /// Makes sure that it is what it was, and that its node leads to it.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let lost = |why: &str| Err(Error::DiskLost { device: self.node.clone(), why: why.into() });
        match std::fs::metadata(&self.node) {
            Ok(meta) if meta.rdev() == self.number => {}
            Ok(_) => return lost("now leads to another device"),
            Err(_) => return lost("is gone"),
        }
        match Traits::of(&self.file, &self.node, self.number)? == self.was {
            true => Ok(()),
            false => lost("has changed: it now has another size, file or disk below it"),
        }
    }
}

impl Traits {
    fn of(mut file: &File, node: &Path, number: u64) -> Result<Traits, Error> {
        let device = Device::from_number(number);
        Ok(Traits {
            bytes: file.seek(SeekFrom::End(0)).map_err(Error::io("measure", node))?,
            sequence: device.attribute("diskseq"),
            attached: Attached::of(file),
            below: device.below(),
        })
    }
}

fn number(file: &File, node: &Path) -> Result<u64, Error> {
    Ok(file.metadata().map_err(Error::io("look at", node))?.rdev())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{loops, program};
    use std::fs;

    fn run(program: &str, args: &[&str]) {
        let ended = program::run(program, args).unwrap().unwrap();
        assert!(ended.status.success(), "{}", ended.failure());
    }

    /// A node of its own besides that in /dev, for the device of `node`.
    fn make_node(path: &Path, node: &Path) {
        let number = Device::of_node(node).unwrap().to_string();
        let (major, minor) = number.split_once(':').unwrap();
        let _ = fs::remove_file(path);
        run("mknod", &[path.to_str().unwrap(), "b", major, minor]);
    }

    fn lost(hold: &Hold) -> String {
        match hold.check() {
            Err(Error::DiskLost { why, .. }) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hold_sees_a_node_and_a_file_that_change() {
        if !needs::root_or_skip("loop devices") {
            return;
        }
        // Where nodes can be opened.
        let dir = tempfile::tempdir_in("/dev").unwrap();
        let images = tempfile::tempdir().unwrap();
        let image = |name: &str| {
            let path = images.path().join(name);
            File::create(&path).unwrap().set_len(1 << 20).unwrap();
            path
        };
        let [one, two] = [image("one"), image("two")];
        let nodes = (loops::attach(&one), loops::attach(&two));
        let (Some(first), Some(second)) = &nodes else {
            return needs::skip(needs::Need::Loop, "no loop device can be attached");
        };
        let node = dir.path().join("node");
        make_node(&node, first);
        let hold = Hold::open(&node).unwrap();
        hold.check().unwrap();
        assert_eq!(fs::metadata(hold.path()).unwrap().rdev(), fs::metadata(first).unwrap().rdev());

        make_node(&node, second);
        assert!(lost(&hold).starts_with("now leads to another device"));
        fs::remove_file(&node).unwrap();
        assert_eq!(lost(&hold), "is gone");
        make_node(&node, first);
        hold.check().unwrap();
        File::options().write(true).open(&one).unwrap().set_len(2 << 20).unwrap();
        run("losetup", &["--set-capacity", first.to_str().unwrap()]);
        assert!(lost(&hold).starts_with("has changed"));

        // Detached, it keeps its file as long as it is held.
        let again = || program::run("losetup", &[first.to_str().unwrap(), two.to_str().unwrap()]);
        loops::detach(first);
        assert!(!again().unwrap().unwrap().status.success(), "it was attached to another file");
        drop(hold);
        loops::detach(second);
    }
}
