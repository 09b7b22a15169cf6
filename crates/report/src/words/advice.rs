//! Formats the advice for a profile as sentences. Each sentence names the profile, the interval and the number of
//! blocks, and claims no more than the figures show.

use super::{
    durability::among_equals,
    objection::objection,
    phrase::{
        self, WITH_POWER, best, choosing, gap, largest_loss, measured_place, obstacle, place,
        sizes_and_place, times,
    },
    refusal::{contended, missing, same_places},
};
use model::text::counted;
use stats::{
    advice::{
        Advice, Advised, BlockTime, Counsel, Eligibility, GroupCover, GroupLead, Merit, More,
        Refusal, Remark,
    },
    description::{Comparison, Lead, list},
    evaluation::Findings,
};

/// Share of the weight of a profile below which an answer says how the rest is measured.
const MOST_OPEN: f64 = 0.5;

/// Said of every figure that rests on one block.
const ONE_RUN: &str = "one run per cell: no interval, no P(best)";

/// The answer in one to four sentences; nothing where no advice was asked for.
pub fn advice(findings: &Findings) -> String {
    let Some(advice) = &findings.advice else { return String::new() };
    let mut text = match advice.counsel {
        Counsel::NothingMeasured => nothing(findings, advice),
        Counsel::NoneLeft => format!(
            "No recommendation for {}: every measured target is ruled out, for the reasons given \
             with each.",
            advice.profile
        ),
        Counsel::OnlyOne => only_one(findings, advice),
        Counsel::NoChoice => no_choice(findings, advice),
        Counsel::PointEstimate => point(findings, advice),
        Counsel::Insufficient => insufficient(findings, advice),
        Counsel::Clear => clear(findings, advice),
        Counsel::Equivalent => equivalent(findings, advice),
    };
    text.push_str(&at_risk(advice));
    if advice.covered < 0.999 && advice.covered > 0.0 {
        let share = 100.0 * advice.covered;
        text.push_str(&format!(" The campaign covers {share:.0} % of the profile's weight."));
        if advice.covered < MOST_OPEN {
            text.push_str(&format!(" {} runs the other tests, too.", command(advice)));
        }
    }
    if advice.lead.is_some() {
        text.extend(among_equals(&findings.durability));
    }
    text
}

/// What measures all that the profile asks for.
fn command(advice: &Advice) -> String {
    format!("`assay run --profile {}`", advice.profile)
}

/// What is doubtful about the targets that the answer names, with the first reason of each.
fn at_risk(advice: &Advice) -> String {
    let named: Vec<&str> = match advice.counsel {
        Counsel::PointEstimate => vec![first_two(advice).0],
        _ => advice.leaders.iter().map(String::as_str).collect(),
    };
    let doubtful = |c: &&Advised| c.standing == Eligibility::AtRisk && named.contains(&&*c.target);
    let doubt = |c: &Advised| {
        let more = match c.objections.len() {
            0 | 1 => String::new(),
            n => format!(" (and {} more)", n - 1),
        };
        let why = c.objections.first().map_or_else(String::new, objection);
        format!(" {} is at risk: {why}{more}.", c.target)
    };
    advice.candidates.iter().filter(doubtful).map(doubt).collect()
}

fn nothing(findings: &Findings, advice: &Advice) -> String {
    let without = match advice.of_cells {
        0 => "has no test of this profile",
        _ => "has no test of this profile that is valid on every candidate",
    };
    format!(
        "No recommendation for {}: campaign {} {without}. {} runs the tests it needs, on the \
         candidates of --on.",
        advice.profile,
        findings.campaign.id,
        command(advice)
    )
}

fn only_one(findings: &Findings, advice: &Advice) -> String {
    format!(
        "For {} {}, only {} is left; the other measured targets are ruled out, whatever their \
         figures.",
        advice.profile,
        place(findings.campaign.origin, findings.lab),
        advice.candidates[0].target
    )
}

