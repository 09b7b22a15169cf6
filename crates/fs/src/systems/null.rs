//! The null file system: a plain private directory under the state directory. Nothing is made or
//! mounted, so the whole pipeline runs without root.

use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::{About, Cmd, FileSystem, Site};
use model::target::Options;

/// The registered file system.
pub(crate) struct Fs;

const ABOUT: &About = &About {
    kernel_name: None,
    signature: Signature::Without("it is a directory"),
    mounted: Mounted::local(&[], Stores::Unknown),
    facts: Facts::Without("not researched yet"),
    ..About::new("null", &[])
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, _options: &Options) -> usize {
        0
    }

    fn mount(&self, _site: &Site, _options: &Options) -> Vec<Cmd> {
        Vec::new()
    }

    fn unmount(&self, _site: &Site) -> Vec<Cmd> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn it_needs_no_command() {
        assert!(commands("null").is_empty());
    }
}
