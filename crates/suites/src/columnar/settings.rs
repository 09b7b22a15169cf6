//! The knobs of the suite: where the original suite's behaviour is a guess, both answers can be measured.

use engine::map::Sharing;
use model::{target::Knob, text::Bytes, workload::Job};

/// Settings that every test reads from the job.
pub(super) static KNOBS: [Knob; 7] = [
    Knob::new(
        "set_mode",
        "",
        "rename",
        "how whole columns are written: to a temporary file that \
                                         is renamed, or in place after \
                                         truncation",
    )
    .one_of(&["rename", "trunc"]),
    Knob::new(
        "write_chunk",
        "bytes",
        "16M",
        "maximum size of write(2) for columns and large \
                                              appends, e.g. 16M",
    ),
    Knob::new(
        "get_map",
        "",
        "private",
        "map columns private or shared for \
                                         reading",
    )
    .one_of(&["private", "shared"]),
    Knob::new(
        "touch",
        "",
        "willneed",
        "how mapped columns are made resident: madvise and one \
                                        load per page, loads only, or \
                                        MAP_POPULATE",
    )
    .one_of(&["willneed", "touch", "populate"]),
    Knob::new(
        "sym",
        "",
        "plain",
        "storage of the symbol column: text (5 bytes per row) or \
                                   enumerated (8 bytes per row)",
    )
    .one_of(&["plain", "enum"]),
    Knob::new(
        "append_count",
        "",
        "yes",
        "whether appends to fixed-width columns update the count \
                                          in the header",
    )
    .one_of(&["yes", "no"]),
    Knob::new(
        "dontcache",
        "",
        "no",
        "whether writes of rows, and cold reads of bytes, leave no pages in the page cache (RWF_DONTCACHE); refused \
         where not supported",
    )
    .one_of(&["yes", "no"]),
];

/// The method of replacing a whole column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetMode {
    Rename,
    Trunc,
}

/// The method of making a mapped column resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    WillNeed,
    Loads,
    Populate,
}

/// The knobs of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) set_mode: SetMode,
    pub(super) write_chunk_bytes: u64,
    pub(super) sharing: Sharing,
    pub(super) touch: Touch,
    pub(super) enumerated: bool,
    pub(super) append_count: bool,
    pub(super) dontcache: bool,
}

impl Settings {
    /// Values are checked against [`KNOBS`] before a job is made; one that is not known counts as the
    /// default.
    pub(super) fn new(job: &Job) -> Settings {
        let is = |name: &str, value: &str| job.knobs.get(name).is_some_and(|v| v == value);
        let chunk = job.knobs.get("write_chunk").and_then(|text| text.parse::<Bytes>().ok());
        Settings {
            set_mode: if is("set_mode", "trunc") { SetMode::Trunc } else { SetMode::Rename },
            // Below a page a chunk would measure system calls; the kernel itself cuts at 2 GiB.
            write_chunk_bytes: chunk.map_or(16 << 20, |b| b.0.clamp(4096, 2 << 30)),
            sharing: if is("get_map", "shared") { Sharing::Shared } else { Sharing::Private },
            touch: match job.knobs.get("touch").map(String::as_str) {
                Some("touch") => Touch::Loads,
                Some("populate") => Touch::Populate,
                _ => Touch::WillNeed,
            },
            enumerated: is("sym", "enum"),
            append_count: !is("append_count", "no"),
            dontcache: is("dontcache", "yes"),
        }
    }
}
