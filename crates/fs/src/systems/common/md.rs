//! Shared code of md arrays: the kernel's md driver and mdadm. Each level is a row in its own file. Options are those
//! of mdadm(8) and md(4).
//!
//! `--assume-clean` would save the first resync and leave disks that differ where nothing was
//! written, unlike in production. An array is created, awaited and stopped; then it is assembled as at
//! every boot.

use crate::facts::Facts;
use crate::magic::{Magic, Signature, end, start, uuid};
use crate::mounted::{Mounted, Stores};
use crate::options::{flag, kept_lines, long_options, value};
use crate::rebuild::{self, RESYNC};
use crate::site::DEGRADED;
use crate::trial::not_both;
use crate::words::{Word, refused};
use crate::{
    About, Cmd, Exclusion, FileSystem, Inner, Rebuild, Redundancy, Remains, Repair, Site, Tool,
};
use model::target::{Knob, Options};
use std::path::{Path, PathBuf};

/// The type of a member of an array in the output of blkid.
const MEMBER: &str = "linux_raid_member";
const MD: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
const MD_BIG_ENDIAN: &[u8] = &[0xa9, 0x2b, 0x4e, 0xfc];

/// One level.
pub(crate) struct Md {
    pub(crate) about: About,
    /// Its number.
    pub(crate) level: u8,
    /// Disks of an array without the option `devices`.
    pub(crate) devices: usize,
}

pub(crate) const BITMAP: Knob = value(
    "bitmap",
    "",
    "write-intent bitmap; without it a crash requires a full resync",
    "internal",
    &["internal", "none"],
);
pub(crate) const BITMAP_CHUNK: Knob =
    value("bitmap-chunk", "", "data per bitmap bit, e.g. 4M", "64M or more", &[]);
pub(crate) const METADATA: Knob = value(
    "metadata",
    "",
    "superblock version, which determines its position",
    "1.2",
    &["1.0", "1.1", "1.2"],
);
pub(crate) const CHUNK: Knob = value("chunk", "", "data per disk in a stripe", "512K", CHUNKS);
pub(crate) const LOST: Knob = flag(
    DEGRADED,
    "run as after the loss of the last disk: created complete, assembled without \
                    it",
);
pub(crate) const REBUILT: Knob = value(RESYNC, "MiB/s", rebuild::HELP, "not given", &[]);

const CHUNKS: &[&str] =
    &["4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M"];

/// Options of a bitmap for an array without one.
pub(crate) const BITMAP_NEEDED: Exclusion =
    not_both("bitmap=none", "bitmap-chunk", "bitmap-chunk needs bitmap=internal");
pub(crate) const LOST_OR_REBUILT: Exclusion =
    not_both(DEGRADED, RESYNC, "degraded and resync exclude each other; drop one");

/// Checksums of md's members are those of another layer.
const WORDS: &[Word] =
    &[refused("integrity", "a layer below the array; write e.g. integrity(raid1(ext4))")];

/// The key of what an array does after a crash.
pub(crate) const POLICY: &str = "consistency-policy";

/// Gives array $1 the rate of its rebuild, $2 KiB/s, at least and at most.
const PACE: &str = "set -e; d=/sys/class/block/$(basename \"$(readlink -f \"$1\")\")/md; \
                    echo $2 >$d/sync_speed_max; echo $2 >$d/sync_speed_min";

/// Has array $1 do $2, and waits until it has.
const ACT: &str = "set -e; d=/sys/class/block/$(basename \"$(readlink -f \"$1\")\")/md; \
                   echo $2 >$d/sync_action; while [ $(cat $d/sync_action) != idle ]; do sleep 0.1; done";
/// Prints the sectors that differed when the disks of array $1 were compared last.
const MISMATCHES: &str =
    "cat /sys/class/block/$(basename \"$(readlink -f \"$1\")\")/md/mismatch_cnt";
/// Gives array $1 the disk $2, which it may have had before, where it lacks one, and waits until it is up to date.
const JOIN: &str = "d=/sys/class/block/$(basename \"$(readlink -f \"$1\")\")/md; \
                    lacks() { [ $(cat $d/degraded) != 0 ] || [ $(cat $d/sync_action) != idle ]; }; \
                    if [ $(cat $d/degraded) != 0 ]; then \
                    mdadm --manage --quiet \"$1\" --re-add \"$2\" || \
                    mdadm --manage --quiet \"$1\" --add \"$2\" || exit; fi; \
                    for i in $(seq 6000); do lacks || exit 0; sleep 0.1; done; exit 1";

/// The exit status of mdadm if there was no resync to wait for.
const NOTHING_TO_WAIT_FOR: i32 = 1;

const TOOLS: &[Tool] = &[Tool::new("mdadm", ["mdadm"; 4])];

/// A superblock of md 1.1 lies at the start, of 1.2 4 KiB behind it, of 1.0 and 0.90 at the end.
const SIGNATURE: Signature = Signature::Magic(&[
    start(MEMBER, 0, MD, uuid(16)),
    start(MEMBER, 0x1000, MD, uuid(16)),
    Magic { id: uuid(16), ..end(MEMBER, 4096, 8192, MD) },
    end(MEMBER, 65536, 65536, MD),
    end(MEMBER, 65536, 65536, MD_BIG_ENDIAN),
]);

