//! gocryptfs: files and names encrypted one by one. The password protects nothing.

use super::common::fuse_over::{ANY_OPTION, Over, about, long, name};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::options::{ANY_MKFS, flag, mkfs_flags, value};
use crate::trial::{risky, safe};
use crate::{About, Cmd, Tool};
use model::target::Knob;

const KNOBS: &[Knob] = &[
    flag("kernel_cache", "keep the page cache after close"),
    flag("serialize_reads", "one read at a time, for slow stores"),
    flag("noprealloc", "do not reserve space before a write"),
    flag("sharedstorage", "allow changes to the store by others"),
    value("openssl", "", "use OpenSSL instead of Go's crypto", "auto", &["auto", "true", "false"]),
    flag("mkfs.aessiv", "encrypt with AES-SIV"),
    flag("mkfs.xchacha", "encrypt with XChaCha20-Poly1305"),
    flag("mkfs.plaintextnames", "do not encrypt names"),
    ANY_MKFS,
    ANY_OPTION,
];

pub(crate) const ROW: Over = Over {
    about: About {
        tools: &[Tool::new("gocryptfs", ["gocryptfs"; 4])],
        trials: &[
            safe("kernel_cache", ""),
            safe("serialize_reads", ""),
            safe("mkfs.plaintextnames", ""),
            safe("mkfs.xchacha", ""),
            risky("noprealloc", "", "a full disk may leave unreadable files"),
        ],
        signature: Signature::Without("it shows a directory"),
        mounted: Mounted::local(&["fuse.gocryptfs"], Stores::Whole),
        facts: Facts::Sheet(include_str!("gocryptfs.toml")),
        ..about("gocryptfs", KNOBS)
    },
    kind: "fuse.gocryptfs",
    init: |store, options| {
        let cmd = Cmd::new("gocryptfs").args(["--init", "--quiet", "--extpass", PASSWORD]);
        vec![cmd.args(mkfs_flags(options, &[])).arg(store)]
    },
    serve: |site, store, options| {
        let cmd = Cmd::new("gocryptfs").args(["--fg", "--quiet", "--nosyslog"]);
        let cmd = cmd.args(["--extpass", PASSWORD, "--fsname", &site.name]);
        cmd.args(long(options)).arg(store)
    },
    version: &["--version"],
    source: name,
    settle: |_| Vec::new(),
};

/// The command that prints the password, which protects nothing.
const PASSWORD: &str = "echo assay";

#[cfg(test)]
mod tests {
    use crate::systems::common::fuse_over::tests::over;

    #[test]
    fn some_options_are_the_stores_and_some_the_mounts() {
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
}
