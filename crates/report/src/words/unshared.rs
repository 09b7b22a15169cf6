//! Reports targets that share no test (e.g. differently named jobs) and so cannot be compared.

use stats::evaluation::Findings;

/// Tests that are named of each target.
const MOST_NAMED: usize = 3;

/// What each target was measured by alone, and what to do; `None` where a test is valid on two targets, or fewer than
/// two targets have any.
pub(super) fn sentence(findings: &Findings) -> Option<String> {
    let rows = || findings.tables.iter().flat_map(|table| &table.rows);
    let mut alone: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows() {
        let mut valid = row.cells.iter().filter(|cell| cell.value.is_some());
        let Some(cell) = valid.next() else { continue };
        if valid.next().is_some() {
            return None;
        }
        match alone.iter_mut().find(|(target, _)| *target == cell.target) {
            Some((_, tests)) => tests.push(&row.name),
            None => alone.push((&cell.target, vec![&row.name])),
        }
    }
    let of_each: Vec<String> = alone.iter().map(|(target, tests)| own(target, tests)).collect();
    (alone.len() > 1).then(|| {
        format!(
            "No recommendation: the targets have no test in common ({}). Name the same work alike for every target (a \
             job of fio by its section), then run or import it again.",
            of_each.join("; ")
        )
    })
}

/// `ext4: rr-ext4, rw-ext4 and 2 more`.
fn own(target: &str, tests: &[&str]) -> String {
    let named = tests.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    match tests.len().saturating_sub(MOST_NAMED) {
        0 => format!("{target}: {named}"),
        more => format!("{target}: {named} and {more} more"),
    }
}
