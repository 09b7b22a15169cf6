//! The user's own object store, used instead of a local server: `s3[host=H]`, as the program writes it into targets
//! when `--s3-endpoint` names the store at H. Nothing is served: the part makes a prefix of its own in the bucket, and
//! leaves it to the layer above. What that layer keeps next to its objects is on the file system below.

use super::CLAIM_VERB;
use super::options as s3;
use crate::{About, Cmd, Endpoint, FileSystem, Inner, Remains, Site, Tool};
use model::target::Options;

/// The part. No list shows it: it is `s3` where a host is given.
pub(crate) struct Bucket;

/// This program, also where its file was exchanged.
const PROGRAM: &str = "/proc/self/exe";

const ABOUT: &About = &About {
    kernel_name: None,
    tools: &[Tool::new("curl", ["curl"; 4])],
    inner: Inner::Store,
    is_outside: true,
    mounted: super::ABOUT.mounted,
    ..About::new(s3::NAME, s3::KNOBS)
};

impl FileSystem for Bucket {
    fn about(&self) -> &About {
        ABOUT
    }

    fn excluded(&self, options: &Options) -> Option<&'static str> {
        s3::excluded(options)
    }

    fn mkfs(&self, site: &Site, _options: &Options) -> Vec<Cmd> {
        let claim = |place: Endpoint| {
            let words = [&place.url, &place.region, &place.bucket, &place.prefix];
            let cmd = Cmd::new(PROGRAM).arg(CLAIM_VERB).args(words);
            place.keys(cmd, ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"])
        };
        place(site).map(claim).into_iter().collect()
    }

    fn mount(&self, _site: &Site, _options: &Options) -> Vec<Cmd> {
        Vec::new()
    }

    fn unmount(&self, _site: &Site) -> Vec<Cmd> {
        Vec::new()
    }

    fn store(&self, site: &Site, _options: &Options) -> Option<Endpoint> {
        place(site)
    }

    fn mount_kind(&self, _options: &Options) -> Option<&str> {
        None
    }

    fn leaves(&self, site: &Site) -> Vec<Remains> {
        let undo = |place: Endpoint| Remains::Prefix {
            url: place.url,
            region: place.region,
            bucket: place.bucket,
            prefix: place.prefix,
        };
        place(site).map(undo).into_iter().collect()
    }
}

/// Its place in the store, with a name that nothing else has.
fn place(site: &Site) -> Option<Endpoint> {
    site.outside.as_ref().map(|outside| outside.below(&site.name))
}

#[cfg(test)]
mod tests {
    use crate::{Endpoint, tests::commands_in};

    fn planned(target: &str, store: &str) -> Vec<String> {
        commands_in(target, Some(&Endpoint::of_user(&store.parse().unwrap(), false)))
    }

    #[test]
    fn a_client_gets_a_place_of_its_own_in_the_bucket() {
        let target = "rclone[store=s3,s3.host=s3.example.org](xfs)";
        let text = planned(target, "https://s3.example.org/bucket/bench");
        assert_eq!(
            text[2],
            "AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=... AWS_SESSION_TOKEN=... /proc/self/exe __claim-prefix \
             https://s3.example.org us-east-1 bucket bench/assay-1"
        );
        assert!(
            text[4].ends_with(
                "--s3-provider=Other --s3-region=us-east-1 --s3-endpoint=https://s3.example.org \
                 --s3-no-check-bucket :s3:bucket/bench/assay-1 /m &"
            ),
            "{}",
            text[4]
        );
        assert!(text.iter().all(|line| !line.contains("versitygw")), "{text:?}");
    }

    #[test]
    fn each_client_speaks_of_the_same_place() {
        let on = |target: &str| planned(target, "http://store.example:9000/bucket").join("\n");
        let s3fs = on("s3fs[s3.host=store.example:9000](xfs)");
        assert!(s3fs.contains(" bucket:/assay-1 /m &"), "{s3fs}");
        assert!(s3fs.contains("AWSSESSIONTOKEN=... s3fs -f -o "), "{s3fs}");
        let zerofs = on("zerofs-9p[store=s3,s3.host=store.example:9000](xfs)");
        assert!(zerofs.contains("url = \"s3://bucket/assay-1/zerofs\""), "{zerofs}");
        assert!(zerofs.contains("allow_http = \"true\""), "{zerofs}");
        assert!(
            zerofs.contains("ASSAY_SECRET_KEY=... ASSAY_SESSION_TOKEN=... zerofs run"),
            "{zerofs}"
        );
    }
}
