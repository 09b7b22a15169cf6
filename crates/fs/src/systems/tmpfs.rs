//! tmpfs: a file system in memory; the upper bound that shows the overhead of assay itself.

use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::Mounted;
use crate::options::{ANY_MOUNT, NOATIME, flag, mount_command, mount_options, value};
use crate::{About, Cmd, FileSystem, Memory, Site};
use model::{
    target::{Knob, Options},
    text::Bytes,
};
use std::path::{Path, PathBuf};

/// The registered file system.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    value("size", "bytes", "maximum size; a percentage refers to memory", "50%", &[]),
    value("nr_inodes", "inodes", "maximum number of inodes", "half the pages of memory", &[]),
    value(
        "huge",
        "",
        "when to use huge pages",
        "never",
        &["never", "always", "within_size", "advise"],
    ),
    value("nr_blocks", "pages", "maximum number of pages, instead of size", "not given", &[]),
    value("mode", "octal digits", "mode of the root directory", "1777", &[]),
    flag("noswap", "never swap it out"),
    flag("inode64", "inode numbers of 64 bits"),
    flag("inode32", "inode numbers of 32 bits"),
    value("mpol", "", "memory policy, e.g. interleave or bind:0", "default", &[]),
    ANY_MOUNT,
];

const ABOUT: &About = &About {
    is_in_every_kernel: true,
    signature: Signature::Without("it is in memory"),
    mounted: Mounted::memory(&["tmpfs"]),
    facts: Facts::Sheet(include_str!("tmpfs.toml")),
    ..About::new("tmpfs", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, _options: &Options) -> usize {
        0
    }

    fn in_memory(&self, options: &Options, memory: Memory) -> Result<Option<Bytes>, String> {
        let size = options.get("size").or_else(|| options.get("o.size"));
        let blocks = options.get("nr_blocks").or_else(|| options.get("o.nr_blocks"));
        match (size, blocks) {
            (Some(_), Some(_)) => Err("size and nr_blocks set the same; drop one".into()),
            (Some(size), None) => limit(size, memory.size).map(Some),
            (None, Some(blocks)) => {
                let bytes = number(blocks)?.saturating_mul(memory.page_bytes);
                Ok(Some(Bytes(if bytes == 0 { u64::MAX } else { bytes })))
            }
            (None, None) => Ok(Some(Bytes(memory.size.0 / 2))),
        }
    }

    fn source(&self, _site: &Site, _options: &Options) -> PathBuf {
        "tmpfs".into()
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        mount_command("tmpfs", Path::new("tmpfs"), &site.dir, mount_options(options, &[]))
    }
}

/// The size that the kernel reads from `text`, of a machine with `memory`. None and 0 are without limit, as in
/// `shmem_parse_one` of the kernel.
fn limit(text: &str, memory: Bytes) -> Result<Bytes, String> {
    let bytes = match text.strip_suffix('%') {
        Some(percent) => memory.0.saturating_mul(number(percent)?) / 100,
        None => number(text)?,
    };
    Ok(Bytes(if bytes == 0 { u64::MAX } else { bytes }))
}

/// A whole number with one letter of a binary unit, as `memparse` of the kernel reads it.
fn number(text: &str) -> Result<u64, String> {
    let unclear = || format!("`{text}` is not a size; expected an integer with K, M, G or T");
    let (digits, shift) = match text.char_indices().last() {
        Some((at, letter)) if letter.is_ascii_alphabetic() => {
            let unit = "KMGTPE".find(letter.to_ascii_uppercase()).ok_or_else(unclear)?;
            (&text[..at], 10 * (unit as u32 + 1))
        }
        _ => (text, 0),
    };
    // The kernel takes 0x10 and 010 as well; who means it writes it out.
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if !plain || (digits.len() > 1 && digits.starts_with('0')) {
        return Err(unclear());
    }
    let number: u64 = digits.parse().map_err(|_| unclear())?;
    number.checked_mul(1 << shift).ok_or_else(unclear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain_and_with_options() {
        assert_eq!(commands("tmpfs"), ["mount -t tmpfs tmpfs /m"]);
        assert_eq!(commands("tmpfs[size=1G]"), ["mount -t tmpfs -o size=1G tmpfs /m"]);
    }

    #[test]
    fn size_is_read_as_the_kernel_reads_it() {
        let held = |target: &str| {
            let target: crate::ResolvedTarget = target.parse()?;
            target
                .in_memory(Memory { size: Bytes(8 << 30), page_bytes: 4096 })
                .map(|held| held.map_or(0, |bytes| bytes.0))
        };
        for (target, bytes) in [
            ("tmpfs", 4 << 30),
            ("tmpfs[size=1000G]", 1000 << 30),
            ("tmpfs[size=16m]", 16 << 20),
            ("tmpfs[size=4096]", 4096),
            ("tmpfs[size=25%]", 2 << 30),
            ("tmpfs[size=0]", u64::MAX),
            ("tmpfs[o.size=1T]", 1 << 40),
            ("tmpfs[nr_blocks=256]", 256 * 4096),
            ("tmpfs[o.nr_blocks=256]", 256 * 4096),
            ("nfs(tmpfs[size=1g])", 1 << 30),
            ("ext4", 0),
            ("dir:/tmp", 0),
        ] {
            assert_eq!(held(target).unwrap(), bytes, "{target}");
        }
        for target in ["tmpfs[size=1.5G]", "tmpfs[size=1GiB]", "tmpfs[size=0x10]", "tmpfs[size=]"] {
            assert!(held(target).is_err(), "{target}");
        }
    }
}
