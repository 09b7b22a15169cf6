//! bindfs: mirrors a directory at another place. It serves one request at a time unless `multithreaded`.

use super::common::fuse_over::{
    ANY_OPTION, ATTRIBUTE_TIMEOUT, ENTRY_TIMEOUT, Over, about, nothing, store, with_o,
};
use crate::facts::Facts;
use crate::magic::Signature;
use crate::mounted::{Mounted, Stores};
use crate::options::{flag, value};
use crate::{About, Cmd, Tool, trial::safe};
use model::target::Knob;

const KNOBS: &[Knob] = &[
    flag("multithreaded", "serve requests in parallel"),
    value(
        "forward-odirect",
        "bytes",
        "pass O_DIRECT through, with this \
                                       alignment",
        "not passed through",
        &[],
    ),
    ATTRIBUTE_TIMEOUT,
    ENTRY_TIMEOUT,
    ANY_OPTION,
];

pub(crate) const ROW: Over = Over {
    about: About {
        tools: &[Tool::new("bindfs", ["bindfs"; 4])],
        trials: &[safe("multithreaded", ""), safe("attr_timeout", "1"), safe("entry_timeout", "1")],
        signature: Signature::Without("it shows a directory"),
        mounted: Mounted::local(&["fuse.bindfs"], Stores::Whole),
        facts: Facts::Without("not researched yet"),
        ..about("bindfs", KNOBS)
    },
    kind: "fuse",
    init: nothing,
    serve: |_, store, options| with_o(Cmd::new("bindfs").arg("-f"), options, &[]).arg(store),
    version: &["--version"],
    source: store,
    settle: |_| Vec::new(),
};

#[cfg(test)]
mod tests {
    use crate::systems::common::fuse_over::tests::over;
    use crate::tests::commands;

    #[test]
    fn it_is_on_ext4_by_default() {
        assert_eq!(over("bindfs"), ["mkdir /m0/store", "bindfs -f /m0/store /m &"]);
        assert_eq!(over("bindfs[multithreaded]")[1], "bindfs -f -o multithreaded /m0/store /m &");
        assert!(commands("bindfs(xfs)")[0].starts_with("mkfs.xfs "));
    }
}
