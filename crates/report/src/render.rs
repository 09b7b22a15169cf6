//! The renderers, and the order in which all of them show a report.

mod chart;
mod clean;
mod courses;
pub(crate) mod csv;
mod dots;
mod drawer;
mod forest;
mod heat_map;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
mod scatter;
pub(crate) mod summary;
mod svg;
pub(crate) mod terminal;
mod terminal_table;
pub(crate) mod terminal_text;

use crate::{
    block::Block,
    sections::{self, SECTIONS, Section},
};
use model::{Dataset, LabKind, printable};
use stats::Findings;
use std::borrow::Cow;

/// Sections that have something to say: title and blocks, fit to be shown.
fn built(
    dataset: &Dataset,
    findings: &Findings,
    keep: fn(&dyn Section) -> bool,
) -> Vec<(String, Vec<Block>)> {
    let kept: Vec<&dyn Section> = SECTIONS.iter().copied().filter(|s| keep(*s)).collect();
    assembled(dataset, findings, &kept, &|section, data, found| section.build(data, found))
}

/// Makes the blocks of a section of a dataset and its findings.
type Build<'b> = dyn Fn(&dyn Section, &Dataset, &Findings) -> Option<Vec<Block>> + 'b;

/// The same of `sections`, by `build`. Of a campaign of several classes what is not of the whole is built for one
/// class after the other.
fn assembled(
    dataset: &Dataset,
    findings: &Findings,
    sections: &[&dyn Section],
    build: &Build<'_>,
) -> Vec<(String, Vec<Block>)> {
    let mut all = Vec::new();
    for run in sections.chunk_by(|a, b| a.of_whole() == b.of_whole()) {
        if findings.others.is_empty() || run[0].of_whole() {
            let built = |s: &&dyn Section| {
                Some((s.title().into(), clean::blocks(build(*s, dataset, findings)?)))
            };
            all.extend(run.iter().filter_map(built));
            continue;
        }
        for class in findings.classes() {
            let part = stats::part(dataset, class);
            let name = class.class_name(findings);
            let title = |s: &dyn Section| match &name {
                Some(name) => format!("{}, {name}", s.title()),
                None => s.title().into(),
            };
            let opened = class.lab == LabKind::Host && findings.has_labs();
            all.extend(opened.then(|| opening(class, &title(&sections::Lab))));
            let built =
                |s: &&dyn Section| Some((title(*s), clean::blocks(build(*s, &part, class)?)));
            all.extend(run.iter().filter_map(built));
        }
    }
    all
}

/// What stands before the sections of the host; of the other labs the section of the lab tells more.
fn opening(host: &Findings, title: &str) -> (String, Vec<Block>) {
    let text = format!("Measured {}: {}.", host.lab.place(), host.targets.join(", "));
    (title.into(), clean::blocks(vec![Block::Callout(text)]))
}

/// The heading of the whole report.
fn title(dataset: &Dataset) -> Cow<'_, str> {
    let campaign = &dataset.campaign;
    printable(if campaign.title.is_empty() { &campaign.id } else { &campaign.title })
}
