//! Reads the table of disks that yabs prints: four sizes of blocks, read and written at random in equal parts,
//! as fio counted them.
//!
//! Until July 2026 yabs wrote MB/s for 1000 KiB/s, since then for 10^6 bytes. Which of both it was, is known by
//! the operations next to it: operations times the size of a block are the rate.

use crate::{
    FormatError, ImportOptions, NamedBytes,
    gate::Printer,
    gather::{Gather, Reading},
    known::{IOPS, Known},
    text::{Line, lines, number},
};
use model::{
    figure::{Better, Metric},
    result::{Contradiction, Dataset},
    workload::Group,
};

/// The importer.
pub(crate) struct Importer;

const SUITE: &str = "yabs";

macro_rules! known {
    ($($key:literal $name:literal)*) => {
        [$(Known {
            key: $key, name: $name, testtype: "random read/write", group: Group::Mixed, ranked: &IOPS,
        }),*]
    };
}

const TESTS: [Known; 4] = known! {
    "randrw-4k" "random read/write, 4 KiB"
    "randrw-64k" "random read/write, 64 KiB"
    "randrw-512k" "random read/write, 512 KiB"
    "randrw-1m" "random read/write, 1 MiB"
};

/// The sizes of blocks in the order of [`TESTS`].
const BLOCKS: [(&str, f64); 4] =
    [("4k", 4096.0), ("64k", 65536.0), ("512k", 524_288.0), ("1m", 1_048_576.0)];

/// Bytes that `MB` may stand for: first those of the script, then what other tables have.
const MEGABYTES: [f64; 3] = [1.024e6, 1e6, 1.048576e6];

/// Processes of a test.
const PROCESSES: u32 = 2;

const NOTES: [&str; 4] = [
    "yabs runs fio with two processes and 64 operations in flight each, half of them reads; it \
     truncates operations to three digits or less.",
    "read_rate and write_rate are in MB of 10^6 bytes: the meaning of the table's MB is inferred \
     from the operations; if none fits, rates are omitted.",
    "Only the disk tests of yabs are read, not its machine and network figures.",
    "Cache states are not in the source; one run gives no spread.",
];

impl crate::WholeImporter for Importer {
    fn name(&self) -> &'static str {
        SUITE
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        String::from_utf8_lossy(head).lines().any(|line| heading(line).is_some())
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let (mut gather, files) = Gather::new(self, files, options);
        for (file, bytes) in files {
            let (mut table, mut last) = (Table::default(), 1);
            for line in lines(file, bytes) {
                last = line.number;
                table.line(&line, &mut gather)?;
            }
            if !table.sizes.is_empty() {
                let why = "the last table has no line `Total`; the file is truncated";
                return Err(FormatError::line(file, last, why));
            }
        }
        gather.finish(&NOTES)
    }
}

/// The sizes in `Block Size | 4k            (IOPS) | 64k           (IOPS)`.
fn heading(text: &str) -> Option<Vec<&str>> {
    let mut parts = text.trim().trim_matches('|').split('|').map(str::trim);
    let is_it = parts.next()? == "Block Size" && text.contains("(IOPS)");
    is_it.then(|| parts.filter_map(|part| part.split_whitespace().next()).collect())
}

/// A cell: the rate as printed, in millions, and operations in a second, each with what one digit of it is.
#[derive(Clone, Copy, Default)]
struct Cell {
    megabytes: f64,
    megabytes_step: f64,
    iops: f64,
    step: f64,
}

/// A part of the table: two sizes of blocks side by side.
#[derive(Default)]
struct Table {
    /// Places in [`TESTS`].
    sizes: Vec<usize>,
    read: Vec<Cell>,
    write: Vec<Cell>,
    printer: Printer,
}

