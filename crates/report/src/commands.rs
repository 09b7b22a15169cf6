//! Completes commands in a text, so that they can be pasted: they carry the options that the report was asked for with,
//! e.g. those that lead to its store.

use model::text::shell_word;
use std::borrow::Cow;

/// Verbs that use the store or the state folder.
const VERBS: [&str; 16] = [
    "advise", "check", "cleanup", "compare", "export", "import", "list", "plan", "remake",
    "report", "resume", "rm", "run", "selftest", "show", "tune",
];

/// Before a command in a text.
const COMMAND: &str = "`assay ";

/// What a command begins with.
const PROGRAM: &str = "assay ";

/// The options that commands carry, each with a blank before it; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands(String);

impl Commands {
    /// Of these options with their values.
    pub fn carrying<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Commands {
        let option = |(name, value)| format!(" {name} {}", shell_word(value));
        Commands(options.into_iter().map(option).collect())
    }

    /// `text` with its commands, which stand in backquotes, as they have to be typed. What is complete stays.
    pub fn completed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.0.is_empty() || !text.contains(COMMAND) {
            return text.into();
        }
        let mut parts = text.split(COMMAND);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out += COMMAND;
            self.append(&mut out, part);
        }
        out.into()
    }

    /// A command by itself as it has to be typed; what is none stays.
    pub(crate) fn command<'t>(&self, command: &'t str) -> Cow<'t, str> {
        match command.strip_prefix(PROGRAM) {
            Some(rest) if !self.0.is_empty() => {
                let mut out = PROGRAM.to_owned();
                self.append(&mut out, rest);
                out.into()
            }
            _ => command.into(),
        }
    }

    /// Appends what follows the name of the program, with the options behind a verb that has them.
    fn append(&self, out: &mut String, part: &str) {
        let end = part.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(part.len());
        let (verb, rest) = part.split_at(end);
        *out += verb;
        if VERBS.contains(&verb) && !rest.starts_with(&self.0) {
            *out += &self.0;
        }
        *out += rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_carry_what_was_given() {
        let commands = Commands::carrying([("--store", "/my store/a.db"), ("--state", "/s")]);
        let text = "continue with `assay resume c7 --blocks +2`; `assay explain etcd`";
        let whole = "continue with `assay resume --store '/my store/a.db' --state /s c7 --blocks +2`; `assay explain etcd`";
        assert_eq!(commands.completed(text), whole);
        assert_eq!(commands.completed(whole), whole, "once");
        let commands = Commands::carrying([("--state", "/s")]);
        assert_eq!(commands.completed("run `assay cleanup`"), "run `assay cleanup --state /s`");
        let other = "assay report, `assay reporter`";
        assert_eq!(commands.completed(other), other);
        assert_eq!(commands.command("assay list"), "assay list --state /s");
        assert_eq!(commands.command("mkfs.xfs list"), "mkfs.xfs list");
    }

    #[test]
    fn nothing_is_carried_where_nothing_was_given() {
        assert_eq!(Commands::carrying([]), Commands::default());
        assert_eq!(Commands::default().completed("`assay list`"), "`assay list`");
    }
}
