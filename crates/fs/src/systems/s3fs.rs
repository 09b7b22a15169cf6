//! s3fs: files as objects of an object store, by FUSE: `s3fs(xfs)` is `s3fs(s3(xfs))`. A file is stored when it is
//! synced or closed, and renaming one copies it.

use super::common::fuse_over::{ANY_OPTION, Over, about, name, named, nothing, with_o};
use super::s3::options::{NAME, STORE_DELAY, STORE_HOST, STORE_KEY, STORE_RATE};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::Mounted;
use crate::options::{flag, value};
use crate::{About, trial::safe};
use crate::{Cmd, Tool};
use model::target::Knob;

const KNOBS: &[Knob] = &[
    value(STORE_KEY, "", "where the objects are", NAME, &[NAME]),
    STORE_DELAY,
    STORE_RATE,
    STORE_HOST,
    value("parallel_count", "requests", "parallel part uploads per file", "5", &[]),
    value("multipart_size", "MB", "size of a part", "10", &[]),
    value("multireq_max", "requests", "parallel attribute requests", "20", &[]),
    value("max_stat_cache_size", "files", "attribute cache entries", "100000", &[]),
    value("stat_cache_expire", "s", "cache timeout", "900", &[]),
    flag("enable_noobj_cache", "cache negative lookups"),
    flag("nomultipart", "upload each file in one piece"),
    ANY_OPTION,
];

pub(crate) const ROW: Over = Over {
    about: About {
        not_in_setup: "compared only where it is named; assay doctor says how to install it",
        tools: &[Tool::new("s3fs", ["s3fs", "s3fs-fuse", "s3fs", "s3fs-fuse"])],
        trials: &[
            safe("parallel_count", "16"),
            safe("multipart_size", "64"),
            safe("multireq_max", "64"),
            safe("enable_noobj_cache", ""),
        ],
        signature: Signature::Without("its store is of objects"),
        mounted: Mounted::network(&["fuse.s3fs"], "s3fs")
            .loses("s3fs answers when the object store has, whose word is not proven here"),
        facts: Facts::Without("not researched yet"),
        ..about("s3fs", KNOBS)
    },
    kind: "fuse.s3fs",
    init: nothing,
    serve: |site, store, options| {
        let cmd = Cmd::new("s3fs");
        let Some(endpoint) = &site.store else { return cmd };
        // What it has not stored yet lies in files: on the disk of the target, where it is counted.
        let own = [
            named(site),
            // With a name of ours libfuse leaves the type out.
            "subtype=s3fs".into(),
            format!("url={}", endpoint.url),
            format!("endpoint={}", endpoint.region),
            "use_path_request_style".into(),
            format!("tmpdir={}", store.display()),
        ];
        let cmd = endpoint.keys(cmd, ["AWSACCESSKEYID", "AWSSECRETACCESSKEY", "AWSSESSIONTOKEN"]);
        let own = own.each_ref().map(String::as_str);
        with_o(cmd.arg("-f"), options, &own).arg(endpoint.place(":/"))
    },
    version: &["--version"],
    source: name,
    settle: |_| Vec::new(),
};

#[cfg(test)]
mod tests {
    use crate::Endpoint;
    use crate::systems::common::fuse_over::tests::over;

    #[test]
    fn it_lies_on_an_object_store_whatever_the_target_names() {
        let plain = over("s3fs(ext4)");
        assert_eq!(plain, over("s3fs"));
        assert_eq!(plain, over("s3fs[store=s3](ext4)"));
        assert_eq!(plain, over("s3fs(s3(ext4))"));
        let url = Endpoint::here(15493, "assay", "us-east-1").url;
        assert_eq!(
            plain[2..],
            [
                "mkdir /m0/store",
                &format!(
                    "AWSACCESSKEYID=... AWSSECRETACCESSKEY=... s3fs -f -o fsname=assay-2,subtype=s3fs,\
                 url={url},endpoint=us-east-1,use_path_request_style,\
                 tmpdir=/m0/store assay /m &"
                ),
            ]
        );
    }
}
