//! lvm: a logical volume, by LVM and the kernel's device mapper: linear on one disk, striped over several
//! (`lvm[stripes=2]`), or with redundancy (`lvm[raid1]`). Options are those of lvcreate(8), with its types as flags.
//!
//! Like an array of md, a volume with redundancy is awaited until its disks are alike.

use super::common::lvm::{self as group, DMSETUP, LVCREATE, NOT_IN_SETUP, SIGNATURE, VOLUME, lvm};
use crate::facts::Facts;
use crate::mounted::{Mounted, Stores};
use crate::options::{flag, long_options, value};
use crate::trial::not_both;
use crate::{About, Cmd, Exclusion, FileSystem, Inner, Redundancy, Remains, Repair, Site};
use model::target::{Knob, Options};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// A volume of the kinds that the same modules make.
pub(crate) struct Lvm {
    about: About,
}

/// The registered part: linear or striped.
pub(crate) const ROW: Lvm = Lvm { about: about(&["dm_mod"]) };
/// One with redundancy.
const RAID: Lvm = Lvm { about: about(&["dm_raid", "raid1", "raid10", "raid456"]) };

const KNOBS: &[Knob] = &[
    value(
        "stripes",
        "disks",
        "disks that data is striped over, without those of parity",
        "1",
        STRIPES,
    ),
    value("stripesize", "", "data per disk in a stripe", "64k", SIZES),
    flag("raid1", "the same data on several disks"),
    flag("raid5", "stripes and one parity, on three disks or more"),
    flag("raid6", "stripes and two parities, on five disks or more"),
    flag("raid10", "stripes of mirrored pairs, on four disks or more"),
    value("mirrors", "copies", "copies of the data besides the first", "1", &["1", "2", "3"]),
    value(
        "regionsize",
        "",
        "data per bit of the log of writes",
        "2m",
        &["512k", "1m", "2m", "4m", "8m"],
    ),
];

const STRIPES: &[&str] = &["2", "3", "4"];
const SIZES: &[&str] = &["4k", "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1m", "2m", "4m"];

/// A type with stripes and redundancy.
struct Striped {
    name: &'static str,
    /// Stripes without the option, the fewest that lvcreate takes.
    stripes: usize,
    /// Disks for each stripe.
    copies: usize,
    /// Disks besides those.
    parities: usize,
}

const STRIPED: &[Striped] = &[
    Striped { name: "raid5", stripes: 2, copies: 1, parities: 1 },
    Striped { name: "raid6", stripes: 3, copies: 1, parities: 2 },
    Striped { name: "raid10", stripes: 2, copies: 2, parities: 0 },
];
const RAID1: &str = "raid1";

const EXCLUSIONS: &[Exclusion] = &[
    not_both(RAID1, "stripes", "raid1 has no stripes; use raid10"),
    not_both(RAID1, "stripesize", "raid1 has no stripes; use raid10"),
    not_both("mirrors", "!raid1", "mirrors needs raid1; add it"),
    not_both("raid6", "stripes=2", "raid6 of LVM needs three stripes; raise stripes"),
];

/// The exit status of vgextend if no disk was missed.
const NOTHING_MISSING: i32 = 5;

/// Waits until the disks are alike: $@ prints how many percent of them are.
const WAIT: &str =
    "while p=$(\"$@\") || exit; do case $p in *100.00*) exit;; esac; sleep 0.1; done";

/// Has the volume do $1 and waits until it has: the rest changes it, with what to do for the first word, and then lists
/// what it does.
const SYNC: &str = "set -e; lvchange --syncaction $0 \"$@\"; \
                    while [ \"$(lvs --noheadings -o raid_sync_action \"$@\" | tr -d ' ')\" != idle ]; \
                    do sleep 0.1; done";

const fn about(modules: &'static [&'static str]) -> About {
    About {
        exclusions: EXCLUSIONS,
        kernel_name: None,
        modules,
        not_in_setup: NOT_IN_SETUP,
        tools: &[LVCREATE, DMSETUP],
        inner: Inner::Above,
        min_bytes: 64 << 20,
        signature: SIGNATURE,
        member_of: "an LVM volume group",
        mounted: Mounted::local(&[], Stores::Unknown),
        facts: Facts::Without("not researched yet"),
        ..About::new("lvm", KNOBS)
    }
}

