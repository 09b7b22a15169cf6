//! Tells whether the figures can be trusted: the A/A pair, the drift, the turn, other programs, what limited the
//! samples, and which cells have no figure, each with what follows from it; of an import what is not known of it.

use crate::{
    block::{NOT_KNOWN, Sign, Signs},
    number,
    sections::selfcheck::{largest_turn, step_words},
};
use model::result::{Dataset, Limiter, Origin, Sample};
use stats::{
    description::{AaCheck, Comparison, Contention, Drift},
    evaluation::Findings,
    kernel::Ratio,
    verdict::Verdict,
};

/// Share of the samples that may be contended, or limited by something other than what is compared, before the sign
/// is no longer in favour. The verdict judges each candidate by its own share.
const FEW: f64 = 0.05;

/// What is known of a campaign, and of what another tool measured.
pub(super) fn signs(dataset: &Dataset, findings: &Findings) -> Signs {
    let samples: Vec<&Sample> =
        dataset.samples.iter().filter(|sample| sample.evidence.validity.is_valid()).collect();
    let own = match dataset.campaign.origin {
        Origin::Run => of_campaign(dataset, findings, &samples),
        Origin::Import | Origin::Published => of_import(findings, &samples),
    };
    let signs = own.into_iter().chain([limiter(&samples), compared(&findings.verdict)]);
    Signs { question: "Can I trust this?".into(), signs: signs.flatten().collect() }
}

fn of_campaign(dataset: &Dataset, findings: &Findings, samples: &[&Sample]) -> Vec<Option<Sign>> {
    let check = &findings.selfcheck;
    vec![
        Some(pair(check.aa.as_ref())),
        check.drift.as_ref().map(|drift| moved(drift, findings.band)),
        turn(findings),
        others(dataset, samples, findings.contention_limit_pct),
    ]
}

/// What files of another tool do not tell.
fn of_import(findings: &Findings, samples: &[&Sample]) -> Vec<Option<Sign>> {
    let unknown = |name, so_what| Some(sign(name, None, NOT_KNOWN.into(), so_what));
    vec![
        (!samples.is_empty()).then(|| repetitions(findings.campaign.blocks)),
        unknown("A/A pair", "no candidate was measured twice as a check of the method"),
        unknown(
            "drift",
            "if candidates did not take turns, a change in the speed of the machine is part of the ratios",
        ),
        unknown("other programs", "other programs may have used the machine"),
    ]
}

fn repetitions(blocks: usize) -> Sign {
    let (is_good, found, so_what) = match blocks {
        0 | 1 => (Some(false), "none".into(), "noise alone may explain any difference"),
        n => (
            None,
            n.to_string(),
            "intervals hold if the runs were independent, each on a fresh file system, which the files do not tell",
        ),
    };
    sign("repetitions", is_good, found, so_what)
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
    let found = format!("{} from first to last block", percent(&drift.trend));
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

/// How much it matters which candidate is measured first: over a block, and in the test in which it matters most.
fn turn(findings: &Findings) -> Option<Sign> {
    let place = findings.selfcheck.drift.as_ref().and_then(|drift| drift.position.as_ref());
    let of_block = place.map(|place| format!("{} from first to last place", percent(place)));
    let in_test = largest_turn(findings).map(|(_, _, ratio)| ratio.max(1.0 / ratio));
    let of_test = in_test.map(|ratio| format!("up to {}x in one test", number::ratio(ratio)));
    let said = place.map(|place| stats::description::judge(place, findings.band));
    let is_good = match said {
        Some(Comparison::Better | Comparison::Worse) => Some(false),
        Some(Comparison::Unclear | Comparison::Contended) => None,
        Some(_) | None => Some(true),
    };
    let so_what = match (&of_test, is_good) {
        (Some(_), _) => "the order rotates, and its effect is removed from every ratio",
        (None, Some(true)) => "it does not matter which candidate runs first",
        (None, _) => "the order rotates, so this favours no candidate",
    };
    let found: Vec<String> = of_block.into_iter().chain(of_test).collect();
    (!found.is_empty()).then(|| sign("turn effect", is_good, found.join("; "), so_what))
}

/// How far a ratio is from 1, in whole percent: `+3 %`.
fn percent(ratio: &Ratio) -> String {
    // Without a negative zero.
    format!("{:+.0} %", (100.0 * (ratio.point - 1.0)).round() + 0.0)
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

/// How often something other than what is compared was the limit.
fn limiter(samples: &[&Sample]) -> Option<Sign> {
    let is_known = samples.iter().any(|sample| sample.evidence.limiter != Limiter::Unknown);
    let is_bad =
        |sample: &&&Sample| matches!(sample.evidence.limiter, Limiter::Tool | Limiter::Throttled);
    let count = samples.iter().filter(is_bad).count();
    let found = of(count, samples.len()).filter(|_| is_known)?;
    let (is_good, so_what) = match (count, is_few(count, samples.len())) {
        (0, _) => (true, "neither worker start nor throttling limited a sample"),
        (_, true) => (true, "too few to matter"),
        _ => (
            false,
            "worker start took a tenth of the time or more, or the processor was throttled: differences between file systems \
             look smaller there than they are",
        ),
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
