//! The answer in words. Each sentence names the profile, the interval and the number of blocks, and
//! none says more than the figures do.

use super::{Advice, Advised, Counsel, GroupCover, Standing};
use crate::{
    Comparison, Lead, Settings, list,
    sentence::{
        self, WITH_POWER, choosing, gap, interval, largest_loss, place, probability,
        sizes_and_place, times,
    },
};
use model::Dataset;

/// Said of every figure that stands on one block.
pub(super) const ONE_RUN: &str = "one run per cell: no interval, no P(best)";

/// What one block takes, seconds.
#[derive(Clone, Copy, Debug)]
pub(super) enum BlockTime {
    /// On the clock, from blocks that were run.
    Whole(f64),
    /// Timed work and the waits after it, where only samples are known.
    Timed(f64),
}

/// What more blocks would bring.
pub(super) struct More {
    /// Noise of one run, a share.
    pub(super) noise: f64,
    /// A difference that the blocks so far do not resolve.
    pub(super) share: f64,
    /// Further blocks that would; `None` above 1 000 in all.
    pub(super) blocks: Option<usize>,
    /// What one block takes.
    pub(super) time: BlockTime,
}

/// The sentence of a finished advice; `refusal` is why the figures of the first two are not judged.
pub(super) fn answer(
    dataset: &Dataset,
    advice: &Advice,
    more: Option<&More>,
    refusal: Option<String>,
    settings: &Settings,
) -> String {
    let by_tests = by_tests(dataset);
    let mut text = match (advice.counsel, more) {
        (Counsel::NothingMeasured, _) => nothing(dataset, advice),
        (Counsel::NoneLeft, _) => format!(
            "No recommendation for {}: every measured target is ruled out; the reasons stand beside \
             each.",
            advice.profile
        ),
        (Counsel::OnlyOne, _) => only_one(dataset, advice),
        (Counsel::NoChoice, _) => no_choice(dataset, advice),
        (Counsel::PointEstimate, _) => point(&by_tests, advice, settings),
        (Counsel::Insufficient, more) => match (refusal, more) {
            (Some(refusal), _) => refusal,
            (None, Some(more)) => noisy(&by_tests, advice, more),
            (None, None) => String::new(),
        },
        (Counsel::Clear, _) => clear(&by_tests, advice),
        (Counsel::Equivalent, _) => equivalent(&by_tests, advice, settings),
    };
    text.push_str(&at_risk(advice));
    if advice.covered < 0.999 && advice.covered > 0.0 {
        let share = 100.0 * advice.covered;
        text.push_str(&format!(" The campaign covers {share:.0} % of the profile's weight."));
    }
    text
}

/// What is doubtful about the targets that the answer names, with the first reason of each.
fn at_risk(advice: &Advice) -> String {
    let named: Vec<&str> = match advice.counsel {
        Counsel::PointEstimate => vec![first_two(advice).0],
        _ => advice.leaders.iter().map(String::as_str).collect(),
    };
    let doubtful = |c: &&Advised| c.standing == Standing::AtRisk && named.contains(&&*c.target);
    let doubt = |c: &Advised| {
        let more = match c.reasons.len() {
            0 | 1 => String::new(),
            n => format!(" (and {} more)", n - 1),
        };
        let why = c.reasons.first().map_or("", String::as_str);
        format!(" {} is at risk: {why}{more}.", c.target)
    };
    advice.candidates.iter().filter(doubtful).map(doubt).collect()
}

fn nothing(dataset: &Dataset, advice: &Advice) -> String {
    let without = match advice.of_cells {
        0 => "has no test of this profile",
        _ => "has no test of this profile that is valid on every candidate",
    };
    format!(
        "No recommendation for {}: campaign {} {without}; `assay advise --profiles` lists the tests \
         that it needs.",
        advice.profile, dataset.campaign.id
    )
}

fn only_one(dataset: &Dataset, advice: &Advice) -> String {
    format!(
        "For {} {}, only {} is left; the others that were measured are ruled out, whatever their figures.",
        advice.profile,
        place(dataset),
        advice.candidates[0].target
    )
}

