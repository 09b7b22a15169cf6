//! The tests in the original suite's order: writes, metadata, reads, rereads, random reads, sort.

use super::{
    append::{AppendTest, Onto, own_file},
    attribute::AttributeTest,
    column::*,
    meta::{MetaTest, Operation},
    random::RandomTest,
    read::{How, ReadTest},
    replace::ReplaceTest,
    rewrite::RewriteTest,
    row::Row,
    sizes::Length,
    sort::SortTest,
    write::SetTest,
};
use crate::Test;
use model::workload::{CacheNeed, Group};

/// A row of `write disk`.
const fn critical(id: &'static str, name: &'static str) -> Row {
    Row { id, name, testtype: "write disk", group: Group::WriteCritical, only_writes: true }
}

const fn other(id: &'static str, name: &'static str) -> Row {
    Row { group: Group::WriteOther, ..critical(id, name) }
}

/// A row for the data left to sync after a test.
const fn left(id: &'static str, name: &'static str) -> Row {
    Row { group: Group::Sync, ..critical(id, name) }
}

const fn cold(id: &'static str, name: &'static str) -> Row {
    Row { id, name, testtype: "read disk write mem", group: Group::ReadCold, only_writes: false }
}

const fn hot(id: &'static str, name: &'static str) -> Row {
    Row { id, name, testtype: "read mem write mem", group: Group::ReadHot, only_writes: false }
}

const fn set(file: ColumnFile, row: Row, sync: Row) -> SetTest {
    SetTest { row, sync, file }
}

const fn append(row: Row, files: &'static [ColumnFile], chunk: Length, onto: Onto) -> AppendTest {
    AppendTest { row, files, chunk, onto }
}

const fn replace(file: ColumnFile, value: u64, row: Row, sync: Option<Row>) -> ReplaceTest {
    ReplaceTest { row: Row { only_writes: false, ..row }, sync, file, value, sorted: false }
}

const fn read(file: ColumnFile, row: Row) -> ReadTest {
    ReadTest { row, file, how: How::Mapped, cache: CacheNeed::Cold }
}

const fn reread(file: ColumnFile, row: Row) -> ReadTest {
    ReadTest { cache: CacheNeed::Hot, ..read(file, row) }
}

const fn meta(operation: Operation, id: &'static str, name: &'static str) -> MetaTest {
    MetaTest {
        row: Row { id, name, testtype: "meta", group: Group::Meta, only_writes: false },
        operation,
    }
}

/// A cold random read.
const fn random(seed: u64, block_bytes: u64, id: &'static str, name: &'static str) -> RandomTest {
    let row = Row { id, name, testtype: "read disk", group: Group::ReadCold, only_writes: false };
    RandomTest { row, block_bytes, remap: seed > 3, seed, cache: CacheNeed::Cold }
}

/// The hot read of the same blocks.
const fn rerandom(seed: u64, block_bytes: u64, id: &'static str, name: &'static str) -> RandomTest {
    let row = Row { id, name, testtype: "read mem", group: Group::ReadHot, only_writes: false };
    RandomTest { row, cache: CacheNeed::Hot, ..random(seed, block_bytes, id, name) }
}

