//! The renderers with commands that carry nothing, as most tests want them.

use model::result::Dataset;
use report::{Commands, TerminalOptions};
use stats::evaluation::Findings;

pub(crate) fn html(dataset: &Dataset, findings: &Findings) -> String {
    report::html(dataset, findings, &Commands::default())
}

pub(crate) fn html_side_by_side(campaigns: &[(Dataset, Findings)]) -> String {
    report::html_side_by_side(campaigns, &Commands::default())
}

pub(crate) fn json(dataset: &Dataset, findings: &Findings) -> String {
    report::json(dataset, findings, &Commands::default())
}

pub(crate) fn markdown(dataset: &Dataset, findings: &Findings) -> String {
    report::markdown(dataset, findings, &Commands::default())
}

pub(crate) fn summary(
    dataset: &Dataset,
    findings: &Findings,
    options: &TerminalOptions,
    closing: &str,
) -> String {
    report::summary(dataset, findings, &Commands::default(), options, closing)
}

pub(crate) fn terminal(
    dataset: &Dataset,
    findings: &Findings,
    options: &TerminalOptions,
) -> String {
    report::terminal(dataset, findings, &Commands::default(), options)
}
