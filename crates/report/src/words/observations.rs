//! What a table shows, in a few short sentences: the largest decided differences first, then what is the same, then
//! what could not be judged. What is merely unclear is seen in the table.
//!
//! No sentence says more than the verdict of the cells it speaks of. A single test is named as
//! different only when its difference holds among all ratios of its table (Holm): it was picked out
//! of many.

use model::Quantity;
use stats::{Comparison, Findings, Ratio, Row, Table, Unjudged, processes};

/// Sentences about differences under one table.
const MOST_DIFFERENCES: usize = 4;
/// Sentences of each other kind.
const MOST_OTHERS: usize = 2;
/// Tests named in one sentence.
const MOST_NAMES: usize = 4;

/// One sentence, with what it claims.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Label of the target that is set against the baseline.
    pub target: String,
    /// Stable ids of the tests it speaks of; empty for the geometric mean of the table.
    pub tests: Vec<String>,
    /// The verdict of each of them.
    pub claim: Comparison,
    /// The sentence.
    pub text: String,
}

/// Sentences for `table`, which is one of `findings`. None where nothing was replicated.
pub fn observations(findings: &Findings, table: &Table) -> Vec<Observation> {
    let (mut differences, mut same, mut contended) = (Vec::new(), Vec::new(), Vec::new());
    for (column, target) in findings.targets.iter().enumerate().skip(1) {
        let duel = Duel { findings, table, column, target };
        differences.extend(duel.extremes());
        match duel.mean() {
            Some((size, mean)) if mean.claim.is_difference() => differences.push((size, mean)),
            Some((_, mean)) => same.push((f64::INFINITY, mean)),
            None => {}
        }
        same.extend(duel.alike(Comparison::Same, None));
        contended.extend(duel.alike(Comparison::Unclear, Some(Unjudged::Contended)));
    }
    let kinds = [(differences, MOST_DIFFERENCES), (same, MOST_OTHERS), (contended, MOST_OTHERS)];
    kinds.into_iter().flat_map(|(all, most)| foremost(all, most)).collect()
}

/// A sentence with what it is sorted by: the size of the effect, else the number of tests.
type Sized = (f64, Observation);

fn foremost(mut all: Vec<Sized>, most: usize) -> impl Iterator<Item = Observation> {
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(most).map(|(_, observation)| observation)
}

/// One target against the baseline in one table.
struct Duel<'a> {
    findings: &'a Findings,
    table: &'a Table,
    column: usize,
    target: &'a str,
}

