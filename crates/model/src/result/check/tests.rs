//! Every fault of a dataset is found, at its place.

use super::*;
use crate::{
    figure::{LatencyKind, Series, series},
    strategies,
    text::is_unprintable,
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

/// A dataset with at least one of everything that has a name.
fn whole() -> Dataset {
    let full = |data: &Dataset| data.samples.iter().any(|s| !s.figures.metrics.is_empty());
    let full = strategies::dataset().prop_filter("with figures", full);
    let mut data = full.new_tree(&mut TestRunner::deterministic()).unwrap().current();
    data.targets[0].state = TargetState::Failed("why".into());
    data.campaign.notes.extend(strategies::notes().into_iter().take(2));
    for facts in [&mut data.campaign.environment, &mut data.targets[0].facts] {
        facts.0.insert("key".into(), "value".into());
    }
    let sample = data.samples.iter_mut().find(|s| !s.figures.metrics.is_empty()).unwrap();
    *sample.evidence.validity = Validity::Invalid(Reason::said("why"));
    let bins = vec![(1, 1)];
    *sample.figures.histograms =
        vec![Histogram { bins, ..Histogram::new("read", LatencyKind::Service) }];
    let columns = BTreeMap::from([(series::OPS.to_owned(), vec![1, 2])]);
    sample.figures.series = Some(Box::new(Series { end_ms: vec![10, 20], columns }));
    let kind = "fuse.sshfs".to_string();
    sample.evidence.durability = Some(Durability::NotProven(Unproven::NoDevice(kind)));
    data
}

/// The dataset after every text of it was shown to `visit`.
fn texts(data: Dataset, visit: &mut Visit<'_>) -> Dataset {
    let (mut head, mut samples) = data.parted();
    head_texts(&mut head, visit).unwrap();
    samples.iter_mut().try_for_each(|sample| sample_texts(sample, visit)).unwrap();
    head.with(samples)
}

/// The dataset with `add` behind its text number `which`; `None` behind the last.
fn spoilt(which: usize, add: &str) -> Option<Dataset> {
    let mut seen = 0;
    let data = texts(whole(), &mut |_, text| {
        let spoils = seen == which;
        seen += 1;
        Ok(spoils.then(|| format!("{text}{add}")))
    });
    (which < seen).then_some(data)
}

#[test]
fn no_text_of_a_dataset_is_overlooked() {
    assert!(whole().checked().is_ok());
    for harm in ["\x1b]0;owned\x07", "\u{9b}2J", "\u{202e}", "\x7f", "\r"] {
        let all: Vec<Dataset> = (0..).map_while(|which| spoilt(which, harm)).collect();
        assert!(all.len() > 20);
        for data in all {
            let error = data.clone().checked().unwrap_err().to_string();
            assert!(!error.contains(is_unprintable), "{error:?}");
            texts(data.printable(), &mut |_, text| {
                let harms = |c| is_unprintable(c) && c != '\n' && c != '\t';
                assert!(!text.contains(harms), "{text:?}");
                Ok(None)
            });
        }
    }
}

#[test]
fn ids_are_checked_as_file_names() {
    for id in ["/etc/x", "../../x", "", ".x"] {
        let mut data = whole();
        data.campaign.id = id.into();
        let error = data.checked().unwrap_err().to_string();
        assert!(error.starts_with("the campaign: ") && error.contains("ids consist"), "{error}");
    }
    let mut data = whole();
    data.tests[0].suite = "a/b".into();
    assert!(data.checked().is_err());
}

#[test]
fn a_number_that_is_none_is_named_with_its_sample() {
    let with = |change: fn(&mut Sample)| {
        let mut data = whole();
        let is_whole =
            |s: &&mut Sample| s.figures.series.is_some() && !s.figures.metrics.is_empty();
        change(data.samples.iter_mut().find(is_whole).unwrap());
        assert!(data.clone().printable().checked().is_ok());
        data.checked().unwrap_err().to_string()
    };
    let error = with(|s| s.figures.metrics[0].value = f64::NAN);
    assert!(error.contains("sample ") && error.contains("\"first\" is NaN"), "{error}");
    assert!(with(|s| s.figures.seconds = f64::INFINITY).contains("seconds is inf"));
    assert!(with(|s| s.covariates.cpu_sys_s = f64::NEG_INFINITY).contains("cpu_sys_s is -inf"));
    let ragged = with(|s| s.figures.series.as_mut().unwrap().end_ms.push(30));
    assert!(ragged.contains("series"), "{ragged}");
    assert!(
        with(|s| s.figures.histograms[0].bins.push((1, 1))).contains("\"read\" is not ascending")
    );
    let mut data = whole();
    data.campaign.scale = f64::NAN;
    assert!(data.checked().unwrap_err().to_string().contains("scale"));
}

#[test]
fn parts_fit_together() {
    let with = |change: fn(&mut Dataset)| {
        let mut data = whole();
        change(&mut data);
        data.checked().unwrap_err().to_string()
    };
    assert!(with(|d| d.targets.push(d.targets[0].clone())).contains("listed twice"));
    assert!(with(|d| d.tests.push(d.tests[0].clone())).contains("listed twice"));
    assert!(with(|d| d.samples[0].case.target = "other".into()).contains("not listed"));
    assert!(with(|d| d.samples[0].case.test = "other".into()).contains("not listed"));
    let twice = with(|d| {
        let full = d.samples.iter_mut().find(|s| !s.figures.metrics.is_empty()).unwrap();
        full.figures.metrics.push(full.figures.metrics[0].clone());
    });
    assert!(twice.contains("metric \"first\": it is listed twice"), "{twice}");
    assert!(with(|d| d.campaign.plan.baseline = Some("\x1b".into())).contains("the plan"));
}

proptest! {
    #[test]
    fn what_keeps_the_rules_is_not_changed(data in strategies::dataset()) {
        prop_assert_eq!(data.clone().checked(), Ok(data.clone()));
        prop_assert_eq!(data.clone().printable(), data);
    }
}
