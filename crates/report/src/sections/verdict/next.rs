//! Says what to do next: how to make the file system that won, or what would settle an open verdict: how many more
//! blocks, how long they take, and the command; or that more blocks would change nothing.

use crate::{names, number};
use model::result::{BY_HAND, CampaignState, Dataset, Note, Origin};
use stats::{
    evaluation::Findings,
    verdict::{Reason, VerdictKind},
};

/// Of a campaign that was run here to its end, a sentence each: another says what it lacks. More blocks beside other
/// programs would be as disturbed as these.
pub(super) fn next(dataset: &Dataset, findings: &Findings) -> Vec<String> {
    let campaign = &dataset.campaign;
    if campaign.origin != Origin::Run || campaign.state == CampaignState::Open {
        return Vec::new();
    }
    if matches!(findings.verdict.reason, Reason::Contended(_)) {
        return vec![format!(
            "To repeat it once other programs have stopped: `assay run --like {} --wait-quiet 10m`",
            campaign.id
        )];
    }
    let is_clear = findings.verdict.kind == VerdictKind::Clear;
    let after = [by_hand(dataset, findings), on_a_disk(dataset)];
    let after = after.into_iter().flatten().filter(|_| is_clear);
    advice(findings, &campaign.id).into_iter().chain(after).collect()
}

/// How the winner is made on a disk, with the options that it was measured with.
fn by_hand(dataset: &Dataset, findings: &Findings) -> Option<String> {
    let winner = &findings.verdict.candidates.first()?.target;
    let record = dataset.targets.iter().find(|target| target.label == *winner)?;
    let lines = record.facts.0.get(BY_HAND)?;
    let lines: Vec<String> = lines.split("; ").map(|line| format!("`{line}`")).collect();
    Some(format!("To use {winner} as it was measured: {}", lines.join(", then ")))
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

fn advice(findings: &Findings, id: &str) -> Option<String> {
    let [first, second] = findings.verdict.candidates.get(..2)? else { return None };
    let (first, second) = (&first.target, &second.target);
    let band = 100.0 * findings.band;
    let same = format!("{first} and {second} are the same within {band:.0} %");
    let more = |blocks: usize, about: &str, what: &str| {
        let seconds = findings.timed.map(|timed| blocks as f64 * timed.block_s());
        let time = seconds.map_or_else(String::new, |s| format!(" ({})", number::duration(s)));
        let count = names::blocks(blocks).replacen(' ', " more ", 1);
        format!("{about}{count}{time} would {what}: `assay resume {id} --blocks +{blocks}`")
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
