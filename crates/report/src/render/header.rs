//! Renders the page header: browser title, question answered, meaning of the suites, machine and date.

use super::title;
use model::{
    result::{Dataset, Origin, SUITES_ABOUT},
    text::{Bytes, printable},
};
use stats::evaluation::Findings;

/// The lines below the title.
pub(super) fn lines(dataset: &Dataset, findings: &Findings) -> Vec<String> {
    let lines = [question, about, place].map(|line| line(dataset, findings));
    lines.into_iter().flatten().collect()
}

/// What the page answers; a comparison and an advice say it in their own words.
fn question(dataset: &Dataset, findings: &Findings) -> Option<String> {
    let is_asked = findings.comparison.is_none() && findings.advice.is_none();
    let is_choice = |label: &String| findings.classes().any(|class| class.targets.contains(label));
    let labels = dataset.targets.iter().map(|target| &target.label).filter(|own| is_choice(own));
    let labels: Vec<_> = labels.map(|label| printable(label)).collect();
    let (last, others) =
        labels.split_last().filter(|(_, others)| is_asked && !others.is_empty())?;
    let suites = dataset.suites();
    Some(format!("Which is best for {}: {} or {last}?", printable(&suites), others.join(", ")))
}

/// What its suites stand for, in their own words.
fn about(dataset: &Dataset, findings: &Findings) -> Option<String> {
    let is_asked = findings.comparison.is_none();
    let about = dataset.campaign.environment.0.get(SUITES_ABOUT).filter(|_| is_asked)?;
    Some(printable(about).into_owned())
}

/// Whether the page is of one campaign that was measured on a known machine.
fn is_placed(dataset: &Dataset, findings: &Findings) -> bool {
    dataset.campaign.origin == Origin::Run && findings.comparison.is_none()
}

/// The day on which it began.
fn day(dataset: &Dataset) -> String {
    dataset.campaign.created.chars().take(10).collect()
}

/// What tells the page from others in tabs and bookmarks: its title, the processor of the machine and the date.
pub(super) fn tab(dataset: &Dataset, findings: &Findings) -> String {
    let name = title(dataset).into_owned();
    if !is_placed(dataset, findings) {
        return name;
    }
    let model = dataset.campaign.environment.0.get("cpu.model").cloned();
    let parts = [Some(name), model, Some(day(dataset))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    printable(&parts.join(", ")).into_owned()
}

/// The machine on which it was measured, and the date.
fn place(dataset: &Dataset, findings: &Findings) -> Option<String> {
    if !is_placed(dataset, findings) {
        return None;
    }
    let fact = |key: &str| dataset.campaign.environment.0.get(key);
    let cpus = fact("cpu.model")
        .map(|model| format!("{model}, {} CPUs", fact("cpu.count").map_or("?", String::as_str)));
    let memory = fact("memory.bytes")
        .and_then(|text| text.parse().ok())
        .map(|bytes| format!("{} of memory", Bytes(bytes)));
    let parts = [cpus, memory, Some(day(dataset))];
    let said: Vec<String> = parts.into_iter().flatten().collect();
    Some(printable(&format!("Measured on {}.", said.join(", "))).into_owned())
}
