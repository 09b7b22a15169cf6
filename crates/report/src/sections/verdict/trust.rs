//! Tells whether the figures can be trusted: the A/A pair, the drift, the turn, other programs, what limited the
//! samples, and which cells have no figure, each with what follows from it.

use crate::{
    block::{Sign, Signs},
    number,
    sections::selfcheck::{largest_turn, step_words},
};
use model::result::{Dataset, Limiter, Origin, Sample};
use stats::{
    description::{AaCheck, Comparison, Contention, Drift},
    evaluation::Findings,
    verdict::Verdict,
};

/// Share of the samples that may be contended, or limited by something else than what is compared, before the sign
/// is no longer in favour. The verdict judges each candidate by its own share.
const FEW: f64 = 0.05;

/// What is known of a campaign that was measured here; nothing of one that was only read.
pub(super) fn signs(dataset: &Dataset, findings: &Findings) -> Option<Signs> {
    if dataset.campaign.origin != Origin::Run {
        return None;
    }
    let check = &findings.selfcheck;
    let samples: Vec<&Sample> =
        dataset.samples.iter().filter(|sample| sample.evidence.validity.is_valid()).collect();
    let signs = [
        Some(pair(check.aa.as_ref())),
        check.drift.as_ref().map(|drift| moved(drift, findings.band)),
        turn(findings),
        others(dataset, &samples, findings.contention_limit_pct),
        limiter(&samples),
        compared(&findings.verdict),
    ];
    Some(Signs {
        question: "Can I trust this?".into(),
        signs: signs.into_iter().flatten().collect(),
    })
}

fn sign(name: &str, is_good: Option<bool>, found: String, so_what: &str) -> Sign {
    Sign { name: name.into(), is_good, found, so_what: so_what.into() }
}

fn pair(aa: Option<&AaCheck>) -> Sign {
    let of = |is_good, found: &str, so_what: &str| sign("A/A pair", is_good, found.into(), so_what);
    match aa.map(AaCheck::passes) {
        Some(Some(true)) => of(
            Some(true),
            "passes",
            "a candidate measured twice comes out equal, so the intervals hold",
        ),
        Some(Some(false)) => of(
            Some(false),
            "fails",
            "a candidate measured twice differs from itself, so differences of this size mean nothing",
        ),
        Some(None) => of(
            None,
            "too few blocks",
            "at least six blocks are needed to tell whether a candidate equals itself",
        ),
        None => of(
            None,
            "none",
            "`--aa` measures the baseline twice, which shows how large a difference noise alone makes",
        ),
    }
}

fn moved(drift: &Drift, band: f64) -> Sign {
    if let Some(step) = &drift.step {
        let found = format!("{}x from block {} on", number::ratio(step.ratio), step.block + 1);
        return sign("drift", Some(false), found, step_words(step));
    }
    let percent = 100.0 * (drift.trend.point - 1.0);
    let found = format!("{percent:+.0} % from first to last block");
    let (is_good, so_what) = match stats::description::judge(&drift.trend, band) {
        Comparison::Same | Comparison::SlightlyBetter | Comparison::SlightlyWorse => {
            (Some(true), "the machine kept its speed")
        }
        Comparison::Better | Comparison::Worse => (
            Some(false),
            "the machine changed speed: ratios hold, because candidates take turns; absolute values mix its fast and \
             slow periods",
        ),
        Comparison::Unclear | Comparison::Contended => {
            (None, "ratios hold, because candidates take turns; absolute values may have drifted")
        }
    };
    sign("drift", is_good, found, so_what)
}

/// How much it mattered who was measured first, in the test in which it mattered most.
fn turn(findings: &Findings) -> Option<Sign> {
    let (_, _, ratio) = largest_turn(findings)?;
    let found = format!("up to {}x", number::ratio(ratio.max(1.0 / ratio)));
    Some(sign(
        "run order",
        Some(true),
        found,
        "the order rotates, and its effect is removed from every ratio",
    ))
}

/// How often other programs used the machine.
fn others(dataset: &Dataset, samples: &[&Sample], limit_pct: f64) -> Option<Sign> {
    let contention = Contention::of(dataset, limit_pct);
    let count = samples.iter().filter(|sample| contention.why(sample).is_some()).count();
    let found = of(count, samples.len())?;
    let (is_good, so_what) = match (count, is_few(count, samples.len())) {
        (0, _) => (true, "no other program took part of the CPU or of the disk"),
        (_, true) => (true, "too few to matter"),
        _ => {
            (false, "other programs took part of the CPU or of the disk: repeat on a quiet machine")
        }
    };
    Some(sign("other programs", Some(is_good), found, so_what))
}

/// How often something else than what is compared was the limit.
fn limiter(samples: &[&Sample]) -> Option<Sign> {
    let is_known = samples.iter().any(|sample| sample.evidence.limiter != Limiter::Unknown);
    let is_bad =
        |sample: &&&Sample| matches!(sample.evidence.limiter, Limiter::Tool | Limiter::Throttled);
    let count = samples.iter().filter(is_bad).count();
    let found = of(count, samples.len()).filter(|_| is_known)?;
    let (is_good, so_what) = match (count, is_few(count, samples.len())) {
        (0, _) => (true, "neither assay nor a throttled processor set the speed"),
        (_, true) => (true, "too few to matter"),
        _ => (false, "assay itself or a throttled processor set the speed, not the file system"),
    };
    Some(sign("limiter", Some(is_good), found, so_what))
}

/// How many of the cells every candidate has a figure for.
fn compared(verdict: &Verdict) -> Option<Sign> {
    let (cells, all) = (verdict.cells, verdict.of_cells);
    let so_what = match cells == all {
        true => "each has a valid figure of every candidate",
        false => {
            "the others are in no score: a candidate failed there, or timed parts are too short; see Left out"
        }
    };
    let found = format!("{cells} of {all}");
    (all > 0).then(|| sign("scored cells", Some(cells == all), found, so_what))
}

fn is_few(count: usize, all: usize) -> bool {
    (count as f64) <= FEW * all as f64
}

/// `3 of 84 samples`; `None` of none at all.
fn of(count: usize, all: usize) -> Option<String> {
    (all > 0).then(|| format!("{count} of {all} samples"))
}
