//! Btrfs, by btrfs-progs. Options are those of btrfs(5) and mkfs.btrfs(8).

use crate::file_system::{
    ANY_MKFS, ANY_MOUNT, LAZYTIME, NOATIME, NODISCARD, STRICTATIME, flag, mkfs_flags,
    mount_command, mount_options, value,
};
use crate::{Cmd, FileSystem, Tool};
use model::{Knob, Options};
use std::path::Path;

/// The registered file system.
pub(super) struct Fs;

const KNOBS: &[Knob] = &[
    NOATIME,
    STRICTATIME,
    LAZYTIME,
    value(
        "compress",
        "",
        "compress what seems to shrink: zstd, zstd:1 to zstd:15, lzo, zlib, no",
        "no",
        &[],
    ),
    value("compress-force", "", "compress everything, with the values of compress", "no", &[]),
    value("space_cache", "", "how free space is remembered", "v2", &["v1", "v2"]),
    value("discard", "", "tell the device about freed blocks", "not given", &["", "sync", "async"]),
    NODISCARD,
    value("commit", "s", "longest time between commits", "30", &[]),
    value("max_inline", "bytes", "largest file kept inside the metadata", "2048", &[]),
    value("thread_pool", "threads", "worker threads", "processors + 2, at most 8", &[]),
    value("metadata_ratio", "chunks", "data chunks for one metadata chunk", "0", &[]),
    flag("autodefrag", "rewrite files with small random writes in the background"),
    flag("nodatacow", "overwrite in place, without checksums and compression"),
    flag("nodatasum", "no checksums of data"),
    flag("flushoncommit", "write all data at every commit"),
    flag("notreelog", "make every fsync a full commit"),
    flag("ssd", "allocate as for flash"),
    flag("ssd_spread", "allocate as for slow flash"),
    flag("nossd", "allocate as for disks"),
    ANY_MKFS,
    ANY_MOUNT,
];

impl FileSystem for Fs {
    fn name(&self) -> &'static str {
        "btrfs"
    }

    fn knobs(&self) -> &'static [Knob] {
        KNOBS
    }

    fn tools(&self) -> &'static [Tool] {
        &[
            Tool { program: "mkfs.btrfs", debian: "btrfs-progs", rhel: "btrfs-progs" },
            Tool { program: "btrfs", debian: "btrfs-progs", rhel: "btrfs-progs" },
        ]
    }

    fn min_bytes(&self) -> u64 {
        128 << 20
    }

    fn mkfs(&self, device: &Path, options: &Options) -> Vec<Cmd> {
        let cmd = Cmd::new("mkfs.btrfs").args(["-f", "-q", "-K"]);
        vec![cmd.args(mkfs_flags(options, &["K"])).arg(device)]
    }

    fn mount(&self, source: &Path, dir: &Path, options: &Options) -> Vec<Cmd> {
        // Btrfs alone discards by default when the device can; all candidates get the same policy.
        let defaults: &[&str] =
            if options.contains_key("discard") || options.contains_key("nodiscard") {
                &[]
            } else {
                &["nodiscard"]
            };
        mount_command("btrfs", source, dir, mount_options(options, defaults))
    }

    fn settle(&self, dir: &Path) -> Vec<Cmd> {
        // Beside the sync it wakes the transaction thread, which would clean up to 30 s later.
        vec![Cmd::new("btrfs").args(["filesystem", "sync"]).arg(dir)]
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.btrfs").arg("-V"))
    }

    fn geometry(&self, _device: &Path, dir: &Path) -> Option<Cmd> {
        Some(Cmd::new("btrfs").args(["filesystem", "usage", "-b"]).arg(dir))
    }

    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for line in output.lines().filter_map(|line| line.split_once(':')) {
            let (key, value) = (line.0.trim(), line.1.trim());
            match (key, key.split_once(',')) {
                ("Device size", _) => found.push(("device_bytes".into(), value.into())),
                (_, Some((kind @ ("Data" | "Metadata" | "System"), profile))) => {
                    found.push((format!("profile.{}", kind.to_lowercase()), profile.into()));
                }
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::commands;

    #[test]
    fn plain() {
        assert_eq!(
            commands("btrfs"),
            ["mkfs.btrfs -f -q -K /dev/loopN", "mount -t btrfs -o nodiscard /dev/loopN /m",]
        );
    }

    #[test]
    fn with_options() {
        assert_eq!(
            commands("btrfs[compress=zstd:3,discard=async,mkfs.csum=xxhash]"),
            [
                "mkfs.btrfs -f -q -K --csum xxhash /dev/loopN",
                "mount -t btrfs -o compress=zstd:3,discard=async /dev/loopN /m",
            ]
        );
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "Overall:\n    Device size:\t\t   419430400\n    Free (statfs, df):\t 3\n\n\
                    Data,single: Size:8388608, Used:0 (0.00%)\n   /dev/loop0\t   8388608\n\n\
                    Metadata,DUP: Size:33554432, Used:131072 (0.39%)\n";
        let pairs = [
            ("device_bytes", "419430400"),
            ("profile.data", "single"),
            ("profile.metadata", "DUP"),
        ];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
