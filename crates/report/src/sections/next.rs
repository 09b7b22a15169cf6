//! What would settle an open call: how many more blocks, how long they take, and the command; or that more would
//! change nothing.

use crate::{block::Block, names, number, sections::Section};
use model::{CampaignState, Dataset, Origin};
use stats::Findings;

pub(crate) struct Next;

impl Section for Next {
    fn title(&self) -> &'static str {
        "What would settle it"
    }

    /// Of a campaign that was run here to its end: another says what is missing.
    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let campaign = &dataset.campaign;
        if campaign.origin != Origin::Run || campaign.state == CampaignState::Open {
            return None;
        }
        let text = advice(findings, &campaign.id)?;
        Some(vec![Block::Prose(text)])
    }
}

fn advice(findings: &Findings, id: &str) -> Option<String> {
    let [first, second] = findings.call.candidates.get(..2)? else { return None };
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
        stats::Next::Same => {
            format!("{same} over all, so more blocks would change nothing that matters.")
        }
        stats::Next::Interval { blocks } => more(blocks, "", "give the figures an interval"),
        stats::Next::Separate { blocks } => more(
            blocks,
            "About ",
            &format!("separate {first} from {second}, if they stay as far apart"),
        ),
        stats::Next::Within { blocks } => {
            more(blocks, "About ", &format!("show that {same}, if they stay as near"))
        }
        stats::Next::TooMany => format!(
            "More than a thousand blocks would be needed to separate {first} from {second}: find the source of \
             the noise first."
        ),
    })
}