fn no_choice(dataset: &Dataset, advice: &Advice) -> String {
    format!(
        "No recommendation for {}: only {} was measured by its tests {}; a choice needs two targets.",
        advice.profile,
        advice.candidates[0].target,
        place(dataset)
    )
}

fn point(by_tests: &str, advice: &Advice, settings: &Settings) -> String {
    let (first, second) = first_two(advice);
    let lead = advice.lead.map_or(1.0, |r| r.point);
    let opening = format!("For {} {by_tests}", advice.profile);
    if lead <= 1.0 + settings.band {
        return format!(
            "{opening}, nothing to choose between {first} and {second} by point estimate: {lead:.2}x, \
             inside the band of {:.0} % ({ONE_RUN}).",
            100.0 * settings.band
        );
    }
    format!(
        "{opening}, {first} leads by point estimate: {lead:.2}x {second} ({ONE_RUN}).{}",
        loss(advice)
    )
}

/// By what an advice is given, and by nothing else.
fn by_tests(dataset: &Dataset) -> String {
    format!("by these tests {}", sizes_and_place(dataset))
}

fn clear(by_tests: &str, advice: &Advice) -> String {
    let (first, second) = first_two(advice);
    format!(
        "For {} {by_tests}, {first} is best ({}): {} {second} ({}).{}",
        advice.profile,
        probability(advice.candidates[0].p_best.unwrap_or(0.0)),
        times(advice.lead),
        interval(advice.lead, advice.blocks),
        loss(advice)
    )
}

fn loss(advice: &Advice) -> String {
    advice.largest_loss.as_ref().map_or_else(String::new, largest_loss)
}

fn equivalent(by_tests: &str, advice: &Advice, settings: &Settings) -> String {
    let names = list(advice.leaders.iter().map(String::as_str));
    let (first, second) = first_two(advice);
    let regret = |name: &String| {
        let own = advice.candidates.iter().find(|c| c.target == *name);
        own.and_then(|c| c.regret_95)
    };
    let choice = match &advice.by_features {
        Some(choice) => format!("By features, {} ({}).", choice.target, choice.why),
        None => "Decide by features.".into(),
    };
    format!(
        "For {} {by_tests}, {names} are the same within {:.0} % ({first} is {}). {}. {choice}",
        advice.profile,
        100.0 * settings.band,
        gap(advice.lead, second, advice.blocks),
        choosing("", advice.leaders.iter().map(regret))
    )
}

fn noisy(by_tests: &str, advice: &Advice, more: &More) -> String {
    let (first, second) = first_two(advice);
    let needed = match more.blocks {
        Some(n) => format!(
            "About {n} more {} ({}) would resolve a {} % difference with {WITH_POWER}.",
            if n == 1 { "block" } else { "blocks" },
            more.time.of(n),
            (1e4 * more.share).round() / 1e2
        ),
        None => "More than 1000 blocks would be needed; find the source of the noise first.".into(),
    };
    format!(
        "No recommendation for {} {by_tests}: noise {:.0} % per run; {first} {} ({}). {needed}",
        advice.profile,
        100.0 * more.noise,
        leads(advice).unwrap_or_else(|| "is first".into()),
        gap(advice.lead, second, advice.blocks)
    )
}

fn leads(advice: &Advice) -> Option<String> {
    sentence::leads(advice.candidates.first()?.p_best, advice.lead)
}

/// What one group says of its first two.
pub(super) fn group(name: &str, lead: &Lead, contended: bool, settings: &Settings) -> String {
    let Lead { target, second, ratio, verdict } = lead;
    if contended {
        return format!(
            "{name}: {target} and {second} are not judged, the machine was busy with other work."
        );
    }
    let close = ratio.point <= 1.0 + settings.band;
    match (ratio.span_of_decimals(), verdict) {
        (None, _) if close => format!(
            "{name}: nothing to choose between {target} and {second}, {:.2}x ({ONE_RUN}).",
            ratio.point
        ),
        (None, _) => format!(
            "{name}: {target} leads by point estimate, {:.2}x {second} ({ONE_RUN}).",
            ratio.point
        ),
        (Some(span), Comparison::Better | Comparison::SlightlyBetter) => {
            format!("{name}: {target} is {verdict}, {:.2}x {second} ({span}).", ratio.point)
        }
        (Some(span), Comparison::Same) => {
            format!("{name}: {target} and {second} are the same, {:.2}x ({span}).", ratio.point)
        }
        (Some(span), _) => format!(
            "{name}: no significant difference between {target} and {second}, {:.2}x ({span}).",
            ratio.point
        ),
    }
}

