//! sshfs: SFTP over a pipe to a local server process: no network and no encryption.

use super::common::fuse_over::{
    ANY_OPTION, ATTRIBUTE_TIMEOUT, ENTRY_TIMEOUT, Over, about, name, named, nothing, with_o,
};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::Mounted;
use crate::options::{flag, value};
use crate::{About, Cmd, Tool, trial::safe};
use model::target::Knob;

const KNOBS: &[Knob] = &[
    value("max_conns", "connections", "parallel connections", "1", &[]),
    value("dir_cache", "", "cache directory listings", "yes", &["yes", "no"]),
    value("dcache_timeout", "s", "cache timeout", "20", &[]),
    flag("no_readahead", "no read-ahead"),
    flag("sshfs_sync", "wait for each write to complete"),
    flag("direct_io", "do not use the page cache"),
    flag("kernel_cache", "keep the page cache after close"),
    ATTRIBUTE_TIMEOUT,
    ENTRY_TIMEOUT,
    ANY_OPTION,
];

pub(crate) const ROW: Over = Over {
    about: About {
        not_in_setup: "compared only where it is named; assay doctor says how to install it",
        tools: &[
            Tool::new("sshfs", ["sshfs", "fuse-sshfs", "sshfs", "sshfs"]),
            Tool::new(
                "sftp-server",
                ["openssh-sftp-server", "openssh-server", "openssh-server", "openssh"],
            ),
        ],
        trials: &[
            safe("max_conns", "4"),
            safe("no_readahead", ""),
            safe("dir_cache", "no"),
            safe("sshfs_sync", ""),
            safe("kernel_cache", ""),
        ],
        signature: Signature::Without("it shows a directory"),
        mounted: Mounted::network(&["fuse.sshfs"], "sshfs"),
        facts: Facts::Without("not researched yet"),
        ..about("sshfs", KNOBS)
    },
    kind: "fuse.sshfs",
    init: nothing,
    serve: |site, store, options| {
        // The protocol alone, by a pipe to the server of files: no network and no encryption.
        let own = [&*named(site), "ssh_command=sh -c sftp-server"];
        let from = format!("localhost:{}", store.display());
        let cmd = Cmd::new("sshfs").arg("-f").env("PATH", SFTP_PATH);
        with_o(cmd, options, &own).arg(from)
    },
    version: &["--version"],
    source: name,
    settle: |_| Vec::new(),
};

/// The directories in which Debian and RHEL install sftp-server.
const SFTP_PATH: &str = "/usr/bin:/bin:/usr/lib/openssh:/usr/libexec/openssh";

#[cfg(test)]
mod tests {
    use crate::systems::common::fuse_over::tests::over;

    #[test]
    fn it_speaks_to_a_server_without_network() {
        assert_eq!(
            over("sshfs[max_conns=2]")[1],
            "PATH=/usr/bin:/bin:/usr/lib/openssh:/usr/libexec/openssh sshfs -f -o \
             'fsname=assay-1,ssh_command=sh -c sftp-server,max_conns=2' localhost:/m0/store /m &"
        );
    }
}
