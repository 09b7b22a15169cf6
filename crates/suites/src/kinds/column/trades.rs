//! A day of trades: the columns of a table, each about as compressible as the same column of NYSE TAQ, of which KX
//! publishes what each algorithm leaves (code.kx.com, "Compression case study", February 2025).

use crate::columnar::Format;
use engine::data::{Data, Pattern, derive_seed};
use model::workload::{DataKind, Job};
use std::borrow::Cow;

/// Bytes that are compressed and written, or read and decompressed, at a time: a whole number of blocks.
pub(super) const BATCH_BYTES: u64 = 1 << 20;

/// Share of the bytes of the table that every compressor leaves, with room to spare: xz leaves a sixth.
pub(super) const LEAST_LEFT: f64 = 0.1;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// The place of the symbol in the file of all, one symbol after the other.
    Sym,
    /// Nanoseconds, ascending.
    Time,
    /// Dollars in steps of a cent, some of a hundredth of a cent.
    Price,
    /// Shares, often a hundred.
    Size,
}

/// The columns in the order in which they are written.
pub(super) const TABLE: [Column; 4] = [Column::Sym, Column::Time, Column::Price, Column::Size];

impl Column {
    /// The name of its file.
    pub(super) fn name(self) -> &'static str {
        match self {
            Column::Sym => "sym",
            Column::Time => "time",
            Column::Price => "price",
            Column::Size => "size",
        }
    }

    fn format(self) -> Format {
        match self {
            Column::Sym => Format::Enumerated,
            Column::Price => Format::Float,
            Column::Time | Column::Size => Format::Long,
        }
    }

    /// What makes its values out of random words, in their order.
    fn values(self) -> Box<dyn FnMut(u64) -> u64> {
        match self {
            Column::Sym => {
                let mut row = 0;
                Box::new(move |_| {
                    row += 1;
                    row >> 14
                })
            }
            Column::Time => times(),
            Column::Price => prices(),
            Column::Size => Box::new(|word| {
                let more = word >> 8;
                match word % 16 {
                    0..=2 => 100,
                    3 => (1 + more % 9) * 100,
                    4 => 1 + more % 10,
                    5..=10 => 1 + more % 100,
                    _ => 1 + more % 20_000,
                }
            }),
        }
    }
}

/// A quarter of the trades at the time of the one before, others up to 65 us, 16 ms or 0.3 s later.
fn times() -> Box<dyn FnMut(u64) -> u64> {
    // 9:30 in the morning.
    let mut time = 34_200_000_000_000;
    Box::new(move |word| {
        time += match word % 8 {
            0 | 1 => 0,
            2 => word >> 48,
            3..=5 => word >> 40,
            _ => word >> 36,
        };
        time
    })
}

/// Most at the price of a trade shortly before.
fn prices() -> Box<dyn FnMut(u64) -> u64> {
    // In hundredths of a cent.
    let mut price = 1_234_500_u64;
    let mut before = [price; 16];
    Box::new(move |word| {
        let more = word >> 32;
        price = match word % 16 {
            0..=5 => price,
            6..=11 => before[(word >> 16) as usize % 16],
            12..=14 => (price + more % 21 * 100).saturating_sub(1000),
            _ => (price + more % 401).saturating_sub(200),
        };
        before[(word >> 8) as usize % 16] = price;
        (price as f64 / 10_000.0).to_bits()
    })
}

/// A column as its file would be without compression, in memory.
pub(super) struct Image {
    header: Vec<u8>,
    data: Data,
}

impl Image {
    /// `rows` rows of `column` for the worker of `job`: trades, unless `--data` asks for another kind of data. In a
    /// compressed file the header counts no rows.
    pub(super) fn new(column: Column, rows: u64, is_compressed: bool, job: &Job) -> Image {
        let header = column.format().header(0, if is_compressed { 0 } else { rows });
        let seed = derive_seed(job.seed, column.name());
        let pattern = Pattern::new(&job.data, seed, job.worker, BATCH_BYTES / 8);
        let pattern = pattern.after(header.len() as u64 / 8);
        let data = match job.data {
            DataKind::Random => Data::mapped(pattern, rows, column.values()),
            _ => Data::of(pattern, rows),
        };
        Image { header, data }
    }

    /// Bytes of all of it.
    pub(super) fn bytes(&self) -> u64 {
        self.header.len() as u64 + 8 * self.data.len()
    }

    /// The pieces of `BATCH_BYTES` each, of which the last may be shorter.
    pub(super) fn batches(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let words = BATCH_BYTES / 8;
        let lead = self.header.len() as u64 / 8;
        (0..self.bytes().div_ceil(BATCH_BYTES)).map(move |batch| match batch {
            0 => {
                let first = self.data.piece_bytes(0, words - lead);
                Cow::Owned([&self.header, first].concat())
            }
            _ => Cow::Borrowed(self.data.piece_bytes(batch * words - lead, words)),
        })
    }
}
