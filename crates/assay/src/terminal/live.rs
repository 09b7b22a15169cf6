//! Shows interim results in a few lines: the last figure next to the baseline's, and after each block the scores with
//! shrinking intervals.

use model::{
    result::{Dataset, Sample},
    text::counted,
    workload::TestInfo,
};
use report::words;
use serde_json::{Value, json};
use stats::{description::Settings, verdict::Candidate};
use std::collections::HashMap;

/// Candidates that are shown; more would push the last figure off a small terminal.
const MOST_SHOWN: usize = 8;

/// Where a figure belongs: block, test, processes.
type CaseKey = (u32, String, u32);

/// Follows the samples of a campaign.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// By id: name, ranking metric and unit of each test.
    tests: HashMap<String, TestInfo>,
    baseline: String,
    /// What the baseline measured in the block that runs.
    of_baseline: HashMap<CaseKey, f64>,
}

/// The ranked figure of one sample.
struct Figure<'a> {
    test: &'a TestInfo,
    value: f64,
    /// Over what the baseline measured in the same block, above 1 better.
    ratio: Option<f64>,
}

impl Live {
    pub(super) fn new(tests: Vec<TestInfo>, baseline: &str) -> Live {
        let tests = tests.into_iter().map(|test| (test.id.clone(), test)).collect();
        Live { tests, baseline: baseline.into(), of_baseline: HashMap::new() }
    }

    fn figure(&mut self, sample: &Sample) -> Option<Figure<'_>> {
        let case = &sample.case;
        let test = self.tests.get(&case.test)?;
        let value = sample.metric(&test.metric)?;
        let place = (sample.block, case.test.clone(), case.procs);
        if case.target == self.baseline {
            self.of_baseline.retain(|(block, ..), _| *block == sample.block);
            self.of_baseline.insert(place.clone(), value);
        }
        let base = self.of_baseline.get(&place).filter(|_| case.target != self.baseline);
        let ratio = base.map(|base| match test.better {
            model::figure::Better::Higher => value / base,
            model::figure::Better::Lower => base / value,
        });
        Some(Figure { test, value, ratio: ratio.filter(|ratio| ratio.is_finite()) })
    }

    /// The sample as a line: `write float large, 16 processes, xfs: 1234 MB/s, 1.08x ext4`.
    pub(super) fn line(&mut self, sample: &Sample) -> Option<String> {
        let baseline = self.baseline.clone();
        let figure = self.figure(sample)?;
        let case = &sample.case;
        let over = figure.ratio.map_or_else(String::new, |r| format!(", {r:.2}x {baseline}"));
        let latency = latency(sample).unwrap_or_default();
        let validity = &sample.evidence.validity;
        let doubt = validity
            .why()
            .map_or_else(String::new, |_| format!(" ({})", words::validity(validity)));
        Some(format!(
            "{}, {}, {}: {} {}{over}{latency}{doubt}",
            figure.test.name,
            stats::description::processes(case.procs),
            case.target,
            short(figure.value),
            figure.test.unit
        ))
    }

    /// The sample as an object.
    pub(super) fn object(&mut self, sample: &Sample) -> Value {
        let case = &sample.case;
        let mut object = json!({
            "event": "sample", "block": sample.block + 1, "target": case.target, "test": case.test,
            "procs": case.procs, "cache": case.cache.to_string(), "seconds": sample.figures.seconds,
            "validity": sample.evidence.validity.to_string(),
        });
        if let Some(figure) = self.figure(sample) {
            object["metric"] = json!(figure.test.metric);
            object["value"] = json!(figure.value);
            object["unit"] = json!(figure.test.unit);
            object["ratio"] = json!(figure.ratio);
        }
        object
    }
}

/// Median and 99th percentile of the operations of most samples: `, p50 12.3 us, p99 1.04 ms`.
fn latency(sample: &Sample) -> Option<String> {
    let most = sample.figures.histograms.iter().max_by_key(|histogram| histogram.count())?;
    let [p50, p99] = [0.5, 0.99].map(|q| most.quantile_ns(q));
    Some(format!(", p50 {}, p99 {}", time(p50?), time(p99?)))
}

/// A time in the unit in which it has few digits.
fn time(ns: u64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "us")];
    let (unit_ns, unit) =
        units.into_iter().find(|(least, _)| ns as f64 >= *least).unwrap_or((1.0, "ns"));
    format!("{} {unit}", short(ns as f64 / unit_ns))
}

/// Three digits that mean something.
fn short(value: f64) -> String {
    let decimals = (2.0 - value.abs().log10().floor()).clamp(0.0, 9.0);
    format!("{value:.*}", decimals as usize)
}

