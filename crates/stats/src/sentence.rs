//! The call in words. Every sentence names the suite or the machine, the interval and the number of
//! blocks, and none says more than the numbers do.

use crate::{
    Apart, Call, Candidate, CellRatio, Counts, Pair, Ratio, Settings,
    bar::{CLEAR_LEAD, LEADS_P},
    decide::Evidence,
};
use model::{Dataset, LabKind, Origin};

/// How sure a number of blocks is to be enough.
pub(crate) const WITH_POWER: &str = "80 % probability";

pub(crate) fn nothing_to_compare(dataset: &Dataset, call: &Call) -> String {
    let suite = dataset.suites();
    match call.candidates.as_slice() {
        [] => format!("No recommendation: no sample of {suite} is valid."),
        _ if call.cells == 0 => {
            format!("No recommendation: no test of {suite} is valid on every measured target.")
        }
        [only, ..] => format!(
            "No recommendation: only {} was measured {}; a choice needs two targets.",
            only.target,
            place(dataset)
        ),
    }
}

pub(crate) fn all_short(dataset: &Dataset) -> String {
    format!(
        "No recommendation: every timed part is short. Give {} more to do: leave out --scale, or give a larger one.",
        dataset.suites()
    )
}

pub(crate) fn single_block(dataset: &Dataset, call: &Call) -> String {
    let (first, second) = (&call.candidates[0].target, &call.candidates[1].target);
    let lead = call.lead.map_or(1.0, |r| r.point);
    format!(
        "One run per cell: no interval, no P(best). For {}, {first} came first: {lead:.2}x {second}. \
         At least three blocks are needed to say more.",
        scope(dataset),
    )
}

/// What a comparison found, and what it could not compare.
pub(crate) fn comparison(pairs: &[Pair], apart: Option<&Apart>) -> String {
    let Some(apart) = apart else { return compared(pairs) };
    let mut places: Vec<String> = Vec::new();
    for placed in &apart.columns {
        let place = match (apart.is_of_one_lab(), placed.durability.words()) {
            (false, _) => format!("{} was measured {}", placed.target, placed.lab.place()),
            (true, None) => format!("{} keeps what it synced", placed.target),
            (true, Some(words)) => format!("{} ({words})", placed.target),
        };
        places.extend((places.len() < 2).then_some(place));
    }
    let of = match apart.is_of_one_lab() {
        true => "of different promises of a sync",
        false => "of different labs",
    };
    let not = format!(
        "{}: figures {of} are not comparable, so they stand side by side without a ratio.",
        places.join(" and ")
    );
    if pairs.is_empty() { not } else { format!("{} {not}", compared(pairs)) }
}

fn compared(pairs: &[Pair]) -> String {
    let mut all = Counts::default();
    pairs.iter().for_each(|pair| all.merge(&pair.counts));
    if pairs.iter().all(|p| p.ratio.is_none_or(|r| r.low.is_none())) {
        return format!(
            "{} {} of B over A, none with an interval: with one run per cell on either side nothing is \
             decided.",
            all.total(),
            if all.total() == 1 { "ratio" } else { "ratios" }
        );
    }
    format!(
        "Of {} ratios of B over A {} are better, {} worse, {} the same, {} unclear.",
        all.total(),
        all.better + all.slightly_better,
        all.worse + all.slightly_worse,
        all.same,
        all.unclear
    )
}

pub(crate) fn contended(settings: &Settings) -> String {
    format!(
        "No recommendation: other work had more than {} % of the processors or of the disk below during \
         more than a fifth of the samples. Repeat on a quiet machine.",
        settings.contention_limit_pct
    )
}

pub(crate) fn same_places([first, second]: [&str; 2]) -> String {
    format!(
        "No recommendation: {first} and {second} went in the same order in every block, so that their difference \
         may be that of their places. Measure again with as many blocks as there are candidates: over so many, orders are \
         balanced."
    )
}

pub(crate) fn clear(dataset: &Dataset, call: &Call) -> String {
    let (first, second) = (&call.candidates[0], &call.candidates[1].target);
    let mut text = format!(
        "For {}, {} is best ({}): {} {second} ({}).",
        scope(dataset),
        first.target,
        probability(first.p_best.unwrap_or(0.0)),
        times(call.lead),
        interval(call.lead, call.blocks),
    );
    if let Some(loss) = &call.largest_loss {
        text.push_str(&largest_loss(loss));
    }
    text
}

pub(crate) fn noisy(
    dataset: &Dataset,
    call: &Call,
    evidence: &Evidence<'_>,
    settings: &Settings,
) -> String {
    let (first, share) = (&call.candidates[0], 2.0 * settings.band);
    let noise = 100.0 * evidence.noise();
    let more = match evidence.more_blocks(share, call.blocks) {
        Some(n) => format!(
            "About {n} more {} would resolve a {:.0} % difference with {WITH_POWER}.",
            if n == 1 { "block" } else { "blocks" },
            100.0 * share
        ),
        None => "More than 1000 blocks would be needed; find the source of the noise first.".into(),
    };
    format!(
        "No recommendation for {}: noise {noise:.0} % per run; {} {} ({}). {more}",
        scope(dataset),
        first.target,
        leads(first.p_best, call.lead).unwrap_or_else(|| "is first".into()),
        gap(call.lead, &call.candidates[1].target, call.blocks),
    )
}

/// `same` are the same within the band, the first of `call` among them.
pub(crate) fn equivalent(
    dataset: &Dataset,
    call: &Call,
    same: &[Candidate],
    settings: &Settings,
) -> String {
    format!(
        "For {}, {} are the same within {:.0} % ({} is {}). {}; decide by features.",
        scope(dataset),
        few(same.iter().map(|c| c.target.as_str())),
        100.0 * settings.band,
        call.candidates[0].target,
        gap(call.lead, &call.candidates[1].target, call.blocks),
        choosing("", same.iter().map(|c| c.regret_95))
    )
}

