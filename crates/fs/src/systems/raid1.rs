//! raid1: the same data on two or more disks, by the kernel's md driver and mdadm. Options are those
//! of mdadm(8) and md(4).
//!
//! `--assume-clean` would save the first resync and leave disks that differ where nothing was
//! written, unlike in production. It is created, awaited and stopped; then it is assembled as at
//! every boot.

use crate::facts::Facts;
use crate::magic::{Magic, Signature, end, start, uuid};
use crate::mounted::{Mounted, Stores};
use crate::options::{flag, kept_lines, long_options, value};
use crate::rebuild::{self, RESYNC};
use crate::site::DEGRADED;
use crate::trial::not_both;
use crate::{About, Cmd, Exclusion, FileSystem, Inner, Rebuild, Remains, Site, Tool};
use model::target::{Knob, Options};
use std::path::{Path, PathBuf};

/// The type of a member of an array in the output of blkid.
const MEMBER: &str = "linux_raid_member";
const MD: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
const MD_BIG_ENDIAN: &[u8] = &[0xa9, 0x2b, 0x4e, 0xfc];

/// The registered part.
pub(crate) struct Fs;

const KNOBS: &[Knob] = &[
    value("devices", "disks", "number of mirrored disks", "2", &["2", "3", "4"]),
    value(
        "bitmap",
        "",
        "write-intent bitmap; without it a crash requires a full resync",
        "internal",
        &["internal", "none"],
    ),
    value("bitmap-chunk", "", "data per bitmap bit, e.g. 4M", "64M or more", &[]),
    value(
        "metadata",
        "",
        "superblock version, which determines its position",
        "1.2",
        &["1.0", "1.1", "1.2"],
    ),
    flag(
        DEGRADED,
        "run as after the loss of the last disk: created complete, assembled without \
                    it",
    ),
    value(RESYNC, "MiB/s", rebuild::HELP, "not given", &[]),
];

const EXCLUSIONS: &[Exclusion] = &[
    not_both("bitmap=none", "bitmap-chunk", "bitmap-chunk needs bitmap=internal"),
    not_both(DEGRADED, RESYNC, "degraded and resync exclude each other; drop one"),
];

/// Gives array $1 the rate of its rebuild, $2 KiB/s, at least and at most.
const PACE: &str = "set -e; d=/sys/class/block/$(basename \"$(readlink -f \"$1\")\")/md; \
                    echo $2 >$d/sync_speed_max; echo $2 >$d/sync_speed_min";

/// The exit status of mdadm if there was no resync to wait for.
const NOTHING_TO_WAIT_FOR: i32 = 1;

fn node(site: &Site) -> PathBuf {
    PathBuf::from("/dev/md").join(&site.name)
}

fn given<'o>(options: &'o Options, key: &str, default: &'o str) -> &'o str {
    options.get(key).map_or(default, String::as_str)
}

const ABOUT: &About = &About {
    exclusions: EXCLUSIONS,
    kernel_name: None,
    modules: &["raid1"],
    tools: &[Tool::new("mdadm", ["mdadm"; 4])],
    inner: Inner::Above,
    min_bytes: 32 << 20,
    // A superblock of md 1.1 lies at the start, of 1.2 4 KiB behind it, of 1.0 and 0.90 at the end.
    signature: Signature::Magic(&[
        start(MEMBER, 0, MD, uuid(16)),
        start(MEMBER, 0x1000, MD, uuid(16)),
        Magic { id: uuid(16), ..end(MEMBER, 4096, 8192, MD) },
        end(MEMBER, 65536, 65536, MD),
        end(MEMBER, 65536, 65536, MD_BIG_ENDIAN),
    ]),
    member_of: "an md array",
    mounted: Mounted::local(&[], Stores::Unknown),
    facts: Facts::Without("not researched yet"),
    ..About::new("raid1", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, options: &Options) -> usize {
        given(options, "devices", "2").parse().unwrap_or(2)
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let create = Cmd::new("mdadm").arg("--create").arg(node(site)).args([
            "--run",
            "--quiet",
            "--level=1",
            &format!("--raid-devices={}", site.disks.len()),
            &format!("--metadata={}", given(options, "metadata", "1.2")),
            &format!("--name={}", site.name),
            &format!("--bitmap={}", given(options, "bitmap", "internal")),
        ]);
        let wait = Cmd::new("mdadm").arg("--wait").arg(node(site)).accepts(NOTHING_TO_WAIT_FOR);
        vec![
            create.args(long_options(options, &["bitmap-chunk"])).args(&site.disks),
            wait,
            stop(site),
        ]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let assemble = Cmd::new("mdadm").args(["--assemble", "--quiet"]);
        // Without all of its disks it is not started unless that is asked for.
        let run = site.lost(options).map(|_| "--run");
        let up = assemble.args(run).arg(node(site)).args(site.left(options));
        let rebuild = site.lost(options).zip(rebuild::rate(options));
        let rebuild = rebuild.map(|(disk, rate)| begin_rebuild(site, disk, rate));
        std::iter::once(up).chain(rebuild.into_iter().flatten()).collect()
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        rebuild::excluded(options)
    }

    fn rebuild(&self, site: &Site, options: &Options) -> Option<Rebuild> {
        rebuild::rate(options).map(|_| Rebuild::Md(node(site)))
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        vec![stop(site)]
    }

    fn offers(&self, site: &Site) -> Option<PathBuf> {
        Some(node(site))
    }

    fn undo(&self, site: &Site) -> Vec<Remains> {
        vec![Remains::Array(site.name.clone())]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mdadm").arg("--version"))
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(Cmd::new("mdadm").arg("--detail").arg(node(site)))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[(&str, &str)] = &[
            ("Version", "metadata"),
            ("Raid Level", "level"),
            ("Raid Devices", "devices"),
            // `clean` or `active`; with `resyncing` or `degraded` it is not what it seems.
            ("State", "state"),
            ("Consistency Policy", "consistency"),
            ("Resync Status", "resync"),
        ];
        kept_lines(output, KEPT)
    }
}

