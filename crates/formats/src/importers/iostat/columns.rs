//! A device by the columns of a table, as the text of `iostat` has them.

use super::{Device, Figure};

/// Sectors of 512 bytes in a KiB.
const SECTORS_PER_KIB: f64 = 2.0;

impl Device {
    /// The device called `name`; `figure` gives what stands in a column, where the table has it.
    pub(in super::super) fn of_columns<E>(
        name: &str,
        figure: impl Fn(&str) -> Result<Option<f64>, E>,
    ) -> Result<Device, E> {
        let first = |names: &[&str], each: f64| -> Result<Option<Figure>, E> {
            for name in names {
                if let Some(value) = figure(name)? {
                    return Ok(Some(Figure(value / each)));
                }
            }
            Ok(None)
        };
        let of = |names: &[&str]| first(names, 1.0);
        // Early releases count sectors, under two names.
        let kib = |kib: &[&str], sectors: &[&str]| match of(kib)? {
            None => first(sectors, SECTORS_PER_KIB),
            found => Ok(found),
        };
        Ok(Device {
            disk_device: name.into(),
            tps: of(&["tps"])?,
            reads: of(&["r/s"])?,
            writes: of(&["w/s"])?,
            read_kib: kib(&["rkB/s", "kB_read/s"], &["rsec/s", "Blk_read/s"])?,
            write_kib: kib(&["wkB/s", "kB_wrtn/s"], &["wsec/s", "Blk_wrtn/s"])?,
            read_mib: of(&["rMB/s", "MB_read/s"])?,
            write_mib: of(&["wMB/s", "MB_wrtn/s"])?,
            read_total: kib(&["kB_read", "MB_read"], &["Blk_read"])?,
            write_total: kib(&["kB_wrtn", "MB_wrtn"], &["Blk_wrtn"])?,
            discards: of(&["kB_dscd/s", "MB_dscd/s", "Blk_dscd/s"])?,
            util: of(&["%util"])?,
            wait: of(&["await"])?,
            read_wait: of(&["r_await"])?,
            write_wait: of(&["w_await"])?,
            flushes: of(&["f/s"])?,
            read_kib_each: of(&["rareq-sz"])?,
            write_kib_each: of(&["wareq-sz"])?,
        })
    }
}
