//! The interface of a file system to the lab: mkfs, mount and facts. All answers are data, so a dry run and a test need
//! neither root nor a device.

use crate::{
    About, Cmd, Endpoint, Inner, Rebuild, Redundancy, Remains, Repair, Sending, Site, sending,
};
use model::{target::Options, text::Bytes};
use std::path::{Path, PathBuf};

/// An action that makes a file system start work that it would defer after a sync.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settle {
    /// A command.
    Command(Cmd),
    /// A request to Btrfs, mounted at this directory: that of `btrfs filesystem sync`, without the time
    /// that it takes to start a program in each gate.
    BtrfsSync(PathBuf),
}

/// The memory of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub size: Bytes,
    /// Size of a page, bytes.
    pub page_bytes: u64,
}

/// Makes, mounts and inspects one kind of file system.
pub trait FileSystem: Sync {
    /// Returns its properties that are known in advance.
    fn about(&self) -> &About;

    /// Returns the file system that these options turn it into, if they do.
    fn with(&self, _options: &Options) -> Option<&'static dyn FileSystem> {
        None
    }

    /// Why these options cannot be combined, besides its exclusions: the reason and the remedy.
    fn excluded(&self, _options: &Options) -> Option<&'static str> {
        None
    }

    /// Devices that it is on; 0 for what is in memory or in a directory.
    fn disks(&self, _options: &Options) -> usize {
        if matches!(self.about().inner, Inner::Below | Inner::Store) { 0 } else { 1 }
    }

    /// Most bytes that it holds in the memory of a machine with `memory`; `None` for what does not lie there.
    ///
    /// # Errors
    /// Why its size cannot be told.
    fn in_memory(&self, _options: &Options, _memory: Memory) -> Result<Option<Bytes>, String> {
        Ok(None)
    }

    /// Returns true if it is on a block device.
    fn has_device(&self) -> bool {
        self.disks(&Options::new()) > 0
    }

    /// Commands that make it, once.
    fn mkfs(&self, _site: &Site, _options: &Options) -> Vec<Cmd> {
        Vec::new()
    }

    /// Commands that bring it up, the first time and again after [`FileSystem::unmount`]; none when it
    /// is a plain directory.
    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd>;

    /// Commands that make it and bring it up, where one is to keep it.
    fn by_hand(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        [self.mkfs(site, options), self.mount(site, options)].concat()
    }

    /// Commands that take it down; after them the servers are ended that `mount` started.
    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        vec![Cmd::new("umount").arg(&site.dir)]
    }

    /// Commands that wait, once, until what `mkfs` began in the background is done.
    fn wait(&self, _site: &Site) -> Vec<Cmd> {
        Vec::new()
    }

    /// The nodes of the disks that it offers to what is on it; none for what is mounted.
    fn offers(&self, _site: &Site) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Whether it is made on each disk by itself and offers as many, e.g. `crypt(raid1(ext4))`: then it is on as many
    /// as the part above needs.
    fn is_on_each_disk(&self) -> bool {
        false
    }

    /// The object store that it offers to what is on it.
    fn store(&self, _site: &Site, _options: &Options) -> Option<Endpoint> {
        None
    }

    /// Returns its source in the mount table.
    fn source(&self, site: &Site, _options: &Options) -> PathBuf {
        site.disk().into()
    }

    /// Returns its type in the mount table; by default the kernel's name of it.
    fn mount_kind(&self, _options: &Options) -> Option<&str> {
        self.about().kernel_name
    }

    /// The directory in which it lies, when it lies in one.
    fn lies_in(&self, site: &Site) -> Option<PathBuf> {
        site.below.clone()
    }

    /// Returns what must be undone after this process dies, besides its mount; recorded before it is made.
    fn undo(&self, _site: &Site) -> Vec<Remains> {
        Vec::new()
    }

    /// Returns what remains when it is no longer needed, besides [`FileSystem::undo`]: a remount keeps it,
    /// and a file system that is made anew would not.
    fn leaves(&self, _site: &Site) -> Vec<Remains> {
        Vec::new()
    }

    /// Returns the actions that start the work it would defer after a sync.
    fn settle(&self, _site: &Site) -> Vec<Settle> {
        Vec::new()
    }

    /// The rebuild that its mount begins, where it is measured during one.
    fn rebuild(&self, _site: &Site, _options: &Options) -> Option<Rebuild> {
        None
    }

    /// Mount options by which several copies of one file system, all with its UUID, can be mounted at once; `None`
    /// where they cannot, or it is not known.
    fn copy_options(&self) -> Option<&'static [&'static str]> {
        None
    }

    /// What survives the loss of any of its disks; `None` where nothing does, or it is made without one of them.
    fn redundancy(&self, _options: &Options) -> Option<Redundancy> {
        None
    }

    /// Commands that bring it up on the disks of `site` alone, though others are lost.
    fn mount_degraded(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        self.mount(site, options)
    }

    /// What compares its copies while it is up, and repairs those that it knows to be bad.
    fn scrub(&self, _site: &Site) -> Vec<Repair> {
        Vec::new()
    }

    /// Prints what the scrub found, for [`FileSystem::read_found`], where [`FileSystem::scrub`] does not tell.
    fn found(&self, _site: &Site) -> Option<Cmd> {
        None
    }

    /// The number of errors or differences in what [`FileSystem::found`] printed.
    fn read_found(&self, _output: &str) -> Option<u64> {
        None
    }

    /// What makes its copies alike while it is up, where that is not done by the scrub.
    fn make_alike(&self, _site: &Site) -> Vec<Repair> {
        Vec::new()
    }

    /// What takes `disk` in again while it is up: it was lost, and is back with what it held.
    fn rejoin(&self, _site: &Site, _disk: &Path) -> Vec<Repair> {
        Vec::new()
    }

    /// What replaces the disk with this `number`, from 0, by a `new` one while it is up without that disk.
    fn replace(
        &self,
        _site: &Site,
        _options: &Options,
        _number: usize,
        _new: &Path,
    ) -> Vec<Repair> {
        Vec::new()
    }

    /// Whether a directory of it can be a subvolume, of which the calls of Btrfs make snapshots.
    fn has_subvolumes(&self) -> bool {
        false
    }

    /// Whether a machine has at most one target of it at a time, as its server cannot run twice.
    fn is_alone(&self) -> bool {
        false
    }

    /// How a tree of it is brought to another file system of the same kind.
    fn sending(&self) -> &'static dyn Sending {
        &sending::Tar
    }

    /// Checks it where it is not mounted, and changes nothing; `None` without a checker.
    fn check(&self, _site: &Site) -> Option<Cmd> {
        None
    }

    /// Prints the version of its tools.
    fn version(&self) -> Option<Cmd> {
        None
    }

    /// Prints its geometry, for [`FileSystem::read_geometry`].
    fn geometry(&self, _site: &Site) -> Option<Cmd> {
        None
    }

    /// The few lines of the geometry that matter, as key and value.
    fn read_geometry(&self, _output: &str) -> Vec<(String, String)> {
        Vec::new()
    }
}

impl std::fmt::Debug for dyn FileSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.about().name)
    }
}
