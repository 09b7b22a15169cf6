//! Reads what fio prints: `--output-format=json`, `json+`, `terse` and `normal`, each alone or with
//! other text around it, as it is saved in files or pasted into web pages.
//!
//! A file is the runs of one target. Jobs of one name in one run are its workers and make one
//! sample; the same job in several runs makes several.

mod dataset;
mod json;
mod metrics;
mod number;
mod run;
mod terse;
mod text;
mod work;

use crate::{FormatError, ImportOptions, NamedBytes, names_of, naming};
use model::Dataset;
use run::Run;
use std::io;

pub use work::pattern_kind;

/// The importer.
pub(crate) struct Importer;

/// How fio begins a line of complaint, which may stand anywhere, even inside its JSON.
const COMPLAINT: &str = "fio: ";

impl crate::Importer for Importer {
    fn name(&self) -> &'static str {
        "fio"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let head = String::from_utf8_lossy(head);
        let mut lines = head.lines();
        head.contains("\"fio version\"")
            || lines.any(|line| {
                line.starts_with(COMPLAINT) || terse::is_line(line) || text::is_line(line)
            })
    }

    fn read(&self, files: &[NamedBytes], options: &ImportOptions) -> Result<Dataset, FormatError> {
        let mut sources = Vec::new();
        let mut empty = Vec::new();
        for (name, bytes) in files {
            let source = read_file(name, &String::from_utf8_lossy(bytes))?;
            if source.runs.is_empty() { empty.push((name, bytes)) } else { sources.push(source) }
        }
        let without = empty.into_iter().map(|(name, bytes)| no_result(name, bytes));
        let without: Vec<FormatError> = without.flatten().collect();
        match without.first() {
            Some(error) if sources.is_empty() => Err(error.clone()),
            None if sources.is_empty() => Err(FormatError::file(
                &names_of(files),
                "no run of fio is in it; give the output of a finished run",
            )),
            _ => Ok(dataset::assemble(&name_targets(sources, options), &without, options)),
        }
    }
}

/// What one file holds.
struct Source<'a> {
    file: &'a str,
    target: String,
    runs: Vec<Run>,
    /// The same runs were printed in other ways too.
    repeated: bool,
    terse: bool,
}

/// Reads one file in the richest of the ways in which its runs were printed: JSON, text, terse.
fn read_file<'a>(file: &'a str, text: &str) -> Result<Source<'a>, FormatError> {
    let plain =
        |line: &'_ str| if line.starts_with(COMPLAINT) { String::new() } else { line.into() };
    let text = text.lines().map(plain).collect::<Vec<String>>().join("\n");
    let (terse, human) = (text.lines().any(terse::is_line), text.lines().any(text::is_line));
    let mut source =
        Source { file, target: String::new(), runs: Vec::new(), repeated: false, terse: false };
    source.runs = json::runs(file, &text)?;
    if !source.runs.is_empty() {
        source.repeated = terse || human;
    } else if human {
        source.runs = text::runs(file, &text)?;
        source.repeated = terse;
    } else if terse {
        source.runs = terse::runs(file, &text)?;
        source.terse = true;
    }
    Ok(source)
}

/// Why a file holds no run, when fio itself says so.
fn no_result(file: &str, bytes: &[u8]) -> Option<FormatError> {
    let text = String::from_utf8_lossy(bytes);
    let (i, line) = text.lines().enumerate().find(|(_, line)| line.starts_with(COMPLAINT))?;
    let why: String = line[COMPLAINT.len()..].chars().filter(|c| !c.is_control()).collect();
    let why = format!("no result, fio failed: {why}; run it again and import its new output");
    Some(FormatError::line(file, i as u64 + 1, why))
}

/// Names each source by its file.
fn name_targets<'a>(mut sources: Vec<Source<'a>>, options: &ImportOptions) -> Vec<Source<'a>> {
    let files: Vec<&str> = sources.iter().map(|source| source.file).collect();
    for (source, target) in sources.iter_mut().zip(naming::targets(&files, "fio", options)) {
        source.target = target;
    }
    sources
}

/// What fio says went wrong in a job, in words.
fn failure(error: i32, failed_ops: u64, first_error: i32) -> Option<String> {
    let words = |error: i32| {
        let text = io::Error::from_raw_os_error(error).to_string();
        let text = text.split(" (os error").next().unwrap_or_default().to_owned();
        format!("{text} (error {error})")
    };
    if error != 0 {
        Some(format!("fio stopped: {}", words(error)))
    } else if failed_ops > 0 {
        Some(format!("{failed_ops} operations failed, the first with {}", words(first_error)))
    } else {
        None
    }
}
