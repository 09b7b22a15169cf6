//! Names what a killed run left behind, before the next run uses more space.

use lab::cleanup::Cleanup;
use std::path::Path;

/// What is named of it; the rest is counted.
const MOST_NAMED: usize = 3;

/// One line about what dead campaigns of the state folder left, if anything. Nothing is undone. What cannot be looked
/// at is for the run itself to report.
pub fn line(state: &Path) -> Option<String> {
    let report = Cleanup { dry_run: true, ..Cleanup::of(state) }.run().ok()?;
    sentence(&report.done)
}

/// `done` are the lines of a dry run: `would unmount /mnt`.
fn sentence(done: &[String]) -> Option<String> {
    let acts: Vec<&str> = done.iter().filter_map(|line| line.strip_prefix("would ")).collect();
    let more = match acts.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let named = acts.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    let left = format!("a killed run left something behind; `assay cleanup` would {named}{more}");
    (!acts.is_empty()).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_named_or_counted() {
        let done =
            |all: &[&str]| sentence(&all.iter().map(|line| line.to_string()).collect::<Vec<_>>());
        assert_eq!(done(&[]), None);
        assert_eq!(
            done(&["would unmount /a", "would remove /b"]).unwrap(),
            "a killed run left something behind; `assay cleanup` would unmount /a, remove /b"
        );
        let many =
            ["would unmount /a", "would unmount /b", "would detach /dev/loop0", "would remove /c"];
        assert!(done(&many).unwrap().ends_with("unmount /b, detach /dev/loop0, and 1 more"));
    }
}
