//! Words that have no place in the repository: unfinished work, paths of one machine, hosts that
//! serve packages, and talk about how the code came to be. This file alone may hold them.

use crate::{
    lexer,
    problem::Problem,
    tree::{File, Tree},
};

/// Not searched: this list, and the lock file, which names where packages come from.
const EXEMPT: [&str; 2] = ["xtask/src/rules/words.rs", "Cargo.lock"];

/// Whole words, as written.
const UNFINISHED: [&str; 4] = ["TODO", "FIXME", "todo!", "unimplemented!"];

/// Parts of any text, as written.
const PLACES: [&str; 11] = [
    "/work/",
    "/root/",
    "/home/",
    "index.crates.io",
    "static.crates.io",
    "crates.io-index",
    "pypi.org",
    "registry.npmjs",
    "proxy.golang",
    "http://localhost",
    "http://127.",
];

/// Whole words in any case.
const TALK: [&str; 13] = [
    "agent",
    "agents",
    "subagent",
    "session",
    "sessions",
    "the brief",
    "shared folder",
    "chatbot",
    "llm",
    "chatgpt",
    "openai",
    "claude",
    "anthropic",
];

/// What is called so in the field, in any case.
const FIELD: [&str; 6] =
    ["ssh session", "login session", "iscsi session", "fuser::session", "ssh-agent", "ssh agent"];

/// Lines that hold such a word.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let searched = tree.files.iter().filter(|file| !EXEMPT.contains(&file.path.as_str()));
    searched.flat_map(lines_of).collect()
}

fn lines_of(file: &File) -> Vec<Problem> {
    let lines = file.text.lines().enumerate();
    lines.filter_map(|(i, line)| Some(Problem::line(&file.path, i + 1, why(line)?))).collect()
}

fn why(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    if let Some(word) = UNFINISHED.iter().find(|word| lexer::has_word(line, word)) {
        Some(format!("`{word}`: finish it or delete it"))
    } else if let Some(place) = PLACES.iter().find(|place| line.contains(*place)) {
        Some(format!("`{place}` exists on one machine or network; write it without"))
    } else {
        let own = FIELD.iter().fold(lower, |line, term| line.replace(term, ""));
        let word = TALK.iter().find(|word| lexer::has_word(&own, word))?;
        Some(format!("`{word}` speaks of how the code came to be; say why it is so instead"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn each_kind_of_word_is_found() {
        for line in [
            "// TODO later",
            "todo!()",
            "see /work/notes",
            "curl https://pypi.org/simple",
            "as the Agent said",
            "in an earlier session",
        ] {
            assert_eq!(check(&tree(&[("a.md", line)])).len(), 1, "{line}");
        }
    }

    #[test]
    fn words_that_only_look_alike_pass() {
        for line in ["mktemp XXXXXX", "a brief pause", "LLVM", "network/workers/", "an SSH session"]
        {
            assert_eq!(check(&tree(&[("a.md", line)])), [], "{line}");
        }
    }

    #[test]
    fn this_list_is_exempt() {
        assert_eq!(check(&tree(&[("xtask/src/rules/words.rs", "TODO")])), []);
    }
}
