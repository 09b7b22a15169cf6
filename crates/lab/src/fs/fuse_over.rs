//! FUSE programs that show a directory at another place: one row each. All lie in the directory
//! `store` of the file system below, ext4 when the target names none, run in the foreground, and end
//! with the mount.
//!
//! Options without `mkfs.` go to the mount. Programs that take `-o` get them as other file systems do;
//! rclone and gocryptfs get `--X=V` for `X=V`.

use crate::file_system::{ANY_MKFS, flag, mkfs_flags, mount_options, value};
use crate::trial::{risky, safe};
use crate::{Cmd, FileSystem, Inner, Ready, Site, Tool, Trial};
use model::{Knob, Options};
use std::path::{Path, PathBuf};

/// One program.
pub(super) struct Over {
    name: &'static str,
    /// Type in the mount table.
    kind: &'static str,
    tools: &'static [Tool],
    knobs: &'static [Knob],
    trials: &'static [Trial],
    /// What prepares the store.
    init: fn(store: &Path, options: &Options) -> Vec<Cmd>,
    /// The server over the store, without its last argument, the directory.
    serve: fn(site: &Site, store: &Path, options: &Options) -> Cmd,
    version: &'static str,
    /// What the mount table shows as its source.
    source: fn(&Site) -> PathBuf,
    /// Why a sync through it promises nothing; `None` where it reaches the file system below.
    not_durable: Option<&'static str>,
}

pub(super) const BINDFS: Over = Over {
    name: "bindfs",
    kind: "fuse",
    tools: &[Tool { program: "bindfs", debian: "bindfs", rhel: "bindfs" }],
    knobs: &[
        flag("multithreaded", "serve requests side by side, not one after the other"),
        value(
            "forward-odirect",
            "bytes",
            "pass O_DIRECT on, aligned to this",
            "not passed on",
            &[],
        ),
        ATTRIBUTE_TIMEOUT,
        ENTRY_TIMEOUT,
        ANY_OPTION,
    ],
    trials: &[safe("multithreaded", ""), safe("attr_timeout", "1"), safe("entry_timeout", "1")],
    init: nothing,
    serve: |_, store, options| with_o(Cmd::new("bindfs").arg("-f"), options, &[]).arg(store),
    version: "--version",
    source: store,
    not_durable: None,
};

pub(super) const MERGERFS: Over = Over {
    name: "mergerfs",
    kind: "fuse.mergerfs",
    tools: &[Tool { program: "mergerfs", debian: "mergerfs", rhel: "mergerfs" }],
    knobs: &[
        value(
            "cache.files",
            "",
            "when the kernel keeps file data",
            "libfuse",
            &["libfuse", "off", "partial", "full", "auto-full", "per-process"],
        ),
        value("cache.writeback", "", "gather small writes in the kernel", "false", BOOL),
        value("cache.attr", "s", "how long attributes are kept", "1", &[]),
        value("cache.entry", "s", "how long names are kept", "1", &[]),
        value("cache.negative_entry", "s", "how long missing names are kept", "0", &[]),
        value("cache.readdir", "", "keep listings of directories", "false", BOOL),
        value("cache.statfs", "s", "how long the free space is kept", "0", &[]),
        value("async_read", "", "several reads of a file at once", "true", BOOL),
        value("dropcacheonclose", "", "drop a file's data when it is closed", "false", BOOL),
        value("threads", "threads", "threads that serve", "processors", &[]),
        value("fuse_msg_size", "pages", "largest request", "256", &[]),
        value("minfreespace", "bytes", "space below which no file is made", "0, said for all", &[]),
        ANY_OPTION,
    ],
    trials: &[
        safe("cache.files", "partial"),
        safe("cache.files", "full"),
        safe("cache.files", "off"),
        safe("cache.readdir", "true"),
        safe("threads", "4"),
        safe("async_read", "false"),
    ],
    init: nothing,
    serve: |site, store, options| {
        // By default it makes no file with less than 4 GiB free, which is more than an image has.
        let own: &[&str] =
            if options.contains_key("minfreespace") { &[] } else { &["minfreespace=0"] };
        with_o(Cmd::new("mergerfs").arg("-f"), options, &[&[&*named(site)], own].concat())
            .arg(store)
    },
    version: "--version",
    source: name,
    not_durable: None,
};

