//! bcache: a disk with a second one as its cache, by the kernel's bcache driver. The first disk of the
//! lab is the backing disk, the second the cache. Options are those of make-bcache(8) and of the
//! driver's files in sysfs (`Documentation/admin-guide/bcache.rst`).
//!
//! What is cold: nothing in memory, and nothing in the cache disk either, so that what a cold case
//! reads comes from the backing disk. With `cold=kept` the cache disk keeps its content, as it does
//! over a reboot, and a cold case may be read from it.
//!
//! What only the cache holds (`cache_mode=writeback`) is written back before a case begins, and after
//! it, in the time that is charged to it as settling: a case does not pay for an earlier one. A sync
//! is durable on both disks together; a backing disk without its cache is not what was synced.

use crate::facts::Facts;
use crate::magic::{Signature, start, uuid};
use crate::mounted::{Mounted, Stores};
use crate::options::{kept_lines, value};
use crate::{About, Cmd, FileSystem, Inner, Remains, Settle, Site, Tool, site::OURS};
use model::target::{Knob, Options};
use std::path::PathBuf;

/// The registered part.
pub(crate) struct Fs;

/// Gives the set a UUID of which one half is ours and the other new.
const MAKE: &str = "exec make-bcache --cset-uuid \
                    \"$(cut -c 1-18 /proc/sys/kernel/random/uuid)-$0\" \"$@\"";

/// Everything that is done by files of sysfs.
const SCRIPT: &str = include_str!("bcache.sh");

const KNOBS: &[Knob] = &[
    value(
        "cache_mode",
        "",
        "writethrough: to both; writeback: to the cache, later to the disk; writearound: to the disk",
        "writethrough",
        &["writethrough", "writeback", "writearound", "none"],
    ),
    value(
        "sequential_cutoff",
        "bytes",
        "sequential I/O beyond this bypasses the cache; 0 disables this",
        "4194304",
        &[],
    ),
    value("writeback_percent", "%", "share of the cache that may be dirty", "10", &[]),
    value(
        "bucket",
        "bytes",
        "allocation unit of the cache, e.g. 256k",
        "512k, on disks below 512 MiB 128k",
        &[],
    ),
    value("cold", "", "content of the cache disk after a cold start", "empty", &["empty", "kept"]),
];

/// Writeback starts this long after its last round, seconds. By default 30: then every case would wait
/// so long for the last of its data.
const WRITEBACK_DELAY: &str = "writeback_delay=1";

/// On smaller disks the default of make-bcache would leave too few buckets.
const SMALL: u64 = 512 << 20;

/// Settings that are files of sysfs.
const SETTINGS: &[&str] = &["cache_mode", "sequential_cutoff", "writeback_percent"];

/// A name of our own for the disk, whose number the kernel chooses.
fn disk(site: &Site) -> PathBuf {
    site.scratch.join("disk")
}

/// The prefix of our half of a UUID.
const PREFIX: &str = "a55a";

/// The last 8 bytes of the UUID of the set of the cache called `name`, which is `assay-`, hexadecimal
/// digits, `-` and a number. The first 8 are the driver's magic number for all that is in the cache and
/// have to be new with every set: what an earlier one left on the disk would be taken for its own.
pub fn set_mark(name: &str) -> String {
    let own = name.strip_prefix(OURS).unwrap_or(name).replace('-', "");
    format!("{PREFIX}-{own:0>12}")
}

/// The script with what it is to do.
fn script(act: &str, site: &Site) -> Cmd {
    Cmd::new("sh").args(["-c", SCRIPT, "bcache", act]).arg(site.disk())
}

