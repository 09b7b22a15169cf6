//! The pages of `assay explain`, built from the tests themselves: calls, sizes, figures, caveats.

use super::{
    append::{AppendTest, Onto},
    attribute::AttributeTest,
    column::{Column, ColumnFile, Value},
    meta::{MetaTest, Operation},
    page::{Figures, Page},
    random::RandomTest,
    read::{How, ReadTest},
    replace::ReplaceTest,
    rewrite::RewriteTest,
    sizes::Sizes,
    sort::SortTest,
    write::SetTest,
};
use crate::Test;
use model::CacheNeed;

/// How the ancestor's shell command changes its figure.
const INFLATED: &str = "Published sync rates are too high: the ancestor multiplies by the length of its shell command, about 60. `nano_rate` repeats that for comparison; `sync_ms` is the truth.";
const SPAWNED: &str = "`spawn_s` is the time of `/bin/sh -c \"sync FILE\"` on the file when it is clean: pure overhead of the ancestor's way, 2 to 10 ms.";
const RESIDENT: &str = "Only cold when it was proven so: residency is sampled before, device bytes are compared after. A run that fails is lukewarm and stays out of the means.";

fn column_calls(file: &ColumnFile) -> &'static str {
    match file.value {
        Value::Symbol => {
            "symbols as text: four letters and a NUL, 5 bytes a row, behind a header of 8 bytes (`sym=enum`: a page and 8 bytes a row). 10 000 distinct ones, drawn at random"
        }
        Value::Float | Value::Int => {
            "64-bit values behind a header of 16 bytes; random by default, so that a file system cannot compress them, and different in every worker"
        }
    }
}

/// Rows for the table of sizes.
fn vector(page: &mut Page, file: ColumnFile) {
    page.size("rows", |job| Column::new(file, job).rows);
    page.size("bytes in the file", |job| Column::new(file, job).file_bytes());
}

pub(super) fn set(test: &SetTest, id: &str) -> String {
    let syncs = id == test.sync.id;
    let mut page = Page::new(if syncs { test.sync } else { test.row }, test.cache());
    page.about(&format!(
        "A whole column is written to a new file `{}`, as kdb+ does when a table is saved (`set`), and then synced. The column holds {}.",
        test.file.path,
        column_calls(&test.file)
    ));
    page.steps(
        "Write",
        &[
            "open a temporary file beside the target (`O_WRONLY|O_CREAT|O_TRUNC`)",
            "write(2) the header, then the data in chunks of `write_chunk`",
            "close, then rename over the target; nothing is synced yet",
        ],
    );
    sync_steps(&mut page, "the file");
    vector(&mut page, test.file);
    page.longer(test.stretch());
    page.figures(if syncs { Figures::Sync } else { Figures::Write });
    page.reading(if syncs {
        "This is what the page cache still owed when the write returned. A file system that starts to write early shows a fast sync after a slower write; judge the two together by the durable rate of the write."
    } else {
        "A high `cache_rate` beside a low `durable_rate` means that memory was measured, not storage. Tiny and small vectors are ruled by the cost of creating, renaming and syncing one file; large ones by allocation and bandwidth."
    });
    if syncs {
        page.caveats(&[INFLATED, SPAWNED]);
    } else {
        page.caveats(&[
            "The target does not exist before, so no old file is replaced; the sort tests measure that.",
            "`nano_rate` counts 8 bytes for every row, also where a symbol takes 5, and adds the rates of the workers.",
        ]);
    }
    page.guesses(
        "That `set` goes through a temporary file is inferred from the calls that its vendor lists; the size of its writes is not known.",
        &["set_mode", "write_chunk", "sym"],
    );
    page.text()
}

fn sync_steps(page: &mut Page, what: &str) {
    page.steps("Sync", &[&format!("open {what}, fsync, close")]);
    page.steps("Spawned sync, kept apart", &["`/bin/sh -c \"sync FILE\"`, as the ancestor does"]);
}