fn no_choice(findings: &Findings, advice: &Advice) -> String {
    let place = measured_place(findings);
    let apart = |other: &&Advised| other.standing == Eligibility::NotComparable;
    let others = advice.candidates.iter().filter(apart).map(|other| other.target.as_str());
    let others = match others.clone().count() {
        0 => String::new(),
        1 => format!(" ({} is not comparable with it)", phrase::few(others)),
        _ => format!(" ({} are not comparable with it)", phrase::few(others)),
    };
    format!(
        "No recommendation for {}: only {} has a valid sample of its tests {place}{others}; a choice needs two targets.",
        advice.profile, advice.candidates[0].target
    )
}

fn point(findings: &Findings, advice: &Advice) -> String {
    let (first, second) = first_two(advice);
    let lead = advice.lead.map_or(1.0, |r| r.point);
    let opening = opening(findings, advice);
    if lead <= 1.0 + findings.band {
        return format!(
            "{opening}, nothing to choose between {first} and {second} by point estimate: {}, \
             inside the band of {:.0} % ({ONE_RUN}).",
            times(advice.lead),
            100.0 * findings.band
        );
    }
    format!(
        "{opening}, {first} leads by point estimate: {} {second} ({ONE_RUN}).{}",
        times(advice.lead),
        loss(advice)
    )
}

/// The scope of an advice: the workload that it is for and the data that it is based on.
fn opening(findings: &Findings, advice: &Advice) -> String {
    format!("For {} {}", advice.profile, by_tests(findings))
}

fn by_tests(findings: &Findings) -> String {
    format!("by these tests {}", sizes_and_place(findings.campaign.origin, findings.lab))
}

fn insufficient(findings: &Findings, advice: &Advice) -> String {
    match (&advice.refusal, &advice.more) {
        (Some(Refusal::Contended(targets)), _) => contended(targets, findings.contention_limit_pct),
        (Some(Refusal::Missing(of)), _) => missing(of),
        (Some(Refusal::SamePlaces), _) => same_places(first_two(advice).into()),
        (None, Some(more)) => noisy(findings, advice, more),
        (None, None) => String::new(),
    }
}

fn clear(findings: &Findings, advice: &Advice) -> String {
    let (first, second) = first_two(advice);
    let p_best = advice.candidates[0].p_best.unwrap_or(0.0);
    let best = best([first, second], (advice.lead, p_best), advice.blocks, findings.band);
    format!("{}, {best}{}", opening(findings, advice), loss(advice))
}

fn loss(advice: &Advice) -> String {
    advice.largest_loss.as_ref().map_or_else(String::new, largest_loss)
}

fn equivalent(findings: &Findings, advice: &Advice) -> String {
    let names = list(advice.leaders.iter().map(String::as_str));
    let (first, second) = first_two(advice);
    let regret = |name: &String| {
        let own = advice.candidates.iter().find(|c| c.target == *name);
        own.and_then(|c| c.regret_95)
    };
    let choice = match &advice.by_features {
        Some(choice) => format!("By features, {} ({}).", choice.target, merit(&choice.merit)),
        None => "Decide by features.".into(),
    };
    format!(
        "{}, {names} are the same within {:.0} % ({first} is {}). {}. {choice}",
        opening(findings, advice),
        100.0 * findings.band,
        gap(advice.lead, second, advice.blocks),
        choosing("", advice.leaders.iter().map(regret))
    )
}

fn noisy(findings: &Findings, advice: &Advice, more: &More) -> String {
    let (first, second) = first_two(advice);
    let needed = match more.blocks {
        Some(n) => format!(
            "About {} ({}) would resolve a {} % difference with {WITH_POWER}.",
            counted(n, "more block", "more blocks"),
            blocks_take(more.time, n),
            (1e4 * more.share).round() / 1e2
        ),
        None => "More than 1000 blocks would be needed; find the source of the noise first.".into(),
    };
    format!(
        "No recommendation for {} {}: noise {:.0} % per run; {first} {} ({}).{} {needed}",
        advice.profile,
        by_tests(findings),
        100.0 * more.noise,
        leads(advice).unwrap_or_else(|| "is first".into()),
        gap(advice.lead, second, advice.blocks),
        obstacle(advice.obstacle.as_ref())
    )
}

fn leads(advice: &Advice) -> Option<String> {
    phrase::leads(advice.candidates.first()?.p_best, advice.lead)
}

/// What speaks for a target, in a few words.
pub fn merit(merit: &Merit) -> String {
    match merit {
        Merit::Features(features) => features.join(", "),
        Merit::Score => "its score outweighs what the profile prefers".into(),
        Merit::Support => "more vendors support it".into(),
    }
}

