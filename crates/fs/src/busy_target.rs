//! The busy file system of the self test as a target. It is in no list.

use crate::{About, Cmd, FileSystem, Inner, Ready, Site};
use model::target::Options;
use std::path::PathBuf;

/// The hidden verb by which this program serves it: directory below, mount point.
pub const BUSY_VERB: &str = "__serve-busy";

/// Type of our own FUSE file systems in the mount table.
pub const BUSY_KIND: &str = "fuse.assay";

/// This program, also where its file was exchanged.
const PROGRAM: &str = "/proc/self/exe";

/// The target that only the self test knows.
pub(crate) struct BusyTarget;

/// Returns the directory of its files.
fn store(site: &Site) -> PathBuf {
    site.below().join("store")
}

const ABOUT: &About = &About {
    kernel_name: Some("fuse"),
    inner: Inner::Below,
    has_own_cache: true,
    ..About::new("selftest-busy", &[])
};

impl FileSystem for BusyTarget {
    fn about(&self) -> &About {
        ABOUT
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
        Some(BUSY_KIND)
    }
}
