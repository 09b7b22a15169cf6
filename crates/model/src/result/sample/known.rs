//! Numbers that may be known of a sample besides its figures: what may explain them, and what tells whether they are of
//! what was asked. One line of the list declares each, in the order in which files have them.

use crate::{
    figure::{Better, MetricKind, Shared},
    result::evidence::BUFFERED_BELOW,
};
use std::{collections::HashMap, fmt, marker::PhantomData, sync::LazyLock};

/// A number that may be known of a sample: its line in the list.
pub struct Known<T>(Line, PhantomData<fn() -> T>);

impl<T> Clone for Known<T> {
    fn clone(&self) -> Known<T> {
        *self
    }
}

impl<T> Copy for Known<T> {}

/// A type of a number.
pub trait Number: Copy {
    /// `None` for a value that would come back as another one.
    fn of(value: f64) -> Option<Self>;
    /// As files hold it.
    fn value(self) -> f64;
}

impl Number for f64 {
    fn of(value: f64) -> Option<f64> {
        value.is_finite().then_some(value)
    }
    fn value(self) -> f64 {
        self
    }
}

impl Number for u64 {
    fn of(value: f64) -> Option<u64> {
        let count = value as u64;
        (count.value() == value).then_some(count)
    }
    fn value(self) -> f64 {
        self as f64
    }
}

impl Number for u32 {
    fn of(value: f64) -> Option<u32> {
        let count = value as u32;
        (count.value() == value).then_some(count)
    }
    fn value(self) -> f64 {
        f64::from(self)
    }
}

/// What files call a line.
struct InFiles {
    name: &'static str,
    unit: &'static str,
    better: Better,
    /// Whether the line can hold a value as it is.
    fits: fn(f64) -> bool,
}

