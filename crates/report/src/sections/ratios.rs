//! Formats the cells of the ratio tables: one table per group of tests and process count.

use crate::{
    block::{Block, Cell, Column, Row, RowKind, Shade, Table},
    names, number,
    sections::Section,
};
use model::{figure::Quantity, result::Dataset, workload::Group};
use stats::{
    description::{Comparison, Counts, Extreme, Footer, Unjudged, WithSyncs},
    evaluation::Findings,
    kernel::{Bound, Interval, Ratio},
};

/// Footer with geometric means.
pub(crate) const GEOMETRIC_MEAN: &str = "GEOMETRIC MEAN";
/// Footer with geometric means over the syncs as well.
pub(crate) const WITH_SYNCS: &str = "GEOMETRIC MEAN WITH SYNCS";
/// Footer with the smallest ratios.
pub(crate) const MIN_RATIO: &str = "MIN RATIO";
/// Footer with the largest ratios.
pub(crate) const MAX_RATIO: &str = "MAX RATIO";

/// Coefficient of variation between blocks above which a value is marked noisy, a share: from there on the twenty
/// blocks that an adaptive campaign has at most do not know a ratio to 10 %.
const NOISY: f64 = 0.15;

pub(crate) struct Ratios;

impl Section for Ratios {
    fn title(&self) -> &'static str {
        "Ratios"
    }

    fn build(&self, _: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        if findings.tables.is_empty() {
            return None;
        }
        let mut blocks = vec![Block::Prose(legend(findings))];
        blocks.extend(findings.tables.iter().map(|own| Block::Table(table(own, findings))));
        Some(blocks)
    }
}

fn legend(findings: &Findings) -> String {
    let mut values = format!(
        "n=: blocks with a valid sample, if not all; ratios use only blocks that both candidates \
         completed, which n= counts in the map of tests. The interval behind a value is that of its \
         mean over the blocks, by the same 95 %; two that overlap may still differ, because ratios \
         compare within blocks. noisy: blocks vary by more than {:.0} % \
         (standard deviation over mean, after removing the effects of order and image). one \
         sample: median size and time of a timed part, all processes together.",
        100.0 * NOISY
    );
    let cells = || findings.tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    if cells().any(|cell| cell.unproven > 0) {
        values += " unproven: durability not proven; nothing shows that synced data reached the \
                   medium.";
    }
    if cells().any(|cell| cell.short) {
        values += " short: timed part below a third of the preset's minimum; excluded from means, \
                   scores and verdicts.";
    }
    if cells().any(|cell| cell.read_ahead_pct.is_some()) {
        values += " read ahead: cold at the start, but this share of the random reads was served \
                   from the page cache by read-ahead of other reads.";
    }
    if cells().any(|cell| cell.modes.is_some()) {
        values += " two modes: the samples form two groups, separated by a gap wider than either, \
                   so none is near the mean; see Samples.";
    }
    if cells().any(|cell| cell.reason == Some(Unjudged::Contended)) {
        values += " contended: other processes used more than 10 % of the machine, so the ratio \
                   is not evaluated.";
    }
    if findings.targets.len() < 2 {
        return values;
    }
    let band = 100.0 * findings.band;
    format!(
        "Ratios are over {}; above 1 is always better. better / worse: the 95 % interval excludes 1 \
         and the ratio is outside ±{band:.0} %; slightly: it excludes 1, inside the band; same: the \
         whole interval is inside the band; ?: unclear; very wide: its ends are four orders of \
         magnitude apart. * significant among all ratios of its table (Holm, 5 %). {values}",
        names::baseline(findings)
    )
}

/// A table of one row has no footer: it would say the row again.
fn table(table: &stats::description::Table, findings: &Findings) -> Table {
    let unit = common_unit(table);
    let mut rows = Vec::new();
    let mut testtype = None;
    for row in &table.rows {
        if testtype != Some(&row.testtype) {
            testtype = Some(&row.testtype);
            rows.push(Row::title(&row.testtype));
        }
        rows.push(body(row, table, unit.is_none(), findings));
    }
    if table.rows.len() > 1 && !table.footers.is_empty() {
        rows.extend(footers(&table.footers, &table.with_syncs));
    }
    Table {
        caption: caption(table, findings),
        columns: columns(table, findings, unit.unwrap_or("value")),
        rows,
        footnotes: footnotes(table),
    }
}

