//! Formats the result of limits, for `assay check`.

use crate::number;
use stats::{
    advice::{LatencyEstimate, LimitFinding, LimitOutcome, LimitReason},
    description::{Durability, Settings, processes},
};
use std::fmt::Write;

/// What is judged: the name of the check, if it has one, and its campaign.
#[derive(Clone, Copy, Debug)]
pub struct CheckedCampaign<'a> {
    /// The name of the check, or what else to call it.
    pub name: &'a str,
    /// Id of the campaign.
    pub campaign: &'a str,
    /// What a block of it takes, seconds.
    pub block_s: Option<f64>,
    /// The command that judges it again.
    pub again: &'a str,
}

/// The word of an outcome.
pub fn outcome(outcome: LimitOutcome) -> &'static str {
    match outcome {
        LimitOutcome::Pass => "PASS",
        LimitOutcome::Undecided => "UNDECIDED",
        LimitOutcome::Fail => "FAIL",
    }
}

/// Each of `findings` in one line, with a sentence below it.
pub fn limits(judged: CheckedCampaign<'_>, findings: &[LimitFinding]) -> String {
    let mut text = String::new();
    for finding in findings {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}\n           {}", limit_line(finding), limit(judged, finding));
    }
    text
}

/// The outcome, the target, the test, its value with the interval, the limit and its source.
pub fn limit_line(finding: &LimitFinding) -> String {
    let LimitFinding { test, target, quantile, limit, source, value, .. } = finding;
    let procs = match finding.procs {
        1 => String::new(),
        procs => format!(", {}", processes(procs)),
    };
    let value = value.as_ref().map_or_else(|| "unknown".into(), interval);
    let limit = limit.as_ref().map_or_else(|| "no limit stated".into(), ToString::to_string);
    let word = outcome(finding.outcome);
    format!("{word:<9}  {target}  {test}{procs}  {} {value}  {limit}  {source}", quantile.as_str())
}

fn interval(value: &LatencyEstimate) -> String {
    let (unit_us, unit) = match value.us {
        us if us >= 1e6 => (1e6, "s"),
        us if us >= 1e3 => (1e3, "ms"),
        _ => (1.0, "us"),
    };
    let number = |us: f64| number::value(us / unit_us);
    let point = format!("{} {unit}", number(value.us));
    match value.low_us.zip(value.high_us) {
        Some((low, high)) => format!("{point} (95 % CI {}-{} {unit})", number(low), number(high)),
        None => point,
    }
}

/// Why the outcome of `finding` is what it is, what would decide it, and whether the machine was busy, as sentences.
pub fn limit(judged: CheckedCampaign<'_>, finding: &LimitFinding) -> String {
    let mut text = why(judged, finding);
    if finding.is_contended() {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            " But in {} of {} blocks other programs used more than {} % of the processors or of the disk, so \
             this latency includes their effect. Stop them, or wait with --wait-quiet 10m, and check again.",
            finding.contended,
            finding.blocks,
            number::value(Settings::default().contention_limit_pct)
        );
    }
    text
}

fn why(judged: CheckedCampaign<'_>, finding: &LimitFinding) -> String {
    let target = &finding.target;
    let blocks = finding.blocks;
    let resume = |more: usize| format!("`assay resume {} --blocks +{more}`", judged.campaign);
    match (&finding.why, finding.outcome) {
        (LimitReason::Interval, LimitOutcome::Pass) => {
            format!("The whole interval over {blocks} blocks is below the limit.")
        }
        (LimitReason::Interval, _) => {
            format!("The whole interval over {blocks} blocks is above the limit.")
        }
        (LimitReason::Inside(Some(more)), _) => {
            let length = judged.block_s.map(|s| format!(", {:.0} s,", s * *more as f64));
            format!(
                "The limit is inside the interval over {blocks} blocks; about {more} more{} would \
                 decide with 80 % probability: {}, then `{}`.",
                length.unwrap_or_default(),
                resume(*more),
                judged.again
            )
        }
        (LimitReason::Inside(None), _) => format!(
            "The limit is inside the interval over {blocks} blocks, and a campaign cannot have \
             enough blocks to decide: the latency is too close to the limit."
        ),
        (LimitReason::OneBlock, _) => {
            format!(
                "One block gives no interval; add two more: {}, then `{}`.",
                resume(2),
                judged.again
            )
        }
        (LimitReason::FewOperations { operations, of }, _) => format!(
            "A block has only {operations} operations, but {} needs at least {of}; run a longer test.",
            finding.quantile.as_str()
        ),
        (LimitReason::NoSample(why), _) => match why {
            Some(why) => format!("There is no valid sample: {}.", super::reason(why)),
            None => format!("There is no sample; `assay show {}` says why.", judged.campaign),
        },
        (LimitReason::NoLatency, _) => format!(
            "{} does not record per-operation latency, so it has no {}; see `assay explain {0}`.",
            finding.test,
            finding.quantile.as_str()
        ),
        (LimitReason::NotDurable(durability), outcome) => {
            let said = durability.predicate().unwrap_or_default();
            let so = match (durability, outcome) {
                (Durability::Loses(_), _) => {
                    "a low latency does not count, because a sync does not wait for stable storage"
                }
                _ => {
                    "it cannot pass, because its latency may not include a write to stable storage"
                }
            };
            format!("{target} {said}: {so}.")
        }
        (LimitReason::NoLimit, _) => format!(
            "The documentation states no limit; give your own: --require '{} {} < TIME'.",
            finding.test,
            finding.quantile.as_str()
        ),
    }
}

/// How `findings` end together, as a line.
pub fn limits_in_short(name: &str, findings: &[LimitFinding]) -> String {
    let count = |outcome| findings.iter().filter(|one| one.outcome == outcome).count();
    let (pass, fail) = (count(LimitOutcome::Pass), count(LimitOutcome::Fail));
    let all = findings.len();
    match together(findings) {
        LimitOutcome::Pass => format!("{name}: PASS, {pass} of {all} limits met"),
        LimitOutcome::Fail => format!("{name}: FAIL, {fail} of {all} limits failed"),
        LimitOutcome::Undecided => {
            format!("{name}: UNDECIDED, {} of {all} limits undecided", all - pass)
        }
    }
}

/// The worst outcome; nothing that was asked is undecided.
pub fn together(findings: &[LimitFinding]) -> LimitOutcome {
    findings.iter().map(|one| one.outcome).max().unwrap_or(LimitOutcome::Undecided)
}
