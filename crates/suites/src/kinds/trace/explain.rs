//! The page of a test of the kind `trace`.

use super::{
    KIND,
    settings::{ALL, Cache, Pace, Settings},
};
use crate::{kinds::Head, page};
use model::workload::TestInfo;

/// The whole page.
pub(super) fn page(head: &Head, settings: &Settings, info: &TestInfo) -> String {
    page::page(head, &KIND, info, &does(settings), &read_it(settings))
}

fn does(settings: &Settings) -> String {
    let pace = match settings.pace {
        Pace::Full => "as soon as the calls that it waits for are done",
        Pace::Think => {
            "after the pause that its thread made before it when recorded, or when the thread that it waited for has \
             woken it"
        }
        Pace::Recorded => "when it is due: as long after the start as recorded",
        Pace::Double => "when it is due: half as long after the start as recorded",
    };
    let cache = match settings.cache {
        Cache::Cold => "The cache is cold",
        Cache::Hot => "All files of the start are in the page cache",
        Cache::Recorded => {
            "Of each file as much is in the page cache as was when the recording began, where that is known"
        }
    };
    let window = match settings.window == ALL {
        true => "",
        false => {
            " The calls before the window are made untimed, and what they had open is opened again."
        }
    };
    format!(
        "Before the clock starts, what the application found on its disk is made below the worker's directory: \
         directories with as many other entries, files of the recorded sizes with generated data as compressible as a \
         sample of the recorded ones, and links.{window} {cache}.\n\n\
         - One thread for each recorded thread makes its calls in their order, each call {pace}.\n\
         - A call waits for calls of other threads that came before it in the trace and that make, remove or move the \
         same name, open or close the same handle, move the same position, change the length that it found, or give \
         back the lock that it takes.\n\
         - Each result is compared with the recorded one: success or the error, and the bytes moved.\n\
         - As a separate phase: syncfs(2).\n\n\
         Threads that lived one after the other share one, and more than 256 at a time share 256. `sync` is made as \
         syncfs(2) of the target; `truncate`, `statfs` and attributes of a path through a descriptor; attributes are \
         replaced by one; owners stay as they are; a request of io_uring is made as a call of the thread that submitted \
         it; locks never wait; vectors have at most 16 buffers. A call that could lead out of the tree through a \
         symbolic link is not made, and counted as different."
    )
}

fn read_it(settings: &Settings) -> String {
    let rank = match settings.pace.speed() {
        None => "It is the time to the end of the last call.",
        Some(_) => {
            "It adds up how long calls took, counted from when each was due, over all threads: the time to the end is \
             given by the pace."
        }
    };
    format!(
        "{rank} `durable_s` includes the sync that follows. `sync_call_s` is the time in calls that answer when data is \
         durable, over all threads; in `all_in_sync_s` every thread was in such a call or waited for one. Every kind of \
         call has its latencies, e.g. `fsync_service_p99_us`.\n\n`differences` counts calls that returned something \
         else than recorded. A file system may decide some results, e.g. whether it clones files or where its holes \
         are; what it may not is also in `unexplained`, and where that is more than 0.1 % of the calls the sample is \
         invalid: the replay is not the application."
    )
}
