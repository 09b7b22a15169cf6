//! Shows the cost of speed, and dominated targets.

pub(super) mod moved;

use crate::{
    block::{Bar, BarGroup, Bars, Block, Cell, Column, Row, Scatter, Spot, Table},
    flat, number,
    sections::Section,
};
use model::result::Dataset;
use stats::{evaluation::Findings, kernel::Ratio};

pub(crate) struct Cost;

impl Section for Cost {
    fn title(&self) -> &'static str {
        "Cost"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if findings.costs.is_empty() || findings.comparison.is_some() {
            return None;
        }
        let tables = [processors(findings), prices(findings), media(findings), upkeep(findings)];
        let mut blocks: Vec<Block> = tables.into_iter().flatten().map(Block::Table).collect();
        blocks.extend(amplification(findings));
        blocks.extend(moved::by_test(findings).map(Block::Behind));
        blocks.extend(pareto(findings));
        blocks.extend(worth(findings));
        Some(blocks)
    }
}

/// A figure, `-` where it was not measured.
fn figure(value: Option<f64>) -> Cell {
    Cell::plain(value.map_or_else(|| "-".into(), number::value))
}

fn ratio(ratio: Option<Ratio>) -> Cell {
    let cell =
        |r: Ratio| Cell { note: number::interval(&r), ..Cell::plain(number::ratio(r.point)) };
    ratio.map_or_else(|| Cell::plain("-"), cell)
}

fn dominated(by: Option<&String>, certain: bool) -> Cell {
    let doubt = if certain { "" } else { "?" };
    let cell = |by: &String| Cell { word: doubt.into(), ..Cell::plain(by) };
    by.map_or_else(|| Cell::plain("-"), cell)
}

/// A row for each target; `None` when no target has any figure.
fn table(
    findings: &Findings,
    caption: &str,
    heads: &[&str],
    cells: impl Fn(&stats::verdict::Cost) -> Vec<Cell>,
) -> Option<Table> {
    let row = |cost: &stats::verdict::Cost| {
        let target = Cell::plain(&cost.target);
        Row::body(std::iter::once(target).chain(cells(cost)))
    };
    let rows: Vec<Row> = findings.costs.iter().map(row).collect();
    let known = |row: &Row| row.cells[1..].iter().any(|cell| cell.text != "-");
    let columns = heads.iter().map(|head| Column::numbers("", head));
    rows.iter().any(known).then(|| Table {
        caption: caption.into(),
        columns: std::iter::once(Column::words("Target")).chain(columns).collect(),
        rows,
        footnotes: Vec::new(),
    })
}

fn processors(findings: &Findings) -> Option<Table> {
    let base = &findings.baseline;
    let heads = [
        &format!("speed / {base}"),
        &format!("work per CPU time / {base}"),
        "CPU ns per op",
        "CPU ns per byte",
        "kernel threads (maximum)",
        "dominated by",
    ];
    let cells = |cost: &stats::verdict::Cost| {
        let share =
            cost.kernel_share.map_or_else(|| "-".into(), |s| format!("+{:.0} %", 100.0 * s));
        vec![
            ratio(cost.speed),
            ratio(cost.cpu),
            figure(cost.cpu_ns_per_op),
            figure(cost.cpu_ns_per_byte),
            Cell::plain(share),
            dominated(cost.dominated_by.as_ref(), cost.certain),
        ]
    };
    let any = findings.costs.iter().any(|cost| cost.cpu.is_some());
    let caption = "CPU efficiency";
    let table = table(findings, caption, &heads, cells).filter(|_| any)?;
    Some(Table {
        footnotes: vec![
            format!(
                "Work per CPU time: CPU time of {base} divided by that of the target for the same \
                 work; above 1 is better. CPU ns per op covers tests of many small operations, \
                 CPU ns per byte all others, so one can rise while the other falls. Kernel \
                 threads: system time outside the workers, which may include other processes."
            ),
            format!(
                "Dominated by: a target that is at least as fast, uses no more CPU time, and is \
                 better in one of them by more than {:.0} %; ?: their intervals overlap in both.",
                100.0 * findings.band
            ),
        ],
        ..table
    })
}

/// What the user said that targets cost, and what that buys.
fn prices(findings: &Findings) -> Option<Table> {
    let base = &findings.baseline;
    let heads = [
        "per GB-month",
        "per IOPS",
        "per MB/s",
        "per month",
        &format!("work per money / {base}"),
        "dominated by",
    ];
    let cells = |cost: &stats::verdict::Cost| {
        let Some(priced) = &cost.price else { return vec![Cell::plain("-"); heads.len()] };
        let each = |charge: Option<model::plan::Charge>| figure(charge.map(|charge| charge.each));
        vec![
            each(priced.price.gb),
            each(priced.price.iops),
            each(priced.price.mb_per_s),
            figure(Some(priced.month)),
            ratio(priced.work_per_money),
            dominated(priced.dominated_by.as_ref(), priced.certain),
        ]
    };
    let table = table(findings, "Price, as given", &heads, cells)?;
    let note = format!(
        "Work per money: speed relative to {base}, divided by the monthly price relative to \
         {base}; above 1 is better. Dominated by: a target that is at least as fast, costs no \
         more, and is better in one of them by more than {:.0} %; ?: their intervals overlap.",
        100.0 * findings.band
    );
    Some(Table { footnotes: vec![note], ..table })
}

