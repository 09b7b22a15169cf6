//! mergerfs: several directories as one; here a single branch.

use super::common::fuse_over::{ANY_OPTION, Over, about, name, named, nothing, with_o};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::options::value;
use crate::{About, Cmd, Tool, trial::safe};
use model::target::Knob;

const KNOBS: &[Knob] = &[
    value(
        "cache.files",
        "",
        "page cache policy",
        "libfuse",
        &["libfuse", "off", "partial", "full", "auto-full", "per-process"],
    ),
    value("cache.writeback", "", "merge small writes in the kernel", "false", BOOL),
    value("cache.attr", "s", "attribute cache timeout", "1", &[]),
    value("cache.entry", "s", "name cache timeout", "1", &[]),
    value("cache.negative_entry", "s", "negative name cache timeout", "0", &[]),
    value("cache.readdir", "", "cache directory listings", "false", BOOL),
    value("cache.statfs", "s", "statfs cache timeout", "0", &[]),
    value("async_read", "", "parallel reads per file", "true", BOOL),
    value("dropcacheonclose", "", "drop cached data on close", "false", BOOL),
    value("threads", "threads", "server threads", "processors", &[]),
    value("fuse_msg_size", "pages", "largest request", "256", &[]),
    value("minfreespace", "bytes", "minimum free space to create files", "0, set by assay", &[]),
    ANY_OPTION,
];

pub(crate) const ROW: Over = Over {
    about: About {
        tools: &[Tool::new("mergerfs", ["mergerfs"; 4])],
        trials: &[
            safe("cache.files", "partial"),
            safe("cache.files", "full"),
            safe("cache.files", "off"),
            safe("cache.readdir", "true"),
            safe("threads", "4"),
            safe("async_read", "false"),
        ],
        signature: Signature::Without("it shows a directory"),
        mounted: Mounted::local(&["fuse.mergerfs"], Stores::Whole),
        facts: Facts::Without("not researched yet"),
        ..about("mergerfs", KNOBS)
    },
    kind: "fuse.mergerfs",
    init: nothing,
    serve: |site, store, options| {
        // By default it makes no file with less than 4 GiB free, which is more than an image has.
        let own: &[&str] =
            if options.contains_key("minfreespace") { &[] } else { &["minfreespace=0"] };
        with_o(Cmd::new("mergerfs").arg("-f"), options, &[&[&*named(site)], own].concat())
            .arg(store)
    },
    version: &["--version"],
    source: name,
    settle: |_| Vec::new(),
};

const BOOL: &[&str] = &["true", "false"];

#[cfg(test)]
mod tests {
    use crate::systems::common::fuse_over::tests::over;

    #[test]
    fn a_small_branch_is_no_full_branch() {
        assert_eq!(
            over("mergerfs[cache.files=full]")[1],
            "mergerfs -f -o fsname=assay-1,minfreespace=0,cache.files=full /m0/store /m &"
        );
        assert_eq!(
            over("mergerfs[minfreespace=1M]")[1],
            "mergerfs -f -o fsname=assay-1,minfreespace=1M /m0/store /m &"
        );
    }
}
