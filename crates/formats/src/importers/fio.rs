//! Reads what fio prints: `--output-format=json`, `json+`, `terse` and `normal`, each alone or with
//! other text around it, as it is saved in files or pasted into web pages.
//!
//! A file is the runs of one target. Jobs of one name in one run are its workers and make one
//! sample; the same job in several runs makes several. JSON, which may be long, is not held.

mod clean;
mod dataset;
mod join;
mod json;
mod metrics;
mod number;
mod run;
mod settle;
mod status;
mod terse;
mod text;
mod work;

use crate::{
    FormatError, ImportOptions, names_of, naming,
    source::{self, Input, Take},
};
use dataset::Made;
use model::result::{Head, Imported};
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
                line.starts_with(COMPLAINT)
                    || terse::is_line(line)
                    || text::is_line(line)
                    || status::is_line(line)
            })
    }

    fn stream(
        &self,
        files: &[Input<'_>],
        options: &ImportOptions,
        take: &mut Take<'_>,
    ) -> Result<Head, FormatError> {
        let (mut sources, mut without) = (Vec::new(), Vec::new());
        for file in files {
            match look(*file)? {
                Some(source) => sources.push(source),
                None if holds_status(*file)? => without.push(only_status(file)),
                None => without.extend(no_result(*file)?),
            }
        }
        if sources.is_empty() {
            let mut own = Vec::new();
            for file in files {
                own.extend(holds_status(*file)?.then_some(*file));
            }
            if !own.is_empty() {
                return status_alone(own, options, take);
            }
        }
        match without.first() {
            Some(error) if sources.is_empty() => Err(error.clone()),
            None if sources.is_empty() => Err(FormatError::file(
                &names_of(files),
                "it contains no fio run; import the output of a finished run",
            )),
            _ => dataset::assemble(&name_targets(sources, options), &without, options, take),
        }
    }
}

/// Whether the status of groups is in a file.
fn holds_status(file: Input<'_>) -> Result<bool, FormatError> {
    for line in clean::lines(file)? {
        if status::is_line(&line?.1) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn only_status(file: &Input<'_>) -> FormatError {
    FormatError::file(file.name(), "contains only the status of groups; import it separately")
}

/// The campaign of files in which the status of groups alone stands.
fn status_alone(
    files: Vec<Input<'_>>,
    options: &ImportOptions,
    take: &mut Take<'_>,
) -> Result<Head, FormatError> {
    let names: Vec<&str> = files.iter().map(Input::name).collect();
    let targets = naming::targets(&names, "fio", options);
    let files: Vec<(Input<'_>, String)> = files.into_iter().zip(targets).collect();
    source::pass(status::read(&files, options)?, take)
}

/// A file that holds runs.
struct Source<'a> {
    file: Input<'a>,
    target: String,
    /// The richest of the ways in which they were printed.
    printed: Printed,
    /// They were printed in other ways too.
    repeated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Printed {
    Json,
    Text,
    Terse,
}

impl Source<'_> {
    fn is_terse(&self) -> bool {
        self.printed == Printed::Terse
    }

    /// Gives the jobs of every run to `made`.
    fn runs(&self, made: &mut Made<'_, '_>) -> Result<(), FormatError> {
        if self.printed == Printed::Json {
            return json::runs(self.file, made);
        }
        for run in runs_of_lines(self.file, self.printed)? {
            made.note(run.note);
            if made.begin((&run).into()) {
                run.jobs.into_iter().try_for_each(|job| made.job(job))?;
                made.end()?;
            }
        }
        Ok(())
    }
}

/// What was printed line by line.
fn runs_of_lines(file: Input<'_>, printed: Printed) -> Result<Vec<run::Run>, FormatError> {
    let bytes = file.bytes()?;
    let text = String::from_utf8_lossy(&bytes);
    let plain =
        |line: &'_ str| if line.starts_with(COMPLAINT) { String::new() } else { line.into() };
    let text = text.lines().map(plain).collect::<Vec<String>>().join("\n");
    match printed {
        Printed::Terse => terse::runs(file.name(), &text),
        _ => text::runs(file.name(), &text),
    }
}

/// The output formats of the runs in a file; `None` if it has no run.
fn look(file: Input<'_>) -> Result<Option<Source<'_>>, FormatError> {
    let (mut terse, mut human) = (false, false);
    for line in clean::lines(file)? {
        let (_, line) = line?;
        let is_complaint = line.starts_with(COMPLAINT);
        terse |= !is_complaint && terse::is_line(&line);
        human |= !is_complaint && text::is_line(&line);
    }
    let source =
        |printed, repeated| Ok(Some(Source { file, target: String::new(), printed, repeated }));
    match (human, terse) {
        _ if json::holds_job(file)? => source(Printed::Json, terse || human),
        (true, _) if !runs_of_lines(file, Printed::Text)?.is_empty() => {
            source(Printed::Text, terse)
        }
        (false, true) if !runs_of_lines(file, Printed::Terse)?.is_empty() => {
            source(Printed::Terse, false)
        }
        _ => Ok(None),
    }
}

/// Why a file holds no run, when fio itself says so.
fn no_result(file: Input<'_>) -> Result<Option<FormatError>, FormatError> {
    for line in clean::lines(file)? {
        let (number, line) = line?;
        if let Some(why) = line.strip_prefix(COMPLAINT) {
            let why: String = why.chars().filter(|c| !c.is_control()).collect();
            let why =
                format!("no result, because fio failed: {why}; rerun it and import the new output");
            return Ok(Some(FormatError::line(file.name(), number, why)));
        }
    }
    Ok(None)
}

/// Names each source by its file.
fn name_targets<'a>(mut sources: Vec<Source<'a>>, options: &ImportOptions) -> Vec<Source<'a>> {
    let files: Vec<&str> = sources.iter().map(|source| source.file.name()).collect();
    for (source, target) in sources.iter_mut().zip(naming::targets(&files, "fio", options)) {
        source.target = target;
    }
    sources
}

/// What fio says went wrong in a job.
fn failure(error: i32, failed_ops: u64, first_error: i32) -> Option<Imported> {
    let words = |errno: i32| {
        let text = io::Error::from_raw_os_error(errno).to_string();
        text.split(" (os error").next().unwrap_or_default().to_owned()
    };
    if error != 0 {
        Some(Imported::FioStopped { errno: error, error: words(error) })
    } else if failed_ops > 0 {
        let (count, errno) = (failed_ops, first_error);
        Some(Imported::FioOperationsFailed { count, errno, error: words(errno) })
    } else {
        None
    }
}