/// What one group of a profile says of its first two, with a practical band of `band`.
pub fn group_lead(group: &GroupLead, band: f64) -> String {
    let name = &group.group;
    let Lead { target, second, ratio, comparison: verdict } = &group.lead;
    if group.contended {
        return format!(
            "{name}: {target} and {second} are not compared, because other processes used the \
             machine."
        );
    }
    let close = ratio.point <= 1.0 + band;
    let times = times(Some(*ratio));
    match (ratio.span_of_decimals(), verdict) {
        (None, _) if close => {
            format!("{name}: nothing to choose between {target} and {second}, {times} ({ONE_RUN}).")
        }
        (None, _) => {
            format!("{name}: {target} leads by point estimate, {times} {second} ({ONE_RUN}).")
        }
        (Some(span), Comparison::Better | Comparison::SlightlyBetter) => {
            format!("{name}: {target} is {verdict}, {times} {second} ({span}).")
        }
        (Some(span), Comparison::Same) => {
            format!("{name}: {target} and {second} are the same, {times} ({span}).")
        }
        (Some(span), _) => format!(
            "{name}: no significant difference between {target} and {second}, {times} ({span})."
        ),
    }
}

fn first_two(advice: &Advice) -> (&str, &str) {
    let name = |i: usize| advice.candidates.get(i).map_or("-", |c| c.target.as_str());
    (name(0), name(1))
}

/// What `n` blocks take.
fn blocks_take(time: BlockTime, n: usize) -> String {
    match time {
        BlockTime::Whole(block_s) => format!("about {}", duration(n as f64 * block_s)),
        BlockTime::Timed(block_s) => {
            format!("at least {} of timed work", duration(n as f64 * block_s))
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

/// What must be known besides the answer, a sentence each.
pub fn advice_notes(advice: &Advice, band: f64) -> Vec<String> {
    let missing = |g: &&GroupCover| g.cells == 0 && !(advice.counts_ops && g.of_cells > 0);
    let not_covered = advice.groups.iter().filter(missing).map(not_covered);
    let remarks = advice.remarks.iter().map(|one| remark(one, advice.counts_ops));
    [scoring(advice)]
        .into_iter()
        .chain(not_covered)
        .chain(robust(advice, band))
        .chain(remarks)
        .collect()
}

/// The basis of the scores.
fn scoring(advice: &Advice) -> String {
    let shares = advice.groups.iter().map(|g| format!("{} {:.0} %", g.name, 100.0 * g.weight));
    let shares = Vec::from_iter(shares).join(", ");
    let has_time = advice.candidates.iter().any(|c| c.mix_s.is_some());
    match (advice.counts_ops, has_time) {
        (false, _) => format!("Weights are a judgment; this profile uses {shares}."),
        (true, true) => format!(
            "Scored by the total time of the operations in the profile; their shares of it are \
             {shares}."
        ),
        (true, false) => {
            "The profile counts operations: a target is scored by their total time, which needs a \
             block with a valid sample of each."
                .into()
        }
    }
}

fn not_covered(group: &GroupCover) -> String {
    match (group.of_cells, group.missing.is_empty()) {
        (0, _) if group.unscored > 0 => format!(
            "Not covered: {}; its tests were measured but are not scored: their timed parts are \
             too short, or they are syncs that the durable rate of the write includes.",
            group.name
        ),
        (0, _) => format!("Not covered: {}; the campaign has no such test.", group.name),
        (_, true) => format!("Not covered: {}; no cell is valid on all candidates.", group.name),
        (_, false) => format!(
            "Not covered: {}; {} has no valid cell for it.",
            group.name,
            list(group.missing.iter().map(String::as_str))
        ),
    }
}

fn remark(remark: &Remark, counts_ops: bool) -> String {
    match (remark, counts_ops) {
        (Remark::NotScored(target), false) => {
            format!("{target} has no valid cell of this profile.")
        }
        (Remark::NotScored(target), true) => format!("{target} has no block with all operations."),
        (Remark::FloorNotMeasured(test), _) => {
            format!("Floor {test} is not measured in this campaign.")
        }
    }
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
