//! Every cell of the CSV of every study that is built in is in its tables, on terminals of all widths.

use model::result::Dataset;
use report::{Commands, TerminalOptions};
use stats::{
    description::{Settings, Table, processes},
    evaluation::{Findings, findings, part},
    kernel::Bound,
};

/// From the narrowest terminal to a wide one, in steps of less than a column of numbers.
fn widths() -> impl Iterator<Item = usize> {
    (40..=200).step_by(3)
}

/// The pieces of each table under `caption` in `text`: the lines of each piece below its heading.
fn drawn<'a>(text: &'a str, caption: &str) -> Vec<Vec<Vec<&'a str>>> {
    let lines: Vec<&str> = text.lines().collect();
    let begins = (0..lines.len()).filter(|at| lines[*at] == caption);
    begins.map(|at| pieces(&lines[at + 1..])).collect()
}

/// The pieces with which `lines` begin: each is an indented heading, a rule and rows, and a blank line is between two.
fn pieces<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    let is_rule = |line: &str| !line.trim().is_empty() && line.trim().chars().all(|c| c == '-');
    let all = lines.split(|line| line.is_empty()).map(|piece| {
        piece.first().filter(|line| line.starts_with(' '))?;
        let rule = piece.iter().position(|line| is_rule(line))?;
        Some(piece[rule + 1..].to_vec())
    });
    all.map_while(|piece| piece).collect()
}

/// The rows of `table` by their keys, with the figures that `of` has of each; titles among them have none.
fn rows(
    table: &Table,
    of: impl Fn(&stats::description::Row) -> Option<Vec<Figure>>,
) -> Vec<(&str, Vec<Figure>)> {
    let mut rows = Vec::new();
    let mut testtype = None;
    for (row, figures) in table.rows.iter().filter_map(|row| Some((row, of(row)?))) {
        if testtype != Some(&row.testtype) {
            testtype = Some(&row.testtype);
            rows.push((row.testtype.as_str(), Vec::new()));
        }
        rows.push((row.name.as_str(), figures));
    }
    rows
}

/// Whether `line` begins with `key`, which may be cut.
fn begins(line: &str, key: &str) -> bool {
    let line = line.trim_start();
    let cut = line.split_once('…').map(|(cut, _)| cut);
    line.starts_with(key) || cut.is_some_and(|cut| key.starts_with(cut))
}

/// A number with how far what is printed may be from it.
type Figure = (f64, f64);

/// Three digits that mean something.
fn value(value: f64) -> Figure {
    (value, 0.0051 * value.abs())
}

/// The same, and from 0.1 on no more than two decimals.
fn ratio(ratio: f64) -> Figure {
    (ratio, if ratio < 0.0995 { 0.0051 * ratio } else { 0.0051 * ratio.max(1.0) })
}

/// Whether the numbers of `expected` are in `words`, in their order; a bound is the number behind its sign.
fn follow(words: &[&str], expected: &[Figure]) -> bool {
    let number = |word: &&str| word.trim_start_matches(['≤', '≥']).parse::<f64>().ok();
    let mut numbers = words.iter().filter_map(number);
    expected.iter().all(|(want, off)| numbers.any(|number| (number - want).abs() <= *off))
}

/// What is in the CSV of the row: the value of each target, and where they are asked for the ratios.
fn figures(row: &stats::description::Row, with_ratios: bool) -> Vec<Figure> {
    let of = |(column, cell): (usize, &stats::description::Cell)| {
        let over = cell.ratio.as_ref().filter(|_| with_ratios && column > 0);
        let over = over.and_then(|over| match cell.bound {
            Some(Bound::AtLeast(bound) | Bound::AtMost(bound)) => Some(bound),
            Some(Bound::Unknown) => None,
            None => Some(over.point),
        });
        [cell.at_least.or(cell.value).map(value), over.map(ratio)]
    };
    row.cells.iter().enumerate().flat_map(of).flatten().collect()
}

/// The rows of a table that was drawn in `pieces` of which one lacks the key, or all together a figure.
fn lacking<'a>(pieces: &[Vec<&str>], rows: &[(&'a str, Vec<Figure>)]) -> Vec<&'a str> {
    let mut rest: Vec<&[&str]> = pieces.iter().map(Vec::as_slice).collect();
    let mut lacking = Vec::new();
    for (key, figures) in rows {
        let mut words = Vec::new();
        let mut is_whole = !rest.is_empty();
        for lines in &mut rest {
            match lines.iter().position(|line| begins(line, key)) {
                Some(at) => {
                    words.extend(lines[at].split_whitespace());
                    *lines = &lines[at + 1..];
                }
                None => is_whole = false,
            }
        }
        if !is_whole || !follow(&words, figures) {
            lacking.push(*key);
        }
    }
    lacking
}

/// The rows of one class of a campaign that are not in every table of plain values, or in none of ratios. What makes
/// a matrix is in no table of plain values.
fn missing(data: &Dataset, findings: &Findings, width: usize) -> Vec<String> {
    let text = report::terminal(
        data,
        findings,
        &Commands::default(),
        &TerminalOptions { width, color: false },
    );
    let mut missing = Vec::new();
    for table in &findings.tables {
        let caption = format!("{}, {}", table.group.title(), processes(table.procs));
        let drawn = drawn(&text, &caption);
        let values = rows(table, |row| row.grid.is_none().then(|| figures(row, false)));
        let ratios = rows(table, |row| Some(figures(row, true)));
        let of_values = drawn.iter().flat_map(|own| lacking(own, &values));
        let of_ratios = drawn.iter().map(|own| lacking(own, &ratios)).min_by_key(Vec::len);
        let named = of_values.chain(of_ratios.unwrap_or(vec!["no table"]));
        missing
            .extend(named.map(|key| format!("{} at {width}, {caption}: {key}", data.campaign.id)));
    }
    missing
}

/// What was concluded of each class of a campaign, with the part that it is about.
fn classes(data: &Dataset) -> Vec<(Dataset, Findings)> {
    let findings = findings(data, &Settings::default()).unwrap();
    let alone = |class: &Findings| Findings { others: Vec::new(), ..class.clone() };
    findings.classes().map(|class| (part(data, class).into_owned(), alone(class))).collect()
}

#[test]
fn every_cell_of_a_study_is_on_terminals_of_all_widths() {
    let studies = formats::published().unwrap();
    let judged: Vec<(Dataset, Findings)> = studies.iter().flat_map(classes).collect();
    let rows = judged.iter().flat_map(|(_, own)| &own.tables).map(|table| table.rows.len());
    assert!(rows.sum::<usize>() > 300, "too few rows to be all");
    let every = widths().flat_map(|w| judged.iter().map(move |(data, own)| missing(data, own, w)));
    let missing: Vec<String> = every.flatten().collect();
    let some = &missing[..missing.len().min(9)];
    assert!(missing.is_empty(), "{} rows lack cells:\n{}", missing.len(), some.join("\n"));
}