/// Says what the ratios are over if that is not the first target and was not requested.
fn caption(table: &stats::description::Table, findings: &Findings) -> String {
    let own = format!("{}, {}", table.group.title(), stats::description::processes(table.procs));
    match &findings.baseline_instead {
        Some(_) => format!("{own}; ratios over {}", names::baseline(findings)),
        None => own,
    }
}

fn common_unit(table: &stats::description::Table) -> Option<&str> {
    let first = table.rows.first()?;
    table.rows.iter().all(|r| r.unit == first.unit).then_some(&first.unit)
}

fn columns(table: &stats::description::Table, findings: &Findings, unit: &str) -> Vec<Column> {
    let mut columns = vec![Column::words("Test")];
    for target in &findings.targets {
        columns.push(Column::numbers(target, unit));
        if *target != findings.baseline {
            columns.push(Column::numbers(target, "ratio"));
        }
    }
    columns.extend(has_amounts(table).then(|| Column::aside("one sample")));
    columns
}

fn has_amounts(table: &stats::description::Table) -> bool {
    table.rows.iter().any(|row| row.amount.is_some())
}

fn body(
    row: &stats::description::Row,
    table: &stats::description::Table,
    with_unit: bool,
    findings: &Findings,
) -> Row {
    let mut cells = vec![Cell::plain(names::of_row(row, table))];
    for (column, cell) in row.cells.iter().enumerate() {
        let unit = if with_unit { &row.unit } else { "" };
        cells.push(value(cell, unit, findings));
        if column > 0 {
            cells.push(if table.group.is_scored() { ratio(cell) } else { unjudged(ratio(cell)) });
        }
    }
    cells.extend(has_amounts(table).then(|| Cell::plain(amount(row))));
    Row::body(cells)
}

/// A ratio of what is in no score, without a judgement: file systems leave unlike parts of a write to its sync.
pub(super) fn unjudged(ratio: Cell) -> Cell {
    Cell { shade: None, word: String::new(), ..ratio }
}

/// `48 MB · 0.21 s`: what was moved where the row is about that, else the operations, and how long it took.
fn amount(row: &stats::description::Row) -> String {
    let Some(amount) = row.amount else { return String::new() };
    let moves = Quantity::of(&row.unit) == Quantity::BytesPerS || amount.ops == 0.0;
    let size = match amount.bytes > 0.0 && moves {
        true => number::bytes(amount.bytes),
        false => number::ops(amount.ops),
    };
    format!("{size} · {}", number::span(amount.seconds))
}

/// The value of a cell, or the word for its absence; with it what makes it less than the others.
pub(crate) fn value(cell: &stats::description::Cell, unit: &str, findings: &Findings) -> Cell {
    let Some(v) = cell.value else {
        return Cell::plain(absence(cell, findings));
    };
    let [words, notes] = marks(cell, findings).map(|marks| marks.join(" "));
    let interval = cell.value_interval.filter(|_| cell.at_least.is_none());
    let aside = interval.as_ref().map(value_interval).unwrap_or_default();
    let text = match cell.at_least {
        Some(least) => format!("≥{} {unit}", number::value(least)),
        None => format!("{} {unit}", number::value(v)),
    };
    let text = text.trim_end().to_string();
    Cell { word: words, note: notes, aside, ..Cell::plain(text) }
}

/// `1180-1290`, the ends as values are written.
fn value_interval(Interval { low, high }: &Interval) -> String {
    let ends = Ratio { point: *low, low: Some(*low), high: Some(*high), p: None };
    ends.span(number::value).unwrap_or_default()
}

/// What makes a value less than the others: what changes what the figure is about, and what a narrow terminal leaves
/// out.
pub(super) fn marks(cell: &stats::description::Cell, findings: &Findings) -> [Vec<String>; 2] {
    let mut notes = Vec::new();
    if cell.n < findings.blocks_of(&cell.target) {
        notes.push(format!("n={}", cell.n));
    }
    if cell.cv.is_some_and(|cv| cv > NOISY) {
        notes.push("noisy".to_string());
    }
    if cell.unsteady > 0 {
        notes.push("not steady".to_string());
    }
    if cell.unproven > 0 {
        notes.push("unproven".to_string());
    }
    let mut words: Vec<String> = cell.short.then(|| "short".into()).into_iter().collect();
    words.extend(cell.modes.map(|_| "two modes".into()));
    words.extend(cell.left.map(|left| format!("left {:.0} %", 100.0 * left)));
    words.extend(cell.read_ahead_pct.map(|pct| format!("read ahead {pct:.0} %")));
    [words, notes]
}

