//! The tests of the columnar suite under the names that published tables and the original suite's files
//! give them.

use model::{
    figure::Better,
    workload::{CacheState, Group, TestInfo},
};

/// A test as the original suite names it.
struct Known {
    id: &'static str,
    testtype: &'static str,
    name: &'static str,
    group: Group,
}

macro_rules! known {
    ($($group:ident $testtype:literal { $($id:literal $name:literal)* })*) => {
        const KNOWN: &[Known] = &[$($(
            Known { id: concat!("columnar.", $id), testtype: $testtype, name: $name, group: Group::$group },
        )*)*];
    };
}

known! {
    WriteCritical "write disk" {
        "write.int.tiny" "write int tiny"
        "write.int.small" "write int small"
        "write.int.medium" "write int medium"
        "write.sym.large" "write sym large"
        "write.float.large" "write float large"
        "write.int.huge" "write int huge"
        "append.sym.large" "open append mid sym, sync once"
        "append.float.large" "open append mid float, sync once"
    }
    WriteCritical "read write disk" { "sort" "disk sort" }
    WriteCritical "read mem write disk" { "attribute" "add attribute" }
    WriteOther "write disk" {
        "append.int.tiny" "open append tiny, sync once"
        "handle.int.tiny" "append tiny, sync once"
        "handle.int.small" "append small, sync once"
        "rewrite.int.tiny" "open replace tiny, sync once"
        "replace.int.tiny" "open replace int tiny"
        "replace.int.small" "open replace random int small"
        "replace.int.medium" "open replace random int medium"
        "replace.float.large" "open replace random float large"
        "replace.int.huge" "open replace random int huge"
        "replace_sorted.int.huge" "open replace sorted int huge"
        "append.int.small" "open append small, sync once"
    }
    Sync "write disk" {
        "sync.int.tiny" "sync int tiny"
        "sync.int.small" "sync int small"
        "sync.int.medium" "sync int medium"
        "sync.sym.large" "sync sym large"
        "sync.float.large" "sync float large"
        "sync.float.large.replaced" "sync float large after replace"
        "sync.int.huge" "sync int huge"
        "sync.int.huge.replaced" "sync int huge after replace"
        "sync.int.huge.replaced_sorted" "sync int huge after sorted replace"
        "sync.sorted" "sync table after sort"
        "sync.attributed" "sync column after parted attribute"
        // As 6.4.0 calls it.
        "sync.attributed" "sync table after phash"
    }
    Meta "meta" { "openclose" "close open" "lock" "lock" "size" "size" }
    Meta "read disk" { "mmap" "mmap" }
    ReadCold "read disk write mem" {
        "read.int.tiny" "sequential read int tiny"
        "read.int.small" "sequential read int small"
        "read.int.medium" "sequential read int medium"
        "read.float.large" "sequential read float large"
        "read.int.huge" "sequential read int huge"
    }
    ReadCold "read disk" {
        "read.binary" "sequential read binary"
        "random.1m" "random read 1M"
        "random.64k" "random read 64k"
        "random.4k" "random read 4k"
        "random.mmap.1m" "mmap, random read 1M"
        "random.mmap.64k" "mmap, random read 64k"
        "random.mmap.4k" "mmap, random read 4k"
    }
    ReadHot "cpu read mem" { "aggregate.int.huge" "aggregate int huge" }
    ReadHot "read mem write mem" {
        "reread.int.small" "sequential reread int small"
        "reread.int.medium" "sequential reread int medium"
        "reread.float.large" "sequential reread float large"
        "reread.int.huge" "sequential reread int huge"
        "reread.binary" "sequential read binary"
    }
    ReadHot "read mem" {
        "rerandom.1m" "random read 1M"
        "rerandom.64k" "random read 64k"
        "rerandom.4k" "random read 4k"
        "rerandom.mmap.1m" "mmap, random read 1M"
        "rerandom.mmap.64k" "mmap, random read 64k"
        "rerandom.mmap.4k" "mmap, random read 4k"
    }
}

/// The test that the original suite calls `name` in `testtype`, ranked by `metric`. A name that is not
/// known gets an id under `columnar.other`.
pub(crate) fn test_info(testtype: &str, name: &str, metric: &Ranked) -> TestInfo {
    let is = |known: &&Known| is_name(known.name, name) && known.testtype == testtype;
    let known = KNOWN.iter().find(is);
    let other = || format!("columnar.other.{}", slug(&format!("{testtype} {name}")));
    TestInfo {
        id: known.map_or_else(other, |known| known.id.into()),
        suite: "columnar".into(),
        name: known.map_or(name, |known| known.name).into(),
        testtype: testtype.into(),
        group: known.map_or_else(|| group(testtype), |known| known.group),
        metric: metric.name.into(),
        unit: metric.unit.into(),
        better: metric.better,
        shape: None,
    }
}

/// Whether two names are one: editions differ in the spaces behind commas.
fn is_name(one: &str, other: &str) -> bool {
    let parts =
        |name: &'_ str| name.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>();
    one == other || parts(one) == parts(other)
}

/// The metric by which tests of a source are ranked.
pub(crate) struct Ranked {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) better: Better,
}

/// The original suite's rate.
pub(crate) const NANO_RATE: Ranked =
    Ranked { name: "nano_rate", unit: "MB/s", better: Better::Higher };

/// The original suite's latency.
pub(crate) const LATENCY: Ranked = Ranked { name: "latency_ms", unit: "ms", better: Better::Lower };

/// What has to be known of every rate that the original suite printed.
pub(crate) const RATE_NOTE: &str = "nano_rate is the source's own figure: the sum of the workers' \
                                    rates, counting 8 bytes per element whatever its size on \
                                    disk; for syncs it is also multiplied by the length of the \
                                    sync command, so those rows compare targets but are not byte \
                                    rates.";

/// The cache state that the source declares for a test; nothing proves it.
pub(crate) fn declared_cache(test: &TestInfo) -> CacheState {
    match test.group {
        Group::ReadCold => CacheState::Cold,
        Group::ReadHot => CacheState::Hot,
        _ => CacheState::Any,
    }
}

fn group(testtype: &str) -> Group {
    if testtype.contains("write disk") {
        Group::WriteOther
    } else if testtype.contains("read disk") {
        Group::ReadCold
    } else if testtype.contains("mem") {
        Group::ReadHot
    } else {
        Group::Meta
    }
}

/// Lower-case letters and digits of ASCII, all else one hyphen.
pub(crate) fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}
