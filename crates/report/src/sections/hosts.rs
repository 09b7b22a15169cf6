//! Shows how much the hosts of a campaign differ: which is slow, and in which tests. Not ranked.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    number,
    sections::Section,
};
use model::{result::Dataset, text::counted};
use stats::{
    description::{HostCell, HostRate, HostTotal, host_totals},
    evaluation::Findings,
};

/// Hosts that have a column each; of more the slowest and the fastest are shown, and an export has all.
const MOST_COLUMNS: usize = 8;

pub(crate) struct HostRates;

impl Section for HostRates {
    fn title(&self) -> &'static str {
        "Hosts"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let totals = host_totals(&findings.hosts);
        Some(vec![
            Block::Prose(spread(totals.first()?, totals.last()?)),
            Block::Table(over_all(&totals)),
            Block::Table(by_test(&findings.hosts, &totals)),
        ])
    }
}

fn spread(slowest: &HostTotal<'_>, fastest: &HostTotal<'_>) -> String {
    format!(
        "A rank on {} did {} times as many operations in a second as one on {}, geometric mean over the tests.",
        slowest.host,
        number::ratio(slowest.over_mean / fastest.over_mean),
        fastest.host
    )
}

/// `1 rank`, `3 ranks`.
fn ranks(count: u32) -> String {
    counted(count, "rank", "ranks")
}

fn over_all(totals: &[HostTotal<'_>]) -> Table {
    let row = |total: &HostTotal<'_>| {
        let (cell, over) = total.least;
        Row::body([
            Cell::plain(total.host),
            Cell::plain(number::ratio(total.over_mean)),
            Cell::plain(format!("{} of {}", total.slowest_in, total.cells)),
            Cell::plain(format!(
                "{}, {}, {}: {}",
                cell.name,
                cell.target,
                ranks(cell.procs),
                number::ratio(over)
            )),
        ])
    };
    Table {
        caption: "Rate per rank of each host, slowest first".into(),
        columns: vec![
            Column::words("Host"),
            Column::numbers("", "over the mean host"),
            Column::numbers("", "slowest in"),
            Column::words("furthest behind in"),
        ],
        rows: totals.iter().map(row).collect(),
        footnotes: vec![
            "Operations/s per rank relative to the geometric mean of all hosts for the same test, \
             target and number of ranks; only tests with ranks on at least two hosts."
                .into(),
        ],
    }
}

fn by_test(cells: &[HostCell], totals: &[HostTotal<'_>]) -> Table {
    let mut hosts: Vec<&str> = totals.iter().map(|total| total.host).collect();
    hosts.sort_unstable();
    if hosts.len() > MOST_COLUMNS {
        hosts.clear();
    }
    let mut columns = vec![Column::words("Target"), Column::numbers("", "ranks")];
    columns.extend(hosts.iter().map(|host| Column::numbers("operations/s", host)));
    columns.extend([
        Column::words("slowest host"),
        Column::words("fastest host"),
        Column::numbers("slowest over fastest", "host"),
        Column::numbers("slowest over fastest", "rank"),
    ]);
    let mut rows = Vec::new();
    let mut test = None;
    for cell in cells {
        if test.replace(&cell.test) != Some(&cell.test) {
            rows.push(Row::title(&cell.name));
        }
        rows.extend(row(cell, &hosts));
    }
    Table {
        caption: "Rates of hosts and ranks by test".into(),
        columns,
        rows,
        footnotes: vec![
            "Operations/s: all ranks of a host together, from first start to last end, with the \
             number of ranks; geometric means over valid samples. Hosts are compared per rank."
                .into(),
        ],
    }
}

/// `None` for a cell without hosts, which there is none.
fn row(cell: &HostCell, hosts: &[&str]) -> Option<Row> {
    let (slowest, fastest) = cell.ends()?;
    let mut cells = vec![Cell::plain(&cell.target), Cell::plain(cell.procs.to_string())];
    cells.extend(hosts.iter().map(|host| rate(cell.hosts.iter().find(|one| one.host == *host))));
    cells.extend([
        Cell::plain(&slowest.host),
        Cell::plain(&fastest.host),
        Cell::plain(number::ratio(slowest.of_rank() / fastest.of_rank())),
        Cell::plain(cell.slowest_rank.map_or("-".into(), number::ratio)),
    ]);
    Some(Row::body(cells))
}

fn rate(host: Option<&HostRate>) -> Cell {
    match host {
        Some(host) => {
            Cell { note: ranks(host.ranks), ..Cell::plain(number::value(host.ops_per_s)) }
        }
        None => Cell::plain("-"),
    }
}