pub(super) fn rewrite(test: &RewriteTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    page.about(&format!(
        "A short vector is saved (`set`) over the file `{}` again and again, as a process does that keeps its state, and synced once at the end. It holds {}. The ancestor had it until version 6.4.",
        test.file.path,
        column_calls(&test.file)
    ));
    page.steps(
        "Write, for every cycle",
        &[
            "open a temporary file beside the target (`O_WRONLY|O_CREAT|O_TRUNC`)",
            "write(2) the header, then the data; close",
            "rename over the target, which is there; no sync",
        ],
    );
    sync_steps(&mut page, "the file");
    vector(&mut page, test.file);
    page.size("cycles", |job| test.cycles(job));
    page.size("bytes written", |job| test.estimate(job).write_bytes);
    page.longer(test.stretch());
    page.figures(Figures::Append);
    page.reading("A file system may forget all but the last of the files that were renamed over, or must write each one out: ext4 does so when a file is renamed over another (`auto_da_alloc`), and then each cycle waits for the disk; XFS and Btrfs write the last one in the sync.");
    page.caveats(&[
        "The sync is part of the ancestor's timed part, so `durable_rate` and `nano_rate` differ only by the spawned shell and by how workers are added up.",
        "The rate counts the bytes of every cycle, also of those that never reached the disk.",
        SPAWNED,
    ]);
    page.guesses(
        "That `set` goes through a temporary file is inferred from the calls that its vendor lists.",
        &["set_mode", "write_chunk"],
    );
    page.text()
}

pub(super) fn append(test: &AppendTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    let handle = matches!(test.onto, Onto::Handle { .. });
    let names = test.files.iter().map(|f| format!("`{}`", f.path)).collect::<Vec<_>>().join(", ");
    page.about(&format!(
        "The same vector length is appended to {names} again and again, as a feed that persists every batch does, and synced once at the end. Rows hold {}.",
        column_calls(&test.files[0])
    ));
    if handle {
        page.steps(
            "Write, through a handle that was opened before",
            &["write(2) the raw elements of one vector; no header, no count, no seek"],
        );
    } else {
        page.steps(
            "Write, for every vector",
            &[
                "open `O_RDWR|O_CREAT`, fstat, pread the header (types must agree)",
                "lseek to the end, write(2) the elements",
                "pwrite the new count into the header (fixed-width columns), close; no sync",
                "where the file is missing, the first append is a `set`: temporary file and rename",
            ],
        );
    }
    sync_steps(&mut page, "every file in turn");
    page.size("elements in one append", |job| Sizes::new(job).rows(test.chunk));
    page.size("appends", |job| test.estimate(job).ops);
    page.size("bytes appended", |job| test.estimate(job).write_bytes);
    page.longer(test.stretch());
    page.figures(Figures::Append);
    page.reading(match test.onto {
        Onto::Nothing { .. } => "Every append pays for open, seek and close as well as for a short write: this is the latency of the file system's entry points.",
        Onto::Handle { .. } => "Short writes to the end of one open file: delayed allocation and page-cache cost, and one sync that finds everything dirty. Compare with the test that opens for every append.",
        Onto::RandomFiles => "Gigabytes in short appends: the page cache fills, writeback runs beside the writes, and extents show whether the allocator looked ahead. The files are read by the random tests afterwards.",
        Onto::Column => "A column grows by large pieces. What counts is how well the file system extends a file that is already on disk, and how fast it brings it there.",
    });
    let mut caveats = vec![
        "The sync is part of the ancestor's timed part, so `durable_rate` and `nano_rate` differ only by the spawned shell, by 8 bytes a row, and by how workers are added up.",
        SPAWNED,
        "Appended data continues the column's sequence instead of repeating one vector, so that nothing can be deduplicated.",
    ];
    if !handle {
        caveats.push("No append is begun after 30 seconds, or the time for all bytes at 10 MB/s if that is longer, of which each file has its share: where every close writes back, as over NFS, fewer are done, and the rate is theirs. Tests that need the files complete them before, untimed.");
    }
    page.caveats(&caveats);
    page.guesses(
        "Whether the count in the header is updated by an append is not documented; text columns leave theirs stale, as public files show.",
        &["append_count", "write_chunk", "sym"],
    );
    page.text()
}

