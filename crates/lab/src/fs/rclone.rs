//! rclone: a remote behind its cache of files, a local one or an object store (`store=s3`). It has no links, and its
//! syncs promise nothing.

use super::fuse_over::{ANY_OPTION, Over, about, long, name, nothing};
use super::s3::{BUCKET, REGION, STORE, STORE_DELAY, STORE_RATE};
use crate::file_system::{flag, value};
use crate::{About, Cmd, Endpoint, Secret, Tool, trial::safe};
use model::Knob;

const KNOBS: &[Knob] = &[
    value(
        CACHE_MODE,
        "",
        "which files are kept in a cache on disk; less than writes refuses random writes",
        "writes, said for all",
        &["off", "minimal", "writes", "full"],
    ),
    value(WRITE_BACK, "duration", "wait before a closed file is stored", "0s, said for all", &[]),
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
    STORE,
    STORE_DELAY,
    STORE_RATE,
    ANY_OPTION,
];

pub(super) const ROW: Over = Over {
    about: About {
        tools: &[Tool { program: "rclone", debian: "rclone", rhel: "rclone" }],
        trials: &[
            safe(CACHE_MODE, "full"),
            safe("attr-timeout", "10s"),
            safe("write-back-cache", ""),
            safe("max-read-ahead", "1Mi"),
            safe("transfers", "16"),
        ],
        ..about("rclone", KNOBS)
    },
    kind: "fuse.rclone",
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
        let cmd = cmd.args(long(options));
        match site.store {
            Some(endpoint) => on_objects(cmd, endpoint),
            None => cmd.arg(format!(":local:{}", store.display())),
        }
    },
    version: "version",
    source: name,
};

/// `cmd` with the object store as its remote.
fn on_objects(cmd: Cmd, endpoint: Endpoint) -> Cmd {
    cmd.secret("RCLONE_S3_ACCESS_KEY_ID", Secret::AccessKey)
        .secret("RCLONE_S3_SECRET_ACCESS_KEY", Secret::SecretKey)
        .args(["--s3-provider=Other", &format!("--s3-region={REGION}")])
        .arg(format!("--s3-endpoint={}", endpoint.url()))
        .arg(format!(":s3:{BUCKET}"))
}

const CACHE_MODE: &str = "vfs-cache-mode";
const WRITE_BACK: &str = "vfs-write-back";

#[cfg(test)]
mod tests {
    use super::super::fuse_over::tests::over;
    use crate::FileSystem;

    #[test]
    fn it_stores_at_once_and_promises_nothing() {
        let layer = model::Layer::written(super::ROW.about().name, &model::Options::new());
        assert!(layer.loss().is_some());
        assert_eq!(
            over("rclone[vfs-cache-mode=full]")[1],
            "rclone mount --config '' --devname assay-1 --cache-dir /m0/cache \
             --vfs-write-back=0s --vfs-cache-mode=full :local:/m0/store /m &"
        );
    }
}
