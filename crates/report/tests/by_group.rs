//! Tests of kinds of work: who is first, over whom, by how much; and where the winner is behind.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::bare::html;
use crate::common::study::Study;
use model::{
    result::{Dataset, known},
    workload::{CacheState, Group},
};
use stats::{
    description::{Comparison, Settings},
    evaluation::findings,
};

const TESTS: [[&str; 6]; 2] =
    [["a.read", "a", "read", "r", "rate", "MB/s"], ["a.write", "a", "write", "w", "rate", "MB/s"]];

/// The second target reads half as fast again as the first and writes at a third of its rate; the third is behind in
/// both.
fn data() -> Dataset {
    measured(|test, target, _| [[1.0, 1.5, 0.5], [1.0, 1.0 / 3.0, 0.2]][test][target])
}

/// A campaign of which `rate` gives the rates by test, target and block, but for noise of some percent.
fn measured(rate: impl Fn(usize, usize, u32) -> f64) -> Dataset {
    let study = Study {
        targets: &["ext4", "xfs", "btrfs"],
        tests: &TESTS,
        group: Group::RandomRead,
        blocks: 4,
    };
    let mut data = study.dataset(|test, target, block| {
        let noise = 1.0 + 0.01 * f64::from((block * 7 + test as u32 * 3 + target as u32) % 5);
        100.0 * noise * rate(test, target, block)
    });
    data.tests[1].group = Group::RandomWrite;
    data
}

#[test]
fn first_of_each_kind_of_work_is_next_to_the_second() {
    let found = findings(&data(), &Settings::default()).unwrap();
    let lead = |group: Group| {
        let table = found.tables.iter().find(|table| table.group == group).unwrap();
        table.lead.clone().unwrap()
    };
    let (read, write) = (lead(Group::RandomRead), lead(Group::RandomWrite));
    assert_eq!((&*read.target, &*read.second), ("xfs", "ext4"));
    assert_eq!((&*write.target, &*write.second), ("ext4", "xfs"));
    assert!((read.ratio.point / 1.5 - 1.0).abs() < 0.03, "{read:?}");
    assert!((write.ratio.point / 3.0 - 1.0).abs() < 0.03, "{write:?}");
    assert_eq!([read.comparison, write.comparison], [Comparison::Better; 2]);
    let page = html(&data(), &found);
    let own = page.split_once("Best for each kind of work</h2>").unwrap().1;
    let own = own.split_once("<h2>").map_or(own, |(own, _)| own);
    for (group, lead) in [(Group::RandomRead, read), (Group::RandomWrite, write)] {
        let (_, row) = own.split_once(&format!(">{}<", group.title())).unwrap();
        let (row, _) = row.split_once("</tr>").unwrap();
        let at = [&lead.target, &lead.second].map(|label| row.find(label.as_str()).unwrap());
        assert!(at[0] < at[1] && row.contains("better"), "{row}");
    }
}

#[test]
fn where_the_winner_loses_is_a_table_of_its_own() {
    let found = findings(&data(), &Settings::default()).unwrap();
    let page = html(&data(), &found);
    let (ahead, behind) = ("Where ext4 is ahead of xfs most", "Where ext4 is behind xfs most");
    let (before, after) = page.split_once(behind).unwrap();
    assert!(before.contains(ahead), "{before}");
    let (table, _) = after.split_once("</table>").unwrap();
    assert!(table.contains("read") && !table.contains("write"), "{table}");
}

/// The winner is behind in reads, by the intervals; where it is behind in nothing, that is said.
#[test]
fn where_the_winner_loses_is_said_in_short() {
    let said = |data: &Dataset| {
        let page = html(data, &findings(data, &Settings::default()).unwrap());
        let (_, own) = page.split_once("Where does it lose?").unwrap();
        own.split_once("</tr>").unwrap().0.to_string()
    };
    let own = said(&data());
    assert!(
        own.contains(
            "ext4 is worse than another candidate in 1 of 2 cells: Random read: read, 1 process (0."
        ),
        "{own}"
    );
    let best = measured(|_, target, _| if target == 0 { 2.0 } else { 1.0 });
    let own = said(&best);
    assert!(own.contains("ext4 is behind no other candidate in any of 2 cells."), "{own}");
}

