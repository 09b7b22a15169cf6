//! Shows the I/O of each disk of a mirror, or of another target with several disks. Not ranked.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    number,
    sections::Section,
};
use model::result::Dataset;
use stats::{
    description::{DiskRate, DiskTotal, disk_totals, processes},
    evaluation::Findings,
};

const MB: f64 = 1e6;

pub(crate) struct Disks;

impl Section for Disks {
    fn title(&self) -> &'static str {
        "Disks of each target"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let totals = disk_totals(&findings.disks);
        (!totals.is_empty())
            .then(|| vec![Block::Table(over_all(&totals)), Block::Behind(by_test(findings))])
    }
}

fn over_all(totals: &[DiskTotal<'_>]) -> Table {
    let row = |total: &DiskTotal<'_>, disk: &DiskRate| {
        let share = |of: fn(&DiskRate) -> f64| {
            let sum: f64 = total.disks.iter().map(of).sum();
            let percent = || format!("{:.0} %", 100.0 * of(disk) / sum);
            Cell::plain(if sum > 0.0 { percent() } else { "-".into() })
        };
        Row::body([
            Cell::plain(total.target),
            Cell::plain(disk.disk.to_string()),
            share(|disk| disk.reads),
            share(|disk| disk.read_bytes),
            share(|disk| disk.writes),
            share(|disk| disk.write_bytes),
            Cell::plain(format!("{:.0} %", disk.busy_pct)),
        ])
    };
    let rows = totals.iter().flat_map(|total| total.disks.iter().map(|disk| row(total, disk)));
    Table {
        caption: "Share of each disk in what the target's disks did, all tests".into(),
        columns: vec![
            Column::words("Target"),
            Column::numbers("", "disk"),
            Column::numbers("reads", "requests"),
            Column::numbers("reads", "bytes"),
            Column::numbers("writes", "requests"),
            Column::numbers("writes", "bytes"),
            Column::numbers("", "busy"),
        ],
        rows: rows.collect(),
        footnotes: vec![
            "Disks are numbered as they were given, or as their images. Busy: mean share of the timed parts in which \
             the disk had work. Requests are those that it completed, with the flushes that were asked for among \
             the writes."
                .into(),
        ],
    }
}

fn by_test(findings: &Findings) -> Table {
    let mut rows = Vec::new();
    let mut test = None;
    for cell in &findings.disks {
        let of = (&cell.test, cell.procs);
        if test.replace(of) != Some(of) {
            rows.push(Row::title(format!("{}, {}", cell.name, processes(cell.procs))));
        }
        rows.extend(cell.disks.iter().map(|disk| row(&cell.target, disk)));
    }
    Table {
        caption: "What each disk did in a timed part, mean over the valid samples".into(),
        columns: vec![
            Column::words("Target"),
            Column::numbers("", "disk"),
            Column::numbers("reads", "requests"),
            Column::numbers("reads", "MB"),
            Column::numbers("writes", "requests"),
            Column::numbers("writes", "MB"),
            Column::numbers("", "busy"),
        ],
        rows,
        footnotes: Vec::new(),
    }
}

fn row(target: &str, disk: &DiskRate) -> Row {
    let figures = [disk.reads, disk.read_bytes / MB, disk.writes, disk.write_bytes / MB];
    let cells = [target.to_string(), disk.disk.to_string()].map(Cell::plain);
    let figures = figures.map(|figure| Cell::plain(number::value(figure)));
    let busy = Cell::plain(format!("{:.0} %", disk.busy_pct));
    Row::body(cells.into_iter().chain(figures).chain([busy]))
}
