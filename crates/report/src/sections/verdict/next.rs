//! Says what to do next: how to make the file system that won, or each of those that are the same, or what would settle
//! an open verdict: how many more blocks, how long they take, and the command. Of an import how often to repeat its
//! runs, and how to measure them here.

use crate::number;
use model::{
    result::{BY_HAND, CampaignState, Dataset, Note, Origin},
    text::counted,
};
use stats::{
    advice::FeatureDifference,
    description::list,
    evaluation::Findings,
    verdict::{Reason, Verdict, VerdictKind},
};
use std::collections::BTreeMap;

/// What measures what a study did.
const ON_YOUR_MACHINE: &str = "To measure this on your machine, use `assay run`.";

/// What measures what an import cannot tell.
const ON_THAT_MACHINE: &str = "To measure what is not known, use `assay run --aa` on that machine.";

/// Candidates that are the same and of which it is said how to make them, at most.
const MOST_CHOICES: usize = 2;

/// A sentence each; nothing of a campaign that is not at its end, which says what it lacks. More blocks while other
/// programs run would be as disturbed as these.
pub(super) fn next(dataset: &Dataset, findings: &Findings) -> Vec<String> {
    let campaign = &dataset.campaign;
    match campaign.origin {
        Origin::Published => return vec![ON_YOUR_MACHINE.into()],
        Origin::Import => {
            let what = advice(findings, &|count| repetitions(count));
            let what = what.map(|what| format!("{}. ", what.trim_end_matches('.')));
            return vec![what.unwrap_or_default() + ON_THAT_MACHINE];
        }
        Origin::Run if campaign.state == CampaignState::Open => return Vec::new(),
        Origin::Run => {}
    }
    if matches!(findings.verdict.reason, Reason::Contended(_)) {
        return vec![format!(
            "To repeat it once other programs have stopped: `assay run --like {} --wait-quiet 10m`",
            campaign.id
        )];
    }
    let chosen = chosen(&findings.verdict);
    let on_a_disk = on_a_disk(dataset).filter(|_| !chosen.is_empty());
    let by_hand = chosen.into_iter().filter_map(|target| by_hand(dataset, target));
    let more = |count| blocks(count, findings, &campaign.id);
    let after = features(&findings.features).into_iter().chain(by_hand).chain(on_a_disk);
    advice(findings, &more).into_iter().chain(after).collect()
}

/// The labels of the candidates that a reader may take: the best, or the first of those that are the same.
fn chosen(verdict: &Verdict) -> Vec<&str> {
    match &verdict.reason {
        Reason::Equivalent(same) => same.iter().take(MOST_CHOICES).map(String::as_str).collect(),
        _ if verdict.kind == VerdictKind::Clear => {
            verdict.candidates.iter().take(1).map(|best| best.target.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// More of what was measured: how it is called, and what is to be typed for it.
struct More {
    called: String,
    typed: String,
}

/// Blocks of a campaign, with the time that they take.
fn blocks(count: usize, findings: &Findings, id: &str) -> More {
    let seconds = findings.timed.map(|timed| count as f64 * timed.block_s());
    let time = seconds.map_or_else(String::new, |s| format!(" ({})", number::duration(s)));
    More {
        called: counted(count, "more block", "more blocks") + &time,
        typed: format!(": `assay resume {id} --blocks +{count}`"),
    }
}

/// Repetitions of the runs of an import, which another tool makes.
fn repetitions(count: usize) -> More {
    let repetitions = counted(count, "more repetition", "more repetitions");
    More { called: format!("{repetitions} of each run"), typed: String::new() }
}

/// The features by which to decide between those that are the same, each with those that have it.
fn features(all: &[FeatureDifference]) -> Option<String> {
    let mut by_targets: BTreeMap<&[String], Vec<String>> = BTreeMap::new();
    for difference in all {
        let having = by_targets.entry(&difference.targets).or_default();
        having.push(difference.feature.replace('_', " "));
    }
    let said = |(targets, features): (&[String], Vec<String>)| {
        let verb = if targets.len() == 1 { "has" } else { "have" };
        let targets = list(targets.iter().map(String::as_str));
        format!("only {targets} {verb} {}", list(features.iter().map(String::as_str)))
    };
    let all: Vec<String> = by_targets.into_iter().map(said).collect();
    (!all.is_empty()).then(|| format!("They differ in features: {}.", all.join("; ")))
}

/// How `target` is made on a disk, with the options that it was measured with.
fn by_hand(dataset: &Dataset, target: &str) -> Option<String> {
    let record = dataset.targets.iter().find(|record| record.label == target)?;
    let lines = record.facts.0.get(BY_HAND)?;
    let lines: Vec<String> = lines.split("; ").map(|line| format!("`{line}`")).collect();
    Some(format!("To use {target} as it was measured: {}", lines.join(", then ")))
}

/// How what was measured on loop images is measured on a disk.
fn on_a_disk(dataset: &Dataset) -> Option<String> {
    let is_on_images = |note: &Note| matches!(note, Note::OnImages { .. });
    let campaign = &dataset.campaign;
    campaign.notes.iter().any(is_on_images).then(|| {
        format!(
            "To repeat this on a disk (erases the disk): `assay run --like {} --device /dev/DISK`",
            campaign.id
        )
    })
}

/// What settles an open verdict, by `more` of what was measured.
fn advice(findings: &Findings, more: &dyn Fn(usize) -> More) -> Option<String> {
    let [first, second] = findings.verdict.candidates.get(..2)? else { return None };
    let (first, second) = (&first.target, &second.target);
    let band = 100.0 * findings.band;
    let same = format!("{first} and {second} are the same within {band:.0} %");
    let more = |blocks: usize, about: &str, what: &str| {
        let More { called, typed } = more(blocks);
        format!("{about}{called} would {what}{typed}")
    };
    Some(match findings.next? {
        stats::verdict::Next::Same => {
            format!("{same} overall, so more blocks would not change the result.")
        }
        stats::verdict::Next::Interval { blocks } => more(blocks, "", "provide intervals"),
        stats::verdict::Next::Separate { blocks } => more(
            blocks,
            "About ",
            &format!(
                "separate {first} from {second} with 80 % probability, if their difference stays \
                 the same"
            ),
        ),
        stats::verdict::Next::Within { blocks } => more(
            blocks,
            "About ",
            &format!("show that {same} with 80 % probability, if their difference stays the same"),
        ),
        stats::verdict::Next::TooMany => format!(
            "More than a thousand blocks would be needed to separate {first} from {second}: find the source of \
             the noise first."
        ),
    })
}
