//! Plain English: a file opens by naming what it is or does, and no text uses the idioms that native readers stop at.

use crate::{
    lexer,
    problem::Problem,
    tree::{File, Tree},
};

/// Folders and pages whose wording is done. A folder is added once it is clean.
const DONE: [&str; 21] = [
    "README.md",
    "docs/",
    "crates/assay/",
    "crates/campaign/",
    "crates/disk/",
    "crates/engine/",
    "crates/faults/",
    "crates/formats/",
    "crates/fs/",
    "crates/lab/",
    "crates/model/",
    "crates/mpi/",
    "crates/needs/",
    "crates/record/",
    "crates/report/",
    "crates/stats/",
    "crates/store/",
    "crates/suites/",
    "crates/trace/",
    "crates/workers/",
    "xtask/",
];

/// Not searched: this list.
const EXEMPT: &str = "xtask/src/rules/wording.rs";

/// Words that open a relative clause, or a question.
const RELATIVE: [&str; 10] =
    ["How", "What", "When", "Where", "Whether", "Which", "Who", "Whoever", "Whose", "Why"];

/// Whole words in any case, each with what to write instead.
const IDIOMS: [(&str, &str); 13] = [
    ("are told", "are reported, or receive"),
    ("everybody", "name them: all users, every candidate"),
    ("hangs on", "depends on"),
    ("hung on", "depended on"),
    ("is told", "is reported, or receives"),
    ("nobody", "no process, no user, none"),
    ("so many", "this many, or a number of"),
    ("somebody", "name it: another process, another user"),
    ("something else than", "other data than, or something other than"),
    ("stand beside", "are next to, or are shown with"),
    ("stands beside", "is next to, or is shown with"),
    ("the begin", "the start"),
    ("whoever", "name it: the caller, the process that"),
];

/// Files that open with a relative clause, and lines with such an idiom.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let done = |file: &&File| {
        let text = [".rs", ".md"].iter().any(|ending| file.path.ends_with(ending));
        text && file.path != EXEMPT && DONE.iter().any(|part| file.path.starts_with(part))
    };
    let files = tree.files.iter().filter(done);
    files.flat_map(|file| opening(file).into_iter().chain(idioms(file))).collect()
}

fn opening(file: &File) -> Option<Problem> {
    let first = file.text.lines().next()?.strip_prefix("//! ")?;
    let sentence = first.split(['.', '?']).next().unwrap_or_default();
    let is_question = first[sentence.len()..].starts_with('?');
    let word = first.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    (RELATIVE.contains(&word) && !is_question).then(|| {
        Problem::line(&file.path, 1, format!("opens with `{word}`; say what it is or does"))
    })
}

fn idioms(file: &File) -> Vec<Problem> {
    let prose = if file.path.ends_with(".rs") { prose(&file.text) } else { file.text.clone() };
    let lines = prose.lines().enumerate();
    lines.filter_map(|(i, line)| Some(Problem::line(&file.path, i + 1, why(line)?))).collect()
}

/// Comments and literals of `text`; its code as spaces.
fn prose(text: &str) -> String {
    let code = lexer::code(text);
    let kept = |(own, code): (char, char)| if own == '\n' || code == ' ' { own } else { ' ' };
    text.chars().zip(code.chars()).map(kept).collect()
}

fn why(line: &str) -> Option<String> {
    // The user of that name.
    let lower = line.to_lowercase().replace("`nobody`", "");
    let (idiom, instead) = IDIOMS.iter().find(|(idiom, _)| lexer::has_word(&lower, idiom))?;
    Some(format!("`{idiom}`: write {instead}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn found(path: &str, text: &str) -> usize {
        check(&tree(&[(path, text)])).len()
    }

    #[test]
    fn relative_clauses_as_openings_are_found() {
        for text in ["//! Where a sample is stored.\n", "//! Who still runs.\n"] {
            assert_eq!(found("crates/stats/src/a.rs", text), 1, "{text}");
        }
        for text in ["//! Stores a sample.\n", "//! What is noise? Two answers.\n", "// Where.\n"] {
            assert_eq!(found("crates/stats/src/a.rs", text), 0, "{text}");
        }
    }

    #[test]
    fn each_idiom_is_found() {
        for (idiom, _) in IDIOMS {
            assert_eq!(found("docs/a.md", &format!("All of it, {idiom} it.")), 1, "{idiom}");
        }
        assert_eq!(found("docs/a.md", "run as `nobody`; the beginning; everybody_reads"), 0);
        assert_eq!(found("crates/stats/src/a.rs", "//! Reads.\nlet nobody = \"nobody\";"), 1);
        assert_eq!(found("crates/stats/src/a.rs", "//! Reads.\nlet nobody = 1;"), 0);
    }

    #[test]
    fn only_folders_that_are_done_are_searched() {
        assert_eq!(found("crates/other/src/a.rs", "//! What nobody reads.\n"), 0);
        assert_eq!(found("crates/stats/src/a.rs", "//! What nobody reads.\n"), 2);
    }
}