fn media(findings: &Findings) -> Option<Table> {
    let heads =
        ["written per byte", "read per byte, cold", "space per byte", "slab MB", "page cache MB"];
    let mb = |bytes: Option<f64>| figure(bytes.map(|bytes| bytes / 1e6));
    let cells = |cost: &stats::verdict::Cost| {
        vec![
            figure(cost.written_per_byte),
            figure(cost.read_per_byte),
            figure(cost.taken_per_byte),
            mb(cost.slab_bytes),
            mb(cost.page_cache_bytes),
        ]
    };
    let caption = "Write, read and space amplification per logical byte, and memory of the whole \
                   machine";
    let note = "Written per byte: only tests that write and do nothing else, counting each byte \
                once. Space per byte: space used by the files, relative to right after mkfs.";
    Some(Table { footnotes: vec![note.into()], ..table(findings, caption, &heads, cells)? })
}

/// What the device and the space pay for each byte, of those kinds that were measured of any target; a kind of about
/// 1.00 for all is a sentence.
fn amplification(findings: &Findings) -> Vec<Block> {
    let group = |title: &str, of: fn(&stats::verdict::Cost) -> Option<f64>| {
        let bar = |cost: &stats::verdict::Cost| Bar { name: cost.target.clone(), value: of(cost) };
        let bars: Vec<Bar> = findings.costs.iter().map(bar).collect();
        bars.iter().any(|bar| bar.value.is_some()).then(|| BarGroup { title: title.into(), bars })
    };
    let groups = [
        group("Written to the device", |cost| cost.written_per_byte),
        group("Space taken by the files", |cost| cost.taken_per_byte),
    ];
    let range = |group: &BarGroup| {
        let figures: Option<Vec<f64>> = group.bars.iter().map(|bar| bar.value).collect();
        flat::range(figures?.into_iter(), findings.band)
    };
    let (same, groups): (Vec<BarGroup>, Vec<BarGroup>) =
        groups.into_iter().flatten().partition(|group| range(group).is_some());
    let sentence = |group: &BarGroup| {
        let said = flat::said(range(group).unwrap_or((1.0, 1.0)));
        Block::Prose(format!(
            "{}: {said} bytes per logical byte over all tests, for every candidate.",
            group.title
        ))
    };
    let bars = (!groups.is_empty()).then(|| {
        Block::Bars(Bars {
            caption: "Write and space amplification, bytes per logical byte; lower is better, the \
                      line is at 1"
                .into(),
            mark: 1.0,
            groups,
        })
    });
    same.iter().map(sentence).chain(bars).collect()
}

fn upkeep(findings: &Findings) -> Option<Table> {
    let heads = ["mkfs ms", "mount ms", "umount ms", "check ms"];
    let cells = |cost: &stats::verdict::Cost| {
        [cost.mkfs_ms, cost.mount_ms, cost.unmount_ms, cost.check_ms].map(figure).into()
    };
    table(findings, "Upkeep, mean over instances", &heads, cells)
}

/// Speed against processor time; nothing for a target alone.
fn pareto(findings: &Findings) -> Option<Block> {
    let y = |cost: &stats::verdict::Cost| Some((cost.cpu?.point, cost.certain));
    scatter(findings, "processor time", "work per CPU time", y)
}

/// Speed against what the same money does; nothing for a target alone.
fn worth(findings: &Findings) -> Option<Block> {
    let y = |cost: &stats::verdict::Cost| {
        let priced = cost.price.as_ref()?;
        Some((priced.work_per_money?.point, priced.certain))
    };
    scatter(findings, "work per money", "work per money", y)
}

/// Speed against `y`, which gives a height and whether another is certainly better.
fn scatter(
    findings: &Findings,
    what: &str,
    axis: &str,
    y: impl Fn(&stats::verdict::Cost) -> Option<(f64, bool)>,
) -> Option<Block> {
    let spot = |cost: &stats::verdict::Cost| {
        let (x, (y, hollow)) = (cost.speed?.point, y(cost)?);
        Some(Spot { name: cost.target.clone(), x, y, hollow })
    };
    let spots: Vec<Spot> = findings.costs.iter().filter_map(spot).collect();
    let base = &findings.baseline;
    (spots.len() > 1).then(|| {
        Block::Scatter(Scatter {
            caption: format!(
                "Speed against {what}: up and right is better, hollow points are dominated"
            ),
            x: format!("speed / {base}, logarithmic"),
            y: format!("{axis} / {base}, logarithmic"),
            spots,
        })
    })
}
