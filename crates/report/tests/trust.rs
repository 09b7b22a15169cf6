//! Tests of what tells whether figures can be trusted.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::result::{Dataset, Limiter, Origin};
use report::{html, markdown};
use stats::{description::Settings, evaluation::findings};

/// The paragraph of a campaign.
fn said(data: &Dataset) -> Option<String> {
    let page = markdown(data, &findings(data, &Settings::default()).unwrap()).replace('\\', "");
    page.lines().find(|line| line.starts_with("Can I trust this?")).map(String::from)
}

#[test]
fn each_check_is_answered_with_what_follows() {
    let mut data = common::campaign(5);
    data.samples.iter_mut().for_each(|sample| {
        sample.evidence.limiter = Limiter::Device;
        sample.covariates.foreign.cpu_pct = Some(1.0);
    });
    let text = said(&data).unwrap();
    for part in
        ["A/A pair: none, `--aa` measures", "drift: ", "other programs: 0 of ", "limiter: 0 of "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("repeat on a quiet machine"), "{text}");
}

#[test]
fn what_is_against_it_is_said() {
    let mut data = common::campaign(5);
    data.samples.iter_mut().for_each(|sample| {
        sample.evidence.limiter = Limiter::Throttled;
        sample.covariates.foreign.cpu_pct = Some(60.0);
    });
    let text = said(&data).unwrap();
    assert!(text.contains("repeat on a quiet machine"), "{text}");
    assert!(text.contains("a throttled processor set the speed, not the file system"), "{text}");
    let page = html(&data, &findings(&data, &Settings::default()).unwrap());
    assert_eq!(page.matches("class=\"sign no\"").count(), 2, "others and the limiter");
}

#[test]
fn one_sample_of_many_is_too_few_to_matter() {
    let mut data = common::campaign(5);
    data.samples.iter_mut().for_each(|sample| sample.evidence.limiter = Limiter::Device);
    data.samples[0].evidence.limiter = Limiter::Tool;
    let text = said(&data).unwrap();
    assert!(text.contains("limiter: 1 of ") && text.contains("too few to matter"), "{text}");
}

#[test]
fn figures_of_others_are_not_judged() {
    let mut data = common::campaign(5);
    data.campaign.origin = Origin::Import;
    assert_eq!(said(&data), None);
}
