//! integrity: a disk with a checksum of every sector, by the kernel's dm-integrity. Options are those
//! of integritysetup(8). Below an array, e.g. `integrity(raid1(ext4))`, each of its disks has them: a sector that was
//! damaged silently is an error of that disk, and the array reads another one.

use super::common::mapped;
use crate::facts::Facts;
use crate::magic::{Signature, start};
use crate::mounted::{Mounted, Stores};
use crate::options::{flag, kept_lines, long_options, value};
use crate::trial::not_both;
use crate::{About, Cmd, Exclusion, FileSystem, Inner, Remains, Site, Tool};
use model::target::{Knob, Options};
use std::path::PathBuf;

/// The registered part.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    value(
        "integrity",
        "",
        "checksum of a sector",
        "crc32c",
        &["crc32c", "crc32", "xxhash64", "sha1", "sha256"],
    ),
    value("sector-size", "bytes", "bytes per checksum", "512", &["512", "1024", "2048", "4096"]),
    value("journal-size", "bytes", "size of the journal", "by size", &[]),
    value("interleave-sectors", "sectors", "data between checksum areas", "32768", &[]),
    value("buffer-sectors", "sectors", "checksum buffer", "128", &[]),
    value("journal-commit-time", "ms", "maximum time between journal commits", "10000", &[]),
    value("bitmap-flush-time", "ms", "maximum time between bitmap writes", "10000", &[]),
    flag("integrity-no-journal", "no journal; a crash may leave data and checksum inconsistent"),
    flag(
        "integrity-bitmap-mode",
        "track dirty regions instead of journaling; after a crash their checksums are recalculated",
    ),
];

/// The options that apply when it is made; the checksum is named again when it is opened.
const FORMAT: &[&str] = &["sector-size", "journal-size", "interleave-sectors"];
/// The options that apply when it is opened.
const OPEN: &[&str] = &[
    "buffer-sectors",
    "journal-commit-time",
    "bitmap-flush-time",
    "integrity-no-journal",
    "integrity-bitmap-mode",
];

const EXCLUSIONS: &[Exclusion] = &[
    not_both(
        "integrity-no-journal",
        "integrity-bitmap-mode",
        "integrity-no-journal and integrity-bitmap-mode contradict each other; drop one",
    ),
    not_both("integrity-no-journal", "journal-commit-time", "journal-commit-time needs a journal"),
    not_both("integrity-bitmap-mode", "journal-commit-time", "journal-commit-time needs a journal"),
    not_both("bitmap-flush-time", "!integrity-bitmap-mode", "it needs integrity-bitmap-mode"),
];

fn integritysetup(action: &str) -> Cmd {
    Cmd::new("integritysetup").arg(action)
}

fn checksum(options: &Options) -> String {
    format!("--integrity={}", options.get("integrity").map_or("crc32c", String::as_str))
}

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    kernel_name: None,
    modules: &["dm_integrity"],
    tools: &[Tool::new(
        "integritysetup",
        ["cryptsetup-bin", "integritysetup", "cryptsetup", "cryptsetup"],
    )],
    inner: Inner::Above,
    min_bytes: 64 << 20,
    signature: Signature::Magic(&[start("DM_integrity", 0, b"integrt\0", None)]),
    mounted: Mounted::local(&[], Stores::Unknown),
    facts: Facts::Sheet(include_str!("integrity.toml")),
    ..About::new("integrity", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        // It writes the whole disk: a sector without its checksum could not be read.
        let cmd = integritysetup("format").arg("--batch-mode").arg(checksum(options));
        let cmd = cmd.args(long_options(options, FORMAT));
        site.disks.iter().map(|disk| cmd.clone().arg(disk)).collect()
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let cmd = integritysetup("open").arg(checksum(options));
        let cmd = cmd.args(long_options(options, OPEN));
        mapped::mappings(site).map(|(name, disk)| cmd.clone().arg(disk).arg(name)).collect()
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        mapped::mappings(site).map(|(name, _)| integritysetup("close").arg(name)).collect()
    }

    fn offers(&self, site: &Site) -> Vec<PathBuf> {
        mapped::nodes(site)
    }

    fn is_on_each_disk(&self) -> bool {
        true
    }

    fn undo(&self, site: &Site) -> Vec<Remains> {
        vec![Remains::Mapping(site.name.clone())]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("integritysetup").arg("--version"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(integritysetup("status").arg(mapped::first(site)))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[(&str, &str)] = &[
            ("integrity", "checksum"),
            ("tag size", "tag_bytes"),
            ("sector size", "sector"),
            ("interleave sectors", "interleave_sectors"),
            ("journal", "journal"),
            ("journal size", "journal"),
            ("failures", "failures"),
        ];
        kept_lines(output, KEPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain_under_ext4_and_with_options() {
        assert_eq!(commands("integrity"), commands("integrity(ext4)"));
        assert_eq!(
            commands("integrity[integrity=xxhash64,sector-size=4096,integrity-bitmap-mode](xfs)"),
            [
                "integritysetup format --batch-mode --integrity=xxhash64 --sector-size=4096 \
                 /dev/loopN",
                "integritysetup open --integrity=xxhash64 --integrity-bitmap-mode /dev/loopN \
                 assay-0",
                "mkfs.xfs -f -q -K /dev/mapper/assay-0",
                "mount -t xfs /dev/mapper/assay-0 /m",
            ]
        );
    }

    #[test]
    fn each_disk_of_an_array_has_its_own() {
        let lines = commands("integrity[sector-size=4096](raid1(ext4))");
        assert_eq!(
            lines[..4],
            [
                "integritysetup format --batch-mode --integrity=crc32c --sector-size=4096 /dev/loopN",
                "integritysetup format --batch-mode --integrity=crc32c --sector-size=4096 /dev/loopM",
                "integritysetup open --integrity=crc32c /dev/loopN assay--0-0",
                "integritysetup open --integrity=crc32c /dev/loopM assay--0-1",
            ]
        );
        assert!(lines[4].ends_with("/dev/mapper/assay--0-0 /dev/mapper/assay--0-1"), "{lines:?}");
    }

    #[test]
    fn geometry_tells_the_mode() {
        let text = "/dev/mapper/a is active.\n  type:    INTEGRITY\n  tag size: 4\n  integrity: \
                    crc32c\n  failures: 0\n  journal: not active\n";
        let pairs = [
            ("tag_bytes", "4"),
            ("checksum", "crc32c"),
            ("failures", "0"),
            ("journal", "not active"),
        ];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
