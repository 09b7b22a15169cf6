//! The figures of an independent implementation, `golden/generate.py` with numpy and scipy, from the
//! same samples: ratios, intervals, p-values, Holm's marks, geometric means, pooled variance, P(best),
//! regret and rank intervals.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{dataset, sample, test};
use model::{
    figure::Better,
    result::Dataset,
    workload::{Group, TestInfo},
};
use serde::Deserialize;
use stats::{
    description::{Settings, Table},
    evaluation::{Findings, findings},
    kernel::{Ratio, half_width},
    verdict::Verdict,
};

/// Largest relative error of a figure that is computed, not drawn.
const PRECISION: f64 = 1e-9;
/// A p-value is a difference from one, so its error is absolute.
const P_PRECISION: f64 = 1e-12;
/// Draws of the program: P(best) may lie four standard errors from the integral.
const DRAWS: f64 = 20_000.0;

#[derive(Deserialize)]
struct Golden {
    half_widths: Vec<(f64, u32, f64)>,
    campaigns: Vec<Campaign>,
}

#[derive(Deserialize)]
struct Campaign {
    name: String,
    targets: usize,
    tests: Vec<Kind>,
    /// Target, test, processes, block, value, seconds.
    samples: Vec<(usize, usize, u32, u32, f64, f64)>,
    cells: Vec<CellFigures>,
    footers: Vec<FooterFigures>,
    verdict: Option<VerdictFigures>,
}

#[derive(Deserialize)]
struct Kind {
    group: Group,
    lower: bool,
}

/// Point, low, high, p.
type RatioFigures = [f64; 4];

#[derive(Deserialize)]
struct CellFigures {
    test: usize,
    procs: u32,
    target: usize,
    ratio: Option<RatioFigures>,
    /// By the variance of the cell alone.
    plain: Option<RatioFigures>,
    holm: bool,
}

#[derive(Deserialize)]
struct FooterFigures {
    group: Group,
    procs: u32,
    target: usize,
    ratio: RatioFigures,
}

#[derive(Deserialize)]
struct VerdictFigures {
    lead: RatioFigures,
    candidates: Vec<CandidateFigures>,
}

#[derive(Deserialize)]
struct CandidateFigures {
    target: usize,
    p_best: f64,
    regret: (f64, f64),
    ranks: (usize, usize),
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("golden/golden.json")).unwrap()
}

fn label(target: usize) -> String {
    format!("f{target}")
}

impl Campaign {
    fn dataset(&self) -> Dataset {
        let labels: Vec<String> = (0..self.targets).map(label).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let info = |(i, kind): (usize, &Kind)| TestInfo {
            better: if kind.lower { Better::Lower } else { Better::Higher },
            ..test(&format!("t{i}"), kind.group)
        };
        let samples = self.samples.iter().map(|&(target, test, procs, block, value, seconds)| {
            let mut sample = sample(&label(target), &format!("t{test}"), block, value);
            sample.case.procs = procs;
            sample.figures.seconds = seconds;
            sample
        });
        dataset(&labels, self.tests.iter().enumerate().map(info).collect(), samples.collect())
    }

    fn findings(&self) -> Findings {
        findings(&self.dataset(), &Settings::default()).unwrap()
    }
}

fn table(findings: &Findings, group: Group, procs: u32) -> &Table {
    findings.tables.iter().find(|t| t.group == group && t.procs == procs).unwrap()
}

fn assert_ratio(got: &Ratio, want: RatioFigures, what: &str) {
    let got_all = [got.point, got.low.unwrap(), got.high.unwrap()];
    for (got, want) in got_all.into_iter().zip(want) {
        assert!((got / want - 1.0).abs() < PRECISION, "{what}: {got} is not {want}");
    }
    let (p, want) = (got.p.unwrap(), want[3]);
    assert!((p - want).abs() < PRECISION * want + P_PRECISION, "{what}: p {p} is not {want}");
}

#[test]
fn quantiles_of_t_agree_with_scipy() {
    for (noise, n, want) in golden().half_widths {
        let got = half_width(noise, n).unwrap();
        assert!((got / want - 1.0).abs() < PRECISION, "{noise} {n}: {got} is not {want}");
    }
}

#[test]
fn ratios_and_marks_agree_with_scipy() {
    let (mut replicated, mut single, mut narrower) = (0, 0, 0);
    for campaign in golden().campaigns {
        let found = campaign.findings();
        for want in &campaign.cells {
            let group = campaign.tests[want.test].group;
            let rows = &table(&found, group, want.procs).rows;
            let id = format!("t{}", want.test);
            let cell = &rows.iter().find(|r| r.test == id).unwrap().cells[want.target];
            let what = format!("{}, {id}, target {}", campaign.name, want.target);
            match want.ratio {
                Some(ratio) => assert_ratio(&cell.ratio.unwrap(), ratio, &what),
                None => assert!(cell.ratio.is_none_or(|r| r.low.is_none()), "{what}"),
            }
            let plain = want.plain.map(|[_, low, high, _]| [low, high]);
            assert_eq!(cell.plain.is_some(), plain.is_some(), "{what}");
            for (got, want) in cell.plain.iter().zip(plain) {
                let [low, high] = [got.low / want[0], got.high / want[1]];
                assert!((low - 1.0).abs().max((high - 1.0).abs()) < PRECISION, "{what}: {got:?}");
            }
            narrower += usize::from(want.ratio.zip(want.plain).is_some_and(|(r, p)| r[2] < p[2]));
            assert_eq!(cell.holm, want.holm, "{what}");
            *if want.ratio.is_some() { &mut replicated } else { &mut single } += 1;
        }
    }
    assert!(replicated > 150 && single > 3, "{replicated} with an interval, {single} without");
    assert!(narrower > 100, "{narrower} of them narrower than alone");
}

#[test]
fn geometric_means_agree_with_scipy() {
    for campaign in golden().campaigns {
        let found = campaign.findings();
        for want in &campaign.footers {
            let footer = &table(&found, want.group, want.procs).footers[want.target];
            let what = format!("{}, {}, target {}", campaign.name, want.group, want.target);
            assert_ratio(&footer.ratio.unwrap(), want.ratio, &what);
        }
    }
}

#[test]
fn the_call_agrees_with_integrals() {
    for campaign in golden().campaigns {
        let Verdict { lead, candidates, .. } = campaign.findings().verdict;
        let Some(want) = campaign.verdict else { continue };
        let lead = lead.unwrap();
        // Of several the upper end is by draws there.
        let [point, _, want_high, _] = want.lead;
        let high = (lead.high.unwrap() / want_high).ln() / (want_high / point).ln();
        assert!(high.abs() < 0.01, "{}: {lead:?}, not up to {want_high}", campaign.name);
        let given = Ratio { high: Some(want_high), ..lead };
        assert_ratio(&given, want.lead, &campaign.name);
        for want in want.candidates {
            let own = candidates.iter().find(|c| c.target == label(want.target)).unwrap();
            let what = format!("{}, target {}: {own:?}", campaign.name, want.target);
            let (p, regret) = (own.p_best.unwrap(), own.regret_95.unwrap());
            let margin = 4.0 * (want.p_best * (1.0 - want.p_best) / DRAWS).sqrt() + 1e-4;
            assert!((p - want.p_best).abs() < margin, "{what}, not P {}", want.p_best);
            let (low, high) = (want.regret.0 - PRECISION, want.regret.1 + PRECISION);
            assert!((low..=high).contains(&regret), "{what}, not {low} to {high}");
            assert_eq!(own.ranks, Some(want.ranks), "{what}");
        }
    }
}
