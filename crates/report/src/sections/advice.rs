//! Shows the advice for a profile: the answer, the candidates with caveats, each group of work, the effect of the
//! weights, and the cells behind the lead.

use crate::{
    block::{Block, Cell, Column, Row, Table},
    number,
    sections::{Section, ratios, verdict},
    words,
};
use model::result::Dataset;
use stats::{
    advice::{Advised, Counsel, Eligibility, Sensitivity, Support},
    evaluation::Findings,
};

/// Cells printed of each group; the rest is counted.
const MOST_CELLS: usize = 10;

pub(crate) struct Advice;

impl Section for Advice {
    fn title(&self) -> &'static str {
        "Advice"
    }

    fn in_print(&self) -> bool {
        true
    }

    fn build(&self, dataset: &Dataset, findings: &Findings) -> Option<Vec<Block>> {
        let advice = findings.advice.as_ref()?;
        let mut blocks = vec![
            Block::Heading(heading(advice)),
            Block::Prose(format!("{} Written for {}.", advice.intent, advice.device_class)),
            Block::Callout(words::advice(findings)),
            Block::Prose(verdict::scope(dataset, findings)),
        ];
        blocks.extend(dataset.campaign.notes.iter().map(words::note).map(Block::Prose));
        if advice.of_cells == 0 {
            // Nothing of the profile was measured: every table would be empty.
            blocks.extend(reasons(advice).into_iter().map(Block::Prose));
            return Some(blocks);
        }
        let notes = words::advice_notes(advice, findings.band);
        blocks.extend(notes.into_iter().map(Block::Prose));
        if !advice.candidates.is_empty() {
            blocks.push(Block::Table(candidates(advice)));
        }
        if !advice.group_leads.is_empty() {
            blocks.push(Block::Heading("By group of work".into()));
            let sentence = |lead| Block::Prose(words::group_lead(lead, findings.band));
            blocks.extend(advice.group_leads.iter().map(sentence));
        }
        blocks.push(Block::Table(groups(advice)));
        blocks.extend(advice.sensitivity.as_ref().map(|s| Block::Prose(trials(s))));
        if !advice.support.is_empty() {
            blocks.push(Block::Table(support(advice)));
        }
        if matches!(advice.counsel, Counsel::Clear | Counsel::Equivalent) {
            blocks.push(Block::Prose(verdict::reach(dataset).into()));
        }
        Some(blocks)
    }
}

fn heading(advice: &stats::advice::Advice) -> String {
    match advice.tier {
        Some(tier) => format!("Profile {}, {tier} tier", advice.profile),
        None => format!("Profile {}", advice.profile),
    }
}

fn candidates(advice: &stats::advice::Advice) -> Table {
    let over = &advice.scored_over;
    let out = advice.candidates.iter().any(|c| c.standing == Eligibility::RuledOut);
    let mut footnotes = reasons(advice);
    if out && advice.leaders.len() + usize::from(advice.lead.is_some()) > 0 {
        footnotes.push(format!(
            "Ruled-out targets are compared to {over} over the cells that both have."
        ));
    }
    let figures = [
        "Time for the mix",
        &format!("Score / {over}"),
        "95 % CI",
        "P(best)",
        "Rank",
        "Expected cost",
        "Loss of score (95 %)",
    ];
    let figures = figures.map(|head| Column::numbers("", head));
    let columns: Vec<Column> = ["Target", "Standing"]
        .map(Column::words)
        .into_iter()
        .chain(figures)
        .chain([Column::words("Preferred features")])
        .collect();
    let rows: Vec<Vec<String>> = advice.candidates.iter().map(candidate).collect();
    let known = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
    let kept: Vec<usize> = (0..columns.len()).filter(known).collect();
    let shown = |row: &Vec<String>, column: usize| match row[column].as_str() {
        "" if columns[column].numeric => Cell::plain("-"),
        text => Cell::plain(text),
    };
    let row = |row: &Vec<String>| Row::body(kept.iter().map(|&column| shown(row, column)));
    Table {
        caption: format!(
            "Candidates over {} of {} cells of the profile, with its weights",
            advice.cells, advice.of_cells
        ),
        columns: kept.iter().map(|&column| columns[column].clone()).collect(),
        rows: rows.iter().map(row).collect(),
        footnotes,
    }
}

/// Why targets are not eligible, those with the same reason in one sentence.
fn reasons(advice: &stats::advice::Advice) -> Vec<String> {
    let mut all: Vec<(Eligibility, String, Vec<&str>)> = Vec::new();
    for c in &advice.candidates {
        for reason in c.objections.iter().map(words::objection) {
            match all
                .iter_mut()
                .find(|(standing, why, _)| (*standing, why) == (c.standing, &reason))
            {
                Some((_, _, targets)) => targets.push(&c.target),
                None => all.push((c.standing, reason, vec![&c.target])),
            }
        }
    }
    let sentence = |(standing, reason, targets): (Eligibility, String, Vec<&str>)| {
        let are = if targets.len() == 1 { "is" } else { "are" };
        format!("{} {are} {}: {reason}.", targets.join(", "), standing.as_str())
    };
    all.into_iter().map(sentence).collect()
}