/// Takes `disk` for a new one, of which nothing is up to date, and has it rebuilt at `rate` MiB/s.
fn begin_rebuild(site: &Site, disk: &Path, rate: u32) -> [Cmd; 3] {
    let kib = (u64::from(rate) * 1024).to_string();
    [
        Cmd::new("mdadm").args(["--zero-superblock", "--quiet"]).arg(disk),
        Cmd::new("sh").args(["-c", PACE, &site.name]).arg(node(site)).arg(kib),
        Cmd::new("mdadm").args(["--manage", "--quiet"]).arg(node(site)).arg("--add").arg(disk),
    ]
}

fn stop(site: &Site) -> Cmd {
    Cmd::new("mdadm").args(["--stop", "--quiet"]).arg(node(site))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn plain_under_ext4() {
        assert_eq!(commands("raid1"), commands("raid1(ext4)"));
        assert_eq!(
            commands("raid1(xfs)"),
            [
                "mdadm --create /dev/md/assay-0 --run --quiet --level=1 --raid-devices=2 \
                 --metadata=1.2 --name=assay-0 --bitmap=internal /dev/loopN /dev/loopM",
                "mdadm --wait /dev/md/assay-0",
                "mdadm --stop --quiet /dev/md/assay-0",
                "mdadm --assemble --quiet /dev/md/assay-0 /dev/loopN /dev/loopM",
                "mkfs.xfs -f -q -K /dev/md/assay-0",
                "mount -t xfs /dev/md/assay-0 /m",
            ]
        );
    }

    #[test]
    fn degraded_is_made_whole_and_assembled_without_its_last_disk() {
        let lines = commands("raid1[degraded](xfs)");
        assert!(
            lines[0].ends_with("/dev/loopN /dev/loopM") && lines[1].contains("--wait"),
            "{lines:?}"
        );
        assert_eq!(lines[3], "mdadm --assemble --quiet --run /dev/md/assay-0 /dev/loopN");
    }

    #[test]
    fn a_rebuild_begins_with_each_assembly() {
        let lines = commands("raid1[resync=20](xfs)");
        assert_eq!(lines[3], "mdadm --assemble --quiet --run /dev/md/assay-0 /dev/loopN");
        assert_eq!(lines[4], "mdadm --zero-superblock --quiet /dev/loopM");
        assert!(lines[5].ends_with("assay-0 /dev/md/assay-0 20480"), "{}", lines[5]);
        assert_eq!(lines[6], "mdadm --manage --quiet /dev/md/assay-0 --add /dev/loopM");
        let refused = |text: &str| crate::resolve(&text.parse().unwrap()).err().unwrap();
        assert!(refused("raid1[resync=fast]").to_string().contains("e.g. resync=20"));
        assert!(
            refused("raid1[resync=5,degraded]").to_string().contains("degraded and resync exclude")
        );
    }

    #[test]
    fn geometry_tells_the_state_of_the_resync() {
        let text = "/dev/md/a:\n           Version : 1.2\n        Raid Level : raid1\n             \
                    State : clean, resyncing \n     Resync Status : 12% complete\n    Number   Major\n";
        let pairs = [
            ("metadata", "1.2"),
            ("level", "raid1"),
            ("state", "clean, resyncing"),
            ("resync", "12% complete"),
        ];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
