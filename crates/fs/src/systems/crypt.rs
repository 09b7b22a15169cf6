//! crypt: an encrypted disk, by the kernel's dm-crypt and LUKS2. Options are those of
//! cryptsetup-luksFormat(8) and cryptsetup-open(8).
//!
//! The key is the name of the mapping: what it would protect is generated data.

use super::common::mapped;
use crate::facts::Facts;
use crate::magic::{Signature, start};
use crate::mounted::{Mounted, Stores};
use crate::options::{flag, kept_lines, long_options, value};
use crate::trial::not_both;
use crate::{About, Cmd, Exclusion, FileSystem, Inner, Remains, Site, Tool};
use model::target::{Knob, Options};
use std::path::{Path, PathBuf};

/// Its type in the output of blkid.
const LUKS: &str = "crypto_LUKS";
const HEAD: &[u8] = b"LUKS\xba\xbe";
const COPY: &[u8] = b"SKUL\xba\xbe";

/// The registered part.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    value(
        "cipher",
        "",
        "cipher, mode and initialization vector",
        "aes-xts-plain64",
        &[
            "aes-xts-plain64",
            "serpent-xts-plain64",
            "twofish-xts-plain64",
            "camellia-xts-plain64",
            "xchacha12,aes-adiantum-plain64",
            "xchacha20,aes-adiantum-plain64",
        ],
    ),
    value(
        "key-size",
        "bits",
        "key size; XTS splits it into two \
                               keys",
        "by cipher",
        &["256", "512"],
    ),
    value(
        "sector-size",
        "bytes",
        "encryption sector size",
        "the disk's",
        &["512", "1024", "2048", "4096"],
    ),
    flag("perf-same_cpu_crypt", "encrypt on the CPU that issued the I/O"),
    flag("perf-submit_from_crypt_cpus", "let the encrypting threads submit the writes"),
    flag("perf-no_read_workqueue", "decrypt without switching to another thread"),
    flag("perf-no_write_workqueue", "encrypt without switching to another thread"),
];

/// The options that apply when it is made.
const FORMAT: &[&str] = &["cipher", "key-size", "sector-size"];
/// The options that apply when it is opened.
const OPEN: &[&str] = &[
    "perf-same_cpu_crypt",
    "perf-submit_from_crypt_cpus",
    "perf-no_read_workqueue",
    "perf-no_write_workqueue",
];

const ADIANTUM_KEY: &str = "Adiantum uses a 256-bit key; drop key-size";

const EXCLUSIONS: &[Exclusion] = &[
    not_both("cipher=xchacha12,aes-adiantum-plain64", "key-size=512", ADIANTUM_KEY),
    not_both("cipher=xchacha20,aes-adiantum-plain64", "key-size=512", ADIANTUM_KEY),
];

fn cryptsetup(action: &str) -> Cmd {
    Cmd::new("cryptsetup").arg(action)
}

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    kernel_name: None,
    modules: &["dm_crypt"],
    tools: &[Tool::new("cryptsetup", ["cryptsetup-bin", "cryptsetup", "cryptsetup", "cryptsetup"])],
    inner: Inner::Above,
    min_bytes: 64 << 20,
    // LUKS2 has its second header behind the first, at a power of two.
    signature: Signature::Magic(&[
        start(LUKS, 0, HEAD, Some((168, 36))),
        start(LUKS, 0x4000, COPY, None),
        start(LUKS, 0x8000, COPY, None),
        start(LUKS, 0x1_0000, COPY, None),
        start(LUKS, 0x2_0000, COPY, None),
        start(LUKS, 0x4_0000, COPY, None),
        start(LUKS, 0x8_0000, COPY, None),
        start(LUKS, 0x10_0000, COPY, None),
        start(LUKS, 0x20_0000, COPY, None),
        start(LUKS, 0x40_0000, COPY, None),
    ]),
    mounted: Mounted::local(&[], Stores::Unknown),
    facts: Facts::Sheet(include_str!("crypt.toml")),
    ..About::new("crypt", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        // Few iterations: how long a key is derived from a password is not measured.
        let cmd = cryptsetup("luksFormat").args(["--batch-mode", "--type=luks2", "--key-file=-"]);
        let cmd = cmd.args(["--pbkdf=pbkdf2", "--pbkdf-force-iterations=1000"]);
        let cmd = cmd.args(long_options(options, FORMAT));
        site.disks.iter().map(|disk| cmd.clone().arg(disk).stdin(&site.name)).collect()
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let cmd = cryptsetup("open").args(["--type=luks2", "--key-file=-"]);
        let cmd = cmd.args(long_options(options, OPEN));
        let open =
            |(name, disk): (String, &Path)| cmd.clone().arg(disk).arg(name).stdin(&site.name);
        mapped::mappings(site).map(open).collect()
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        mapped::mappings(site).map(|(name, _)| cryptsetup("close").arg(name)).collect()
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
        Some(Cmd::new("cryptsetup").arg("--version"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(cryptsetup("status").arg(mapped::first(site)))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[(&str, &str)] = &[
            ("cipher", "cipher"),
            ("keysize", "key"),
            ("sector size", "sector_bytes"),
            ("flags", "flags"),
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
        assert_eq!(commands("crypt"), commands("crypt(ext4)"));
        assert_eq!(
            commands("crypt[key-size=256,sector-size=4096,perf-no_read_workqueue](xfs)"),
            [
                "cryptsetup luksFormat --batch-mode --type=luks2 --key-file=- --pbkdf=pbkdf2 \
                 --pbkdf-force-iterations=1000 --key-size=256 --sector-size=4096 /dev/loopN \
                 <<< assay-0",
                "cryptsetup open --type=luks2 --key-file=- --perf-no_read_workqueue /dev/loopN \
                 assay-0 <<< assay-0",
                "mkfs.xfs -f -q -K /dev/mapper/assay-0",
                "mount -t xfs /dev/mapper/assay-0 /m",
            ]
        );
    }

    #[test]
    fn each_disk_of_an_array_has_its_own() {
        let lines = commands("crypt(raid1(ext4))");
        assert!(lines[1].ends_with("/dev/loopM <<< assay-0"), "{lines:?}");
        assert!(lines[3].ends_with("/dev/loopM assay--0-1 <<< assay-0"), "{lines:?}");
        assert!(lines[4].ends_with("/dev/mapper/assay--0-0 /dev/mapper/assay--0-1"), "{lines:?}");
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "/dev/mapper/a is active.\n  type:    LUKS2\n  cipher:  aes-xts-plain64\n  \
                    keysize: 512 bits\n  sector size:  512\n";
        let pairs = [("cipher", "aes-xts-plain64"), ("key", "512 bits"), ("sector_bytes", "512")];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
