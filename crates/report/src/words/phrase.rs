//! Phrases that several sentences share.

use crate::number;
use model::{
    plan::LabKind,
    result::{Limiter, Origin},
};
use stats::{
    description::{Comparison, list, processes},
    evaluation::Findings,
    kernel::{CLEAR_LEAD, LEADS_P, Ratio, decimals},
    verdict::{CellLoss, CellRatio, Obstacle},
};

/// How sure a number of blocks is to be enough.
pub(crate) const WITH_POWER: &str = "80 % probability";

/// The cost of choosing any of several, `of_these` if they are unnamed, given the 95 % regret of each.
pub(crate) fn choosing(of_these: &str, regrets: impl Iterator<Item = Option<f64>>) -> String {
    let regrets: Vec<Option<f64>> = regrets.collect();
    let any = if regrets.len() == 2 { "either" } else { "any" };
    let cost = regrets.into_iter().flatten().fold(0.0, f64::max);
    format!("Choosing {any}{of_these} costs at most {} (each with 95 % probability)", percent(cost))
}

/// What may be said of a first that is probably the best and not decidedly; `None` below a P(best) of 0.90.
pub(crate) fn leads(p_best: Option<f64>, lead: Option<Ratio>) -> Option<String> {
    let sure = p_best.filter(|p| *p >= LEADS_P)?;
    Some(match lead.is_some_and(|lead| lead.point >= CLEAR_LEAD) {
        true => format!("leads with {}, not decided", probability(sure)),
        false => "leads by less than 3 %, not decided".into(),
    })
}

/// What a clear call says of its first, with a practical band of `band`: `xfs is best (P>0.99): 1.42x ext4 (95 % CI
/// 1.31-1.54, 5 blocks).` A lead inside the band is one that the tables call the same, or slight.
pub(crate) fn best(
    [first, second]: [&str; 2],
    (lead, p_best): (Option<Ratio>, f64),
    blocks: usize,
    band: f64,
) -> String {
    let is_little = lead.is_none_or(|lead| lead.point <= 1.0 + band);
    let (is, little) = match is_little {
        true => ("leads slightly", format!(", inside the band of {:.0} %", 100.0 * band)),
        false => ("is best", String::new()),
    };
    let (p, interval) = (probability(p_best), interval(lead, blocks));
    format!("{first} {is} ({p}): {} {second} ({interval}){little}.", times(lead))
}

/// `1.04x xfs, 95 % CI 0.99-1.10, 5 blocks`.
pub(crate) fn gap(lead: Option<Ratio>, second: &str, blocks: usize) -> String {
    format!("{} {second}, {}", times(lead), interval(lead, blocks))
}

/// A lead as `1.42x`.
pub(crate) fn times(lead: Option<Ratio>) -> String {
    format!("{}x", decimals(lead.map_or(1.0, |r| r.point)))
}

/// How sure a lead is, and by how many blocks.
pub(crate) fn interval(lead: Option<Ratio>, blocks: usize) -> String {
    match lead.and_then(|lead| lead.span_of_decimals()) {
        Some(span) => format!("95 % CI {span}, {blocks} blocks"),
        None => format!("{blocks} blocks, no interval"),
    }
}

/// A probability in a sentence, never as certainty: `P=0.97`, `P>0.99`.
pub(crate) fn probability(p: f64) -> String {
    let number = number::probability(p);
    if number.starts_with(['<', '>']) { format!("P{number}") } else { format!("P={number}") }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", (100.0 * share).ceil())
}

/// What held a sample back.
pub(crate) fn limiter(limiter: Limiter) -> &'static str {
    match limiter {
        Limiter::Cache => "page cache",
        Limiter::Cpu => "processor",
        Limiter::Device => "device",
        Limiter::None => "none found",
        Limiter::Throttled => "throttling",
        Limiter::Tool => "worker start",
        Limiter::Unknown => "not known",
    }
}