/// Whether most random reads of any target found in memory what was read ahead: they say little of the device.
pub(super) fn is_read_ahead(row: &stats::description::Row) -> bool {
    row.cells.iter().any(|cell| cell.read_ahead_pct.is_some_and(|pct| pct > 50.0))
}

/// Why there is no number.
pub(crate) fn absence(cell: &stats::description::Cell, findings: &Findings) -> &'static str {
    match (cell.lukewarm, cell.invalid_reasons.is_empty()) {
        (0, true) if findings.failure_of(&cell.target).is_some() => "failed",
        (0, true) => "-",
        (0, false) => "invalid",
        _ => "lukewarm",
    }
}

fn ratio(cell: &stats::description::Cell) -> Cell {
    let Some(ratio) = &cell.ratio else { return Cell::plain("-") };
    if let Some(bound) = &cell.bound {
        return bounded(bound, cell.comparison);
    }
    let word = word(cell.comparison);
    judged(ratio, cell.comparison, starred(word, cell.comparison, cell.holm))
}

/// A ratio of which a bound is known, or nothing.
fn bounded(bound: &Bound, verdict: Option<Comparison>) -> Cell {
    let text = match bound {
        Bound::AtLeast(least) => format!("≥{}", number::ratio(*least)),
        Bound::AtMost(most) => format!("≤{}", number::ratio(*most)),
        Bound::Unknown => "-".into(),
    };
    Cell { word: word(verdict), ..Cell::plain(text) }
}

/// The word for a verdict, with a star where it says a difference that `holds` among many.
pub(crate) fn starred(mut word: String, verdict: Option<Comparison>, holds: bool) -> String {
    if holds && verdict.is_some_and(Comparison::is_difference) {
        word.push('*');
    }
    word
}

/// What is printed for a verdict.
pub(crate) fn word(verdict: Option<Comparison>) -> String {
    match verdict {
        None => String::new(),
        Some(Comparison::Unclear) => "?".into(),
        Some(Comparison::Contended) => "? contended".into(),
        Some(verdict) => verdict.as_str().into(),
    }
}

/// A ratio with the word for its verdict.
pub(crate) fn worded(ratio: &Ratio, verdict: Option<Comparison>) -> Cell {
    judged(ratio, verdict, word(verdict))
}

/// A ratio with what is said of it, coloured by its verdict.
pub(crate) fn judged(ratio: &Ratio, verdict: Option<Comparison>, word: String) -> Cell {
    let shade = shade(ratio, verdict);
    let (text, note) = (number::ratio(ratio.point), number::interval(ratio));
    Cell { text, word, note, shade, ..Cell::default() }
}

/// Colour only where the verdict is decided, and then never a neutral one; what is within the band is neutral, what is
/// unclear has none.
pub(super) fn shade(ratio: &Ratio, verdict: Option<Comparison>) -> Option<Shade> {
    let of_ratio = Shade::of_ratio(ratio.point);
    match verdict? {
        Comparison::Better => Some(of_ratio.at_least(1)),
        Comparison::Worse => Some(of_ratio.at_most(-1)),
        Comparison::Same | Comparison::SlightlyBetter | Comparison::SlightlyWorse => {
            Some(Shade::of_ratio(1.0))
        }
        Comparison::Unclear | Comparison::Contended => None,
    }
}

fn footers(footers: &[Footer], with_syncs: &[WithSyncs]) -> Vec<Row> {
    let mean = |f: &Footer| f.geometric_mean.map_or_else(|| "-".into(), number::value);
    let row = |name: &str, value: &dyn Fn(&Footer) -> String, ratio: &dyn Fn(&Footer) -> Cell| {
        let mut cells = vec![Cell::plain(name)];
        for (column, footer) in footers.iter().enumerate() {
            cells.push(Cell::plain(value(footer)));
            if column > 0 {
                cells.push(ratio(footer));
            }
        }
        Row { kind: RowKind::Footer, cells }
    };
    let mut rows = vec![row(GEOMETRIC_MEAN, &mean, &mean_ratio)];
    rows.extend((!with_syncs.is_empty()).then(|| means_with_syncs(with_syncs)));
    // Of one test they would say its ratio again.
    if footers.iter().skip(1).any(|footer| extremes(footer).is_some()) {
        let none = |_: &Footer| String::new();
        rows.push(row(MIN_RATIO, &none, &|f| extreme(f.min_ratio.as_ref())));
        rows.push(row(MAX_RATIO, &none, &|f| extreme(f.max_ratio.as_ref())));
        rows.push(row("better/same/worse/unclear", &none, &|f| Cell::plain(counts(&f.counts))));
    }
    rows
}