pub(super) const GOCRYPTFS: Over = Over {
    name: "gocryptfs",
    kind: "fuse.gocryptfs",
    tools: &[Tool { program: "gocryptfs", debian: "gocryptfs", rhel: "gocryptfs" }],
    knobs: &[
        flag("kernel_cache", "let the kernel keep data beyond the close of a file"),
        flag("serialize_reads", "one read at a time, for slow stores"),
        flag("noprealloc", "do not reserve space before a write"),
        flag("sharedstorage", "allow others to change the store"),
        value(
            "openssl",
            "",
            "use OpenSSL, not the code of the language",
            "auto",
            &["auto", "true", "false"],
        ),
        flag("mkfs.aessiv", "encrypt with AES-SIV"),
        flag("mkfs.xchacha", "encrypt with XChaCha20-Poly1305"),
        flag("mkfs.plaintextnames", "leave names as they are"),
        ANY_MKFS,
        ANY_OPTION,
    ],
    trials: &[
        safe("kernel_cache", ""),
        safe("serialize_reads", ""),
        safe("mkfs.plaintextnames", ""),
        safe("mkfs.xchacha", ""),
        risky("noprealloc", "", "a full disk may leave a file that cannot be read"),
    ],
    init: |store, options| {
        let cmd = Cmd::new("gocryptfs").args(["--init", "--quiet", "--extpass", PASSWORD]);
        vec![cmd.args(mkfs_flags(options, &[])).arg(store)]
    },
    serve: |site, store, options| {
        let cmd = Cmd::new("gocryptfs").args(["--fg", "--quiet", "--nosyslog"]);
        let cmd = cmd.args(["--extpass", PASSWORD, "--fsname", &site.name]);
        cmd.args(long(options)).arg(store)
    },
    version: "--version",
    source: name,
    not_durable: None,
};

pub(super) const SSHFS: Over = Over {
    name: "sshfs",
    kind: "fuse.sshfs",
    tools: &[
        Tool { program: "sshfs", debian: "sshfs", rhel: "fuse-sshfs" },
        Tool { program: "sftp-server", debian: "openssh-sftp-server", rhel: "openssh-server" },
    ],
    knobs: &[
        value("max_conns", "connections", "connections side by side", "1", &[]),
        value("dir_cache", "", "keep listings of directories", "yes", &["yes", "no"]),
        value("dcache_timeout", "s", "how long they are kept", "20", &[]),
        flag("no_readahead", "read what is asked for and no more"),
        flag("sshfs_sync", "wait for the answer to every write"),
        flag("direct_io", "keep no data in the kernel"),
        flag("kernel_cache", "let the kernel keep data beyond the close of a file"),
        ATTRIBUTE_TIMEOUT,
        ENTRY_TIMEOUT,
        ANY_OPTION,
    ],
    trials: &[
        safe("max_conns", "4"),
        safe("no_readahead", ""),
        safe("dir_cache", "no"),
        safe("sshfs_sync", ""),
        safe("kernel_cache", ""),
    ],
    init: nothing,
    serve: |site, store, options| {
        // The protocol alone, by a pipe to the server of files: no network and no encryption.
        let own = [&*named(site), "ssh_command=sh -c sftp-server"];
        let from = format!("localhost:{}", store.display());
        let cmd = Cmd::new("sshfs").arg("-f").env("PATH", SFTP_PATH);
        with_o(cmd, options, &own).arg(from)
    },
    version: "--version",
    source: name,
    not_durable: None,
};