/// The same of many, of which the first three are named.
pub(crate) fn few<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.get(4) {
        None => list(names.into_iter()),
        Some(_) => format!("{} and {} more", names[..3].join(", "), names.len() - 3),
    }
}

/// The cell that goes against an answer, as a sentence after it.
pub(crate) fn largest_loss(loss: &CellLoss) -> String {
    let CellLoss { cell: CellRatio { name, procs, ratio, .. }, over, contended } = loss;
    let includes_1 = ratio.low.zip(ratio.high).is_some_and(|(low, high)| low <= 1.0 && high >= 1.0);
    let doubt = match (contended, includes_1) {
        (true, _) => Some(open(Comparison::Contended).to_string()),
        (false, true) => Some(open(Comparison::Unclear).to_string()),
        (false, false) => None,
    };
    let open: Vec<String> = doubt.into_iter().chain(ratio.span_of_decimals()).collect();
    let open = if open.is_empty() { String::new() } else { format!(" ({})", open.join(", ")) };
    format!(
        " Weakest cell: {name}, {}, {}x {over}{open}.",
        processes(*procs),
        multiple(ratio.point)
    )
}

/// Two decimals, and two digits that mean something where there would be none: a loss of 0.0041x is no 0.00x.
fn multiple(ratio: f64) -> String {
    let small = ratio > 0.0 && ratio < 0.1;
    let decimals = if small { 1.0 - ratio.log10().floor() } else { 2.0 };
    format!("{ratio:.*}", decimals as usize)
}

/// What is said in a sentence of a ratio that is not judged, as only there a word may go against an interval.
pub(crate) fn open(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Contended => "unclear, contended",
        other => other.as_str(),
    }
}

/// Why an open verdict is one although the interval of its lead excludes 1, a sentence; empty where it does not.
pub(crate) fn obstacle(obstacle: Option<&Obstacle>) -> String {
    let why = match obstacle {
        None => return String::new(),
        Some(Obstacle::Small) => {
            format!("leads below {:.0} % are too small to recommend", 100.0 * (CLEAR_LEAD - 1.0))
        }
        Some(Obstacle::Level { comparisons: 0 | 1, .. }) => {
            "a campaign that may stop at several looks needs stronger evidence".into()
        }
        Some(Obstacle::Level { comparisons, has_looks }) => format!(
            "among {comparisons} comparisons{} the lead is not significant (Holm)",
            if *has_looks { " and several looks" } else { "" }
        ),
        Some(Obstacle::Other(target)) => format!("{target} is not shown to be worse"),
        Some(Obstacle::Probability) => format!("P(best) is below {LEADS_P}"),
    };
    format!(" The interval excludes 1, but {why}.")
}

/// How large the tests were, where the campaign says it, and where the numbers hold.
pub(crate) fn sizes_and_place(origin: Origin, lab: LabKind) -> String {
    let sizes = if origin == Origin::Run { "at these sizes " } else { "" };
    format!("{sizes}{}", place(origin, lab))
}

/// Where the numbers hold.
pub(crate) fn place(origin: Origin, lab: LabKind) -> String {
    let place = match origin {
        Origin::Run => "on this machine",
        Origin::Import => "in the imported files",
        Origin::Published => "in this published study",
    };
    match lab {
        LabKind::Host => place.into(),
        lab => format!("{place} {}", lab.place()),
    }
}

/// Where what `findings` have was measured: where there are several labs, in which.
pub(crate) fn measured_place(findings: &Findings) -> String {
    match findings.has_labs() {
        true => findings.lab.place().into(),
        false => place(findings.campaign.origin, findings.lab),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_loss_keeps_its_digits() {
        let shown = [1.064, 0.1, 0.0996, 0.0041, 0.0].map(multiple);
        assert_eq!(shown, ["1.06", "0.10", "0.100", "0.0041", "0.00"]);
    }
}
