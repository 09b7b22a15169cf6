//! thin: a thinly provisioned volume, by LVM and the kernel's dm-thin. Options are those of
//! lvcreate(8).

use super::common::lvm::{self as group, DMSETUP, LVCREATE, NOT_IN_SETUP, SIGNATURE, VOLUME, lvm};
use crate::facts::Facts;
use crate::mounted::{Mounted, Stores};
use crate::options::{long_options, value};
use crate::{About, Cmd, FileSystem, Inner, Remains, Site, Tool};
use model::target::{Knob, Options};
use std::path::PathBuf;

/// The registered part.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    value(
        "chunksize",
        "",
        "allocation unit",
        "64k, more for large disks",
        &["64k", "128k", "256k", "512k", "1m", "2m", "4m"],
    ),
    value("zero", "", "zero a chunk before its first use", "y", &["y", "n"]),
    value(
        "discards",
        "",
        "handling of discards",
        "passdown",
        &["passdown", "nopassdown", "ignore"],
    ),
];

/// Size of the volume in its pool, percent: the rest is for the metadata, so that the pool never
/// runs full.
const VOLUME_PERCENT: u64 = 90;

/// The packages with the checker.
const THIN_CHECK: [&str; 4] = [
    "thin-provisioning-tools",
    "device-mapper-persistent-data",
    "thin-provisioning-tools",
    "thin-provisioning-tools",
];

const ABOUT: &About = &About {
    kernel_name: None,
    modules: &["dm_thin_pool"],
    not_in_setup: NOT_IN_SETUP,
    tools: &[LVCREATE, DMSETUP, Tool::new("thin_check", THIN_CHECK)],
    inner: Inner::Above,
    min_bytes: 128 << 20,
    signature: SIGNATURE,
    member_of: "an LVM volume group",
    mounted: Mounted::local(&[], Stores::Unknown),
    facts: Facts::Without("not researched yet"),
    ..About::new("thin", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let pool = ["--type=thin-pool", "--name=pool", "--extents=100%FREE"];
        let pool = lvm("lvcreate", site).args(pool).arg("--poolmetadataspare=n");
        let kib = site.bytes / 100 * VOLUME_PERCENT / 1024;
        let volume = ["--type=thin", VOLUME, "--thinpool=pool"];
        let volume = lvm("lvcreate", site).args(volume).arg(format!("--virtualsize={kib}k"));
        vec![
            group::make_group(site),
            pool.args(long_options(options, &["chunksize", "zero", "discards"])).arg(&site.name),
            volume.arg(&site.name),
            group::activate(site, "n"),
        ]
    }

    fn mount(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        vec![group::activate(site, "y")]
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        vec![group::activate(site, "n")]
    }

    fn offers(&self, site: &Site) -> Vec<PathBuf> {
        group::nodes(site)
    }

    fn undo(&self, site: &Site) -> Vec<Remains> {
        group::remains(site)
    }

    fn version(&self) -> Option<Cmd> {
        group::version()
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        let columns = "lv_name,chunk_size,zero,discards,lv_size,lv_metadata_size";
        Some(group::list(site, columns))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[(&str, &str)] = &[
            ("LVM2_CHUNK_SIZE", "chunk"),
            ("LVM2_ZERO", "zero"),
            ("LVM2_DISCARDS", "discards"),
            ("LVM2_LV_METADATA_SIZE", "metadata"),
        ];
        let pool = output.lines().find(|line| line.contains("LVM2_LV_NAME=pool"));
        pool.map(|line| group::columns(line, KEPT)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain_under_ext4_and_with_options() {
        assert_eq!(commands("thin"), commands("thin(ext4)"));
        let lines = commands("thin[chunksize=128k,zero=n](xfs)");
        let lvm = format!("--devices /dev/loopN --config '{}' --yes", group::CONFIG);
        let expected = [
            format!("vgcreate {lvm} assay-0 /dev/loopN"),
            format!(
                "lvcreate {lvm} --type=thin-pool --name=pool --extents=100%FREE \
                 --poolmetadataspare=n --chunksize=128k --zero=n assay-0"
            ),
            format!(
                "lvcreate {lvm} --type=thin --name=volume --thinpool=pool --virtualsize=943718k \
                 assay-0"
            ),
            format!("vgchange {lvm} --activate n assay-0"),
            format!("vgchange {lvm} --activate y assay-0"),
            "mkfs.xfs -f -q -K /dev/assay-0/volume".into(),
            "mount -t xfs /dev/assay-0/volume /m".into(),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn geometry_is_that_of_the_pool() {
        let text = "  LVM2_LV_NAME=pool LVM2_CHUNK_SIZE=128.00k LVM2_ZERO= LVM2_DISCARDS=passdown\n\
                    \x20 LVM2_LV_NAME=volume LVM2_CHUNK_SIZE=0 LVM2_ZERO=\n";
        let pairs = [("chunk", "128.00k"), ("zero", ""), ("discards", "passdown")];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