pub(super) const RCLONE: Over = Over {
    name: "rclone",
    kind: "fuse.rclone",
    tools: &[Tool { program: "rclone", debian: "rclone", rhel: "rclone" }],
    knobs: &[
        value(
            CACHE_MODE,
            "",
            "which files are kept in a cache on disk; less than writes refuses random writes",
            "writes, said for all",
            &["off", "minimal", "writes", "full"],
        ),
        value(
            WRITE_BACK,
            "duration",
            "wait before a closed file is stored",
            "0s, said for all",
            &[],
        ),
        value("vfs-cache-max-size", "bytes", "size of the cache on disk", "off", &[]),
        value("vfs-read-chunk-size", "bytes", "length of the first read of a file", "128Mi", &[]),
        value("vfs-read-ahead", "bytes", "read ahead with cache mode full", "0", &[]),
        value("buffer-size", "bytes", "memory of an open file", "16Mi", &[]),
        value("dir-cache-time", "duration", "how long listings are kept", "5m", &[]),
        value("attr-timeout", "duration", "how long attributes are kept", "1s", &[]),
        value("max-read-ahead", "bytes", "read ahead of the kernel", "128Ki", &[]),
        value("transfers", "files", "files that are stored side by side", "4", &[]),
        flag("write-back-cache", "gather small writes in the kernel"),
        flag("no-modtime", "keep no times of changes"),
        ANY_OPTION,
    ],
    trials: &[
        safe(CACHE_MODE, "full"),
        safe("attr-timeout", "10s"),
        safe("write-back-cache", ""),
        safe("max-read-ahead", "1Mi"),
        safe("transfers", "16"),
    ],
    init: nothing,
    serve: |site, store, options| {
        let mut cmd = Cmd::new("rclone").args(["mount", "--config", "", "--devname", &site.name]);
        cmd = cmd.arg("--cache-dir").arg(site.below().join("cache"));
        // Stored as soon as closed: what is stored later would be done during the next test.
        for (key, value) in [(CACHE_MODE, "writes"), (WRITE_BACK, "0s")] {
            if !options.contains_key(key) {
                cmd = cmd.arg(format!("--{key}={value}"));
            }
        }
        cmd.args(long(options)).arg(format!(":local:{}", store.display()))
    },
    version: "version",
    source: name,
    not_durable: Some("rclone answers a sync before any file below it is synced"),
};

const BOOL: &[&str] = &["true", "false"];
const ATTRIBUTE_TIMEOUT: Knob =
    value("attr_timeout", "s", "how long attributes are kept", "1", &[]);
const ENTRY_TIMEOUT: Knob = value("entry_timeout", "s", "how long names are kept", "1", &[]);
const ANY_OPTION: Knob =
    value("o.*", "", "any other option of the program, unchecked: o.X=V is given as X=V", "", &[]);
const CACHE_MODE: &str = "vfs-cache-mode";
const WRITE_BACK: &str = "vfs-write-back";
/// What tells gocryptfs a password that protects nothing.
const PASSWORD: &str = "echo assay";
/// Where Debian and RHEL keep sftp-server.
const SFTP_PATH: &str = "/usr/bin:/bin:/usr/lib/openssh:/usr/libexec/openssh";

fn nothing(_store: &Path, _options: &Options) -> Vec<Cmd> {
    Vec::new()
}

/// Where it keeps its files.
fn store(site: &Site) -> PathBuf {
    site.below().join("store")
}

fn name(site: &Site) -> PathBuf {
    PathBuf::from(&site.name)
}

/// Has the mount table show the name of the site as source.
fn named(site: &Site) -> String {
    format!("fsname={}", site.name)
}

fn with_o(cmd: Cmd, options: &Options, defaults: &[&str]) -> Cmd {
    match mount_options(options, defaults) {
        Some(options) => cmd.args(["-o", &options]),
        None => cmd,
    }
}

/// The options of the mount as `--X=V`.
fn long(options: &Options) -> Vec<String> {
    let own = options.iter().filter(|(key, _)| !key.starts_with("mkfs."));
    let flag = |(key, value): (&String, &String)| {
        let key = key.strip_prefix("o.").unwrap_or(key);
        if value.is_empty() { format!("--{key}") } else { format!("--{key}={value}") }
    };
    own.map(flag).collect()
}

