//! tmpfs: memory behind a file system's interface; the ceiling that shows what the tool itself costs.

use crate::file_system::{ANY_MOUNT, NOATIME, mount_command, mount_options, value};
use crate::{About, Cmd, FileSystem, Site};
use model::{Knob, Options};
use std::path::{Path, PathBuf};

/// The registered file system.
pub(super) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    value("size", "bytes", "most that it may hold; a percentage is of memory", "50%", &[]),
    value("nr_inodes", "inodes", "most inodes that it may hold", "half the pages of memory", &[]),
    value(
        "huge",
        "",
        "when to use huge pages",
        "never",
        &["never", "always", "within_size", "advise"],
    ),
    value("mpol", "", "memory policy, as interleave or bind:0", "default", &[]),
    ANY_MOUNT,
];

const ABOUT: &About = &About { ..About::new("tmpfs", KNOBS) };

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, _options: &Options) -> usize {
        0
    }

    fn source(&self, _site: &Site, _options: &Options) -> PathBuf {
        "tmpfs".into()
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        mount_command("tmpfs", Path::new("tmpfs"), &site.dir, mount_options(options, &[]))
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::tests::commands;

    #[test]
    fn plain_and_with_options() {
        assert_eq!(commands("tmpfs"), ["mount -t tmpfs tmpfs /m"]);
        assert_eq!(commands("tmpfs[size=1G]"), ["mount -t tmpfs -o size=1G tmpfs /m"]);
    }
}
