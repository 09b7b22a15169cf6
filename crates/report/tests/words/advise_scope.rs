//! Tests of the scope of advice, and of refusals because of the order of the candidates.

use crate::{
    common::{self, Noise},
    worded::{Worded, worded},
};
use model::result::Dataset;
use stats::advice::{Counsel, Question};

const QUIET: Noise = Noise { block_sd: 0.01, own_sd: 0.01 };

fn ask(data: &Dataset) -> Worded {
    let profile = common::profile("oltp-db");
    let question = Question { profile: &profile, facts: &[], requirements: &[], block_s: None };
    worded(data, &question).unwrap()
}

/// What a verdict cannot tell apart from the places of the first two, an advice cannot either.
#[test]
fn constant_run_order_gets_no_advice() {
    let mut data = QUIET.dataset(&[("ext4", 1.0), ("xfs", 1.3)], 6, 4, 1);
    assert_eq!(ask(&data).counsel, Counsel::Clear);
    data.samples.iter_mut().for_each(|s| s.position = u32::from(s.case.target != "xfs"));
    let advice = ask(&data);
    assert_eq!(advice.counsel, Counsel::Insufficient);
    let said = &advice.sentence;
    assert!(said.contains("in the same order in every block") && !said.contains("more"), "{said}");
    assert!(advice.leaders.is_empty());
}

#[test]
fn an_advice_says_of_what_it_is() {
    let data = QUIET.dataset(&[("ext4", 1.0), ("xfs", 1.3)], 6, 4, 1);
    let said = ask(&data).sentence;
    let scope = "For oltp-db by these tests at these sizes on this machine, xfs is best";
    assert!(said.starts_with(scope), "{said}");
}