pub(super) fn replace(test: &ReplaceTest, id: &str) -> String {
    let sync = test.sync.filter(|row| row.id == id);
    let mut page = Page::new(sync.unwrap_or(test.row), test.cache());
    let order = if test.sorted { "ascending" } else { "random" };
    page.about(&format!(
        "Elements at distinct random places of `{}` are replaced in {order} order, as an amend on disk (`@[file;indices;:;value]`) does: by stores through a shared mapping, not by write(2) and not by rewriting the file.",
        test.file.path
    ));
    page.steps("Write, for every cycle", &[
        "open `O_RDWR`, fstat, mmap the whole file `MAP_SHARED` for reading and writing, close",
        "store 8 bytes at each place; the first store to a page faults it in and makes it dirty",
        "munmap; no msync",
    ]);
    sync_steps(&mut page, "the file");
    vector(&mut page, test.file);
    page.size("elements in one cycle", |job| Sizes::new(job).replaced(test.file.length));
    page.size("cycles", |job| Sizes::new(job).replaces(test.file.length));
    page.longer(test.stretch());
    page.figures(if sync.is_some() { Figures::Sync } else { Figures::Write });
    page.reading(if sync.is_some() {
        "Dirty pages lie scattered over the file. Whole pages must reach the disk; a copy-on-write file system pays here for new places of every one."
    } else {
        "The cost is one page fault and one `page_mkwrite` for every touched page, so the rate per element falls with the length of the vector. Repeated cycles fault again, for each maps anew. A journal or a checksum shows in the sync."
    });
    page.caveats(&[
        "The cache state is whatever the tests before left; in the suite's order the file is clean and resident.",
        "The same places are used in every cycle, and by the sorted test after the random one.",
        "No cycle is begun after 30 seconds, or 3 where tests are sized one by one: where every close writes back, as over NFS, fewer are done, and the rate is theirs.",
        if sync.is_some() { INFLATED } else { "`durable_rate` counts 8 bytes an element, not the pages that are written for it; read it as a cost, not as a bandwidth." },
    ]);
    page.guesses(
        "That stores go through a shared mapping is inferred from published rates: no other way fits the rows for all lengths.",
        &[],
    );
    page.text()
}

pub(super) fn read(test: &ReadTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    match test.how {
        How::Mapped => {
            page.about(&format!("The column `{}` is mapped and every page of it is brought into memory in order: `get`, and the hint that makes a mapped vector resident.", test.file.path));
            page.steps(
                "Read",
                &[
                    "open `O_RDONLY`, fstat, mmap the whole file for reading, close",
                    "load the header through the map",
                    "madvise `MADV_WILLNEED`, then load one byte of every 4 KiB page in order",
                ],
            );
        }
        How::Bytes => {
            page.about(&format!("The file `{}` is read as bytes into memory that was never touched (`read1`), so the cost of fresh pages is part of it.", test.file.path));
            page.steps(
                "Read",
                &["open `O_RDONLY`, fstat", "read(2) all of it, at most 16 MiB a call", "close"],
            );
        }
        How::Max => {
            page.about(&format!("The largest element of `{}`, which is mapped and resident: a stream of loads from the page cache.", test.file.path));
            page.steps("Before the clock", &["map the file and load a byte of every page"]);
            page.steps("Read", &["load every 8-byte element and keep the largest"]);
        }
    }
    vector(&mut page, test.file);
    page.longer(test.stretch());
    page.figures(Figures::Read);
    page.reading(match (test.how, test.cache) {
        (How::Max, _) => "No file system should differ here: the pages are mapped. Use it as a control. A difference between candidates says how noisy the machine is, or that pages are not what they seem (no large folios, a stacked file system).",
        (_, CacheNeed::Cold) => "Readahead rules it: page faults in order through a map. Small files show the time to the first byte, large ones bandwidth. Compare `device_read_bytes` with the size of the file: more is readahead that was wasted, less is compression or a warm cache.",
        _ => "The page cache alone: how fast resident pages are mapped, which depends on fault-around and on the size of folios that the file system gives to the cache.",
    });
    page.caveats(&[
        if test.cache == CacheNeed::Cold { RESIDENT } else { "Hot is proven: the device must give less than 1 % of the bytes." },
        "Elements that the replace tests changed are accepted by the check of what was read; all others must be as written.",
        "With `--threads` above 1 the loads are divided between threads; the ancestor's division is not known and 1 is the default.",
    ]);
    page.guesses(
        "Flags of the mapping and the way of making it resident are inferred from published rates.",
        if test.how == How::Bytes { &[] } else { &["get_map", "touch"] },
    );
    page.text()
}

