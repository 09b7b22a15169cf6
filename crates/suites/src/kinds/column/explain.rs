//! Names and pages of the tests of this kind.

use super::{
    KIND,
    codec::Algorithm,
    settings::{Action, Settings},
};
use crate::{kinds::Head, page};
use model::workload::{CacheNeed, TestInfo};

/// The display name, e.g. `read columns, lz4 128k, cold`.
pub(super) fn name(settings: &Settings) -> String {
    let action = match settings.action {
        Action::Write => "write columns",
        Action::Read => "read columns",
    };
    let how = match settings.compress {
        Algorithm::None => "not compressed".to_string(),
        Algorithm::Gzip => format!("gzip {} {}", settings.level, settings.block.short()),
        other => format!("{} {}", other.word(), settings.block.short()),
    };
    let hot = if settings.cache() == CacheNeed::Hot { ", hot" } else { "" };
    format!("{action}, {how}{hot}")
}

/// The page of the test.
pub(super) fn page(head: &Head, settings: &Settings, info: &TestInfo) -> String {
    let does = [TABLE.into(), steps(settings), checks(settings)].join("\n\n");
    let read_it = [figures(settings), BESIDE.into(), UNCERTAIN.into()].join("\n\n");
    page::page(head, &KIND, info, &does, &read_it)
}

const TABLE: &str = "A table of trades with four columns of 8 bytes a row, each a file in the layout of kdb+: `sym` (the \
                     place of a symbol, sorted), `time` (ascending nanoseconds), `price` and `size`. The values are \
                     random, differ in every worker, and compress about as those of the same columns of NYSE TAQ do, \
                     for which KX publishes what is left of each in blocks of 128 KiB: of time 67 % by lz4, 69 % by \
                     snappy and 46 % by gzip at level 1 (here 67, 65 and 46 %), of price 29, 30 and 20 % (here 33, 31 \
                     and 22 %), of volume 40, 45 and 29 % (here 41, 35 and 26 %), of the symbols 0.4, 4.7 and 0.6 % \
                     (here the same). With `--data` of another kind all columns hold that data.";

fn steps(settings: &Settings) -> String {
    let (size, block) = (settings.size, settings.block.short());
    let lines = match (settings.action, settings.compress) {
        (Action::Write, Algorithm::None) => {
            "- create the file, write(2) of 1 MiB of the image at a time".to_string()
        }
        (Action::Write, _) => format!(
            "- create the file; compress 1 MiB of the image, in separate blocks of {block}, then write(2) of \
             the result, and so on; at last the table of the blocks\n- a block that does not get shorter is stored \
             as it is"
        ),
        (Action::Read, Algorithm::None) => {
            "- open the file, pread(2) of 1 MiB at a time, and add up its values".to_string()
        }
        (Action::Read, _) => format!(
            "- open the file, read the table of the blocks at its end\n- pread(2) of the blocks of {block} of 1 MiB \
             of the image, decompress them, and add up the values, and so on"
        ),
    };
    let sync = match settings.action {
        Action::Write => "\n- as a separate phase: fsync(2) of each file and of the folder",
        Action::Read => "",
    };
    format!(
        "One column after the other, of {size} each at scale 1 (at least 1 MiB). The image of a column is its file \
         without compression. One thread of each worker does all of it.\n\n{lines}{sync}"
    )
}

fn checks(settings: &Settings) -> String {
    match settings.action {
        Action::Write => "After the clock stopped, the files are read back, decompressed and compared with what was \
                          to be written, byte by byte; then they are removed."
            .into(),
        Action::Read => "After the clock stopped, the sum of each MiB is compared with that of what was written.".into(),
    }
}

fn figures(settings: &Settings) -> String {
    let rate = match settings.action {
        Action::Write => {
            "Bytes of values, as they are without compression, over the write and the sync. \
                          `cache_rate`: over the write only. `sync_s`: the time to durable."
        }
        Action::Read => "Bytes of values, as they are without compression, over the read.",
    };
    let codec = match settings.compress {
        Algorithm::None => "`cpu_s` is the processor time of a worker in the timed part.",
        _ => {
            "The algorithm is part of that time, and told apart: `codec_s` is the time that a worker spent in it, \
              `codec_cpu_s` the processor time of that (less, if others used the processor), `codec_rate` the bytes \
              of values for a second of the latter, and `cpu_s` the processor time of the worker in the timed part, \
              with its system calls."
        }
    };
    format!(
        "{rate}\n\n{codec} `values_bytes` and `file_bytes` are the bytes of all workers before and after the worker \
         compressed, `file_pct` the share that is left. What the file system then stores is what the device wrote, \
         which is in every sample."
    )
}

const BESIDE: &str = "To compare compression by the application with that by a file system, put the test without \
                      compression on a target that compresses, e.g. `btrfs[compress=zstd:1]`, next to the compressed \
                      tests on one that does not, e.g. `xfs`: rates are of values in all of them. A file system \
                      compresses in threads of the kernel, on other processors where there are any: compare the \
                      processor time of the machine, which is in every sample too, and not `cpu_s`. With as many \
                      workers as processors nothing is left to hide it on.";

const UNCERTAIN: &str = "kdb+ maps a compressed file and decompresses a block when it is first touched, by its own \
                         binding of the C libraries; here the blocks are read with pread(2). Its LZ4 is the slow \
                         encoder (HC), which leaves 61 % of time, 28 % of price and 29 % of size; decompression is \
                         the same. zstd is missing: no encoder in Rust that is well kept is near the C library in \
                         speed and size, see docs/dependencies.md. The layout is that of files that kdb+ compressed \
                         with gzip: the tests read two of them and make their tables again, byte for byte. For LZ4 \
                         and Snappy it is that of public readers.";