/// What the samples of whole blocks say of the candidates.
pub(super) struct Standings {
    /// Blocks that were run.
    blocks: usize,
    /// Those of them in which the first two have every figure that their scores are of.
    shared: usize,
    over: String,
    candidates: Vec<Candidate>,
}

impl Standings {
    /// `None` where nothing can be compared.
    pub(super) fn of(dataset: &Dataset) -> Option<Standings> {
        let findings = stats::evaluation::findings(dataset, &Settings::default()).ok()?;
        let verdict = findings.verdict;
        (verdict.candidates.len() > 1).then_some(Standings {
            blocks: dataset.samples.iter().map(|s| s.block as usize + 1).max().unwrap_or(0),
            shared: verdict.blocks,
            over: verdict.scored_over,
            candidates: verdict.candidates,
        })
    }

    /// A line for each of the first candidates, best first.
    pub(super) fn lines(&self) -> Vec<String> {
        let shared = match self.shared < self.blocks {
            true => format!(", {} of them complete", self.shared),
            false => String::new(),
        };
        let blocks = counted(self.blocks, "block", "blocks");
        let head = format!("Score over {} after {blocks}{shared}:", self.over);
        let longest = self.candidates.iter().map(|c| c.target.chars().count()).max();
        let width = longest.unwrap_or_default();
        let line = |c: &Candidate| {
            let span = c.ratio.span_of_decimals().unwrap_or_default();
            let best = c
                .p_best
                .map_or_else(String::new, |p| format!("  P(best) {}", report::probability(p)));
            format!("  {:<width$}  {:.2}  {span:<11}{best}", c.target, c.ratio.point)
        };
        let shown = self.candidates.iter().take(MOST_SHOWN).map(line);
        [head].into_iter().chain(shown).collect()
    }

    /// The same as an object.
    pub(super) fn object(&self) -> Value {
        let score = |c: &Candidate| {
            json!({
                "target": c.target, "score": c.ratio.point, "low": c.ratio.low, "high": c.ratio.high,
                "p_best": c.p_best,
            })
        };
        let scores: Vec<Value> = self.candidates.iter().map(score).collect();
        json!({ "event": "block", "blocks": self.blocks, "over": self.over, "scores": scores })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        figure::{Better, Metric},
        result::{CacheFault, Validity},
        workload::{CacheState, Case, Group},
    };

    #[test]
    fn a_sample_that_is_not_valid_says_why() {
        let case = Case {
            target: "xfs".into(),
            suite: "s".into(),
            test: "s.read".into(),
            procs: 1,
            threads: 1,
            cache: CacheState::Lukewarm,
        };
        let test = TestInfo {
            id: "s.read".into(),
            suite: "s".into(),
            name: "read".into(),
            testtype: "read disk".into(),
            group: Group::ReadCold,
            metric: "rate".into(),
            unit: "MB/s".into(),
            better: Better::Higher,
            shape: None,
        };
        let metrics = vec![Metric::new("rate", 250.0, "MB/s", Better::Higher)];
        let mut live = Live::new(vec![test], "ext4");
        let sample = Sample::bare(0, 0, case, metrics);
        assert_eq!(live.line(&sample).unwrap(), "read, 1 process, xfs: 250 MB/s");
        let why = CacheFault::ResidentBefore { share_pct: 12.5.into() };
        let sample = sample.judged(Validity::Lukewarm(why.into()));
        let line = live.line(&sample).unwrap();
        assert!(line.ends_with("250 MB/s (lukewarm: 12.5 % resident before the start)"), "{line}");
    }

    #[test]
    fn no_target_is_certainly_best() {
        let candidate = |target: &str, p_best| Candidate {
            target: target.into(),
            ratio: stats::kernel::Ratio { point: 1.0, low: None, high: None, p: None },
            p_best: Some(p_best),
            ranks: None,
            regret_95: None,
        };
        let candidates = vec![candidate("xfs", 0.9999), candidate("ext4", 0.0001)];
        let whole = Standings { blocks: 3, shared: 3, over: "ext4".into(), candidates };
        let lines = whole.lines();
        assert_eq!(lines[0], "Score over ext4 after 3 blocks:");
        let lines_of_part = Standings { shared: 1, ..whole }.lines();
        assert_eq!(lines_of_part[0], "Score over ext4 after 3 blocks, 1 of them complete:");
        assert!(lines[1].ends_with("P(best) >0.99") && lines[2].ends_with("P(best) <0.01"));
    }

    #[test]
    fn figures_have_three_digits() {
        let shown = [1234.5, 12.345, 0.012345, 0.0].map(short);
        assert_eq!(shown, ["1234", "12.3", "0.0123", "0.000000000"]);
        let times = [700, 12_345, 1_040_000, 2_500_000_000].map(time);
        assert_eq!(times, ["700 ns", "12.3 us", "1.04 ms", "2.50 s"]);
    }
}
