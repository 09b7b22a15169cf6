//! The I/O of each disk of a target that has several, as metrics of a sample: whether a mirror reads from both, and
//! whether its writes reach each.

use super::finite;
use lab::observe::{DeviceUsage, Usage};
use model::result::DiskUse;

/// The activity of each disk in the timed part of `usage`; none for a target with one disk or none.
pub(crate) fn disks(usage: &Usage) -> Vec<DiskUse> {
    let of = |(disk, seen): (u32, &DeviceUsage)| DiskUse {
        disk,
        reads: Some(seen.reads),
        read_bytes: Some(seen.read_bytes),
        writes: Some(seen.writes),
        write_bytes: Some(seen.write_bytes),
        busy_pct: finite(100.0 * seen.busy_s / usage.seconds.max(1e-9)),
    };
    (1..).zip(&usage.each_device).map(of).collect()
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
            disks(&Usage { seconds: 2.0, each_device: each.into(), ..Usage::default() })
        };
        let both = of(&[disk(7), disk(0)]);
        let [first, second] = both.as_slice() else { panic!("{both:?}") };
        assert_eq!([first.disk, second.disk], [1, 2]);
        assert_eq!([first.reads, second.reads], [Some(7), Some(0)]);
        assert_eq!(first.read_bytes, Some(28672));
        assert_eq!([second.writes, second.write_bytes], [Some(3), Some(4096)]);
        assert_eq!(second.busy_pct, Some(25.0));
        assert_eq!(of(&[]), []);
    }
}
