//! XFS, by xfsprogs. Options are those of xfs(5) and mkfs.xfs(8).

use crate::file_system::{
    ANY_MKFS, ANY_MOUNT, DISCARD, LAZYTIME, NOATIME, NODISCARD, STRICTATIME, flag, mkfs_flags,
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
    value("logbufs", "buffers", "log buffers in memory", "8", &["2", "3", "4", "5", "6", "7", "8"]),
    value(
        "logbsize",
        "bytes",
        "size of a log buffer",
        "32k",
        &["16k", "32k", "64k", "128k", "256k"],
    ),
    value("allocsize", "bytes", "space that a growing file reserves ahead", "64k, dynamic", &[]),
    value("sunit", "sectors", "stripe unit that the allocator aligns to", "from mkfs", &[]),
    value("swidth", "sectors", "stripe width that the allocator aligns to", "from mkfs", &[]),
    flag("largeio", "report the stripe width as the best I/O size"),
    flag("nolargeio", "report the page size as the best I/O size (the default)"),
    flag("inode64", "put inodes anywhere (the default)"),
    flag("inode32", "put inodes where their numbers fit 32 bits"),
    flag("swalloc", "align allocations to the stripe width"),
    flag("filestreams", "keep the files of a directory in one allocation group"),
    flag("wsync", "make every change of a directory synchronous"),
    DISCARD,
    NODISCARD,
    ANY_MKFS,
    ANY_MOUNT,
];

impl FileSystem for Fs {
    fn name(&self) -> &'static str {
        "xfs"
    }

    fn knobs(&self) -> &'static [Knob] {
        KNOBS
    }

    fn tools(&self) -> &'static [Tool] {
        &[
            Tool { program: "mkfs.xfs", debian: "xfsprogs", rhel: "xfsprogs" },
            Tool { program: "xfs_info", debian: "xfsprogs", rhel: "xfsprogs" },
        ]
    }

    fn min_bytes(&self) -> u64 {
        300 << 20
    }

    fn mkfs(&self, device: &Path, options: &Options) -> Vec<Cmd> {
        let cmd = Cmd::new("mkfs.xfs").args(["-f", "-q", "-K"]);
        vec![cmd.args(mkfs_flags(options, &["K"])).arg(device)]
    }

    fn mount(&self, source: &Path, dir: &Path, options: &Options) -> Vec<Cmd> {
        mount_command("xfs", source, dir, mount_options(options, &[]))
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("mkfs.xfs").arg("-V"))
    }

    fn geometry(&self, _device: &Path, dir: &Path) -> Option<Cmd> {
        Some(Cmd::new("xfs_info").arg(dir))
    }

    /// `xfs_info` prints sections of `key=value`; a line that starts with `=` goes on with the
    /// section above.
    fn read_geometry(&self, output: &str) -> Vec<(String, String)> {
        const KEPT: &[&str] = &[
            "meta-data.isize",
            "meta-data.agcount",
            "meta-data.crc",
            "meta-data.rmapbt",
            "meta-data.reflink",
            "meta-data.bigtime",
            "data.bsize",
            "data.blocks",
            "data.sunit",
            "data.swidth",
            "log.blocks",
        ];
        let mut section = "";
        let mut found = Vec::new();
        for line in output.lines() {
            let (head, rest) = line.split_once('=').unwrap_or((line, ""));
            section = head.split_whitespace().next().unwrap_or(section);
            let pairs = rest.split([' ', ',']).filter_map(|word| word.split_once('='));
            let named = pairs.map(|(key, value)| (format!("{section}.{key}"), value.to_string()));
            found.extend(named.filter(|(key, _)| KEPT.contains(&key.as_str())));
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
        assert_eq!(commands("xfs"), ["mkfs.xfs -f -q -K /dev/loopN", "mount -t xfs /dev/loopN /m"]);
    }

    #[test]
    fn with_options() {
        assert_eq!(
            commands(r#"xfs[mkfs.m="rmapbt=1,reflink=0",logbsize=256k,o.nouuid]"#),
            [
                "mkfs.xfs -f -q -K -m rmapbt=1,reflink=0 /dev/loopN",
                "mount -t xfs -o logbsize=256k,nouuid /dev/loopN /m",
            ]
        );
    }

    #[test]
    fn geometry_is_trimmed() {
        let text = "meta-data=/dev/loop0  isize=512    agcount=4, agsize=25600 blks\n\
                    \x20        =            crc=1        finobt=1, sparse=1, rmapbt=0\n\
                    data     =            bsize=4096   blocks=102400, imaxpct=25\n\
                    naming   =version 2   bsize=4096   ascii-ci=0, ftype=1\n";
        let pairs = [
            ("meta-data.isize", "512"),
            ("meta-data.agcount", "4"),
            ("meta-data.crc", "1"),
            ("meta-data.rmapbt", "0"),
            ("data.bsize", "4096"),
            ("data.blocks", "102400"),
        ];
        assert_eq!(Fs.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