/// Who has nothing but the page asks this first.
#[test]
fn the_other_questions_are_answered_before_the_pictures() {
    let page = html(&data(), &findings(&data(), &Settings::default()).unwrap());
    let (_, own) = page.split_once("In short</h2>").unwrap();
    let (own, _) = own.split_once("</table>").unwrap();
    for said in [
        "ext4 is ahead in Random write (1 process). xfs is ahead in Random read (1 process).",
        "2 tests with 1 process, 4 blocks, scale 0.2 (1/5 of the full sizes). Limiters of the valid samples: ",
    ] {
        assert!(own.contains(said), "{own}");
    }
}

#[test]
fn states_of_the_page_cache_are_shown_for_tests_that_ask_for_one() {
    let mut data = data();
    for sample in data.samples.iter_mut().filter(|sample| sample.case.test == "a.read") {
        sample.case.cache = CacheState::Cold;
    }
    let page = html(&data, &findings(&data, &Settings::default()).unwrap());
    assert!(
        page.contains("Tests by the state of the page cache: 1 cold, 1 with neither."),
        "{page}"
    );
}

/// A name alone in the column would be taken for a winner.
#[test]
fn unclear_leader_is_not_called_first() {
    let swings = |_, target: usize, block: u32| {
        if (target as u32 + block).is_multiple_of(2) { 2.0 } else { 0.5 }
    };
    let data = measured(swings);
    let found = findings(&data, &Settings::default()).unwrap();
    let leads: Vec<_> = found.tables.iter().filter_map(|table| table.lead.as_ref()).collect();
    assert!(leads.len() == 2 && leads.iter().all(|lead| lead.comparison != Comparison::Better));
    let page = html(&data, &found);
    assert!(leads.iter().all(|lead| page.contains(&format!("none clearly ({})", lead.target))));
}

/// A block that only one of both has moves its mean, and is in no ratio.
#[test]
fn first_of_a_group_is_ahead_in_the_blocks_that_both_have() {
    let mut data =
        measured(|_, target, block| [1.0, 0.9, 0.5][target] * if block == 0 { 0.25 } else { 1.0 });
    data.samples.retain(|sample| sample.case.target != "xfs" || sample.block != 0);
    let found = findings(&data, &Settings::default()).unwrap();
    let leads = found.tables.iter().flat_map(|table| {
        table.lead.iter().chain(table.rows.iter().filter_map(|row| row.lead.as_ref()))
    });
    let leads: Vec<_> = leads.collect();
    assert_eq!(leads.len(), 4);
    for lead in leads {
        assert!(lead.target == "ext4" && lead.ratio.point > 1.0, "{lead:?}");
    }
}

/// A target alone is first of nothing.
#[test]
fn one_target_has_no_such_section() {
    let mut data = data();
    data.targets.truncate(1);
    data.samples.retain(|sample| sample.case.target == "ext4");
    let found = findings(&data, &Settings::default()).unwrap();
    assert!(found.tables.iter().all(|table| table.lead.is_none()));
    assert!(!html(&data, &found).contains("Best for each kind"));
}

#[test]
fn a_group_whose_cold_reads_were_read_ahead_says_so() {
    let mut data = data();
    let about = "read-ahead rather than the device";
    let page = |data: &Dataset| html(data, &findings(data, &Settings::default()).unwrap());
    assert!(!page(&data).contains(about));
    for sample in data.samples.iter_mut().filter(|sample| sample.case.test == "a.read") {
        sample.case.cache = CacheState::Cold;
        sample.set(known::READ_AHEAD_HIT_PCT, 94.0);
    }
    let said = page(&data);
    assert!(said.contains("in 1 of 1 tests most random reads") && said.contains(about), "{said}");
}
