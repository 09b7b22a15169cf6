//! Tests that a sustained run that had not settled is named.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{bare::markdown, common};
use stats::{description::Settings, evaluation::findings};

#[test]
fn a_cell_that_was_still_changing_is_named_with_its_range() {
    let mut data = common::campaign(3);
    let text = |data: &_| markdown(data, &findings(data, &Settings::default()).unwrap());
    assert!(!text(&data).contains("## Steady state"), "no sample has rounds");
    let cell = data.samples[0].case.clone();
    for sample in data.samples.iter_mut().filter(|sample| sample.case == cell) {
        sample.set_round_rates([100.0; 5]);
    }
    let steady = text(&data);
    assert!(steady.contains("1 of 1 sustained cells were steady in every sample"), "{steady}");
    assert!(!steady.contains("Not steady:"), "{steady}");
    data.samples[0].set_round_rates([60.0, 80.0, 100.0, 120.0, 140.0]);
    let changing = text(&data);
    assert!(changing.contains("0 of 1 sustained cells"), "{changing}");
    let (_, table) = changing.split_once("Not steady: ").unwrap();
    let row = table.lines().find(|line| line.contains("1 of 3")).unwrap();
    assert!(row.contains(&cell.target) && row.contains("80 %"), "{row}");
}