fn means_with_syncs(means: &[WithSyncs]) -> Row {
    let mut cells = vec![Cell::plain(WITH_SYNCS)];
    for (column, mean) in means.iter().enumerate() {
        cells.push(Cell::plain(mean.geometric_mean.map_or_else(|| "-".into(), number::value)));
        if column > 0 {
            let ratio = mean.ratio.as_ref().map(|ratio| worded(ratio, None));
            cells.push(ratio.unwrap_or_else(|| Cell::plain("-")));
        }
    }
    Row { kind: RowKind::Footer, cells }
}

fn mean_ratio(footer: &Footer) -> Cell {
    let dash = || Cell::plain("-");
    footer.ratio.as_ref().map_or_else(dash, |r| worded(r, footer.comparison))
}

/// The tests with its smallest and its largest ratio, where these are two.
fn extremes(footer: &Footer) -> Option<(&Extreme, &Extreme)> {
    let both = footer.min_ratio.as_ref().zip(footer.max_ratio.as_ref());
    both.filter(|(min, max)| min.test != max.test)
}

fn extreme(extreme: Option<&Extreme>) -> Cell {
    let cell = |e: &Extreme| Cell {
        note: number::interval(&e.ratio),
        ..Cell::plain(number::ratio(e.ratio.point))
    };
    extreme.map_or_else(|| Cell::plain("-"), cell)
}

/// Slight differences count on their side.
pub(crate) fn counts(c: &Counts) -> String {
    let (better, worse) = (c.better + c.slightly_better, c.worse + c.slightly_worse);
    format!("{better}/{}/{worse}/{}", c.same, c.unclear)
}

fn footnotes(table: &stats::description::Table) -> Vec<String> {
    let mut notes = Vec::new();
    if table.group == Group::Sync {
        notes.push(
            "What each write left to sync: the durable rate of the write already includes it, so \
             these rows are excluded from means, scores and verdicts. left: share of the data \
             that the device wrote during the sync. The rest was written before it started, so \
             these ratios compare different amounts of work."
                .into(),
        );
    }
    let short: Vec<String> =
        table.rows.iter().filter(|r| r.is_short()).map(|r| names::of_row(r, table)).collect();
    if !short.is_empty() {
        notes.push(format!(
            "Short, so excluded from means, scores and verdicts: {}. The size was given, space \
             ran out, or growing it would change the test.",
            short.join(", ")
        ));
    }
    if !table.with_syncs.is_empty() {
        notes.push(
            "With syncs: as the original suite prints it, over these tests and those in the table \
             of syncs after writes."
                .into(),
        );
    }
    // A target that was not measured at all is in no mean.
    if let Some(footer) =
        table.footers.iter().max_by_key(|f| f.tests).filter(|f| f.tests < f.of_tests)
    {
        let (some, all) = (footer.tests, footer.of_tests);
        notes.push(format!("Geometric means over the {some} of {all} tests valid on all targets."));
    }
    let both = |own| Some((own, extremes(own)?));
    for (footer, (min, max)) in table.footers.iter().skip(1).filter_map(both) {
        let (target, min, max) = (&footer.target, &min.name, &max.name);
        notes.push(format!("{target}: smallest ratio in {min}, largest in {max}."));
    }
    if table.rows.iter().any(|r| r.basis == "overlap_rate") && table.procs > 1 {
        notes.push(
            "Rates are over the window in which all processes ran, if all samples have one.".into(),
        );
    }
    notes
}

/// `text` with a capital.
pub(crate) fn sentence_case(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |c| c.to_uppercase().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_say_the_same_of_noisy_as_the_legend() {
        let pages = [
            ("METHODS", include_str!("../../../../docs/METHODS.md")),
            ("ARCHITECTURE", include_str!("../../../../docs/ARCHITECTURE.md")),
            ("troubleshooting", include_str!("../../../../docs/troubleshooting.md")),
        ];
        let limit = format!("{:.0} %", 100.0 * NOISY);
        for (page, text) in pages {
            let says = |start: &str| text.split_once(start).map(|(_, rest)| rest);
            let rest = says("A value is noisy when").or(says("| noisy |")).or(says("| `noisy` |"));
            let percent = rest.and_then(|rest| rest.split_once(" %")).map(|(first, _)| first);
            let number = percent.and_then(|first| first.split_whitespace().last());
            assert_eq!(number.map(|number| format!("{number} %")), Some(limit.clone()), "{page}");
        }
    }
}
