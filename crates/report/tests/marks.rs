//! Tests of the marks of cells in tables, and of what ratios are over.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, terminal},
    common,
};
use model::result::Dataset;
use report::TerminalOptions;
use stats::{description::Settings, evaluation::findings};

fn on_terminal(data: &Dataset) -> String {
    let found = findings(data, &Settings::default()).unwrap();
    terminal(data, &found, &TerminalOptions::default())
}

/// Twelve blocks have a larger range than three of the same spread, by being more.
#[test]
fn many_blocks_are_not_noisier_than_three_of_the_same_spread() {
    // Quantiles of the normal distribution, of standard deviation 1 around 0.
    let three = [-1.0, 0.0, 1.0];
    let twelve = [-1.81, -1.20, -0.83, -0.54, -0.28, -0.05, 0.05, 0.28, 0.54, 0.83, 1.20, 1.81];
    let is_noisy = |places: &[f64], sd: f64| {
        let mut data = common::campaign(places.len() as u32);
        for sample in &mut data.samples {
            sample.figures.metrics[0].value = 100.0 * (1.0 + sd * places[sample.block as usize]);
        }
        let text = on_terminal(&data);
        text.lines().any(|line| line.contains("disk sort") && line.contains("noisy"))
    };
    assert_eq!([is_noisy(&three, 0.13), is_noisy(&twelve, 0.13)], [false, false]);
    assert_eq!([is_noisy(&three, 0.17), is_noisy(&twelve, 0.17)], [true, true]);
}

/// A baseline that was not requested is reported next to its ratios.
#[test]
fn the_headings_say_why_the_first_target_is_not_the_baseline() {
    let mut data = common::campaign(3);
    let is_left =
        |s: &model::result::Sample| s.case.target != "ext4" || s.case.test == "columnar.sort.disk";
    data.samples.retain(is_left);
    let text = on_terminal(&data);
    let why = "over xfs, as ext4, the first target, has a valid sample in 2 of 10 cells";
    for heading in ["1 process; ratios ", "Geometric means of the ratios ", "Ratios are "] {
        let all = text.replace('\n', " ");
        assert!(all.contains(&format!("{heading}{why}")), "{heading}: {text}");
    }
}

/// A disk that is at half its speed in every third block: no sample is near the mean of the one candidate.
#[test]
fn samples_in_two_groups_are_called_two_modes_and_both_stand_under_samples() {
    let mut data = common::campaign(12);
    let is_meant = |s: &model::result::Sample| {
        s.case.test == "columnar.sort.disk" && s.case.procs == 1 && s.case.target == "xfs"
    };
    for sample in data.samples.iter_mut().filter(|sample| is_meant(sample)) {
        sample.figures.metrics[0].value = if sample.block % 3 == 0 { 50.0 } else { 100.0 };
    }
    let found = findings(&data, &Settings::default()).unwrap();
    let cells = found.tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    assert_eq!(cells.filter(|cell| cell.modes.is_some()).count(), 1);
    let page = html(&data, &found);
    assert!(page.contains("4 samples near 50.0, 8 near 100"), "{page}");
    assert!(page.contains("form two groups, separated by a gap"), "the legend explains it");
    let map = page.split_once("class=\"heat\"").unwrap().1.split_once("</table>").unwrap().0;
    assert!(map.contains("two modes"), "{map}");
    let plain = common::campaign(12);
    let page = html(&plain, &findings(&plain, &Settings::default()).unwrap());
    assert!(!page.contains("two modes"), "{page}");
}

/// The ratio is over the blocks that both have, which are fewer than those of either.
#[test]
fn a_ratio_says_over_how_many_blocks_it_is() {
    let mut data = common::campaign(5);
    let is_gone = |s: &model::result::Sample| {
        s.case.test == "columnar.sort.disk"
            && [("ext4", 0), ("xfs", 1)].contains(&(&*s.case.target, s.block))
    };
    data.samples.retain(|sample| !is_gone(sample));
    let found = findings(&data, &Settings::default()).unwrap();
    let row = |row: &&stats::description::Row| row.test == "columnar.sort.disk";
    let own = found.tables.iter().flat_map(|table| &table.rows).find(row).unwrap();
    let xfs = own.cells.iter().find(|cell| cell.target == "xfs").unwrap();
    assert_eq!((xfs.n, xfs.pairs), (4, 3));
    let page = html(&data, &found);
    let drawer = page.split_once("disk sort, 1 process</summary>").unwrap().1;
    let xfs = drawer.split_once(">xfs<").unwrap().1.split_once("</tr>").unwrap().0;
    assert!(xfs.contains("<td class=\"n\">3</td>"), "under Samples: {xfs}");
    let map = page.split_once("class=\"heat\"").unwrap().1.split_once("</table>").unwrap().0;
    let row = map.split_once(">disk sort<").unwrap().1.split_once("</tr>").unwrap().0;
    // With 1 and with 64 processes: xfs has three blocks with ext4, btrfs the four that ext4 has.
    assert_eq!(["n=3", "n=4"].map(|mark| row.matches(mark).count()), [2, 2], "{row}");
}

/// 0.951 is outside the band of 5 %, which is as wide for a loss as for a gain.
#[test]
fn what_is_decided_is_never_neutral() {
    let mut data = common::campaign(12);
    for sample in &mut data.samples {
        let factor = if sample.case.target == "xfs" { 0.951 } else { 1.0 };
        sample.figures.metrics[0].value = 100.0 * factor * (1.0 + 1e-4 * f64::from(sample.block));
    }
    let page = html(&data, &findings(&data, &Settings::default()).unwrap());
    let map = page.split_once("class=\"heat\"").unwrap().1.split_once("</table>").unwrap().0;
    let row = map.split_once(">disk sort<").unwrap().1.split_once("</tr>").unwrap().0;
    assert!(row.contains("<td class=\"n w1\">") && row.contains("0.95 <b>worse</b>"), "{row}");
}
