//! overlay: a layer over a directory of another file system, as under containers. The lower layer is empty, so that the
//! overhead of the overlay is measured, not the copy-up of files. Options are those of the kernel's
//! Documentation/filesystems/overlayfs.rst.

use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::options::{ANY_MOUNT, NOATIME, flag, mount_command, mount_options, value};
use crate::trial::not_both;
use crate::{About, Cmd, Exclusion, FileSystem, Inner, Site};
use model::target::{Knob, Options};
use std::path::{Path, PathBuf};

/// The registered part.
pub(crate) struct Fs;

/// Its layers, and the directories of the inner file system in which they lie.
const LAYERS: [(&str, &str); 3] =
    [("lowerdir", "lower"), ("upperdir", "upper"), ("workdir", "scratch")];

const ON_OFF: &[&str] = &["on", "off"];

const KNOBS: &[Knob] = &[
    value(
        "redirect_dir",
        "",
        "allow renaming directories of the lower layer",
        "the kernel's default",
        &["on", "off", "follow", "nofollow"],
    ),
    value("index", "", "preserve hard links on copy-up", "the kernel's default", ON_OFF),
    value("metacopy", "", "copy up metadata only", "the kernel's default", ON_OFF),
    value("nfs_export", "", "support NFS export", "the kernel's default", ON_OFF),
    value(
        "xino",
        "",
        "inode numbers unique across layers",
        "the kernel's default",
        &["on", "off", "auto"],
    ),
    flag("volatile", "skip all syncs of the upper layer; a crash destroys it"),
    NOATIME,
    ANY_MOUNT,
];

const EXCLUSIONS: &[Exclusion] = &[
    not_both("metacopy=on", "redirect_dir=off", "metacopy=on needs redirect_dir=on"),
    not_both("metacopy=on", "redirect_dir=follow", "metacopy=on needs redirect_dir=on"),
    not_both("metacopy=on", "redirect_dir=nofollow", "metacopy=on needs redirect_dir=on"),
    not_both("nfs_export=on", "metacopy=on", "nfs_export and metacopy exclude each other"),
    not_both("nfs_export=on", "index=off", "nfs_export=on needs index=on"),
];

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    inner: Inner::Below,
    signature: Signature::Without("it shows directories"),
    mounted: Mounted::local(&["overlay"], Stores::Whole),
    careless: &[("volatile", "every sync is left out")],
    facts: Facts::Without("not researched yet"),
    ..About::new("overlay", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        vec![Cmd::new("mkdir").args(LAYERS.map(|(_, dir)| site.below().join(dir)))]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let layers =
            LAYERS.map(|(option, dir)| format!("{option}={}", site.below().join(dir).display()));
        // After a volatile mount this mark forbids the next one, because nothing was synced; here the
        // lab has synced the file system below.
        let mark = site.below().join(LAYERS[2].1).join("work/incompat/volatile");
        let unmark = Cmd::new("rm").arg("-rf").arg(mark);
        let unmark = options.contains_key("volatile").then_some(unmark);
        let options = mount_options(options, &layers.each_ref().map(String::as_str));
        let mount = mount_command("overlay", Path::new("overlay"), &site.dir, options);
        unmark.into_iter().chain(mount).collect()
    }

    fn source(&self, _site: &Site, _options: &Options) -> PathBuf {
        "overlay".into()
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_over_ext4_and_with_options() {
        assert_eq!(commands("overlay"), commands("overlay(ext4)"));
        assert_eq!(
            commands("overlay[metacopy=on,volatile](xfs)"),
            [
                "mkfs.xfs -f -q -K /dev/loopN",
                "mount -t xfs /dev/loopN /m0",
                "mkdir /m0/lower /m0/upper /m0/scratch",
                concat!("rm -rf /m0/scratch/", "work/incompat/volatile"),
                "mount -t overlay -o lowerdir=/m0/lower,upperdir=/m0/upper,workdir=/m0/scratch,\
                 metacopy=on,volatile overlay /m",
            ]
        );
    }
}
