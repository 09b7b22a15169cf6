//! Says what would settle an open verdict: how many more blocks, how long they take, and the command; or that more
//! blocks would change nothing.

use crate::{names, number};
use model::result::{CampaignState, Dataset, Origin};
use stats::evaluation::Findings;

/// Of a campaign that was run here to its end, in a sentence: another says what it lacks.
pub(super) fn next(dataset: &Dataset, findings: &Findings) -> Option<String> {
    let campaign = &dataset.campaign;
    if campaign.origin != Origin::Run || campaign.state == CampaignState::Open {
        return None;
    }
    advice(findings, &campaign.id)
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
