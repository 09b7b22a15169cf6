//! The renderers, and the order in which all of them show a report.

mod ageing;
mod bars;
mod chart;
mod clean;
mod code;
pub(crate) mod columns;
pub(crate) mod csv;
mod dots;
mod drawer;
mod forest;
mod header;
mod heat_map;
pub(crate) mod html;
pub(crate) mod json;
mod legend;
mod lines;
pub(crate) mod markdown;
mod scatter;
mod script;
pub(crate) mod side_by_side;
mod signs;
mod stacked;
pub(crate) mod summary;
mod svg;
pub(crate) mod terminal;
mod terminal_table;
pub(crate) mod terminal_text;
mod time_series;
mod timeline;

use crate::{
    Commands,
    block::Block,
    names,
    sections::{self, SECTIONS, Section},
};
use model::{plan::LabKind, result::Dataset, text::printable};
use stats::evaluation::Findings;
use std::borrow::Cow;

/// A section that has something to say.
struct Chapter {
    /// Its title, with the class that it is of where there are several.
    heading: String,
    /// Whether it belongs on paper.
    in_print: bool,
    /// What it says, fit to be shown.
    blocks: Vec<Block>,
}

impl Chapter {
    fn new(
        section: &dyn Section,
        heading: String,
        blocks: Vec<Block>,
        commands: &Commands,
    ) -> Chapter {
        Chapter { heading, in_print: section.in_print(), blocks: clean::blocks(blocks, commands) }
    }
}

/// Sections that have something to say.
fn built(
    dataset: &Dataset,
    findings: &Findings,
    commands: &Commands,
    keep: fn(&dyn Section) -> bool,
) -> Vec<Chapter> {
    let kept: Vec<&dyn Section> = SECTIONS.iter().copied().filter(|s| keep(*s)).collect();
    let build =
        |section: &dyn Section, data: &Dataset, found: &Findings| section.build(data, found);
    assembled((dataset, findings), commands, &kept, &build)
}

/// Makes the blocks of a section of a dataset and its findings.
type Build<'b> = dyn Fn(&dyn Section, &Dataset, &Findings) -> Option<Vec<Block>> + 'b;

/// The same of `sections`, by `build`. Of a campaign of several classes what is not of the whole is built for one
/// class after the other.
fn assembled(
    (dataset, findings): (&Dataset, &Findings),
    commands: &Commands,
    sections: &[&dyn Section],
    build: &Build<'_>,
) -> Vec<Chapter> {
    let dataset = &*stats::description::with_reasons(dataset);
    let commands = &commands.of(dataset);
    let mut all = Vec::new();
    let mut is_first = true;
    for run in sections.chunk_by(|a, b| a.of_whole() == b.of_whole()) {
        if findings.others.is_empty() || run[0].of_whole() {
            let built = |s: &&dyn Section| {
                let blocks = build(*s, dataset, findings)?;
                Some(Chapter::new(*s, s.title().into(), blocks, commands))
            };
            all.extend(run.iter().filter_map(built));
            continue;
        }
        for class in findings.classes() {
            let part = stats::evaluation::part(dataset, class);
            let name = class.class_name(findings);
            let title = |s: &dyn Section| match &name {
                Some(name) => format!("{}, {name}", s.title()),
                None => s.title().into(),
            };
            let opened = is_first && class.lab == LabKind::Host && findings.has_labs();
            all.extend(opened.then(|| opening(&part, class, title(&sections::Lab), commands)));
            let built = |s: &&dyn Section| {
                Some(Chapter::new(*s, title(*s), build(*s, &part, class)?, commands))
            };
            all.extend(run.iter().filter_map(built));
        }
        is_first = false;
    }
    all
}

/// The text before the sections of the host; of the other labs the section of the lab tells more.
fn opening(part: &Dataset, host: &Findings, heading: String, commands: &Commands) -> Chapter {
    let targets = names::measured(part, host).join(", ");
    let text = format!("Measured {}: {targets}.", host.lab.place());
    Chapter::new(&sections::Lab, heading, vec![Block::Callout(text)], commands)
}

/// The heading of the whole report.
fn title(dataset: &Dataset) -> Cow<'_, str> {
    let campaign = &dataset.campaign;
    printable(if campaign.title.is_empty() { &campaign.id } else { &campaign.title })
}

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds the same paragraph, of the whole or for each class.
    struct Paragraph {
        of_whole: bool,
    }

    impl Section for Paragraph {
        fn title(&self) -> &'static str {
            "Paragraph"
        }

        fn build(&self, _: &Dataset, _: &Findings) -> Option<Vec<Block>> {
            Some(vec![Block::Prose("so".into())])
        }

        fn of_whole(&self) -> bool {
            self.of_whole
        }
    }

    #[test]
    fn the_host_is_introduced_once_wherever_sections_of_a_class_are() {
        let mut data = common::campaign(3);
        let uml = data.targets[2].label.clone();
        data.targets[2].lab = LabKind::Uml;
        let own = data.samples.iter_mut().filter(|sample| sample.case.target == uml);
        own.for_each(|sample| sample.lab = LabKind::Uml);
        let findings =
            stats::evaluation::findings(&data, &stats::description::Settings::default()).unwrap();
        let sections: [&dyn Section; 3] = [
            &Paragraph { of_whole: false },
            &Paragraph { of_whole: true },
            &Paragraph { of_whole: false },
        ];
        let build =
            |section: &dyn Section, data: &Dataset, found: &Findings| section.build(data, found);
        let all = assembled((&data, &findings), &Commands::default(), &sections, &build);
        let introduced = all.iter().filter(|chapter| chapter.heading.starts_with("Lab")).count();
        assert_eq!((all.len(), introduced), (6, 1));
    }
}