impl Table {
    fn line(&mut self, line: &Line<'_>, gather: &mut Gather<'_>) -> Result<(), FormatError> {
        if let Some(sizes) = heading(&line.text) {
            let place = |size: &str| {
                let found = BLOCKS.iter().position(|(name, _)| *name == size);
                found.ok_or_else(|| {
                    line.bad(format!("`{}` is not a size of yabs", crate::table::short(size)))
                })
            };
            let sizes = sizes.into_iter().map(place).collect::<Result<_, _>>()?;
            *self = Table { sizes, ..Table::default() };
            self.printer.add(line.text.trim().as_bytes());
            return Ok(());
        }
        let mut parts = line.text.trim().trim_matches('|').split('|').map(str::trim);
        let name = parts.next().unwrap_or_default();
        if self.sizes.is_empty() || !matches!(name, "Read" | "Write" | "Total") {
            return Ok(());
        }
        let cell = |part| {
            cell(part).ok_or_else(|| {
                line.bad(
                    "a cell is truncated, or not a rate \
                                                            of yabs",
                )
            })
        };
        let cells: Vec<Cell> = parts.map(cell).collect::<Result<_, _>>()?;
        if cells.len() != self.sizes.len() {
            return Err(line.bad(format!(
                "{} cells where the header has {}",
                cells.len(),
                self.sizes.len()
            )));
        }
        self.printer.add(line.text.trim().as_bytes());
        match name {
            "Read" => self.read = cells,
            "Write" => self.write = cells,
            _ => std::mem::take(self).end(line, &cells, gather)?,
        }
        Ok(())
    }

    fn end(
        self,
        line: &Line<'_>,
        total: &[Cell],
        gather: &mut Gather<'_>,
    ) -> Result<(), FormatError> {
        if self.read.is_empty() || self.write.is_empty() {
            return Err(line.bad("the line `Read` or `Write` of the table is missing"));
        }
        let run_start = gather.run_start();
        let cells = self.read.iter().zip(&self.write).zip(total);
        for (&size, ((read, write), total)) in self.sizes.iter().zip(cells) {
            let mut reading = reading(size, read, write);
            let slack = read.step + write.step + total.step;
            if (read.iops + write.iops - total.iops).abs() > slack {
                let why = Contradiction::Total {
                    read_iops: read.iops.into(),
                    write_iops: write.iops.into(),
                    total_iops: total.iops.into(),
                };
                reading.outcome = Err(why.into());
            }
            gather.add(line.file, line.number, reading)?;
        }
        gather.end_run(line.file, run_start, self.printer.print());
        Ok(())
    }
}

fn reading(size: usize, read: &Cell, write: &Cell) -> Reading {
    let block = BLOCKS[size].1;
    let higher = |name, value, unit| Metric::new(name, value, unit, Better::Higher);
    let mut metrics = vec![
        higher(IOPS.name, read.iops + write.iops, IOPS.unit),
        higher("read_iops", read.iops, "1/s"),
        higher("write_iops", write.iops, "1/s"),
    ];
    // Both are cut, not rounded; half a digit more for those that round.
    let fits = |cell: &Cell, bytes: f64| {
        let ops = |megabytes: f64| megabytes * bytes / block;
        let most = ops(cell.megabytes + cell.megabytes_step);
        most > cell.iops - 0.5 * cell.step && ops(cell.megabytes) < cell.iops + 1.5 * cell.step
    };
    let bytes = MEGABYTES.into_iter().find(|&bytes| fits(read, bytes) && fits(write, bytes));
    if let Some(bytes) = bytes {
        metrics.push(higher("read_rate", read.megabytes * bytes / 1e6, "MB/s"));
        metrics.push(higher("write_rate", write.megabytes * bytes / 1e6, "MB/s"));
    }
    Reading { procs: PROCESSES, ..Reading::new(TESTS[size].info(SUITE), Ok(metrics)) }
}

/// `100.00 MB/s  (25.0k)`
fn cell(text: &str) -> Option<Cell> {
    let (rate, iops) = text.split_once('(')?;
    let (digits, unit) = rate.trim().split_once(' ')?;
    let factor = match unit.trim() {
        "KB/s" => 1e-3,
        "MB/s" => 1.0,
        "GB/s" => 1e3,
        _ => return None,
    };
    let iops = iops.trim().strip_suffix(')')?;
    let (digits_of_iops, thousand) = match iops.strip_suffix('k') {
        Some(digits) => (digits, 1e3),
        None => (iops, 1.0),
    };
    let positive = |text: &str| number(text).filter(|&number| number >= 0.0);
    let behind = digits_of_iops.split_once('.').map_or(0, |(_, behind)| behind.len().min(9));
    Some(Cell {
        megabytes: positive(digits)? * factor,
        megabytes_step: 0.01 * factor,
        iops: positive(digits_of_iops)? * thousand,
        step: thousand / 10f64.powi(behind as i32),
    })
}
