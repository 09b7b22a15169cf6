//! The I/O of each disk of a target that has several, as metrics of a sample: whether a mirror reads from both, and
//! whether its writes reach each.

use lab::observe::{DeviceUsage, Usage};
use model::figure::{Better, Metric};

/// The activity of each disk in the timed part of `usage`; none for a target with one disk or none.
pub(crate) fn metrics(usage: &Usage) -> Vec<Metric> {
    let seconds = usage.seconds;
    let each = (1..).zip(&usage.each_device);
    each.flat_map(|(number, disk)| of_disk(number, disk, seconds)).collect()
}

fn of_disk(number: u32, disk: &DeviceUsage, seconds: f64) -> impl Iterator<Item = Metric> {
    let busy_pct = 100.0 * disk.busy_s / seconds.max(1e-9);
    let figures = [
        (Metric::DISK_READS, disk.reads as f64, ""),
        (Metric::DISK_READ_BYTES, disk.read_bytes as f64, "B"),
        (Metric::DISK_WRITES, disk.writes as f64, ""),
        (Metric::DISK_WRITE_BYTES, disk.write_bytes as f64, "B"),
        (Metric::DISK_BUSY_PCT, busy_pct, "%"),
    ];
    figures.into_iter().map(move |(name, value, unit)| {
        Metric::new(&format!("{name}{number}"), value, unit, Better::Lower)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_several_disks_have_figures_of_their_own() {
        let disk = |reads: u64| DeviceUsage {
            reads,
            read_bytes: reads << 12,
            writes: 3,
            write_bytes: 4096,
            busy_s: 0.5,
        };
        let of = |each: &[DeviceUsage]| {
            metrics(&Usage { seconds: 2.0, each_device: each.into(), ..Usage::default() })
        };
        let both = of(&[disk(7), disk(0)]);
        let value = |name: &str| both.iter().find(|metric| &*metric.name == name).unwrap().value;
        assert_eq!([value("disk_reads.1"), value("disk_reads.2")], [7.0, 0.0]);
        assert_eq!(value("disk_read_bytes.1"), 28672.0);
        assert_eq!([value("disk_writes.2"), value("disk_write_bytes.2")], [3.0, 4096.0]);
        assert_eq!(value("disk_busy_pct.2"), 25.0);
        assert_eq!(both.len(), 10);
        assert_eq!(of(&[]), []);
    }
}
