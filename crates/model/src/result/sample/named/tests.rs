//! The table against the fields that it names.

use super::*;
use crate::{
    result::{
        AfterFault, CrashStates, FaultOnDisk, Reason, Spread, Validity, known,
        sample::flat::FlatSample,
    },
    strategies,
    workload::{CacheState, Case},
};
use proptest::prelude::*;

fn bare(metrics: Vec<Metric>) -> Sample {
    let case = Case {
        target: "xfs".into(),
        suite: "s".into(),
        test: "s.t".into(),
        procs: 1,
        threads: 1,
        cache: CacheState::Any,
    };
    Sample::bare(0, 0, case, metrics)
}

/// A metric of each line, with values that differ.
fn of_each_line() -> Vec<Metric> {
    let of = |name: String, unit: &str, better| Metric::new(&name, name.len() as f64, unit, better);
    let mut all = Vec::new();
    for line in Line::ALL {
        let kind = line.kind();
        all.push(of(kind.name.clone(), &kind.unit, kind.better));
        if *line == Line::CPU_LEAST_MHZ {
            all.extend(DISKS.iter().map(|n| of(format!("{}1", n.name), n.unit, n.better)));
        }
        if *line == Line::FASTEST_RANK_OPS_PER_S {
            all.extend(HOSTS.iter().map(|n| of(format!("{}n1", n.name), n.unit, n.better)));
        }
    }
    all
}

#[test]
fn every_line_sets_its_field_and_reads_it() {
    for metric in of_each_line() {
        let rate = Metric::new("rate", 1.0, "MB/s", Better::Higher);
        let mut sample = bare(vec![rate]);
        sample.push(metric.clone());
        assert_eq!(sample.figures.metrics.len(), 1, "{}", metric.name);
        assert_eq!(metrics(&sample), std::slice::from_ref(&metric));
        assert_eq!(sample.metric(&metric.name), Some(metric.value), "{}", metric.name);
        assert_eq!(sample.find(&metric.name).as_deref(), Some(&metric));
        // Another unit, and one that is set already, are figures.
        sample.push(Metric::new(&metric.name, metric.value, "x", metric.better));
        assert_eq!(sample.figures.metrics.len(), 2, "{}", metric.name);
    }
}

fn after_fault() -> AfterFault {
    let fault = FaultOnDisk::Crash;
    let (tried, recovery) = (1, Spread::of(vec![1]));
    let (contract, is_complete) = ("append".into(), true);
    let (seed, harmed, checked, found) = (0, 0, 0, std::collections::BTreeMap::new());
    AfterFault::Crash(CrashStates {
        fault,
        contract,
        seed,
        tried,
        harmed,
        is_complete,
        recovery,
        checked,
        found,
    })
}

#[test]
fn what_a_fault_left_survives_files() {
    let mut sample = bare(Vec::new());
    sample.evidence.after_fault = Some(Box::new(after_fault()));
    let text = serde_json::to_string(&sample).unwrap();
    assert_eq!(serde_json::from_str::<Sample>(&text).unwrap(), sample);
}

#[test]
fn every_field_has_a_line() {
    let mut sample = bare(Vec::new()).judged(Validity::Invalid(Reason::said("x")));
    let all = of_each_line();
    sample.extend(all.clone());
    assert!(sample.figures.metrics.is_empty());
    assert_eq!(metrics(&sample), all);
    // Fields of their own in the flat form.
    sample.covariates.device_read_bytes = Some(1);
    sample.covariates.device_write_bytes = Some(1);
    sample.evidence.durability = Some(crate::figure::Durability::Proven);
    sample.evidence.after_fault = Some(Box::new(after_fault()));
    let shown = format!("{:#?}\n{:#?}", sample.covariates, sample.evidence);
    let without: Vec<&str> = shown.lines().filter(|line| line.contains("None")).collect();
    assert!(without.is_empty(), "no line of the table sets {without:?}");
    assert!(shown.lines().all(|line| !line.contains(": [],")), "{shown}");
}

#[test]
fn a_value_that_a_field_cannot_hold_stays_a_figure() {
    for value in [0.5, -1.0, 1e300, f64::NAN, f64::INFINITY] {
        let rate = Metric::new("rate", 1.0, "MB/s", Better::Higher);
        let order = Metric::new("run_order", value, "", Better::Lower);
        let sample = bare(vec![rate, order]);
        assert_eq!(
            (sample.figures.metrics.len(), sample.get(known::RUN_ORDER)),
            (2, None),
            "{value}"
        );
    }
}

proptest! {
    #[test]
    fn a_sample_survives_its_flat_form(data in strategies::dataset()) {
        for sample in &data.samples {
            prop_assert_eq!(&Sample::from(FlatSample::from(sample)), sample);
            let listed = sample.all_metrics();
            let mut again = Sample { figures: Default::default(), ..bare(Vec::new()) };
            again.evidence.validity = sample.evidence.validity.clone();
            again.extend(listed.to_vec());
            prop_assert_eq!(again.all_metrics(), listed);
        }
    }
}