macro_rules! list {
    ($($(#[$doc:meta])* $line:ident: $type:ty = $name:expr, $unit:literal, $better:ident;)*) => {
        /// A line of the list.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(
            non_camel_case_types,
            clippy::upper_case_acronyms,
            reason = "a line is called like its constant"
        )]
        #[repr(u8)]
        pub(super) enum Line { $($line),* }

        impl Line {
            pub(super) const ALL: &'static [Line] = &[$(Line::$line),*];
        }

        static IN_FILES: &[InFiles] = &[$(InFiles {
            name: $name,
            unit: $unit,
            better: Better::$better,
            fits: |value| <$type>::of(value).is_some(),
        }),*];

        $($(#[$doc])* pub const $line: Known<$type> = Known(Line::$line, PhantomData);)*
    };
}

list! {
    /// The multiple that the file system takes directly, where it took direct I/O in smaller blocks through the page
    /// cache.
    BUFFERED_BELOW_BYTES: u64 = BUFFERED_BELOW, "B", Lower;
    /// Processor time of all processes, seconds.
    MACHINE_CPU_S: f64 = "machine_cpu_s", "s", Lower;
    /// The same in the kernel alone, seconds.
    MACHINE_SYS_S: f64 = "machine_sys_s", "s", Lower;
    /// Memory of the kernel's own objects at the end.
    SLAB_BYTES: u64 = "slab_bytes", "B", Lower;
    /// Memory of the page cache at the end.
    PAGE_CACHE_BYTES: u64 = "page_cache_bytes", "B", Lower;
    /// Bytes in use on the target after the test.
    SPACE_USED_BYTES: u64 = "space_used_bytes", "B", Lower;
    /// Time until the device of the target was idle before the release, seconds.
    SETTLE_S: f64 = "settle_s", "s", Lower;
    /// Memory of the cache of ZFS at the end.
    ARC_BYTES: u64 = "arc_bytes", "B", Lower;
    /// Share of the time in which some process waited for a processor, percent.
    PSI_CPU_SOME_PCT: f64 = "psi_cpu_some_pct", "%", Lower;
    /// The same for I/O, percent.
    PSI_IO_SOME_PCT: f64 = "psi_io_some_pct", "%", Lower;
    /// The same for memory, percent.
    PSI_MEMORY_SOME_PCT: f64 = "psi_memory_some_pct", "%", Lower;
    /// Share of the processors that other processes used, with that of the hypervisor, percent.
    FOREIGN_CPU_PCT: f64 = "foreign_cpu_pct", "%", Lower;
    /// Bytes that other processes read on the disk below.
    FOREIGN_READ_BYTES: f64 = "foreign_read_bytes", "B", Lower;
    /// Bytes that other processes wrote on the disk below.
    FOREIGN_WRITE_BYTES: f64 = "foreign_write_bytes", "B", Lower;
    /// Share of the part in which the candidate waited for a disk that moved bytes of others, percent.
    FOREIGN_DISK_PCT: f64 = "foreign_disk_pct", "%", Lower;
    /// Processor time of the target's own servers, seconds.
    SERVER_CPU_S: f64 = "server_cpu_s", "s", Lower;
    /// Length that a timed part of its preset has at least, seconds, where its figures come from a clock.
    FLOOR_S: f64 = "floor_s", "s", Lower;
    /// Checks, before the release and after the end, at which the rebuild of its mirror was running.
    REBUILD_LOOKS: u32 = "rebuild_looks", "", Higher;
    /// Share of the places of random reads from a cold cache that were in memory when they were first read, percent,
    /// at least.
    READ_AHEAD_HIT_PCT: f64 = "read_ahead_hit_pct", "%", Lower;
    /// Share of the timed part in which the device of the target had work, percent.
    DEVICE_BUSY_PCT: f64 = "device_busy_pct", "%", Lower;
    /// The same in the busiest second, percent.
    DEVICE_BUSY_PEAK_PCT: f64 = "device_busy_peak_pct", "%", Lower;
    /// Share of the time in which the busiest worker was on a processor, percent.
    WORKER_BUSY_PCT: f64 = "worker_busy_pct", "%", Lower;
    /// Most dirty pages in any second.
    DIRTY_PEAK_BYTES: u64 = "dirty_peak_bytes", "B", Lower;
    /// Lowest frequency of a processor, MHz.
    CPU_LEAST_MHZ: f64 = "cpu_least_mhz", "MHz", Higher;
    /// Share of the time in which the machine was slowed down, percent.
    LIMITED_PCT: f64 = "limited_pct", "%", Lower;
    /// Bytes that its device moved while it was held for others.
    HELD_DEVICE_BYTES: u64 = "held_device_bytes", "B", Lower;
    /// Bytes that the device of the target wrote right after the timed part.
    SETTLE_WRITE_BYTES: u64 = "settle_write_bytes", "B", Lower;
    /// Rate of operations in the first fifth of a sustained run, 1/s.
    ROUND_1_RATE: f64 = "round_1_rate", "1/s", Higher;
    /// The same in the second fifth.
    ROUND_2_RATE: f64 = "round_2_rate", "1/s", Higher;
    /// The same in the third fifth.
    ROUND_3_RATE: f64 = "round_3_rate", "1/s", Higher;
    /// The same in the fourth fifth.
    ROUND_4_RATE: f64 = "round_4_rate", "1/s", Higher;
    /// The same in the last fifth.
    ROUND_5_RATE: f64 = "round_5_rate", "1/s", Higher;
    /// Number of hosts.
    HOSTS: u32 = "hosts", "", Higher;
    /// Largest difference of the clocks of the hosts, milliseconds.
    CLOCK_BOUND_MS: f64 = "clock_bound_ms", "ms", Lower;
    /// Operations in a second of the rank that had the least.
    SLOWEST_RANK_OPS_PER_S: f64 = "slowest_rank_ops_per_s", "1/s", Higher;
    /// Operations in a second of the rank that had the most.
    FASTEST_RANK_OPS_PER_S: f64 = "fastest_rank_ops_per_s", "1/s", Higher;
    /// Workers that read what their own host wrote, where all were to read that of another.
    READERS_OF_OWN_HOST: u32 = "readers_of_own_host", "", Lower;
    /// Place among the candidates side by side in which it was measured, from 1; unknown where all had slices in turn.
    RUN_ORDER: u32 = "run_order", "", Lower;
    /// Share of blocks in sequence before the target was aged, 0 to 1.
    LAYOUT_SCORE_BEFORE: f64 = "layout_score_before", "", Higher;
    /// The same after, 0 to 1.
    LAYOUT_SCORE: f64 = "layout_score", "", Higher;
    /// Share of the space of the target that was filled, percent.
    FULLNESS_PCT: f64 = "fullness_pct", "%", Lower;
    /// Which of the images or parts of a disk that candidates exchange from block to block it was on, from 1.
    BACKING_PART: u32 = "backing_part", "", Lower;
    /// Median folio in which the page cache held the files of a hot test before it.
    FOLIO_BYTES: u64 = "folio_bytes", "B", Higher;
    /// Share of the files of a cold test that was in the page cache at its end, percent.
    RESIDENT_AFTER_PCT: f64 = "resident_after_pct", "%", Lower;
}

/// Parts of equal length that a sustained run is divided into.
pub const ROUNDS: usize = 5;

/// The rate of each of them, in order.
pub const ROUND_RATES: [Known<f64>; ROUNDS] =
    [ROUND_1_RATE, ROUND_2_RATE, ROUND_3_RATE, ROUND_4_RATE, ROUND_5_RATE];

/// The kind of each line as a metric: shared by those of all samples.
static KINDS: LazyLock<Vec<Shared<MetricKind>>> = LazyLock::new(|| {
    let kind = |own: &InFiles| MetricKind::new(own.name, own.unit, own.better).into();
    IN_FILES.iter().map(kind).collect()
});

static BY_NAME: LazyLock<HashMap<&str, Line>> =
    LazyLock::new(|| Line::ALL.iter().map(|line| (line.in_files().name, *line)).collect());

impl Line {
    fn in_files(self) -> &'static InFiles {
        &IN_FILES[self as usize]
    }

    /// Its kind as a metric.
    pub(super) fn kind(self) -> Shared<MetricKind> {
        KINDS[self as usize].clone()
    }

    /// The line that files call `name`.
    pub(super) fn named(name: &str) -> Option<Line> {
        BY_NAME.get(name).copied()
    }

    /// Whether a number of `kind` is one of this line.
    pub(super) fn is_of(self, kind: &MetricKind) -> bool {
        let own = self.in_files();
        kind.unit == own.unit && kind.better == own.better
    }

    fn bit(self) -> u64 {
        1 << self as u8
    }
}

/// Numbers that are known, which take memory for no others.
#[derive(Clone, Default, PartialEq)]
pub struct Numbers {
    /// A bit for each line that is known.
    lines: u64,
    /// Their values, in the order of the list.
    values: Vec<f64>,
}

const _: () = assert!(Line::ALL.len() <= u64::BITS as usize, "a line has no bit");

impl Numbers {
    /// The number, where it is known.
    pub fn get<T: Number>(&self, known: Known<T>) -> Option<T> {
        self.at(known.0).and_then(T::of)
    }

    /// Sets the number; one that is not finite is unknown.
    pub fn set<T: Number>(&mut self, known: Known<T>, value: impl Into<Option<T>>) {
        let (line, value) = (known.0, value.into().map(T::value).filter(|value| value.is_finite()));
        let place = self.place(line);
        match (self.lines & line.bit() != 0, value) {
            (true, Some(value)) => self.values[place] = value,
            (true, None) => drop(self.values.remove(place)),
            (false, Some(value)) => self.values.insert(place, value),
            (false, None) => return,
        }
        self.lines = self.lines & !line.bit() | if value.is_some() { line.bit() } else { 0 };
    }

    /// The same with this number.
    #[must_use]
    pub fn with<T: Number>(mut self, known: Known<T>, value: impl Into<Option<T>>) -> Numbers {
        self.set(known, value);
        self
    }

    /// Adds what else is known in `other`.
    pub fn add(&mut self, other: &Numbers) {
        for (line, value) in other.iter() {
            self.fill(line, value);
        }
    }

    /// Takes a `value` of `line` from a file; false for one that is known already, or that the line cannot hold.
    pub(super) fn fill(&mut self, line: Line, value: f64) -> bool {
        let takes = self.lines & line.bit() == 0 && (line.in_files().fits)(value);
        if takes {
            self.values.insert(self.place(line), value);
            self.lines |= line.bit();
        }
        takes
    }

    /// The value of `line`, where it is known.
    pub(super) fn at(&self, line: Line) -> Option<f64> {
        (self.lines & line.bit() != 0).then(|| self.values[self.place(line)])
    }

    /// The lines that are known with their values, in the order of the list.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Line, f64)> {
        Line::ALL.iter().filter_map(|line| Some((*line, self.at(*line)?)))
    }

    /// Gives back memory for numbers that do not come.
    pub(super) fn shrink(&mut self) {
        self.values.shrink_to_fit();
    }

    /// How many of the lines before `line` are known.
    fn place(&self, line: Line) -> usize {
        (self.lines & (line.bit() - 1)).count_ones() as usize
    }
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(line, value)| (line.in_files().name, value)))
            .finish()
    }
}