/// A row called `name`, made by these `modules`.
pub(crate) const fn about(
    name: &'static str,
    modules: &'static [&'static str],
    knobs: &'static [Knob],
) -> About {
    About {
        words: WORDS,
        kernel_name: None,
        modules,
        tools: TOOLS,
        inner: Inner::Above,
        min_bytes: 32 << 20,
        signature: SIGNATURE,
        member_of: "an md array",
        mounted: Mounted::local(&[], Stores::Unknown),
        facts: Facts::Without("not researched yet"),
        ..About::new(name, knobs)
    }
}

fn node(site: &Site) -> PathBuf {
    PathBuf::from("/dev/md").join(&site.name)
}

fn given<'o>(options: &'o Options, key: &str, default: &'o str) -> &'o str {
    options.get(key).map_or(default, String::as_str)
}

impl Md {
    /// Whether it survives the loss of a disk, and so has something to resync.
    fn is_redundant(&self) -> bool {
        self.level > 0
    }

    /// The disks that it may lose, whichever they are, and the copies of a block, on `disks` of them.
    fn survives(&self, options: &Options, disks: usize) -> (usize, usize) {
        match self.level {
            1 => (disks.saturating_sub(1), disks),
            5 => (1, 1),
            6 => (2, 1),
            10 => {
                // Two near copies unless the layout says otherwise, e.g. `f3`.
                let layout = options.get("layout").and_then(|given| given.get(1..)?.parse().ok());
                let copies: usize = layout.unwrap_or(2);
                (copies.saturating_sub(1), copies)
            }
            _ => (0, 1),
        }
    }

    /// What keeps the disks alike after a crash.
    fn consistency(&self, options: &Options) -> Option<String> {
        match options.get(POLICY) {
            Some(policy) => Some(format!("--{POLICY}={policy}")),
            None if self.is_redundant() => {
                Some(format!("--bitmap={}", given(options, "bitmap", "internal")))
            }
            None => None,
        }
    }
}

impl FileSystem for Md {
    fn about(&self) -> &About {
        &self.about
    }

    fn disks(&self, options: &Options) -> usize {
        options.get("devices").and_then(|given| given.parse().ok()).unwrap_or(self.devices)
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let create = Cmd::new("mdadm").arg("--create").arg(node(site)).args([
            "--run",
            "--quiet",
            &format!("--level={}", self.level),
            &format!("--raid-devices={}", site.disks.len()),
            &format!("--metadata={}", given(options, "metadata", "1.2")),
            &format!("--name={}", site.name),
        ]);
        let create = create.args(self.consistency(options));
        let create = create.args(long_options(options, &["bitmap-chunk", "chunk", "layout"]));
        let wait = self
            .is_redundant()
            .then(|| Cmd::new("mdadm").arg("--wait").arg(node(site)).accepts(NOTHING_TO_WAIT_FOR));
        std::iter::once(create.args(&site.disks)).chain(wait).chain([stop(site)]).collect()
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

    fn redundancy(&self, options: &Options) -> Option<Redundancy> {
        let has_lost = [DEGRADED, RESYNC].iter().any(|key| options.contains_key(*key));
        let (losses, copies) = self.survives(options, self.disks(options));
        let redundancy = Redundancy { losses, copies, is_remembered: false };
        (losses > 0 && !has_lost).then_some(redundancy)
    }

    fn mount_degraded(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        let assemble = Cmd::new("mdadm").args(["--assemble", "--quiet", "--run"]);
        vec![assemble.arg(node(site)).args(&site.disks)]
    }

    fn scrub(&self, site: &Site) -> Vec<Repair> {
        vec![act(site, "check")]
    }

    fn found(&self, site: &Site) -> Option<Cmd> {
        Some(script(MISMATCHES, site))
    }

    fn read_found(&self, output: &str) -> Option<u64> {
        output.trim().parse().ok()
    }

    fn make_alike(&self, site: &Site) -> Vec<Repair> {
        vec![act(site, "repair")]
    }

    fn rejoin(&self, site: &Site, disk: &Path) -> Vec<Repair> {
        vec![Repair::Command(script(JOIN, site).arg(disk))]
    }

    fn replace(&self, site: &Site, _options: &Options, _number: usize, new: &Path) -> Vec<Repair> {
        self.rejoin(site, new)
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

    fn offers(&self, site: &Site) -> Vec<PathBuf> {
        vec![node(site)]
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
            ("Layout", "layout"),
            ("Chunk Size", "chunk"),
            // `clean` or `active`; with `resyncing` or `degraded` it is not what it seems.
            ("State", "state"),
            ("Consistency Policy", "consistency"),
            ("Resync Status", "resync"),
        ];
        let mut all = kept_lines(output, KEPT);
        // Of raid0, whose layout matters only on disks of different sizes.
        all.retain(|(_, value)| value != "-unknown-");
        all
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

/// A script about the array of `site`, which is its first argument.
fn script(text: &str, site: &Site) -> Cmd {
    Cmd::new("sh").args(["-c", text, &site.name]).arg(node(site))
}

/// Has the array do `what`, and waits until it has.
fn act(site: &Site, what: &str) -> Repair {
    Repair::Command(script(ACT, site).arg(what))
}

fn stop(site: &Site) -> Cmd {
    Cmd::new("mdadm").args(["--stop", "--quiet"]).arg(node(site))
}