impl FileSystem for Over {
    fn name(&self) -> &'static str {
        self.name
    }

    fn knobs(&self) -> &'static [Knob] {
        self.knobs
    }

    fn trials(&self) -> &'static [Trial] {
        self.trials
    }

    fn kernel_name(&self) -> Option<&'static str> {
        Some("fuse")
    }

    fn tools(&self) -> &'static [Tool] {
        self.tools
    }

    fn inner(&self) -> Inner {
        Inner::Below
    }

    fn default_inner(&self) -> Option<&'static str> {
        Some("ext4")
    }

    fn disks(&self, _options: &Options) -> usize {
        0
    }

    fn mkfs(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let store = store(site);
        let mut commands = vec![Cmd::new("mkdir").arg(&store)];
        commands.extend((self.init)(&store, options));
        commands
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let server = (self.serve)(site, &store(site), options).arg(&site.dir);
        vec![server.serve(Ready::Mounted(site.dir.clone()))]
    }

    fn source(&self, site: &Site, _options: &Options) -> PathBuf {
        (self.source)(site)
    }

    /// The kernel keeps what lies in the directory below, and forgets what was read through the mount
    /// when a file is opened again.
    fn has_own_cache(&self) -> bool {
        true
    }

    fn not_durable(&self, _options: &Options) -> Option<&'static str> {
        self.not_durable
    }

    fn mount_kind(&self, _options: &Options) -> Option<&str> {
        Some(self.kind)
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new(self.tools[0].program).arg(self.version))
    }
}

#[cfg(test)]
mod tests {
    use crate::{FileSystem, plan::tests::commands};
    use model::Options;

    /// The commands after those of the ext4 below.
    fn over(target: &str) -> Vec<String> {
        commands(target).split_off(2)
    }

    #[test]
    fn bindfs_and_mergerfs() {
        assert_eq!(over("bindfs"), ["mkdir /m0/store", "bindfs -f /m0/store /m &"]);
        assert_eq!(
            over("bindfs[multithreaded]"),
            ["mkdir /m0/store", "bindfs -f -o multithreaded /m0/store /m &"]
        );
        assert_eq!(
            over("mergerfs[cache.files=full]"),
            [
                "mkdir /m0/store",
                "mergerfs -f -o fsname=assay-1,minfreespace=0,cache.files=full /m0/store /m &",
            ]
        );
        assert!(commands("bindfs(xfs)")[0].starts_with("mkfs.xfs "));
    }

    #[test]
    fn gocryptfs_has_options_of_the_store_and_of_the_mount() {
        assert_eq!(
            over("gocryptfs[mkfs.xchacha,openssl=false]"),
            [
                "mkdir /m0/store",
                "gocryptfs --init --quiet --extpass 'echo assay' --xchacha /m0/store",
                "gocryptfs --fg --quiet --nosyslog --extpass 'echo assay' --fsname assay-1 \
                 --openssl=false /m0/store /m &",
            ]
        );
    }

    #[test]
    fn sshfs_speaks_to_a_server_without_network() {
        assert_eq!(
            over("sshfs[max_conns=2]")[1],
            "PATH=/usr/bin:/bin:/usr/lib/openssh:/usr/libexec/openssh sshfs -f -o \
             'fsname=assay-1,ssh_command=sh -c sftp-server,max_conns=2' localhost:/m0/store /m &"
        );
    }

    #[test]
    fn rclone_stores_at_once_and_promises_nothing() {
        let durable = |fs: &super::Over| fs.not_durable(&Options::new()).is_none();
        assert!(durable(&super::BINDFS) && !durable(&super::RCLONE));
        assert_eq!(
            over("rclone[vfs-cache-mode=full]")[1],
            "rclone mount --config '' --devname assay-1 --cache-dir /m0/cache \
             --vfs-write-back=0s --vfs-cache-mode=full :local:/m0/store /m &"
        );
    }
}