pub(super) fn meta(test: &MetaTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    let (about, steps): (&str, &[&str]) = match test.operation {
        Operation::OpenClose => (
            "A file is opened for appending and closed (`hopen`, `hclose`).",
            &["open `O_RDWR|O_CREAT`", "lseek to the end", "close"],
        ),
        Operation::Lock => (
            "Five symbols are enumerated against a file under an exclusive lock, as every writer of a partition does with the file `sym`.",
            &[
                "open `O_RDWR|O_CREAT`",
                "fcntl `F_SETLKW` with `F_WRLCK` over the whole file",
                "fstat, read all of it",
                "append symbols that are missing: all five the first time, none later",
                "close, which unlocks",
            ],
        ),
        Operation::Size => (
            "The size of a large file is asked (`hcount`).",
            &[
                "open `O_RDONLY`",
                "fstat",
                "pread 8 bytes, by which a compressed file would be known",
                "close",
            ],
        ),
        Operation::Map => (
            "A small column is mapped and let go (`get`).",
            &["open `O_RDONLY`, fstat, mmap, close", "load the header", "munmap"],
        ),
    };
    page.about(about);
    page.steps("Operate, again and again on the same file", steps);
    page.size("operations", |job| Sizes::new(job).meta_ops());
    page.longer(test.stretch());
    page.figures(Figures::Meta);
    page.reading("Microseconds in the kernel, no device: path lookup, locks in the inode, and for some file systems a round trip to user space or to a server. On a local file system differences below 20 % rarely matter; on a network one this test often decides.");
    page.caveats(&[
        "Each worker uses its own file, so workers do not wait for one another's locks; what grows with their number is shared in the file system or the kernel.",
        "The time of a call to the clock is not in it: the clock is read once for all operations, so there is no distribution, only a mean per worker.",
    ]);
    page.guesses(
        "The order of the calls is documented by the vendor; the flags of `open` are inferred.",
        match test.operation {
            Operation::Map => &["get_map"],
            _ => &[],
        },
    );
    page.text()
}

pub(super) fn random(test: &RandomTest) -> String {
    let mut page = Page::new(test.row, test.cache());
    page.about(&format!(
        "Blocks of {} bytes at random pages of four large files are gathered from memory maps, as a query that jumps through a column does. {}",
        test.block_bytes,
        if test.remap { "Every block maps its file anew." } else { "The files stay mapped all the time." }
    ));
    let gather = "build the vector of indices, gather the elements into fresh memory, free both";
    if test.remap {
        page.steps(
            "Read, for every block",
            &["open, fstat, mmap, close; load the header", gather, "munmap"],
        );
    } else {
        page.steps("Before the clock", &["map the four files; nothing of them is read"]);
        page.steps("Read, for every block", &[gather]);
    }
    page.size("blocks in each file", |job| Sizes::new(job).blocks(test.block_bytes));
    page.size("elements in a block", |job| Sizes::new(job).block_rows(test.block_bytes));
    page.size("bytes read", |job| test.estimate(job).read_bytes);
    page.longer(test.stretch());
    page.figures(Figures::Read);
    page.reading(if test.cache == CacheNeed::Cold {
        "Latency of the device at queue depth 1 in every worker, and read-around: the kernel reads more than it was asked for (`read_ahead_kb`) unless it learns that it misses. A fresh map forgets what was learned, so the `mmap` variant reads around every time. Device bytes over logical bytes tell how much."
    } else {
        "Page faults on resident pages and a gather; with a fresh map also the cost of mapping. 4k is ruled by faults, 1M by the copy."
    });
    page.caveats(&[
        "Places are multiples of 4096 bytes behind the header of 16, drawn without replacement in each file; blocks may overlap. Seed numbers 1 to 6 give every worker the same places in its own files, and the hot test those of the cold one.",
        if test.cache == CacheNeed::Cold { RESIDENT } else { "All of the four files is made resident before, not only the blocks that are read; where memory is short they cannot be." },
        "At small scales files are short: a block is never longer than its file, and there are never more blocks than places.",
    ]);
    page.guesses("That no `MADV_RANDOM` is given is inferred from cold rates.", &["get_map"]);
    page.text()
}

