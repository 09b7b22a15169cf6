//! A device by the columns of a table, as the text of `iostat` has them.

use super::{Coarse, Device, Figure, Halves};

/// Sectors of 512 bytes in a KiB.
const SECTORS_PER_KIB: f64 = 2.0;

/// A figure of a table.
#[derive(Clone, Copy)]
pub(in super::super) struct Cell {
    pub(in super::super) value: f64,
    /// Half of what a step of its last digit is.
    pub(in super::super) half_step: f64,
}

impl Cell {
    fn over(self, each: f64) -> Cell {
        Cell { value: self.value / each, half_step: self.half_step / each }
    }
}

/// Whether one of `cells` has fewer than two decimals.
fn is_coarse(cells: &[Option<Cell>]) -> bool {
    cells.iter().flatten().any(|cell| cell.half_step > 0.0051)
}

impl Device {
    /// The device called `name`; `cell` gives what is in a column, where the table has it.
    pub(in super::super) fn of_columns<E>(
        name: &str,
        cell: impl Fn(&str) -> Result<Option<Cell>, E>,
    ) -> Result<Device, E> {
        let first = |names: &[&str], each: f64| -> Result<Option<Cell>, E> {
            for name in names {
                if let Some(found) = cell(name)? {
                    return Ok(Some(found.over(each)));
                }
            }
            Ok(None)
        };
        let of = |names: &[&str]| first(names, 1.0);
        let figure = |cell: Option<Cell>| cell.map(|cell| Figure(cell.value));
        // Early releases count sectors, under two names.
        let kib = |kib: &[&str], sectors: &[&str]| match of(kib)? {
            None => first(sectors, SECTORS_PER_KIB),
            found => Ok(found),
        };
        let (tps, reads, writes) = (of(&["tps"])?, of(&["r/s"])?, of(&["w/s"])?);
        let read_kib = kib(&["rkB/s", "kB_read/s"], &["rsec/s", "Blk_read/s"])?;
        let write_kib = kib(&["wkB/s", "kB_wrtn/s"], &["wsec/s", "Blk_wrtn/s"])?;
        let (read_mib, write_mib) = (of(&["rMB/s", "MB_read/s"])?, of(&["wMB/s", "MB_wrtn/s"])?);
        let (read_each, write_each) = (of(&["rareq-sz"])?, of(&["wareq-sz"])?);
        Ok(Device {
            disk_device: name.into(),
            tps: figure(tps),
            reads: figure(reads),
            writes: figure(writes),
            read_kib: figure(read_kib),
            write_kib: figure(write_kib),
            read_mib: figure(read_mib),
            write_mib: figure(write_mib),
            read_total: figure(kib(&["kB_read", "MB_read"], &["Blk_read"])?),
            write_total: figure(kib(&["kB_wrtn", "MB_wrtn"], &["Blk_wrtn"])?),
            discards: figure(of(&["kB_dscd/s", "MB_dscd/s", "Blk_dscd/s"])?),
            util: figure(of(&["%util"])?),
            wait: figure(of(&["await"])?),
            read_wait: figure(of(&["r_await"])?),
            write_wait: figure(of(&["w_await"])?),
            flushes: figure(of(&["f/s"])?),
            read_kib_each: figure(read_each),
            write_kib_each: figure(write_each),
            read_halves: Halves::of(reads, read_each, read_kib.or(read_mib)),
            write_halves: Halves::of(writes, write_each, write_kib.or(write_mib)),
            coarse: Coarse {
                counts: is_coarse(&[tps, reads, writes]),
                sizes: is_coarse(&[read_kib, write_kib]),
            },
        })
    }
}

impl Halves {
    fn of(requests: Option<Cell>, each: Option<Cell>, rate: Option<Cell>) -> Halves {
        let told = Halves::default();
        let half = |cell: Option<Cell>, usual: f64| cell.map_or(usual, |cell| cell.half_step);
        Halves {
            requests: half(requests, told.requests),
            each: half(each, told.each),
            rate: half(rate, told.rate),
        }
    }
}
