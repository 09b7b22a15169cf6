//! What must hold of a dataset from elsewhere however it is shown, and a folder in which to try it.

use super::assert_harmless;
use formats::export;
use model::result::Dataset;
use report::{Commands, TerminalOptions};
use stats::description::Settings;
use std::path::Path;
use tempfile::TempDir;

/// A folder in memory, where there is one.
pub(super) fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.unwrap_or_else(|why| panic!("no folder to work in: {why}"))
}

/// What is concluded from `data` and told of it reaches no terminal, page or other file.
pub(super) fn assert_shown(data: &Dataset) {
    if let Ok(findings) = stats::evaluation::findings(data, &Settings::default()) {
        let options = TerminalOptions { width: 80, color: true };
        let commands = Commands::default();
        let terminal = report::terminal(data, &findings, &commands, &options);
        assert_harmless("the terminal", &without_colors(&terminal));
        let summary = report::summary(data, &findings, &commands, &options, "closing");
        assert_harmless("the answer", &without_colors(&summary));
        assert!(summary.lines().count() <= 40, "the answer has more than 40 lines: {summary}");
        assert_harmless("Markdown", &report::markdown(data, &findings, &commands));
        assert_harmless("CSV", &report::csv(data, &findings));
        assert_harmless("JSON", &report::json(data, &findings, &commands));
        assert_harmless("HTML", &report::html(data, &findings, &commands));
    }
    let options = export::ExportOptions { identified: true, ..Default::default() };
    for files in export::ALL.iter().filter_map(|export| (export.files)(data, &options).ok()) {
        for (name, bytes) in files {
            let stays = |part: &str| part.starts_with(|c: char| c.is_ascii_alphanumeric());
            assert!(name.split('/').all(stays), "a file is called {name:?}");
            if !name.ends_with(".gz") && !name.ends_with(".parquet") {
                assert_harmless(&name, &String::from_utf8_lossy(&bytes));
            }
        }
    }
}

/// `text` without the colours that the renderer itself sets.
fn without_colors(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = String::from(parts.next().unwrap_or_default());
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        match rest.strip_prefix('m') {
            Some(rest) => plain += rest,
            None => plain = plain + "\u{1b}[" + part,
        }
    }
    plain
}