pub(super) fn sort(test: &SortTest, id: &str) -> String {
    let syncs = id == test.sync.id;
    let mut page = Page::new(if syncs { test.sync } else { test.row }, test.cache());
    page.about("A table of two columns, symbols and floats, is sorted on disk by its symbols (`xasc`): the end of a day in a kdb+ system. Every column is replaced by a new file.");
    page.steps("Write (it reads too)", &[
        "read `.d` and all of the symbol column with read(2); sort the rows by counting, stably",
        "write the sorted symbols to a temporary file and rename it over the old one",
        "map the float column, load every page in order, gather it in the new order, write and rename",
        "read the symbols again and replace the file once more with the mark that it is sorted",
    ]);
    page.steps(
        "Sync of the directory",
        &["open the table's directory, fsync, close: all that the ancestor syncs"],
    );
    page.steps("Sync", &["open, fsync and close each column"]);
    page.steps("Spawned sync, kept apart", &["`/bin/sh -c \"sync DIRECTORY\"`"]);
    page.size("rows", |job| Column::new(super::column::SYM_TABLE, job).rows);
    page.size("bytes written", |job| test.estimate(job).write_bytes);
    page.longer(test.stretch());
    page.figures(if syncs { Figures::SortSync } else { Figures::Write });
    page.reading("ext4 writes a file out when it is renamed over another (`auto_da_alloc`), XFS does not: one pays in the sort, the other in the sync. Only the durable rate, which has both, compares them.");
    page.caveats(&[
        "The ancestor's sync after the sort is of the directory alone: the columns stay dirty, and its published rate (terabytes a second) is of nothing. `nano_rate` repeats it; `sync_ms` is of the columns.",
        "The ancestor reads the symbol column before its clock starts. Here the sort starts cold for both columns.",
        "The ancestor spends most of this test in its own sort; figures are not comparable with its, ratios between file systems are.",
        "Bytes are those of both columns once; the second copy of the symbols counts in time only.",
    ]);
    page.guesses("The order of the columns and the second rewrite follow the public source of older versions and published times.", &["set_mode", "write_chunk", "touch", "get_map", "sym"]);
    page.text()
}

pub(super) fn attribute(test: &AttributeTest, id: &str) -> String {
    let syncs = id == test.sync.id;
    let mut page = Page::new(if syncs { test.sync } else { test.row }, test.cache());
    page.about("The sorted symbol column gets the mark that equal values stand together (`p#`). One byte changes, and yet the whole file is replaced: published times leave no other reading.");
    page.steps(
        "Write",
        &[
            "read all of the column with read(2)",
            "check that equal symbols stand together",
            "write it with the new mark to a temporary file, rename it over the old one",
        ],
    );
    sync_steps(&mut page, "the column");
    page.size("rows", |job| Column::new(super::column::SYM_TABLE, job).rows);
    page.size("bytes written", |job| test.estimate(job).write_bytes);
    page.longer(test.stretch());
    page.figures(if syncs { Figures::Sync } else { Figures::Write });
    page.reading("A file is read from the page cache and replaced. On ext4 the rename waits for the data of the new file; XFS leaves that to the sync. Compare durable rates.");
    page.caveats(&[
        "The column is in the page cache after the sort; run alone, it is made and left there.",
        if syncs { INFLATED } else { "`nano_rate` counts 8 bytes a row, 5 are written." },
        SPAWNED,
    ]);
    page.guesses("Enumerated columns get an index of 24 zero bytes for each distinct symbol: its true content is not public, its size hardly matters.", &["set_mode", "write_chunk", "sym"]);
    page.text()
}