/// The type with stripes and redundancy that `options` ask for.
fn striped(options: &Options) -> Option<&'static Striped> {
    STRIPED.iter().find(|kind| options.contains_key(kind.name))
}

/// The type with redundancy that `options` ask for.
fn raid(options: &Options) -> Option<&'static str> {
    let mirrored = options.contains_key(RAID1).then_some(RAID1);
    striped(options).map(|kind| kind.name).or(mirrored)
}

fn count(options: &Options, key: &str, default: usize) -> usize {
    options.get(key).and_then(|given| given.parse().ok()).unwrap_or(default)
}

/// Stripes of a volume that has any.
fn stripes(options: &Options) -> Option<usize> {
    let default = striped(options).map(|kind| kind.stripes);
    (default.is_some() || options.contains_key("stripes"))
        .then(|| count(options, "stripes", default.unwrap_or(1)))
}

impl FileSystem for Lvm {
    fn about(&self) -> &About {
        &self.about
    }

    fn with(&self, options: &Options) -> Option<&'static dyn FileSystem> {
        raid(options).map(|_| &RAID as &dyn FileSystem)
    }

    fn disks(&self, options: &Options) -> usize {
        if options.contains_key(RAID1) {
            return count(options, "mirrors", 1) + 1;
        }
        let stripes = stripes(options).unwrap_or(1);
        striped(options).map_or(stripes, |kind| stripes * kind.copies + kind.parities)
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        let types = STRIPED.iter().map(|kind| kind.name).chain([RAID1]);
        let has = |key: &str| options.contains_key(key);
        if types.filter(|name| has(name)).count() > 1 {
            Some("a volume has one type; drop all but one")
        } else if has("stripesize") && stripes(options).is_none() && !has(RAID1) {
            Some("stripesize needs stripes; add it")
        } else if has("regionsize") && raid(options).is_none() {
            Some("regionsize needs raid1, raid5, raid6 or raid10; add one")
        } else {
            None
        }
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let raid = raid(options);
        let kind = raid.unwrap_or(if stripes(options).is_some() { "striped" } else { "linear" });
        let make = lvm("lvcreate", site).arg(format!("--type={kind}"));
        let make = make.args([VOLUME, "--extents=100%FREE"]);
        let make = make.args(stripes(options).map(|stripes| format!("--stripes={stripes}")));
        let make = make.args(long_options(options, &["stripesize", "mirrors", "regionsize"]));
        let wait = raid.map(|_| wait(site));
        [group::make_group(site), make.arg(&site.name)]
            .into_iter()
            .chain(wait)
            .chain([group::activate(site, "n")])
            .collect()
    }

    fn mount(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        vec![group::activate(site, "y")]
    }

    fn redundancy(&self, options: &Options) -> Option<Redundancy> {
        let mirrors = options.contains_key(RAID1).then(|| self.disks(options));
        let (losses, copies) = match (mirrors, striped(options)) {
            (Some(disks), _) => (disks - 1, disks),
            (None, Some(kind)) => (kind.parities.max(kind.copies - 1), kind.copies),
            (None, None) => return None,
        };
        Some(Redundancy { losses, copies, is_remembered: false })
    }

    fn mount_degraded(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        let change = lvm("vgchange", site).args(["--activationmode", "degraded"]);
        vec![change.args(["--activate", "y"]).arg(&site.name)]
    }

    fn scrub(&self, site: &Site) -> Vec<Repair> {
        vec![sync(site, "check")]
    }

    fn found(&self, site: &Site) -> Option<Cmd> {
        let list = group::seeing("lvs", site).args(["--noheadings", "-o", "raid_mismatch_count"]);
        Some(list.arg(volume(site)))
    }

    fn read_found(&self, output: &str) -> Option<u64> {
        output.trim().parse().ok()
    }

    fn make_alike(&self, site: &Site) -> Vec<Repair> {
        vec![sync(site, "repair")]
    }

    fn rejoin(&self, site: &Site, _disk: &Path) -> Vec<Repair> {
        let restore = lvm("vgextend", site).arg("--restoremissing").arg(&site.name);
        let restore = restore.args(&site.disks).accepts(NOTHING_MISSING);
        let refresh = lvm("lvchange", site).arg("--refresh").arg(volume(site));
        [restore, refresh, wait(site)].map(Repair::Command).into()
    }

    fn replace(&self, site: &Site, _options: &Options, _number: usize, new: &Path) -> Vec<Repair> {
        let mut site = site.clone();
        site.disks.push(new.into());
        let (site, name) = (&site, &site.name);
        let all = [
            lvm("pvcreate", site).arg(new),
            lvm("vgextend", site).arg(name).arg(new),
            lvm("lvconvert", site).arg("--repair").arg(volume(site)).arg(new),
            wait(site),
            lvm("vgreduce", site).args(["--removemissing", name]),
        ];
        all.map(Repair::Command).into()
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
        Some(group::list(site, "segtype,stripes,stripe_size,region_size,sync_percent"))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[(&str, &str)] = &[
            ("LVM2_SEGTYPE", "type"),
            ("LVM2_STRIPES", "stripes"),
            ("LVM2_STRIPE_SIZE", "stripe"),
            ("LVM2_REGION_SIZE", "region"),
            ("LVM2_SYNC_PERCENT", "synced_percent"),
        ];
        group::columns(output, KEPT)
    }
}

