//! The page of a test of this kind.

use super::{
    KIND, set,
    settings::{Action, Order, Settings},
};
use crate::{kinds::Head, page};
use model::workload::{CacheNeed, TestInfo};

pub(super) fn page(head: &Head, info: &TestInfo, settings: &Settings) -> String {
    let does = format!("{}\n\n{}", calls(settings), layout(settings));
    page::page(head, &KIND, info, &does, &reading(settings))
}

fn calls(settings: &Settings) -> String {
    let size = settings.size.short();
    let fsync = if settings.sync_method == 1 { ", `fsync`" } else { "" };
    let text = match settings.action {
        Action::Create => format!(
            "For every file `open(O_CREAT|O_EXCL|O_WRONLY)`, `write` of {size}{fsync}, `close`; then \
             the sync. Files of an earlier run are removed before the clock starts."
        ),
        Action::Rewrite => format!(
            "For every file `open(O_WRONLY)`, `write` of {size} over what is there{fsync}, `close`; \
             then the sync. Nothing is truncated, and every byte changes."
        ),
        Action::Read => {
            format!("For every file `open(O_RDONLY)`, `read` of {size}, `close`.")
        }
        Action::Delete => "For every file `unlink`; then the sync. Missing files are created \
                           before the clock starts."
            .into(),
        Action::Stat => "For every name `stat` of its full path.".into(),
        Action::Open => "For every name `open(O_RDONLY)` of its full path and `close`.".into(),
        Action::List => "For every directory `open`, `getdents64` with 32 KiB until the end, \
                         `close`; one operation is one entry. The histogram covers the calls of \
                         `getdents64`, each of which returns many entries."
            .into(),
        Action::Find => format!(
            "`find DIRS -newer WITNESS -size {}c -name '*01*'`: every directory is read with \
             `getdents64`, and every entry gets a `newfstatat`; one operation is one entry.",
            settings.size.0
        ),
    };
    format!("{text} {}", order(settings)).trim_end().into()
}

fn order(settings: &Settings) -> &'static str {
    match settings.order {
        _ if settings.action.walks() => "",
        Order::Creation => "Files are visited in order of creation.",
        Order::Random => "Files are visited in an order shuffled by the seed.",
        Order::Readdir => {
            "Files are visited in the order of `getdents64`, whose time is included, as in `rm -r`."
        }
    }
}

fn layout(settings: &Settings) -> String {
    let (who, whose) = match settings.shared {
        true => ("All workers together have", "Each has its own part of the names."),
        false => ("A worker has", "Every worker has its own directories."),
    };
    format!(
        "{who} {} files of {} at scale 1, never fewer than 64 for each worker, in {} below `{}`. {whose} Contents are \
         different in every file{}. Tests with the same `files`, `size`, `fanout` and `shared` share \
         their files.",
        settings.files,
        settings.size.short(),
        match settings.fanout {
            0 | 1 => "one directory".to_string(),
            n => format!("{n} directories, one after the other getting the next file,"),
        },
        set::name(settings),
        if settings.size.0 == 0 { " that has any" } else { "" },
    )
}

fn reading(settings: &Settings) -> String {
    let rate = match settings.action {
        action if action.changes() => {
            "It is files over the time of the work and of the sync that follows: a file counts \
             once it is durable. `cache_files_rate` excludes the sync, `sync_s` is its time. A \
             target that only delays work is good in the first and bad in the second. The sync is \
             `syncfs`, after the syncs of `sync_method`; methods that use `sync` in `fs_mark` use \
             `syncfs` here, so as not to wait for other file systems."
        }
        Action::Read => "It is files over time; `rate` is their bytes over the same time.",
        Action::List => "It is entries over time, not calls.",
        _ => "It is operations over time.",
    };
    let cache = match settings.cache() {
        CacheNeed::Cold if settings.action == Action::Read => {
            "Cold means that no data, inodes or directories are in memory; the device must have \
             read every page of the files."
        }
        CacheNeed::Cold => {
            "Cold means that the file system was unmounted, or all caches dropped: a file next to \
             the names is verified to be out of memory, and the device must have read at least 8 \
             bytes per entry."
        }
        CacheNeed::Hot => {
            "Hot means that every file was opened and read before, so names and inodes are in \
             memory unless the kernel evicted them, which it does if they exceed memory."
        }
        CacheNeed::Any => "The cache state before the test is not controlled.",
    };
    let traps = "The latency of each operation is recorded (`service_*`) but not ranked, because \
                 each operation waits for the previous one. With small files, rates reflect the \
                 target's metadata, not its bandwidth.";
    format!("{rate} {cache} {traps}")
}
