//! Formats the verdict on a campaign.

use super::{
    durability::{among_equals, not_ranked},
    full, harm, injected,
    phrase::{
        WITH_POWER, best, choosing, few, gap, largest_loss, leads, measured_place, obstacle,
        sizes_and_place, times,
    },
    refusal, snapshots, unshared,
};
use model::text::counted;
use stats::{
    comparison::Incomparable,
    evaluation::Findings,
    verdict::{Candidate, Compared, Note, Reason, Verdict},
};

/// The verdict in one to three sentences.
pub fn verdict(findings: &Findings) -> String {
    let verdict = &findings.verdict;
    let mut text = match &verdict.reason {
        Reason::NotRanked(groups) => not_ranked(groups),
        Reason::NothingToCompare => nothing_to_compare(findings),
        Reason::NothingScored => nothing_scored(findings),
        Reason::AllShort => all_short(findings),
        Reason::OneBlock => single_block(findings),
        Reason::Contended(targets) => refusal::contended(targets, findings.contention_limit_pct),
        Reason::Missing(of) => refusal::missing(of),
        Reason::SamePlaces => {
            refusal::same_places([0, 1].map(|at| verdict.candidates[at].target.as_str()))
        }
        Reason::Clear => clear(findings),
        Reason::Equivalent(same) => equivalent(findings, same),
        Reason::Noisy { noise, blocks } => noisy(findings, *noise, *blocks),
        Reason::NoSignificantDifference => no_significant(findings),
        Reason::Compared(compared) => comparison(compared),
    };
    if verdict.candidates.len() > 1 {
        text.extend(among_equals(&findings.durability));
    }
    text
}

/// Notes on it, a sentence each.
pub fn notes(verdict: &Verdict) -> Vec<String> {
    let note = |note: &Note| match note {
        Note::NotCompared(target) => format!("{target} has no valid sample and is not compared."),
        Note::GivenUp { target, blocks, of, why } => {
            refusal::given_up(target, (*blocks, *of), why.as_deref())
        }
        Note::Partial { target, cells, of } => format!(
            "{target} is valid in {cells} of {of} cells and excluded from the score, so that the \
             others are compared in all of their cells."
        ),
        Note::Zeros(target, missing) => refusal::zeros(target, missing),
    };
    verdict.notes.iter().map(note).collect()
}

fn nothing_to_compare(findings: &Findings) -> String {
    let (verdict, suite) = (&findings.verdict, &findings.campaign.suite);
    match verdict.candidates.as_slice() {
        [] => unshared::sentence(findings)
            .unwrap_or_else(|| format!("No recommendation: no sample of {suite} is valid.")),
        _ if verdict.cells == 0 => {
            format!("No recommendation: no test of {suite} is valid on every measured target.")
        }
        [only, ..] => {
            let place = measured_place(findings);
            let is_rest = verdict.notes.iter().any(|note| matches!(note, Note::GivenUp { .. }));
            let measured = if is_rest { "was measured completely" } else { "has a valid sample" };
            format!(
                "No recommendation: only {} {measured} {place}{}; a choice needs two targets.",
                only.target,
                apart_from(&findings.others)
            )
        }
    }
}

fn nothing_scored(findings: &Findings) -> String {
    let parts = [
        harm::sentence(&findings.fault_cells),
        injected::lies(&findings.failed_writes),
        injected::silent(&findings.turned_bits),
        injected::wrong_mirrors(&findings.mirrors),
    ];
    let mut parts: Vec<String> = parts.into_iter().flatten().collect();
    let was_tried = !findings.failed_writes.is_empty()
        || !findings.turned_bits.is_empty()
        || !findings.mirrors.is_empty();
    if parts.is_empty() && was_tried {
        let none = "No fsync said success for lost data, and no damage was read without an error.";
        parts.push(none.into());
    }
    parts.extend(full::sentence(&findings.full));
    parts.extend(snapshots::sentence(&findings.snapshots));
    match parts.is_empty() {
        false => parts.join(" "),
        true => format!("No recommendation: no test of {} has a score.", findings.campaign.suite),
    }
}

/// ` that may be ranked (tmpfs is not comparable with it)`: what else a campaign measured, in its other classes.
fn apart_from(others: &[Findings]) -> String {
    let labels = others.iter().flat_map(|class| &class.targets);
    let labels: Vec<&str> = labels.map(String::as_str).collect();
    match labels.len() {
        0 => String::new(),
        count => {
            let is = if count == 1 { "is" } else { "are" };
            format!(" that may be ranked ({} {is} not comparable with it)", few(labels.into_iter()))
        }
    }
}

fn all_short(findings: &Findings) -> String {
    format!(
        "No recommendation: every timed part is too short. Give {} more work: omit --scale, or \
         use a larger one.",
        findings.campaign.suite
    )
}

fn single_block(findings: &Findings) -> String {
    let verdict = &findings.verdict;
    let (first, second) = (&verdict.candidates[0].target, &verdict.candidates[1].target);
    format!(
        "One run per cell: no interval, no P(best). For {}, {first} came first: {} {second}. \
         At least three blocks are needed to say more.",
        scope(findings),
        times(verdict.lead),
    )
}

