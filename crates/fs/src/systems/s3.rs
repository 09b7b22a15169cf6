//! s3: an object store in a directory of the file system below, served by versitygw for what is on it:
//! `rclone(s3(xfs))`, `s3fs(s3(xfs))`, `zerofs-nfs(s3(xfs))`. The short form of the first is `rclone[store=s3](xfs)`,
//! where `s3.X=V` is the option `X=V` of the store.
//!
//! It listens on the loopback address alone, takes keys that this process made, and holds one bucket. `delay` and
//! `mbit` put a slower link before it, a server of our own: netem is not in every kernel. A bucket is a directory, an
//! object a file in it; versitygw syncs none of them. Where `host` is given, the part is that of `bucket`.

mod bucket;
pub(crate) mod options;

use self::bucket::Bucket;
use self::options::{HOST, KNOBS, NAME, excluded, link};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::{About, Cmd, Endpoint, FileSystem, Inner, LINK_VERB, Ready, Secret, Site, Tool};
use model::target::Options;
use std::path::PathBuf;

/// The registered part.
pub(crate) struct Fs;

/// The hidden verb by which this program claims a prefix in an object store: its URL, region, bucket and prefix.
pub const CLAIM_VERB: &str = "__claim-prefix";

/// The only bucket.
const BUCKET: &str = "assay";
/// The region that clients must name.
const REGION: &str = "us-east-1";
/// This program, also where its file was exchanged.
const PROGRAM: &str = "/proc/self/exe";

const ABOUT: &About = &About {
    kernel_name: None,
    tools: &[Tool::built("versitygw")],
    inner: Inner::Store,
    is_slow: true,
    signature: Signature::Without("its store is of files"),
    mounted: Mounted::local(&[], Stores::Unknown).loses(
        "versitygw syncs no file of its objects, and what a store elsewhere does is not seen",
    ),
    facts: Facts::Without("not researched yet"),
    ..About::new(NAME, KNOBS)
};

impl FileSystem for Fs {
    fn about(&self) -> &About {
        ABOUT
    }

    fn with(&self, options: &Options) -> Option<&'static dyn FileSystem> {
        options.contains_key(HOST).then_some(&Bucket)
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        excluded(options)
    }

    fn mkfs(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        vec![Cmd::new("mkdir").arg("-p").arg(objects(site).join(BUCKET))]
    }

    fn mount(&self, site: &Site, options: &Options) -> Vec<Cmd> {
        let (own, front) = ports(site);
        let link = link(options);
        let port = if link.is_some() { own } else { front };
        let server = Cmd::new("versitygw")
            .secret("ROOT_ACCESS_KEY", Secret::AccessKey)
            .secret("ROOT_SECRET_KEY", Secret::SecretKey)
            .args(["--quiet", "--keep-alive", "--region", REGION])
            .args(["--port", &format!("127.0.0.1:{port}"), "posix"])
            .arg(objects(site))
            .serve(Ready::Port(port));
        let link = link.map(|(delay, rate)| {
            let ports = [front, own].map(|port| port.to_string());
            let cmd = Cmd::new(PROGRAM).arg(LINK_VERB).args(ports).args([delay, rate]);
            cmd.serve(Ready::Port(front))
        });
        [server].into_iter().chain(link).collect()
    }

    fn unmount(&self, _site: &Site) -> Vec<Cmd> {
        Vec::new()
    }

    fn store(&self, site: &Site, _options: &Options) -> Option<Endpoint> {
        Some(Endpoint::here(ports(site).1, BUCKET, REGION))
    }

    fn mount_kind(&self, _options: &Options) -> Option<&str> {
        None
    }

    fn version(&self) -> Option<Cmd> {
        Some(Cmd::new("versitygw").arg("--version"))
    }
}

/// Returns the directory that versitygw serves: each directory in it is a bucket.
fn objects(site: &Site) -> PathBuf {
    site.below().join("objects")
}

/// The ports of the server and of the link before it, or of the one that there is: between 10000 and 19999, which
/// hardly any other target has.
fn ports(site: &Site) -> (u16, u16) {
    let port = 10_000 + site.number() % 5_000 * 2;
    (port as u16, port as u16 + 1)
}

#[cfg(test)]
mod tests {
    use crate::{Endpoint, tests::commands};

    #[test]
    fn a_store_lies_below_its_client_and_shows_no_key() {
        let short = commands("rclone[store=s3,transfers=2](xfs)");
        assert_eq!(short, commands("rclone[transfers=2](s3(xfs))"));
        let url = Endpoint::here(15493, "assay", "us-east-1").url;
        assert_eq!(
            short[2..],
            [
                "mkdir -p /m0/objects/assay",
                "ROOT_ACCESS_KEY=... ROOT_SECRET_KEY=... versitygw --quiet --keep-alive --region us-east-1 \
                 --port 127.0.0.1:15493 posix /m0/objects &",
                "mkdir /m0/store",
                &format!(
                    "RCLONE_S3_ACCESS_KEY_ID=... RCLONE_S3_SECRET_ACCESS_KEY=... rclone mount --config '' \
                 --devname assay-2 --cache-dir /m0/cache --vfs-cache-mode=writes --vfs-write-back=1ms \
                 --transfers=2 --s3-provider=Other --s3-region=us-east-1 \
                 --s3-endpoint={url} :s3:assay /m &"
                ),
            ]
        );
    }

    #[test]
    fn a_store_that_is_far_away_has_a_link_before_it() {
        let short = commands("zerofs-9p[store=s3,s3.delay=20,s3.mbit=100](xfs)");
        assert_eq!(short, commands("zerofs-9p(s3[delay=20,mbit=100](xfs))"));
        assert!(short[3].contains("--port 127.0.0.1:15492 posix"), "{}", short[3]);
        assert_eq!(short[4], "/proc/self/exe __serve-link 15493 15492 20 100 &");
        assert!(
            short[6].contains(&Endpoint::here(15493, "assay", "us-east-1").url),
            "{}",
            short[6]
        );
        assert!(
            commands("rclone[store=s3,s3.delay=0](xfs)").iter().all(|c| !c.contains("__serve"))
        );
    }
}