const ABOUT: &About = &About {
    kernel_name: None,
    modules: &["bcache"],
    tools: &[Tool::new("make-bcache", ["bcache-tools", "bcache-tools", "bcache-tools", ""])],
    inner: Inner::Above,
    // The driver refuses a cache of 512 buckets or fewer.
    min_bytes: 72 << 20,
    // bcache and bcachefs share the head of their identity, which no file system does.
    signature: Signature::Magic(&[start(
        "bcache",
        0x1018,
        &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca],
        uuid(16),
    )]),
    member_of: "a bcache set",
    mounted: Mounted::local(&[], Stores::Unknown),
    facts: Facts::Without("not researched yet"),
    ..About::new("bcache", KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn disks(&self, _options: &Options) -> usize {
        2
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let by_size = if site.bytes < SMALL { "128k" } else { "512k" };
        let bucket = options.get("bucket").map_or(by_size, String::as_str);
        let mark = set_mark(&site.name);
        let cmd = Cmd::new("sh").args(["-c", MAKE, &mark, "--bucket", bucket]);
        vec![cmd.arg("-B").arg(site.disk()).arg("-C").args(site.disks.get(1))]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let cold = options.get("cold").map_or("empty", String::as_str);
        let cmd = script("up", site).args(site.disks.get(1)).arg(&site.name).arg(disk(site));
        let given = SETTINGS.iter().filter_map(|key| Some(format!("{key}={}", options.get(*key)?)));
        vec![cmd.args([cold, WRITEBACK_DELAY]).args(given)]
    }

    fn unmount(&self, site: &Site) -> Vec<Cmd> {
        // The driver gives both disks up in its own time; what undoes it waits for that.
        vec![script("clean", site), Cmd::new("rm").arg("-f").arg(disk(site))]
    }

    fn offers(&self, site: &Site) -> Vec<PathBuf> {
        vec![disk(site)]
    }

    fn settle(&self, site: &Site) -> Vec<Settle> {
        vec![Settle::Command(script("clean", site))]
    }

    fn undo(&self, site: &Site) -> Vec<Remains> {
        vec![Remains::Cache(site.name.clone())]
    }

    fn geometry(&self, site: &Site) -> Option<Cmd> {
        Some(script("show", site))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[(&str, &str)] = &[
            ("state", "state"),
            ("cache_mode", "cache_mode"),
            ("sequential_cutoff", "sequential_cutoff"),
            ("writeback_percent", "writeback_percent"),
            ("bucket", "bucket"),
        ];
        let chosen = |value: &str| match value.split_once('[').and_then(|(_, v)| v.split_once(']'))
        {
            Some((chosen, _)) => chosen.to_string(),
            None => value.to_string(),
        };
        kept_lines(output, KEPT).into_iter().map(|(key, value)| (key, chosen(&value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    /// The commands of `target`, with the names of the scripts in their place.
    fn run(target: &str) -> Vec<String> {
        let script = SCRIPT.replace('\'', r"'\''");
        let named = |line: &String| line.replace(&script, "SCRIPT").replace(MAKE, "MAKE");
        commands(target).iter().map(named).collect()
    }

    #[test]
    fn plain_under_ext4_and_with_options() {
        assert_eq!(commands("bcache"), commands("bcache(ext4)"));
        assert_eq!(
            run("bcache[cache_mode=writeback,sequential_cutoff=0,bucket=256k,cold=kept](xfs)"),
            [
                "sh -c 'MAKE' a55a-000000000000 --bucket 256k -B /dev/loopN -C /dev/loopM",
                "sh -c 'SCRIPT' bcache up /dev/loopN /dev/loopM assay-0 SCRATCH0/disk kept \
                 writeback_delay=1 cache_mode=writeback sequential_cutoff=0",
                "mkfs.xfs -f -q -K SCRATCH0/disk",
                "mount -t xfs SCRATCH0/disk /m",
            ]
        );
    }

    #[test]
    fn geometry_tells_the_chosen_mode() {
        let text = "state: dirty\ncache_mode: writethrough [writeback] writearound none\n";
        let pairs = [("state", "dirty"), ("cache_mode", "writeback")];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