/// The volume as commands of LVM name it.
fn volume(site: &Site) -> String {
    format!("{}/volume", site.name)
}

/// Has the volume do `what`, and waits until it has.
fn sync(site: &Site, what: &str) -> Repair {
    let disks = site.disks.iter().flat_map(|disk| [OsStr::new("--devices"), disk.as_os_str()]);
    Repair::Command(Cmd::new("sh").args(["-c", SYNC, what]).args(disks).arg(volume(site)))
}

fn wait(site: &Site) -> Cmd {
    let list = group::seeing("lvs", site).args(["--noheadings", "-o", "sync_percent", &site.name]);
    let cmd = Cmd::new("sh").args(["-c", WAIT, &site.name]).arg(&list.program);
    cmd.args(&list.args)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    fn disks(target: &str) -> usize {
        target.parse::<crate::ResolvedTarget>().unwrap().disks()
    }

    #[test]
    fn plain_under_ext4() {
        assert_eq!(commands("lvm"), commands("lvm(ext4)"));
        let lvm = format!("--devices /dev/loopN --config '{}' --yes", group::CONFIG);
        let expected = [
            format!("vgcreate {lvm} assay-0 /dev/loopN"),
            format!("lvcreate {lvm} --type=linear --name=volume --extents=100%FREE assay-0"),
            format!("vgchange {lvm} --activate n assay-0"),
            format!("vgchange {lvm} --activate y assay-0"),
            "mkfs.xfs -f -q -K /dev/assay-0/volume".into(),
            "mount -t xfs /dev/assay-0/volume /m".into(),
        ];
        assert_eq!(commands("lvm(xfs)"), expected);
    }

    #[test]
    fn striped_or_mirrored() {
        let lvm = "--devices /dev/loopN --devices /dev/loopM --config";
        let striped = &commands("lvm[stripes=2,stripesize=256k]")[1];
        assert!(striped.starts_with(&format!("lvcreate {lvm}")), "{striped}");
        let options =
            "--type=striped --name=volume --extents=100%FREE --stripes=2 --stripesize=256k";
        assert!(striped.ends_with(&format!("{options} assay-0")), "{striped}");
        let mirrored = commands("lvm[raid1]");
        let options = "--yes --type=raid1 --name=volume --extents=100%FREE assay-0";
        assert!(mirrored[1].ends_with(options), "{mirrored:?}");
        let list = "assay-0 lvs --devices /dev/loopN --devices /dev/loopM --noheadings -o \
                    sync_percent assay-0";
        assert!(mirrored[2].ends_with(list), "{mirrored:?}");
        assert!(mirrored[3].contains("--activate n"), "{mirrored:?}");
        assert_eq!(commands("lvm[raid5]")[1].matches("--stripes=2").count(), 1);
    }

    #[test]
    fn each_type_has_its_disks() {
        assert_eq!(["lvm", "lvm[stripes=3]", "lvm[raid1]"].map(disks), [1, 3, 2]);
        assert_eq!(["lvm[raid1,mirrors=2]", "lvm[raid5]", "lvm[raid6]"].map(disks), [3, 3, 5]);
        assert_eq!(["lvm[raid10]", "lvm[raid5,stripes=4]"].map(disks), [4, 5]);
    }

    #[test]
    fn a_type_says_what_it_may_lose() {
        let of = |target: &str| {
            let target = target.parse::<crate::ResolvedTarget>().unwrap();
            let part = &target.parts()[0];
            part.fs.redundancy(&part.options).map(|own| (own.losses, own.copies))
        };
        assert_eq!(of("lvm[raid1]"), Some((1, 2)));
        assert_eq!(of("lvm[raid1,mirrors=2]"), Some((2, 3)));
        assert_eq!((of("lvm[raid5]"), of("lvm[raid6]")), (Some((1, 1)), Some((2, 1))));
        assert_eq!((of("lvm[raid10]"), of("lvm[stripes=2]")), (Some((1, 2)), None));
    }

    #[test]
    fn volume_is_brought_up_and_scrubbed_on_what_is_left() {
        let (parts, sites) = crate::tests::placed("lvm[raid1]", None);
        let (part, site) = (&parts[0], &sites[0]);
        let up = part.fs.mount_degraded(site, &part.options)[0].to_string();
        assert!(up.ends_with("--activationmode degraded --activate y assay-0"), "{up}");
        let [Repair::Command(check)] = &part.fs.scrub(site)[..] else { panic!("one command") };
        let known = " check --devices /dev/loopN --devices /dev/loopM assay-0/volume";
        assert!(check.to_string().ends_with(known), "{check}");
        let replace = part.fs.replace(site, &part.options, 1, "/dev/loopL".as_ref());
        assert_eq!(replace.len(), 5, "{replace:?}");
        assert_eq!(part.fs.read_found("  12\n"), Some(12));
    }

    #[test]
    fn contradictions_are_refused() {
        let refused =
            |text: &str| crate::resolve(&text.parse().unwrap()).err().unwrap().to_string();
        assert!(refused("lvm[raid1,raid5]").contains("a volume has one type"));
        assert!(refused("lvm[raid1,stripes=2]").contains("use raid10"));
        assert!(refused("lvm[stripesize=64k]").contains("stripesize needs stripes"));
        assert!(refused("lvm[regionsize=1m]").contains("regionsize needs raid1"));
        assert!(refused("lvm[mirrors=2]").contains("mirrors needs raid1"));
        assert!(refused("lvm[raid6,stripes=2]").contains("three stripes"));
    }

    #[test]
    fn redundancy_needs_the_modules_of_md() {
        let modules = |text: &str| {
            let target: crate::ResolvedTarget = text.parse().unwrap();
            target.parts()[0].fs.about().modules
        };
        assert_eq!(modules("lvm[stripes=2]"), ["dm_mod"]);
        assert_eq!(modules("lvm[raid10]"), ["dm_raid", "raid1", "raid10", "raid456"]);
    }

    #[test]
    fn geometry_tells_type_and_stripes() {
        let text = "  LVM2_SEGTYPE=striped LVM2_STRIPES=2 LVM2_STRIPE_SIZE=64.00k LVM2_REGION_SIZE=0 \
                    LVM2_SYNC_PERCENT=\n";
        let pairs = [
            ("type", "striped"),
            ("stripes", "2"),
            ("stripe", "64.00k"),
            ("region", "0"),
            ("synced_percent", ""),
        ];
        assert_eq!(ROW.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
