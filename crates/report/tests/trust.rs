//! Tests of what tells whether figures can be trusted.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown},
    common,
};
use model::result::{Dataset, Limiter, Origin, Reason, Validity, known};
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
        sample.set(known::FOREIGN_CPU_PCT, 1.0);
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
fn commands_in_what_follows_are_code_on_the_page() {
    let data = common::campaign(5);
    let page = html(&data, &findings(&data, &Settings::default()).unwrap());
    let (_, own) = page.split_once("class=\"signs\"").unwrap();
    let (own, _) = own.split_once("</details>").unwrap();
    assert!(own.contains("--aa</code> measures") && !own.contains('`'), "{own}");
}

#[test]
fn what_is_against_it_is_said() {
    let mut data = common::campaign(5);
    data.samples.iter_mut().for_each(|sample| {
        sample.evidence.limiter = Limiter::Throttled;
        sample.set(known::FOREIGN_CPU_PCT, 60.0);
    });
    let text = said(&data).unwrap();
    assert!(text.contains("repeat on a quiet machine"), "{text}");
    assert!(text.contains("look smaller there than they are"), "{text}");
    let page = html(&data, &findings(&data, &Settings::default()).unwrap());
    assert_eq!(page.matches("class=\"sign no\"").count(), 3, "others, the limiter and cells");
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
fn cells_without_a_figure_of_each_candidate_are_counted() {
    let mut data = common::campaign(5);
    data.samples.iter_mut().for_each(|sample| sample.evidence.limiter = Limiter::Device);
    let cells = |data: &Dataset| {
        let verdict = findings(data, &Settings::default()).unwrap().verdict;
        (verdict.cells, verdict.of_cells)
    };
    assert_eq!(cells(&data), (8, 10), "a candidate has no figure in two");
    let text = said(&data).unwrap();
    assert!(text.contains("scored cells: 8 of 10, the others are in no score"), "{text}");
    let (target, test, procs) = {
        let case = &data.samples[0].case;
        (case.target.clone(), case.test.clone(), case.procs)
    };
    let failed = data.samples.iter_mut().filter(|sample| {
        (&sample.case.target, &sample.case.test, sample.case.procs) == (&target, &test, procs)
    });
    failed.for_each(|sample| {
        *sample.evidence.validity = Validity::Invalid(Reason::said("no space"));
    });
    let (left, all) = cells(&data);
    let text = said(&data).unwrap();
    assert!(left < 8 && text.contains(&format!("scored cells: {left} of {all}, ")), "{text}");
}

/// What another tool measured: of the samples the figures alone, and targets whose names may be those of candidates.
fn imported(blocks: u32) -> Dataset {
    let mut data = common::campaign(blocks);
    data.campaign.origin = Origin::Import;
    data.campaign.plan.targets = vec!["ext4".parse().unwrap()];
    data.samples.iter_mut().for_each(|sample| sample.evidence.limiter = Limiter::Unknown);
    data
}

#[test]
fn import_says_what_is_not_known_of_it() {
    let text = said(&imported(5)).unwrap();
    for part in [
        "repetitions: 5, ",
        "A/A pair: not known, ",
        "drift: not known, ",
        "other programs: not known, ",
        "scored cells: 8 of 10, ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("limiter") && !text.contains("the machine kept its speed"), "{text}");
    let text = said(&imported(1)).unwrap();
    assert!(text.contains("repetitions: none, noise alone may explain any difference"), "{text}");
}

/// Every candidate is faster by a tenth with each place in the block.
#[test]
fn effect_of_the_place_in_a_block_is_reported() {
    let even = said(&common::campaign(6)).unwrap();
    assert!(even.contains("turn effect: +0 % from first to last place, "), "{even}");
    let mut data = common::campaign(6);
    for sample in &mut data.samples {
        let faster = 1.0 + 0.1 * f64::from(sample.position);
        sample.figures.metrics.iter_mut().for_each(|metric| metric.value *= faster);
    }
    let text = said(&data).unwrap();
    let told = "turn effect: +20 % from first to last place, the order rotates, so this favours no candidate";
    assert!(text.contains(told), "{text}");
}

/// All candidates at half of their speed from the fifth block on.
#[test]
fn a_step_in_the_speed_is_named_with_what_to_ask() {
    let mut data = common::campaign(9);
    for sample in data.samples.iter_mut().filter(|sample| sample.block >= 4) {
        sample.figures.seconds *= 2.0;
        for metric in &mut sample.figures.metrics {
            metric.value /= 2.0;
        }
    }
    let text = said(&data).unwrap();
    assert!(text.contains("from block 5 on") && text.contains("burst credits"), "{text}");
    let even = said(&common::campaign(9)).unwrap();
    assert!(!even.contains("burst credits"), "{even}");
}
