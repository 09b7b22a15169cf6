//! Checks a sample by the names of its metrics, for every importer.

use super::{BINS, Mode, Times};
use model::{
    figure::Metric,
    result::{Contradiction, Sample, Validity},
    workload::{Group, TestInfo},
};

/// The part of a metric's name before the statistic of a latency: `read_service_p99_us`.
const LATENCIES: [&str; 2] = ["service_", "response_"];

/// One step of the last digit in which tools print latencies, microseconds: sysbench's 0.01 ms.
const STEP_US: f64 = 10.0;

/// The sample without latencies of 0, which no operation has, and invalid where it contradicts itself or its
/// test.
pub(crate) fn pass(mut sample: Sample, test: Option<&TestInfo>) -> Sample {
    let counts = |metric: &Metric| !is_latency(&metric.name) || metric.value != 0.0;
    if sample.figures.metrics.first().is_some_and(counts) {
        sample.figures.metrics.retain(counts);
    }
    if !sample.evidence.validity.is_valid() {
        return sample;
    }
    let judged = latencies(&sample.figures.metrics)
        .and_then(|()| rates(&sample))
        .and_then(|()| test.map_or(Ok(()), |test| direction(&sample, test)));
    if let Err(why) = judged {
        *sample.evidence.validity = Validity::Invalid(why.into());
    }
    sample
}

fn is_latency(name: &str) -> bool {
    let others = ["latency_", "await_"];
    LATENCIES.iter().chain(&others).any(|part| name.contains(part))
}

/// `read_service_` and `p99_us` of `read_service_p99_us`.
fn split(name: &str) -> Option<(&str, &str)> {
    let ends = LATENCIES.iter().filter_map(|part| Some(name.find(part)? + part.len()));
    ends.min().map(|end| name.split_at(end))
}

/// Judges the times of each kind of operation.
fn latencies(metrics: &[Metric]) -> Result<(), Contradiction> {
    let mut kinds: Vec<(&str, Times)> = Vec::new();
    for metric in metrics {
        let Some((kind, rest)) = split(&metric.name) else { continue };
        let Some(statistic) = rest.strip_suffix("_us") else { continue };
        let place = kinds.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            kinds.push((kind, Times { step: STEP_US, loose: BINS, ..Times::default() }));
            kinds.len() - 1
        });
        let times = &mut kinds[place].1;
        match statistic {
            "min" => times.min = Some(metric.value),
            "mean" => times.mean = Some(metric.value),
            "max" => times.max = Some(metric.value),
            _ => {
                times.percentiles.extend(percent(statistic).map(|percent| (percent, metric.value)))
            }
        }
    }
    kinds.iter().try_for_each(|(kind, times)| times.judge(&format!("{kind}us")))
}

/// `99.9` of `p999`, `99` of `p99`.
fn percent(statistic: &str) -> Option<f64> {
    let digits = statistic.strip_prefix('p')?;
    match digits.split_at_checked(2) {
        Some((whole, part)) if !part.is_empty() && !part.starts_with('.') => {
            format!("{whole}.{part}").parse().ok()
        }
        _ => digits.parse().ok(),
    }
}

/// Judges a mean of repetitions by the least and the greatest of them.
fn rates(sample: &Sample) -> Result<(), Contradiction> {
    let Some(mean) = sample.figures.metrics.first() else { return Ok(()) };
    let of = |part: &str| sample.metric(&format!("{}_{part}", mean.name));
    let times =
        Times { min: of("min"), mean: Some(mean.value), max: of("max"), ..Times::default() };
    times.judge(&mean.name)
}

/// Judges reads and writes by what the test does.
fn direction(sample: &Sample, test: &TestInfo) -> Result<(), Contradiction> {
    let mode = match test.group {
        Group::SequentialRead | Group::RandomRead => Mode::Reads,
        Group::SequentialWrite | Group::RandomWrite => Mode::Writes,
        _ => return Ok(()),
    };
    let rate = |name: &str| sample.metric(name).unwrap_or(0.0);
    mode.judge(&test.testtype, rate("read_iops"), rate("write_iops"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        figure::Better,
        workload::{CacheState, Case},
    };

    fn sample(metrics: &[(&str, f64)]) -> Sample {
        let case = Case {
            target: "t".into(),
            suite: "s".into(),
            test: "s.t".into(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let metric = |&(name, value): &(&str, f64)| Metric::new(name, value, "us", Better::Lower);
        Sample::bare(0, 0, case, metrics.iter().map(metric).collect())
    }

    #[test]
    fn latencies_of_zero_are_none() {
        let passed = pass(sample(&[("iops", 5.0), ("read_service_p99_us", 0.0)]), None);
        assert_eq!(passed.figures.metrics.len(), 1);
        assert!(passed.evidence.validity.is_valid());
    }

    #[test]
    fn latencies_that_do_not_ascend_make_a_sample_invalid() {
        let passed = pass(
            sample(&[("iops", 5.0), ("service_p95_us", 9000.0), ("service_p999_us", 40.0)]),
            None,
        );
        let why = Contradiction::Order {
            low: "service_us p95".into(),
            low_value: 9000.0.into(),
            high: "service_us p99.9".into(),
            high_value: 40.0.into(),
        };
        assert_eq!(passed.evidence.validity, Validity::Invalid(why.into()));
        let fits = [("iops", 5.0), ("service_p999_us", 9000.0), ("service_p95_us", 40.0)];
        assert!(pass(sample(&fits), None).evidence.validity.is_valid());
    }

    #[test]
    fn a_mean_lies_between_least_and_greatest() {
        let of =
            |mean| sample(&[("ops_rate", mean), ("ops_rate_max", 30.0), ("ops_rate_min", 20.0)]);
        assert!(pass(of(25.0), None).evidence.validity.is_valid());
        assert!(!pass(of(50.0), None).evidence.validity.is_valid());
        assert!(!pass(of(5.0), None).evidence.validity.is_valid());
    }
}