/// What is known of a candidate, by column; empty where nothing is.
fn candidate(advised: &Advised) -> Vec<String> {
    let cost = |share: f64| match share {
        s if s < 0.0005 => "0 %".to_string(),
        s => format!("{:.1} %", 100.0 * s),
    };
    let known = |text: Option<String>| text.unwrap_or_default();
    vec![
        advised.target.clone(),
        advised.standing.as_str().into(),
        known(advised.mix_s.map(|s| format!("{} s", number::value(s)))),
        known(advised.ratio.map(|r| number::ratio(r.point))),
        known(advised.ratio.as_ref().map(number::interval)),
        known(advised.p_best.map(number::probability)),
        known(advised.ranks.map(number::rank)),
        known(advised.expected_regret.map(cost)),
        known(advised.regret_95.map(number::at_most)),
        advised.preferred.join(", "),
    ]
}

fn groups(advice: &stats::advice::Advice) -> Table {
    let tips = advice.sensitivity.as_ref().map_or(&[][..], |s| &s.tipping);
    let without = advice.sensitivity.as_ref().map_or(&[][..], |s| &s.without);
    let rows = advice.groups.iter().map(|group| {
        let tip = tips.iter().find(|t| t.group == group.name);
        let turns = match tip.map(|t| (t.at, &t.then)) {
            Some((Some(at), Some(then))) => format!("{:.0} %: {then}", 100.0 * at),
            Some(_) => "at no weight".into(),
            None => "-".into(),
        };
        let first = without.iter().find(|w| w.group == group.name);
        let cells = [
            group.name.clone(),
            format!("{:.0} %", 100.0 * group.weight),
            format!("{} of {}", group.cells, group.of_cells),
            turns,
            first.map_or("-".into(), |w| w.first.clone()),
        ];
        Row::body(cells.map(Cell::plain))
    });
    Table {
        caption: format!(
            "Groups of the profile; the campaign covers {:.0} % of its weight",
            100.0 * advice.covered
        ),
        columns: vec![
            Column::words("Group"),
            Column::numbers("", "Weight"),
            Column::numbers("", "Cells"),
            Column::words("Break-even weight"),
            Column::words("First without it"),
        ],
        rows: rows.collect(),
        footnotes: vec![
            "Break-even weight: the nearest weight of the group, as a share of what the campaign \
             covers, at which another target ties; the other weights keep their proportions."
                .into(),
        ],
    }
}

fn trials(sensitivity: &Sensitivity) -> String {
    let shares = sensitivity.acceptability.iter();
    let shares: Vec<String> =
        shares.map(|s| format!("{} {:.0} %", s.target, 100.0 * s.share)).collect();
    let mut text =
        format!("First under 2000 sets of weights drawn around these: {}.", shares.join(", "));
    let parts = [
        ("only cold cells", &sensitivity.cold_only),
        ("only hot cells", &sensitivity.hot_only),
        ("all except the noisiest 10 % of the cells", &sensitivity.without_noisiest),
    ];
    for (what, first) in parts {
        if let Some(first) = first {
            text.push_str(&format!(" By {what}: {first}."));
        }
    }
    text
}

fn support(advice: &stats::advice::Advice) -> Table {
    let name = |i: usize| advice.candidates.get(i).map_or("-", |c| c.target.as_str());
    let (first, second) = (name(0), name(1));
    let (mut rows, mut left_out) = (Vec::new(), 0);
    for group in &advice.groups {
        let mut own: Vec<&Support> =
            advice.support.iter().filter(|s| s.group == group.name).collect();
        if own.is_empty() {
            continue;
        }
        let size = |s: &Support| s.ratio.point.ln().abs();
        own.sort_by(|a, b| size(b).total_cmp(&size(a)));
        left_out += own.len().saturating_sub(MOST_CELLS);
        rows.push(Row::title(&group.name));
        rows.extend(own.into_iter().take(MOST_CELLS).map(cell));
    }
    let mut footnotes = Vec::new();
    if left_out > 0 {
        footnotes.push(format!(
            "{left_out} more cells with smaller differences are in the JSON and in `assay report`."
        ));
    }
    Table {
        caption: format!("Cells behind {first} over {second}, the largest differences first"),
        columns: vec![
            Column::words("Test"),
            Column::numbers("", "Processes"),
            Column::words("Unit"),
            Column::numbers("", first),
            Column::numbers("", second),
            Column::numbers("", "Ratio"),
            Column::numbers("", "Weight"),
        ],
        rows,
        footnotes,
    }
}

fn cell(support: &Support) -> Row {
    let cells = vec![
        Cell::plain(&support.name),
        Cell::plain(support.procs.to_string()),
        Cell::plain(&support.unit),
        Cell::plain(number::value(support.values[0])),
        Cell::plain(number::value(support.values[1])),
        ratios::judged(
            &support.ratio,
            Some(support.comparison),
            support.comparison.as_str().into(),
        ),
        Cell::plain(format!("{:.1} %", 100.0 * support.weight)),
    ];
    Row::body(cells)
}