/// Every test of the suite.
pub(super) static TESTS: &[&dyn Test] = &[
    &append(
        other("columnar.append.int.tiny", "open append tiny, sync once"),
        &[own_file("tinyAppend", Length::Tiny)],
        Length::Tiny,
        Onto::Nothing { chunks: 200 },
    ),
    &append(
        other("columnar.handle.int.tiny", "append tiny, sync once"),
        &[own_file("tinyHandle", Length::Tiny)],
        Length::Tiny,
        Onto::Handle { chunks: 500 },
    ),
    &append(
        other("columnar.handle.int.small", "append small, sync once"),
        &[own_file("smallHandle", Length::Small)],
        Length::Small,
        Onto::Handle { chunks: 50 },
    ),
    &RewriteTest {
        row: Row {
            only_writes: false,
            ..other("columnar.rewrite.int.tiny", "open replace tiny, sync once")
        },
        file: own_file("tinyReplace", Length::Tiny),
        cycles: 100,
    },
    &set(
        TINY,
        critical("columnar.write.int.tiny", "write int tiny"),
        left("columnar.sync.int.tiny", "sync int tiny"),
    ),
    &replace(TINY, REPLACED_INT, other("columnar.replace.int.tiny", "open replace int tiny"), None),
    &set(
        SMALL,
        critical("columnar.write.int.small", "write int small"),
        left("columnar.sync.int.small", "sync int small"),
    ),
    &replace(
        SMALL,
        REPLACED_INT,
        other("columnar.replace.int.small", "open replace random int small"),
        None,
    ),
    &set(
        MEDIUM,
        critical("columnar.write.int.medium", "write int medium"),
        left("columnar.sync.int.medium", "sync int medium"),
    ),
    &replace(
        MEDIUM,
        REPLACED_INT,
        other("columnar.replace.int.medium", "open replace random int medium"),
        None,
    ),
    &set(
        SYM,
        critical("columnar.write.sym.large", "write sym large"),
        left("columnar.sync.sym.large", "sync sym large"),
    ),
    &set(
        FLOAT,
        critical("columnar.write.float.large", "write float large"),
        left("columnar.sync.float.large", "sync float large"),
    ),
    &replace(
        FLOAT,
        REPLACED_FLOAT,
        other("columnar.replace.float.large", "open replace random float large"),
        Some(left("columnar.sync.float.large.replaced", "sync float large after replace")),
    ),
    &set(
        HUGE,
        critical("columnar.write.int.huge", "write int huge"),
        left("columnar.sync.int.huge", "sync int huge"),
    ),
    &replace(
        HUGE,
        REPLACED_INT,
        other("columnar.replace.int.huge", "open replace random int huge"),
        Some(left("columnar.sync.int.huge.replaced", "sync int huge after replace")),
    ),
    &ReplaceTest {
        sorted: true,
        ..replace(
            HUGE,
            REPLACED_SORTED,
            other("columnar.replace_sorted.int.huge", "open replace sorted int huge"),
            Some(left(
                "columnar.sync.int.huge.replaced_sorted",
                "sync int huge after sorted replace",
            )),
        )
    },
    &append(
        other("columnar.append.int.small", "open append small, sync once"),
        &RANDOM,
        Length::Small,
        Onto::RandomFiles,
    ),
    &append(
        critical("columnar.append.sym.large", "open append mid sym, sync once"),
        &[SYM_TABLE],
        Length::Large,
        Onto::Column,
    ),
    &append(
        critical("columnar.append.float.large", "open append mid float, sync once"),
        &[FLOAT_TABLE],
        Length::Large,
        Onto::Column,
    ),
    &meta(Operation::OpenClose, "columnar.openclose", "close open"),
    &meta(Operation::Lock, "columnar.lock", "lock"),
    &meta(Operation::Size, "columnar.size", "size"),
    &MetaTest {
        row: Row {
            id: "columnar.mmap",
            name: "mmap",
            testtype: "read disk",
            group: Group::Meta,
            only_writes: false,
        },
        operation: Operation::Map,
    },
    &read(TINY, cold("columnar.read.int.tiny", "sequential read int tiny")),
    &read(SMALL, cold("columnar.read.int.small", "sequential read int small")),
    &read(MEDIUM, cold("columnar.read.int.medium", "sequential read int medium")),
    &read(FLOAT_TABLE, cold("columnar.read.float.large", "sequential read float large")),
    &read(HUGE, cold("columnar.read.int.huge", "sequential read int huge")),
    &ReadTest {
        row: Row {
            testtype: "read disk",
            ..cold("columnar.read.binary", "sequential read binary")
        },
        file: BINARY,
        how: How::Bytes,
        cache: CacheNeed::Cold,
    },
    &ReadTest {
        row: Row {
            testtype: "cpu read mem",
            ..hot("columnar.aggregate.int.huge", "aggregate int huge")
        },
        file: HUGE,
        how: How::Max,
        cache: CacheNeed::Hot,
    },
    &reread(SMALL, hot("columnar.reread.int.small", "sequential reread int small")),
    &reread(MEDIUM, hot("columnar.reread.int.medium", "sequential reread int medium")),
    &reread(FLOAT_TABLE, hot("columnar.reread.float.large", "sequential reread float large")),
    &reread(HUGE, hot("columnar.reread.int.huge", "sequential reread int huge")),
    &ReadTest {
        row: hot("columnar.reread.binary", "sequential read binary"),
        file: BINARY,
        how: How::Bytes,
        cache: CacheNeed::Hot,
    },
    &random(1, 1_000_000, "columnar.random.1m", "random read 1M"),
    &rerandom(1, 1_000_000, "columnar.rerandom.1m", "random read 1M"),
    &random(2, 64_000, "columnar.random.64k", "random read 64k"),
    &rerandom(2, 64_000, "columnar.rerandom.64k", "random read 64k"),
    &random(3, 4_000, "columnar.random.4k", "random read 4k"),
    &rerandom(3, 4_000, "columnar.rerandom.4k", "random read 4k"),
    &random(4, 1_000_000, "columnar.random.mmap.1m", "mmap, random read 1M"),
    &rerandom(4, 1_000_000, "columnar.rerandom.mmap.1m", "mmap, random read 1M"),
    &random(5, 64_000, "columnar.random.mmap.64k", "mmap, random read 64k"),
    &rerandom(5, 64_000, "columnar.rerandom.mmap.64k", "mmap, random read 64k"),
    &random(6, 4_000, "columnar.random.mmap.4k", "mmap, random read 4k"),
    &rerandom(6, 4_000, "columnar.rerandom.mmap.4k", "mmap, random read 4k"),
    &SortTest {
        row: Row {
            testtype: "read write disk",
            only_writes: false,
            ..critical("columnar.sort", "disk sort")
        },
        sync: left("columnar.sync.sorted", "sync table after sort"),
    },
    &AttributeTest {
        row: Row {
            testtype: "read mem write disk",
            only_writes: false,
            ..critical("columnar.attribute", "add attribute")
        },
        sync: left("columnar.sync.attributed", "sync column after parted attribute"),
    },
];
