//! Completes commands in messages, so that they can be pasted: they carry the store and the state folder that this run
//! was given.

use model::text::shell_word;
use std::{borrow::Cow, path::Path, sync::OnceLock};

/// Verbs that use the store or the state folder.
const VERBS: [&str; 12] = [
    "advise", "check", "cleanup", "compare", "export", "list", "report", "resume", "rm", "run",
    "show", "tune",
];

/// Before a command in a message.
const COMMAND: &str = "`assay ";

/// The options that commands carry, each with a blank before it; empty where none was given.
static CARRIED: OnceLock<String> = OnceLock::new();

/// Has the commands in messages carry these paths from now on.
pub fn carry(store: Option<&Path>, state: Option<&Path>) {
    let _ = CARRIED.set(options(store, state));
}

fn options(store: Option<&Path>, state: Option<&Path>) -> String {
    let given = [("--store", store), ("--state", state)];
    let option = |(name, path): (&str, Option<&Path>)| {
        Some(format!(" {name} {}", shell_word(&path?.to_string_lossy())))
    };
    given.into_iter().filter_map(option).collect()
}

/// `text` with its commands as they have to be typed after this run.
pub(super) fn completed(text: &str) -> Cow<'_, str> {
    match CARRIED.get() {
        Some(options) if !options.is_empty() => with_options(text, options).into(),
        _ => text.into(),
    }
}

fn with_options(text: &str, options: &str) -> String {
    let mut parts = text.split(COMMAND);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += COMMAND;
        let end = part.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(part.len());
        let (verb, rest) = part.split_at(end);
        out += verb;
        if VERBS.contains(&verb) {
            out += options;
        }
        out += rest;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_carry_what_was_given() {
        let options = options(Some(Path::new("/my store/a.db")), Some(Path::new("/s")));
        assert_eq!(
            with_options(
                "continue with `assay resume c7 --blocks +2`; `assay explain etcd`",
                &options
            ),
            "continue with `assay resume --store '/my store/a.db' --state /s c7 --blocks +2`; `assay explain etcd`"
        );
        assert_eq!(
            with_options("run `assay cleanup`", " --state /s"),
            "run `assay cleanup --state /s`"
        );
        assert_eq!(
            with_options("assay report, `assay reporter`", " --state /s"),
            "assay report, `assay reporter`"
        );
    }

    #[test]
    fn nothing_is_carried_where_nothing_was_given() {
        assert_eq!(options(None, None), "");
        assert_eq!(options(None, Some(Path::new("s"))), " --state s");
    }
}
