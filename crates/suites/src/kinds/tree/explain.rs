//! The page of a phase.

use super::{KIND, phase::Phase, settings::Settings};
use crate::{kinds::Head, page};
use model::workload::TestInfo;
use std::fmt::Write;

pub(super) fn page(head: &Head, info: &TestInfo, phase: Phase, settings: &Settings) -> String {
    let does = format!("{}\n\n{}", calls(phase, settings), layout(settings));
    page::page(head, &KIND, info, &does, &reading(phase, settings))
}

fn calls(phase: Phase, settings: &Settings) -> String {
    let (write, read) = (settings.write_bytes.0, settings.read_bytes.0);
    match phase {
        Phase::TreeCreate => {
            "`mkdir(path, 0755)` of every directory of the tree, each before those \
                              below it."
                .into()
        }
        Phase::TreeRemove => {
            "`rmdir` of every directory of the tree, each after those below it.".into()
        }
        Phase::DirCreate => "`mkdir(path, 0755)` of every item.".into(),
        Phase::DirStat | Phase::FileStat => "`stat` of the full path of every item.".into(),
        Phase::DirRename => "`rename` in a ring: item 0 moves to a temporary name, every other \
                             item takes the name of the one before it, and item 0 finally takes \
                             the name of the last. If neighbours are in different directories of \
                             the tree, the item moves from one to the other."
            .into(),
        Phase::DirRemove => "`rmdir` of every item.".into(),
        Phase::FileCreate => {
            let mut text = "`open(O_CREAT|O_RDWR, 0664)`".to_string();
            if write > 0 {
                let _ = write!(text, ", `write` of {write} bytes");
                text += if settings.fsync { ", `fsync`" } else { "" };
            }
            text + ", `close` of every item."
        }
        Phase::FileRead if read > 0 => {
            format!("`open(O_RDONLY)`, `read` of {read} bytes, `close` of every item.")
        }
        Phase::FileRead => "`open(O_RDONLY)` and `close` of every item; nothing is read, like \
                            mdtest without `-e`."
            .into(),
        Phase::FileRemove => "`unlink` of every item.".into(),
    }
}

fn layout(settings: &Settings) -> String {
    let Settings { items, depth, branch, .. } = settings;
    let tree = match (depth, settings.unique) {
        (0, false) => "one directory that all workers share".into(),
        (0, true) => "one directory for each worker".to_string(),
        (_, unique) => format!(
            "a tree of {depth} levels with {branch} directories below each{}",
            if unique { ", one for each worker" } else { ", which all workers share" }
        ),
    };
    let leaves = if settings.leaf_only { " Only the leaves hold items." } else { "" };
    let stride = match settings.stride {
        0 => String::new(),
        n => format!(
            " A worker stats the items of the worker {n} positions ahead, reads those {} ahead \
             and removes those {} ahead. mdtest multiplies `-N` by the tasks per node; here it \
             counts workers.",
            2 * n,
            3 * n
        ),
    };
    format!(
        "This is a phase of mdtest with the same names, paths and order: tree creation; for \
         directories \
         creation, stat, rename, removal; for files creation, stat, read, removal; tree removal. All \
         workers wait for each other between two phases. There are {items} items per worker at \
         scale 1 in {tree}, rounded down to fill all directories equally, at least 64 or one per \
         directory.{leaves}{stride} Creation and removal go through the tree depth first, the \
         others by \
         number{}.",
        if settings.random { ", shuffled by the seed" } else { "" }
    )
}

fn reading(phase: Phase, settings: &Settings) -> String {
    let what = match phase.is_tree() {
        true => {
            "It is the directories of one tree over the time of the phase, as in mdtest, even if \
             every worker creates its own tree."
        }
        false => {
            "It is the items of all workers over the time from the first start to the last end."
        }
    };
    let mean = if settings.iterations > 1 {
        " It is the mean of the iterations; `ops_rate_min` and `ops_rate_max` are the extremes, all \
         other figures are of the last."
    } else {
        ""
    };
    let sync = match settings.sync {
        true => "Every phase ends with a sync of the file system, within its time.",
        false => {
            "Nothing is synced within the timed part, as in mdtest without `-Y`: a file system \
             that logs late looks good here. The suite `files` has durable rates."
        }
    };
    format!(
        "{what}{mean} {sync} The items of a phase were created by an earlier phase and are in \
         memory, so `stat` and `read` measure the kernel path, not the device. Rates are \
         comparable with mdtest's for equal arguments, workers and file system; phases of a few \
         milliseconds are poorly repeatable, so use many items. mdtest also formats its paths \
         within the timed part, up to half a microsecond each, which makes its `stat` and `read` \
         20 to 40 % slower; here, paths cost almost nothing. Latencies (`service_*`) cover every \
         operation and are not ranked."
    )
}
