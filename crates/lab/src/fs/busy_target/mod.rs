//! The busy file system as a target. No list shows it.

use crate::{Cmd, FileSystem, Inner, Ready, Site};
use model::{Knob, Options};
use std::path::PathBuf;

/// The hidden verb by which this program serves it: directory below, mount point.
pub const BUSY_VERB: &str = "__serve-busy";

/// Type of our own FUSE file systems in the mount table.
pub(crate) const KIND: &str = "fuse.assay";

/// This program, also where its file was exchanged.
const PROGRAM: &str = "/proc/self/exe";

/// The target that only the self test knows.
pub(crate) struct BusyTarget;

/// Where it keeps its files.
fn store(site: &Site) -> PathBuf {
    site.below().join("store")
}

impl FileSystem for BusyTarget {
    fn name(&self) -> &'static str {
        "selftest-busy"
    }

    fn knobs(&self) -> &'static [Knob] {
        &[]
    }

    fn kernel_name(&self) -> Option<&'static str> {
        Some("fuse")
    }

    fn inner(&self) -> Inner {
        Inner::Below
    }

    fn mkfs(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        vec![Cmd::new("mkdir").arg(store(site))]
    }

    fn mount(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        let server = Cmd::new(PROGRAM).arg(BUSY_VERB).arg(store(site)).arg(&site.dir);
        vec![server.serve(Ready::Mounted(site.dir.clone()))]
    }

    fn source(&self, site: &Site, _options: &Options) -> PathBuf {
        store(site)
    }

    fn mount_kind(&self, _options: &Options) -> Option<&str> {
        Some(KIND)
    }

    fn has_own_cache(&self) -> bool {
        true
    }
}