/// What a comparison found, and what it could not compare.
fn comparison(found: &Compared) -> String {
    let Some(incomparable) = &found.incomparable else { return compared(found) };
    let not = not_compared(incomparable);
    match found.counts {
        None => not,
        Some(_) => format!("{} {not}", compared(found)),
    }
}

/// The targets that are shown side by side without a ratio, and why.
fn not_compared(incomparable: &Incomparable) -> String {
    let mut places: Vec<String> = Vec::new();
    for placed in &incomparable.columns {
        let place = match (incomparable.is_of_one_lab(), placed.durability.words()) {
            (false, _) => format!("{} was measured {}", placed.target, placed.lab.place()),
            (true, None) => format!("{} (durable)", placed.target),
            (true, Some(words)) => format!("{} ({words})", placed.target),
        };
        places.extend((places.len() < 2).then_some(place));
    }
    let of = match incomparable.is_of_one_lab() {
        true => "with different durability guarantees",
        false => "of different labs",
    };
    format!(
        "{}: figures {of} are not comparable, so they are shown side by side without a ratio.",
        places.join(" and ")
    )
}

fn compared(found: &Compared) -> String {
    let all = found.counts.unwrap_or_default();
    if !found.replicated {
        return format!(
            "{} {} of B over A, none with an interval: one run per cell on either side decides \
             nothing.",
            all.total(),
            if all.total() == 1 { "ratio" } else { "ratios" }
        );
    }
    format!(
        "Of {} ratios of B over A, {} are better, {} worse, {} the same, {} unclear.",
        all.total(),
        all.better + all.slightly_better,
        all.worse + all.slightly_worse,
        all.same,
        all.unclear
    )
}

fn clear(findings: &Findings) -> String {
    let verdict = &findings.verdict;
    let (first, second) = (&verdict.candidates[0], &verdict.candidates[1]);
    let best = best(
        [&first.target, &second.target],
        (verdict.lead, first.p_best.unwrap_or(0.0)),
        verdict.blocks,
        findings.band,
    );
    let mut text = format!("For {}, {best}", scope(findings));
    if let Some(loss) = &verdict.largest_loss {
        text.push_str(&largest_loss(loss));
    }
    text
}

fn noisy(findings: &Findings, noise: f64, blocks: Option<usize>) -> String {
    let (verdict, share) = (&findings.verdict, 2.0 * findings.band);
    let first = &verdict.candidates[0];
    let noise = 100.0 * noise;
    let more = match blocks {
        Some(n) => format!(
            "About {} would resolve a {:.0} % difference with {WITH_POWER}.",
            counted(n, "more block", "more blocks"),
            100.0 * share
        ),
        None => "More than 1000 blocks would be needed; find the source of the noise first.".into(),
    };
    format!(
        "No recommendation for {}: noise {noise:.0} % per run; {} {} ({}).{} {more}",
        scope(findings),
        first.target,
        leads(first.p_best, verdict.lead).unwrap_or_else(|| "is first".into()),
        gap(verdict.lead, &verdict.candidates[1].target, verdict.blocks),
        obstacle(verdict.obstacle.as_ref()),
    )
}

/// The labels `same` are the same within the band, the first candidate among them.
fn equivalent(findings: &Findings, same: &[String]) -> String {
    let verdict = &findings.verdict;
    let is_same = |c: &&Candidate| same.contains(&c.target);
    format!(
        "For {}, {} are the same within {:.0} % ({} is {}). {}; decide by features.",
        scope(findings),
        few(same.iter().map(String::as_str)),
        100.0 * findings.band,
        verdict.candidates[0].target,
        gap(verdict.lead, &verdict.candidates[1].target, verdict.blocks),
        choosing("", verdict.candidates.iter().filter(is_same).map(|c| c.regret_95))
    )
}

fn no_significant(findings: &Findings) -> String {
    let verdict = &findings.verdict;
    let first = &verdict.candidates[0];
    let equals: Vec<&Candidate> = verdict
        .candidates
        .iter()
        .enumerate()
        .filter(|(i, c)| *i < 2 || is_equal(c, findings.band))
        .map(|(_, c)| c)
        .collect();
    let names = few(equals.iter().map(|c| c.target.as_str()));
    let gap = gap(verdict.lead, &verdict.candidates[1].target, verdict.blocks);
    let (what, of_these) = match leads(first.p_best, verdict.lead) {
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
        "For {}, {what}.{} {choosing}; decide by features, or measure more blocks.",
        scope(findings),
        obstacle(verdict.obstacle.as_ref())
    )
}

/// Not certainly behind, or so little that it does not matter.
fn is_equal(candidate: &Candidate, band: f64) -> bool {
    candidate.ranks.is_some_and(|(best, _)| best == 1)
        || candidate.regret_95.is_some_and(|r| r <= band)
}

/// The scope of a verdict: these tests, where they were run and how large they were.
fn scope(findings: &Findings) -> String {
    let campaign = &findings.campaign;
    let place = sizes_and_place(campaign.origin, findings.lab);
    format!("these tests of {} {place}", campaign.suite)
}