fn first_two(advice: &Advice) -> (&str, &str) {
    let name = |i: usize| advice.candidates.get(i).map_or("-", |c| c.target.as_str());
    (name(0), name(1))
}

impl BlockTime {
    /// Of `n` blocks, in words.
    fn of(self, n: usize) -> String {
        match self {
            BlockTime::Whole(block_s) => format!("about {}", duration(n as f64 * block_s)),
            BlockTime::Timed(block_s) => {
                format!("at least {} of timed work", duration(n as f64 * block_s))
            }
        }
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{:.0} s", s.ceil()),
        s if s < 5400.0 => format!("{:.0} min", (s / 60.0).ceil()),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// What must be known beside the answer.
pub(super) fn notes(advice: &Advice, counted: bool, settings: &Settings) -> Vec<String> {
    let shares = advice.groups.iter().map(|g| format!("{} {:.0} %", g.name, 100.0 * g.weight));
    let shares: Vec<String> = shares.collect();
    let has_time = advice.candidates.iter().any(|c| c.mix_s.is_some());
    let mut notes = vec![match (counted, has_time) {
        (false, _) => format!("Weights are opinions; this profile has {}.", shares.join(", ")),
        (true, true) => format!(
            "Scored by the time for all operations that the profile counts; their shares of it are {}.",
            shares.join(", ")
        ),
        (true, false) => {
            "The profile counts operations: a target is scored by the time for all of them, \
                          which takes a block with a valid sample of each."
                .into()
        }
    }];
    let missing = |g: &&GroupCover| g.cells == 0 && !(counted && g.of_cells > 0);
    for group in advice.groups.iter().filter(missing) {
        notes.push(match (group.of_cells, group.missing.is_empty()) {
            (0, _) => format!("Not covered: {}; the campaign has no such test.", group.name),
            (_, true) => {
                format!("Not covered: {}; no cell is valid on all candidates.", group.name)
            }
            (_, false) => format!(
                "Not covered: {}; {} has no valid cell of it.",
                group.name,
                list(group.missing.iter().map(String::as_str))
            ),
        });
    }
    notes.extend(robust(advice, settings.band));
    notes
}

/// Whether another set of weights would change the first; nothing where the answer names none.
fn robust(advice: &Advice, band: f64) -> Option<String> {
    let lead = advice.lead.map_or(1.0, |r| r.point);
    let named = match advice.counsel {
        Counsel::Clear => true,
        Counsel::PointEstimate => lead > 1.0 + band,
        _ => false,
    };
    let sensitivity = advice.sensitivity.as_ref().filter(|_| named)?;
    let first = &advice.candidates.first()?.target;
    let share = sensitivity.acceptability.iter().find(|s| s.target == *first)?.share;
    let covered = if advice.covered < 0.999 { " of what the campaign covers" } else { "" };
    let drawn = format!(
        "{first} is first under {:.0} % of weights drawn around the profile's",
        (100.0 * share).floor()
    );
    let others = sensitivity.without.iter().filter(|w| w.first != *first);
    let others: Vec<&str> = others.map(|w| w.group.as_str()).collect();
    Some(match (sensitivity.robust?, others.join(" or ").as_str()) {
        (true, _) => format!("Robust to the weights{covered}: {drawn}, and without any one group."),
        (false, "") => format!("Not robust to the weights{covered}: {drawn}."),
        (false, groups) => {
            format!("Not robust to the weights{covered}: {drawn}, but not without {groups}.")
        }
    })
}
