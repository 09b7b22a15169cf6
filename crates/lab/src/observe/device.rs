//! Counters of block devices: of each, of several as of one, and what happened between two readings.

use super::{SECTOR, cut, parse, read};
use crate::error::LabError;
use disk::Device;

/// The counters of a device (Documentation/block/stat.rst of the kernel).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DeviceCounters {
    pub(super) reads: u64,
    pub(super) read_sectors: u64,
    pub(super) writes: u64,
    pub(super) written_sectors: u64,
    pub(super) busy_ms: u64,
    pub(super) flushes: u64,
    pub(super) flush_ms: u64,
}

/// Activity of one device between two snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceUsage {
    /// Read requests completed, each counted once however many were merged into it.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Write requests completed. The kernel counts flushes that were asked for among them.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Time in which it had work, seconds.
    pub busy_s: f64,
}

impl DeviceCounters {
    /// By the text of a `stat` file, Documentation/block/stat.rst of the kernel.
    pub(super) fn of_text(text: &str) -> DeviceCounters {
        let words: Vec<&str> = text.split_whitespace().collect();
        DeviceCounters {
            reads: parse::column(&words, 0),
            read_sectors: parse::column(&words, 2),
            writes: parse::column(&words, 4),
            written_sectors: parse::column(&words, 6),
            busy_ms: parse::column(&words, 9),
            flushes: parse::column(&words, 15),
            flush_ms: parse::column(&words, 16),
        }
    }

    /// Returns the counters of each of `devices`.
    pub(super) fn of_each(devices: &[Device]) -> Result<Vec<DeviceCounters>, LabError> {
        devices
            .iter()
            .map(|device| Ok(DeviceCounters::of_text(&read(&device.stat_file())?)))
            .collect()
    }

    /// Returns what devices moved together, and how long they were busy on average; `None` without any.
    pub(super) fn together(each: &[DeviceCounters]) -> Option<DeviceCounters> {
        let sum = |get: fn(&DeviceCounters) -> u64| each.iter().map(get).sum::<u64>();
        (!each.is_empty()).then(|| DeviceCounters {
            reads: sum(|d| d.reads),
            read_sectors: sum(|d| d.read_sectors),
            writes: sum(|d| d.writes),
            written_sectors: sum(|d| d.written_sectors),
            busy_ms: sum(|d| d.busy_ms) / each.len() as u64,
            flushes: sum(|d| d.flushes),
            flush_ms: sum(|d| d.flush_ms) / each.len() as u64,
        })
    }

    /// Subtracts the activity between `from` and `to`.
    pub(super) fn cut(&mut self, from: &DeviceCounters, to: &DeviceCounters) {
        cut(&mut self.reads, from.reads, to.reads);
        cut(&mut self.read_sectors, from.read_sectors, to.read_sectors);
        cut(&mut self.writes, from.writes, to.writes);
        cut(&mut self.written_sectors, from.written_sectors, to.written_sectors);
        cut(&mut self.busy_ms, from.busy_ms, to.busy_ms);
        cut(&mut self.flushes, from.flushes, to.flushes);
        cut(&mut self.flush_ms, from.flush_ms, to.flush_ms);
    }

    /// Returns what happened since `earlier`.
    pub(super) fn since(&self, earlier: &DeviceCounters) -> DeviceUsage {
        let of = |get: fn(&DeviceCounters) -> u64| get(self).saturating_sub(get(earlier));
        DeviceUsage {
            reads: of(|d| d.reads),
            read_bytes: of(|d| d.read_sectors) * SECTOR,
            writes: of(|d| d.writes),
            write_bytes: of(|d| d.written_sectors) * SECTOR,
            busy_s: of(|d| d.busy_ms) as f64 / 1e3,
        }
    }
}