/// What choosing any of several costs, `of_these` where nobody has named them, given the 95 % regret of each.
pub(crate) fn choosing(of_these: &str, regrets: impl Iterator<Item = Option<f64>>) -> String {
    let regrets: Vec<Option<f64>> = regrets.collect();
    let any = if regrets.len() == 2 { "either" } else { "any" };
    let cost = regrets.into_iter().flatten().fold(0.0, f64::max);
    format!(
        "The worst-case loss of choosing {any}{of_these} is {} (each with 95 % probability)",
        percent(cost)
    )
}

pub(crate) fn no_significant(dataset: &Dataset, call: &Call, settings: &Settings) -> String {
    let first = &call.candidates[0];
    let equals: Vec<&Candidate> = call
        .candidates
        .iter()
        .enumerate()
        .filter(|(i, c)| *i < 2 || is_equal(c, settings))
        .map(|(_, c)| c)
        .collect();
    let names = few(equals.iter().map(|c| c.target.as_str()));
    let gap = gap(call.lead, &call.candidates[1].target, call.blocks);
    let (what, of_these) = match leads(first.p_best, call.lead) {
        Some(leads) => (format!("{} {leads} ({gap})", first.target), format!(" of {names}")),
        None => (
            format!(
                "there is no significant difference between {names} ({} is {gap})",
                first.target
            ),
            String::new(),
        ),
    };
    let choosing = choosing(&of_these, equals.iter().map(|c| c.regret_95));
    format!(
        "For {}, {what}. {choosing}; decide by features, or measure more blocks.",
        scope(dataset)
    )
}

/// What may be said of a first that is probably the best and not decidedly; `None` below a P(best) of 0.90.
pub(crate) fn leads(p_best: Option<f64>, lead: Option<Ratio>) -> Option<String> {
    let sure = p_best.filter(|p| *p >= LEADS_P)?;
    Some(match lead.is_some_and(|lead| lead.point >= CLEAR_LEAD) {
        true => format!("leads with {}, not decided", probability(sure)),
        false => "leads by less than 3 %, not decided".into(),
    })
}

/// `1.04x xfs, 95 % CI 0.99-1.10, 5 blocks`.
pub(crate) fn gap(lead: Option<Ratio>, second: &str, blocks: usize) -> String {
    format!("{} {second}, {}", times(lead), interval(lead, blocks))
}

/// Not certainly behind, or so little that it does not matter.
fn is_equal(candidate: &Candidate, settings: &Settings) -> bool {
    candidate.ranks.is_some_and(|(best, _)| best == 1)
        || candidate.regret_95.is_some_and(|r| r <= settings.band)
}

/// Of what a call is, and of nothing else: these tests, where they were run and how large they were.
fn scope(dataset: &Dataset) -> String {
    format!("these tests of {} {}", dataset.suites(), sizes_and_place(dataset))
}

/// How large the tests were, where the campaign says it, and where the numbers hold.
pub(crate) fn sizes_and_place(dataset: &Dataset) -> String {
    let sizes = if dataset.campaign.origin == Origin::Run { "at these sizes " } else { "" };
    format!("{sizes}{}", place(dataset))
}

/// Where the numbers hold.
pub(crate) fn place(dataset: &Dataset) -> String {
    let place = match dataset.campaign.origin {
        Origin::Run => "on this machine",
        Origin::Import => "in the imported files",
        Origin::Published => "in this published study",
    };
    match dataset.labs().first() {
        None | Some(LabKind::Host) => place.into(),
        Some(lab) => format!("{place} {}", lab.place()),
    }
}

/// A lead as `1.42x`.
pub(crate) fn times(lead: Option<Ratio>) -> String {
    format!("{:.2}x", lead.map_or(1.0, |r| r.point))
}

/// How sure a lead is, and by how many blocks.
pub(crate) fn interval(lead: Option<Ratio>, blocks: usize) -> String {
    match lead.and_then(|lead| lead.span_of_decimals()) {
        Some(span) => format!("95 % CI {span}, {blocks} blocks"),
        None => format!("{blocks} blocks, no interval"),
    }
}

/// `1 process`, `64 processes`.
pub fn processes(procs: u32) -> String {
    format!("{procs} {}", if procs == 1 { "process" } else { "processes" })
}

/// Rounded down below 1, so that 0.996 is not printed as certainty.
pub(crate) fn probability(p: f64) -> String {
    if p > 0.99 { "P>0.99".into() } else { format!("P={p:.2}") }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", (100.0 * share).ceil())
}

/// `a, b and c`.
pub fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// The same of many, of which the first three are named.
fn few<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.get(4) {
        None => list(names.into_iter()),
        Some(_) => format!("{} and {} more", names[..3].join(", "), names.len() - 3),
    }
}

/// The cell that goes against an answer, as a sentence after it.
pub(crate) fn largest_loss(loss: &CellRatio) -> String {
    let CellRatio { name, procs, ratio, .. } = loss;
    let includes_1 = ratio.low.zip(ratio.high).is_some_and(|(low, high)| low <= 1.0 && high >= 1.0);
    let doubt = if includes_1 { " (unclear)" } else { "" };
    format!(" Largest loss: {name}, {}, {}x{doubt}.", processes(*procs), multiple(ratio.point))
}

/// Two decimals, and two digits that mean something where there would be none: a loss of 0.0041x is no 0.00x.
fn multiple(ratio: f64) -> String {
    let small = ratio > 0.0 && ratio < 0.1;
    let decimals = if small { 1.0 - ratio.log10().floor() } else { 2.0 };
    format!("{ratio:.*}", decimals as usize)
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
