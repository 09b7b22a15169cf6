//! The ratio tables as CSV: one line for each cell, then the footers of its table.

use crate::{
    number::exact,
    sections::{GEOMETRIC_MEAN, MAX_RATIO, MIN_RATIO, WITH_SYNCS},
    words,
};
use model::{
    result::Dataset,
    text::{cell::guarded, printable},
};
use stats::{
    description::{Amount, Cell, Comparison, Footer, Row, Table},
    evaluation::Findings,
    kernel::Ratio,
};

const HEADER: &str = "group,procs,testtype,test,target,value,unit,ratio,ratio_low,ratio_high,verdict,lab,\
                      bytes,ops,seconds,durability,left_out";

/// One line for each test and target. `test` is the stable id, or a footer. The verdict is empty for the baseline and
/// where nothing was measured, and `invalid` or `lukewarm` where no sample may be used. Lines of two labs, and of two
/// words of durability, are not comparable. Bytes, operations and seconds are medians over the valid samples of the
/// test, of all targets; `left_out` has the reasons of the samples that are in no value, each with their number.
pub fn csv(_: &Dataset, findings: &Findings) -> String {
    let mut lines = vec![HEADER.to_string()];
    for class in findings.classes() {
        let own = class.tables.iter().flat_map(table_lines);
        let durability = class.durability.as_str();
        lines.extend(own.map(|(line, amount, left_out)| {
            format!("{line},{},{amount},{durability},{left_out}", class.lab)
        }));
    }
    lines.join("\n") + "\n"
}

/// Its lines up to the lab, the amount, and what is left out.
fn table_lines(table: &Table) -> Vec<(String, String, String)> {
    let cells = table.rows.iter().flat_map(|row| row.cells.iter().map(move |c| (row, c)));
    let tests = cells.map(|(row, cell)| (test_line(table, row, cell), amount(row), left_out(cell)));
    let footers = footer_lines(table).into_iter();
    let footers = footers.map(|line| (line, NO_AMOUNT.to_string(), String::new()));
    tests.chain(footers).collect()
}

fn left_out(cell: &Cell) -> String {
    let lukewarm = (cell.lukewarm > 0).then(|| format!("lukewarm ({})", cell.lukewarm));
    let invalid = cell.invalid_reasons.iter();
    let invalid = invalid.map(|own| format!("{} ({})", words::reason(&own.why), own.samples));
    let all: Vec<String> = invalid.chain(lukewarm).collect();
    quote(&all.join("; "))
}

/// Bytes, operations and seconds where they are not known.
const NO_AMOUNT: &str = ",,";

fn amount(row: &Row) -> String {
    let fields = |a: Amount| [a.bytes, a.ops, a.seconds].map(exact).join(",");
    row.amount.map_or_else(|| NO_AMOUNT.into(), fields)
}

fn test_line(table: &Table, row: &Row, cell: &Cell) -> String {
    let missing = match (cell.value, cell.lukewarm, cell.invalid_reasons.is_empty()) {
        (None, 0, false) => "invalid",
        (None, 1.., _) => "lukewarm",
        _ => "",
    };
    let verdict = cell.comparison.map_or(missing, Comparison::as_str);
    let names = [row.testtype.as_str(), &row.test, &cell.target];
    line(table, names, cell.value, &row.unit, cell.ratio.as_ref(), verdict)
}

fn footer_lines(table: &Table) -> Vec<String> {
    let unit = table.rows.first().map_or("", |row| row.unit.as_str());
    let mean = |f: &Footer| {
        let unit = if f.geometric_mean.is_some() { unit } else { "" };
        let verdict = f.comparison.map_or("", Comparison::as_str);
        line(
            table,
            ["", GEOMETRIC_MEAN, &f.target],
            f.geometric_mean,
            unit,
            f.ratio.as_ref(),
            verdict,
        )
    };
    let extreme = |name: &str, f: &Footer, ratio: Option<&Ratio>| {
        line(table, ["", name, &f.target], None, "", ratio, "")
    };
    let footers = &table.footers;
    let lowest =
        footers.iter().map(|f| extreme(MIN_RATIO, f, f.min_ratio.as_ref().map(|e| &e.ratio)));
    let highest =
        footers.iter().map(|f| extreme(MAX_RATIO, f, f.max_ratio.as_ref().map(|e| &e.ratio)));
    let with_syncs = table.with_syncs.iter().map(|mean| {
        let unit = if mean.geometric_mean.is_some() { unit } else { "" };
        let names = ["", WITH_SYNCS, &mean.target];
        line(table, names, mean.geometric_mean, unit, mean.ratio.as_ref(), "")
    });
    footers.iter().map(mean).chain(with_syncs).chain(lowest).chain(highest).collect()
}

fn line(
    table: &Table,
    [testtype, test, target]: [&str; 3],
    value: Option<f64>,
    unit: &str,
    ratio: Option<&Ratio>,
    verdict: &str,
) -> String {
    let number = |v: Option<f64>| v.map_or_else(String::new, exact);
    [
        table.group.to_string(),
        table.procs.to_string(),
        quote(testtype),
        quote(test),
        quote(target),
        number(value),
        quote(unit),
        number(ratio.map(|r| r.point)),
        number(ratio.and_then(|r| r.low)),
        number(ratio.and_then(|r| r.high)),
        verdict.to_string(),
    ]
    .join(",")
}

/// A text as a field of RFC 4180: one with a comma, a quote or a line break is quoted, one that a
/// spreadsheet would compute follows an apostrophe.
fn quote(field: &str) -> String {
    let shown = printable(field);
    let field = guarded(&shown);
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into_owned()
    }
}
