//! rclone: a mounted remote, local or in an object store (`store=s3`), with its file cache. It has no links, and its
//! syncs guarantee nothing.

use super::common::fuse_over::{ANY_OPTION, Over, about, long, name, nothing};
use super::s3::options::{STORE, STORE_DELAY, STORE_HOST, STORE_RATE};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::Mounted;
use crate::options::{flag, value};
use crate::{About, Cmd, Endpoint, Settle, Site, Tool, trial::safe};
use model::target::Knob;

const KNOBS: &[Knob] = &[
    value(
        CACHE_MODE,
        "",
        "which files to cache on disk; below `writes`, random writes fail",
        "writes, set by assay",
        &["off", "minimal", "writes", "full"],
    ),
    value(
        WRITE_BACK,
        "duration",
        "delay before a closed file is \
                                   uploaded",
        "1ms, set by assay",
        &[],
    ),
    value("vfs-cache-max-size", "bytes", "size of the cache on disk", "off", &[]),
    value("vfs-read-chunk-size", "bytes", "size of the first read of a file", "128Mi", &[]),
    value("vfs-read-ahead", "bytes", "read-ahead in cache mode full", "0", &[]),
    value("buffer-size", "bytes", "buffer per open file", "16Mi", &[]),
    value("dir-cache-time", "duration", "directory listing cache timeout", "5m", &[]),
    value("attr-timeout", "duration", "attribute cache timeout", "1s", &[]),
    value("max-read-ahead", "bytes", "kernel read-ahead", "128Ki", &[]),
    value("transfers", "files", "parallel uploads", "4", &[]),
    flag("write-back-cache", "merge small writes in the kernel"),
    flag("no-modtime", "do not store modification times"),
    STORE,
    STORE_DELAY,
    STORE_RATE,
    STORE_HOST,
    ANY_OPTION,
];

pub(crate) const ROW: Over = Over {
    about: About {
        not_in_setup: "compared only where it is named; assay doctor says how to install it",
        tools: &[Tool::new("rclone", ["rclone"; 4])],
        trials: &[
            safe(CACHE_MODE, "full"),
            safe("attr-timeout", "10s"),
            safe("write-back-cache", ""),
            safe("max-read-ahead", "1Mi"),
            safe("transfers", "16"),
        ],
        signature: Signature::Without("it shows a directory"),
        mounted: Mounted::network(&["fuse.rclone"], "rclone")
            .loses("rclone answers a sync before any file below it is synced"),
        facts: Facts::Without("not researched yet"),
        ..about("rclone", KNOBS)
    },
    kind: "fuse.rclone",
    init: nothing,
    serve: |site, store, options| {
        let mut cmd = Cmd::new("rclone").args(["mount", "--config", "", "--devname", &site.name]);
        cmd = cmd.arg("--cache-dir").arg(site.below().join("cache"));
        // Stored as soon as closed: what is stored later would be done during the next test. With no wait at all the
        // closing stores it, and a file that gets another name meanwhile is not found, and never stored (1.60).
        for (key, value) in [(CACHE_MODE, "writes"), (WRITE_BACK, "1ms")] {
            if !options.contains_key(key) {
                cmd = cmd.arg(format!("--{key}={value}"));
            }
        }
        let cmd = cmd.args(long(options));
        match &site.store {
            Some(endpoint) => on_objects(cmd, endpoint),
            None => cmd.arg(format!(":local:{}", store.display())),
        }
    },
    // Without `--config` it makes a folder for its configuration at home.
    version: &["--config", "", "version"],
    source: name,
    settle: stored,
};

/// `cmd` with the object store as its remote.
fn on_objects(cmd: Cmd, endpoint: &Endpoint) -> Cmd {
    let names =
        ["RCLONE_S3_ACCESS_KEY_ID", "RCLONE_S3_SECRET_ACCESS_KEY", "RCLONE_S3_SESSION_TOKEN"];
    let cmd = endpoint
        .keys(cmd, names)
        .args(["--s3-provider=Other", &format!("--s3-region={}", endpoint.region)])
        .arg(format!("--s3-endpoint={}", endpoint.url));
    // Else it would make the bucket of a user that may not, or need not, make any.
    let cmd = if endpoint.is_users { cmd.arg("--s3-no-check-bucket") } else { cmd };
    cmd.arg(format!(":s3:{}", endpoint.place("/")))
}

/// Waits until it has stored what was closed. It says so in files of its cache, each of which it empties before it
/// writes it anew (rclone 1.60.1). One that ends before leaves it to the next, which shows a file only when that has
/// stored it: what was written would be missing for a while.
fn stored(site: &Site) -> Vec<Settle> {
    let wait = Cmd::new("sh").args(["-c", WAIT, "rclone"]).arg(site.below().join("cache/vfsMeta"));
    vec![Settle::Command(wait)]
}

/// For ten minutes at most.
const WAIT: &str = r#"# Waits until no file of the cache is to be stored, and all of them say so
left=30000
while grep -rqs '"Dirty": *true' "$1" || [ -n "$(grep -rLs '"Dirty": *false' "$1")" ]; do
    left=$((left - 1))
    [ $left -gt 0 ] || { echo "cached files were not uploaded within ten minutes" >&2; exit 1; }
    sleep 0.02
done
"#;

const CACHE_MODE: &str = "vfs-cache-mode";
const WRITE_BACK: &str = "vfs-write-back";

#[cfg(test)]
mod tests {
    use super::WAIT;
    use crate::FileSystem;
    use crate::systems::common::fuse_over::tests::over;
    use std::{fs, process::Command, thread, time::Duration};

    #[test]
    fn it_stores_at_once_and_promises_nothing() {
        let layer = crate::Layer::written(super::ROW.about().name, &model::target::Options::new());
        assert!(layer.loss().is_some());
        assert_eq!(
            over("rclone[vfs-cache-mode=full]")[1],
            "rclone mount --config '' --devname assay-1 --cache-dir /m0/cache \
             --vfs-write-back=1ms --vfs-cache-mode=full :local:/m0/store /m &"
        );
    }

    #[test]
    fn what_is_not_stored_yet_is_waited_for() {
        let cache = tempfile::tempdir().unwrap();
        let meta = cache.path().join("work/w0");
        fs::create_dir_all(&meta).unwrap();
        let text = |dirty: bool| format!("{{\n\t\"Size\": 7,\n\t\"Dirty\": {dirty}\n}}");
        let tell = |text: String| fs::write(meta.join("file"), text).unwrap();
        let wait = || Command::new("sh").args(["-c", WAIT, "rclone"]).arg(cache.path()).status();
        // One that is being written anew says nothing yet.
        for not_yet in [text(true), String::new()] {
            tell(not_yet);
            thread::scope(|scope| {
                let waiting = scope.spawn(wait);
                thread::sleep(Duration::from_millis(300));
                assert!(!waiting.is_finished());
                tell(text(false));
                assert!(waiting.join().unwrap().unwrap().success());
            });
        }
        fs::remove_dir_all(cache.path().join("work")).unwrap();
        assert!(wait().unwrap().success());
    }
}