impl Duel<'_> {
    /// The geometric mean over the table where it is decided; nothing for a single test, which speaks for itself.
    fn mean(&self) -> Option<Sized> {
        let footer = self.table.footers.get(self.column)?;
        let (ratio, claim) = (footer.ratio?, footer.comparison?);
        ratio.low?;
        let place = format!("over {} tests", footer.tests);
        let text = match claim {
            Comparison::Same => self.same(&place),
            Comparison::Unclear => return None,
            _ => self.difference(&ratio, claim, self.table.rows.iter().all(is_rate), &place),
        };
        (footer.tests > 1).then(|| self.sized(ratio.point.ln().abs(), Vec::new(), claim, text))
    }

    /// The test with the largest decided gain and the one with the largest decided loss.
    fn extremes(&self) -> Vec<Sized> {
        let decided = |row: &&Row| {
            let cell = &row.cells[self.column];
            cell.holm && cell.comparison.is_some_and(Comparison::is_difference) && !row.is_short()
        };
        let size = |row: &Row| row.cells[self.column].ratio.map_or(0.0, |r| r.point.ln());
        let rows = || self.table.rows.iter().filter(decided);
        let by_size = |a: &&Row, b: &&Row| size(a).total_cmp(&size(b));
        let gain = rows().max_by(by_size).filter(|row| size(row) > 0.0);
        let loss = rows().min_by(by_size).filter(|row| size(row) < 0.0);
        gain.into_iter().chain(loss).filter_map(|row| self.one(row)).collect()
    }

    fn one(&self, row: &Row) -> Option<Sized> {
        let cell = &row.cells[self.column];
        let (ratio, claim) = (cell.ratio?, cell.comparison?);
        let place = format!("in {}", self.name(row));
        let text = self.difference(&ratio, claim, is_rate(row), &place);
        Some(self.sized(ratio.point.ln().abs(), vec![row.test.clone()], claim, text))
    }

    /// The tests with this verdict for this reason, when they have an interval.
    fn alike(&self, claim: Comparison, reason: Option<Unjudged>) -> Option<Sized> {
        let matching = |row: &&Row| {
            let cell = &row.cells[self.column];
            let replicated = cell.ratio.is_some_and(|r| r.low.is_some());
            let judged = replicated && !row.is_short();
            judged && cell.comparison == Some(claim) && cell.reason == reason
        };
        let rows: Vec<&Row> = self.table.rows.iter().filter(matching).collect();
        let every = if claim == Comparison::Same { "all" } else { "any" };
        let place = format!("in {}", self.names(&rows, every)?);
        let text =
            if claim == Comparison::Same { self.same(&place) } else { self.contended(&place) };
        let tests: Vec<String> = rows.iter().map(|row| row.test.clone()).collect();
        Some(self.sized(tests.len() as f64, tests, claim, text))
    }

    fn sized(&self, size: f64, tests: Vec<String>, claim: Comparison, text: String) -> Sized {
        (size, Observation { target: self.target.to_string(), tests, claim, text })
    }

    /// The better of the two is named first, so that the ratio is above 1.
    fn difference(&self, ratio: &Ratio, claim: Comparison, is_rate: bool, place: &str) -> String {
        let ahead = ratio.point > 1.0;
        let baseline = self.findings.baseline.as_str();
        let (first, second) = if ahead { (self.target, baseline) } else { (baseline, self.target) };
        let turned = |r: f64| times(if ahead { r } else { 1.0 / r });
        let ends = [ratio.low, ratio.high].map(|end| end.map_or_else(String::new, turned));
        let [low, high] = if ahead { ends } else { [ends[1].clone(), ends[0].clone()] };
        let (point, word) = (turned(ratio.point), if is_rate { "faster" } else { "better" });
        let with = self.with();
        match claim {
            Comparison::SlightlyBetter | Comparison::SlightlyWorse => format!(
                "{with} {first} is slightly {word} than {second} {place}: {point}x ({low} to {high})."
            ),
            _ => format!(
                "{with} {first} is {point}x {word} than {second} {place} ({low} to {high})."
            ),
        }
    }

    fn same(&self, place: &str) -> String {
        let share = 100.0 * self.findings.band;
        format!("{} are the same within {share:.0} % {place}.", self.both())
    }

    fn contended(&self, place: &str) -> String {
        format!("{} are not judged {place}: the machine was busy with other work.", self.both())
    }

    fn both(&self) -> String {
        format!("{} {} and {}", self.with(), self.target, self.findings.baseline)
    }

    fn with(&self) -> String {
        format!("With {}", processes(self.table.procs))
    }

    /// The name of a test, after its suite where another suite has a test of that name.
    fn name(&self, row: &Row) -> String {
        let twin = |other: &Row| other.name == row.name && other.suite != row.suite;
        let suite = if self.table.rows.iter().any(twin) { &*row.suite } else { "" };
        format!("{suite} {}", row.name).trim_start().to_string()
    }

    /// `a, b and c`, `a, b and 7 more`, or `all of these 12 tests`; `None` without any.
    fn names(&self, rows: &[&Row], every: &str) -> Option<String> {
        if rows.len() == self.table.rows.len() && rows.len() > MOST_NAMES {
            return Some(format!("{every} of these {} tests", rows.len()));
        }
        let shown = if rows.len() > MOST_NAMES + 1 { MOST_NAMES } else { rows.len() };
        let mut names: Vec<String> = rows[..shown].iter().map(|row| self.name(row)).collect();
        if rows.len() > shown {
            names.push(format!("{} more", rows.len() - shown));
        }
        let last = names.pop()?;
        Some(if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) })
    }
}

/// Whether the row counts something in a second, so that more of it is faster.
fn is_rate(row: &Row) -> bool {
    Quantity::of(&row.unit) != Quantity::Other
}

/// Two decimals up to ten, whole numbers above a hundred.
fn times(ratio: f64) -> String {
    match ratio {
        r if r < 9.995 => format!("{r:.2}"),
        r if r < 99.95 => format!("{r:.1}"),
        r => format!("{r:.0}"),
    }
}
