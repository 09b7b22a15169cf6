//! The page of a test of this kind.

use super::{
    KIND, set,
    settings::{Action, Order, Settings},
};
use crate::{kinds::Head, page};
use model::{CacheNeed, TestInfo};

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
        Action::Delete => "For every file `unlink`; then the sync. Files that are missing are made \
                           before the clock starts."
            .into(),
        Action::Stat => "For every name `stat` of its full path.".into(),
        Action::Open => "For every name `open(O_RDONLY)` of its full path and `close`.".into(),
        Action::List => "For every directory `open`, `getdents64` with 32 KiB until it gives nothing \
                         more, `close`; one operation is one entry. The histogram is of the calls of \
                         `getdents64`, each of which brings many entries."
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
        Order::Creation => "Files are taken in the order of their creation.",
        Order::Random => "Files are taken in an order shuffled by the seed.",
        Order::Readdir => {
            "Files are taken as `getdents64` gives them, which is part of the time, as in `rm -r`."
        }
    }
}

fn layout(settings: &Settings) -> String {
    let (who, whose) = match settings.shared {
        true => ("All workers together have", "Each has its own part of the names."),
        false => ("A worker has", "Every worker has directories of its own."),
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
            "It is files over the time of the work and of the sync that follows: a file counts when it \
             is durable. `cache_files_rate` leaves the sync out, `sync_s` is its time. A target that \
             only delays the work looks good in the one and pays in the other. The sync is `syncfs`, \
             after what `sync_method` asks for; of `fs_mark`'s methods those with `sync` use `syncfs` \
             too, so that no other file system is waited for."
        }
        Action::Read => "It is files over time; `rate` is their bytes over the same time.",
        Action::List => "It is entries over time, not calls.",
        _ => "It is operations over time.",
    };
    let cache = match settings.cache() {
        CacheNeed::Cold if settings.action == Action::Read => {
            "Cold means that neither data nor inodes nor directories are in memory; the device must \
             have given every page of the files."
        }
        CacheNeed::Cold => {
            "Cold means that the file system was unmounted, or all caches dropped: a file beside the \
             names is proven to be gone from memory, and the device must have given at least 8 bytes \
             for each entry."
        }
        CacheNeed::Hot => {
            "Hot means that every file was opened and read before, so that names and inodes are in \
             memory as long as the kernel keeps them; with more names than fit the memory they are not."
        }
        CacheNeed::Any => "What is in the cache before is not controlled.",
    };
    let traps = "The latency of each operation is counted (`service_*`); these describe and rank \
                 nothing, as the next operation waits for the last. With small files a rate says \
                 something about the metadata of the target, not about its bandwidth.";
    format!("{rate} {cache} {traps}")
}
