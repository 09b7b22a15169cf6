//! Several campaigns on one page, side by side and never pooled: each section once, with a column for each campaign.
//! Interactive parts and the samples are only in the page of each campaign.

use super::{
    Chapter, ageing, built, clean,
    code::with_code,
    html::{Extent, SIDE_BY_SIDE, anchor, contents, document, render, with_tables_behind},
    title,
};
use crate::{
    Commands,
    block::{Block, Cell, Column, Row, Table},
};
use maud::html as markup;
use model::{result::Dataset, text::printable};
use stats::{comparison::Differing, evaluation::Findings};

/// The blocks of a section, for each campaign that has it.
type SectionColumns<'a> = (&'a str, Vec<(usize, &'a [Block])>);

/// One page of several campaigns, each judged separately.
pub fn html_side_by_side(campaigns: &[(Dataset, Findings)], commands: &Commands) -> String {
    let sections: Vec<Vec<Chapter>> = campaigns
        .iter()
        .map(|(dataset, findings)| with_tables_behind(built(dataset, findings, commands, |_| true)))
        .collect();
    let names: Vec<String> = campaigns.iter().map(|(dataset, _)| name(dataset)).collect();
    let ladder = clean::blocks(ageing::ladder(campaigns).into_iter().collect(), commands);
    let heading = names.join(" | ");
    let all = columns_of(&sections, SIDE_BY_SIDE);
    let differing = differing(campaigns, &names);
    let main = markup! {
        (contents(differing.iter().map(|_| DIFFERING).chain(all.iter().map(|(title, _)| *title))))
        p { (with_code(&separate(campaigns, commands))) }
        @if let Some(table) = differing {
            section id=(anchor(DIFFERING)) { h2 { (DIFFERING) } (render(&Block::Table(table), SIDE_BY_SIDE)) }
        }
        @if !ladder.is_empty() {
            section { h2 { "Ageing" } @for block in &ladder { (render(block, SIDE_BY_SIDE)) } }
        }
        @for (title, columns) in all {
            section id=(anchor(title)) {
                h2 { (title) }
                div class="beside" {
                    @for (at, blocks) in columns {
                        div {
                            h3 { (names[at]) }
                            @for block in blocks { (render(block, SIDE_BY_SIDE)) }
                        }
                    }
                }
            }
        }
    };
    let footer = format!("assay, {} campaigns", campaigns.len());
    document((&heading, &heading), &[], &main, &footer, None).into_string()
}

/// What the columns are not, and the command that compares the first two.
fn separate(campaigns: &[(Dataset, Findings)], commands: &Commands) -> String {
    let ids: Vec<_> =
        campaigns.iter().map(|(dataset, _)| printable(&dataset.campaign.id)).collect();
    let command = match ids.as_slice() {
        [first, second, ..] => format!("assay compare {first} {second}"),
        _ => "assay compare".into(),
    };
    let mut all = campaigns.iter().take(2).map(|(dataset, _)| commands.of(dataset));
    // In a store of its own is only what was not published.
    let of_both = all.find(|own| !own.options().is_empty()).unwrap_or_default();
    format!(
        "Each campaign is evaluated separately. For ratios between campaigns, use `{}`.",
        of_both.command(&command)
    )
}

/// Heading of what is not the same of the campaigns.
const DIFFERING: &str = "What differs";

/// Settings, hardware and software that are not the same, what is other than in the first of them marked; `None` where
/// nothing is known to differ.
fn differing(campaigns: &[(Dataset, Findings)], names: &[String]) -> Option<Table> {
    let datasets: Vec<&Dataset> = campaigns.iter().map(|(dataset, _)| dataset).collect();
    let row = |own: &Differing| {
        let first = own.values.iter().flatten().next();
        let cell = |value: &Option<String>| match value {
            None => Cell::plain("-"),
            Some(text) if Some(text) == first => Cell::plain(text),
            Some(text) => Cell { word: text.clone(), ..Cell::default() },
        };
        let what = Cell::plain(format!("{}: {}", own.of, own.key));
        Row::body(std::iter::once(what).chain(own.values.iter().map(cell)))
    };
    let rows: Vec<Row> = stats::comparison::differing_facts(&datasets).iter().map(row).collect();
    let heads = std::iter::once("What").chain(names.iter().map(String::as_str));
    (!rows.is_empty()).then(|| Table {
        caption:
            "Settings, hardware and software that are not the same; bold is other than in the first"
                .into(),
        columns: heads.map(Column::words).collect(),
        rows,
        footnotes: Vec::new(),
    })
}

/// The title of a campaign with its id, which distinguishes campaigns of one title.
fn name(dataset: &Dataset) -> String {
    let id = printable(&dataset.campaign.id);
    match title(dataset) {
        title if title == id => title.into_owned(),
        title => format!("{title}, {id}"),
    }
}

/// Every section in the order of the campaigns, the first one's before those that only others have.
fn columns_of(sections: &[Vec<Chapter>], extent: Extent) -> Vec<SectionColumns<'_>> {
    let mut all: Vec<SectionColumns<'_>> = Vec::new();
    for (at, own) in sections.iter().enumerate() {
        for Chapter { heading, blocks, .. } in own.iter().filter(|own| extent.has(&own.blocks)) {
            match all.iter_mut().find(|(known, _)| known == heading) {
                Some((_, columns)) => columns.push((at, blocks)),
                None => all.push((heading, vec![(at, blocks)])),
            }
        }
    }
    all
}
