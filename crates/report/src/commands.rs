//! Completes commands in a text, so that they can be pasted: they carry the options that the report was asked for with,
//! e.g. those that lead to its store.
//!
//! A report is given away, so only a command that reads a stored campaign carries where that is stored: any other works
//! on the machine of every reader as it is. A message is for a reader at this machine, and each of its commands
//! carries them.

use model::{
    result::{Dataset, Origin},
    text::shell_word,
};
use std::borrow::Cow;

/// Verbs that use the store or the state folder.
const VERBS: [&str; 16] = [
    "advise", "check", "cleanup", "compare", "export", "import", "list", "plan", "remake",
    "report", "resume", "rm", "run", "selftest", "show", "tune",
];

/// Verbs whose arguments name stored campaigns.
const OF_STORED: [&str; 8] =
    ["advise", "compare", "export", "remake", "report", "resume", "rm", "show"];

/// Options of other verbs that name one.
const NAMING: [&str; 2] = ["--like", "--of"];

/// Before a command in a text.
const COMMAND: &str = "`assay ";

/// What a command begins with.
const PROGRAM: &str = "assay ";

/// The options that commands of a report carry; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    /// Each with a blank before it.
    options: String,
    /// Whether the reader is at this machine.
    is_of_messages: bool,
}

impl Commands {
    /// Of these options with their values.
    pub fn carrying<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Commands {
        let option = |(name, value)| format!(" {name} {}", shell_word(value));
        Commands { options: options.into_iter().map(option).collect(), is_of_messages: false }
    }

    /// The same in messages.
    pub fn of_messages(self) -> Commands {
        Commands { is_of_messages: true, ..self }
    }

    /// The same in a report of `dataset`: published studies are in every copy of the program, and in no store.
    pub(crate) fn of(&self, dataset: &Dataset) -> Commands {
        match dataset.campaign.origin {
            Origin::Published => Commands::default(),
            Origin::Run | Origin::Import => self.clone(),
        }
    }

    /// What follows the verb of a command that reads a stored campaign.
    pub(crate) fn options(&self) -> &str {
        &self.options
    }

    /// `text` with its commands, which are in backquotes, as they have to be typed. What is complete stays.
    pub fn completed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.options.is_empty() || !text.contains(COMMAND) {
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

    /// A single command as it has to be typed; other text stays.
    pub(crate) fn command<'t>(&self, command: &'t str) -> Cow<'t, str> {
        match command.strip_prefix(PROGRAM) {
            Some(rest) if !self.options.is_empty() => {
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
        let is_carried =
            if self.is_of_messages { VERBS.contains(&verb) } else { is_of_stored(verb, rest) };
        if is_carried && !rest.starts_with(&self.options) {
            *out += &self.options;
        }
        *out += rest;
    }
}

/// Whether the command of `verb` and of `rest`, up to a backquote, reads a stored campaign.
fn is_of_stored(verb: &str, rest: &str) -> bool {
    let mut words = rest.split('`').next().unwrap_or_default().split_whitespace();
    match OF_STORED.contains(&verb) {
        true => words.next().is_some(),
        false => VERBS.contains(&verb) && words.any(|word| NAMING.contains(&word)),
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
        let commands = Commands::carrying([("--state", "/s")]).of_messages();
        assert_eq!(commands.completed("run `assay cleanup`"), "run `assay cleanup --state /s`");
        let other = "assay report, `assay reporter`";
        assert_eq!(commands.completed(other), other);
        assert_eq!(commands.command("assay list"), "assay list --state /s");
        assert_eq!(commands.command("mkfs.xfs list"), "mkfs.xfs list");
    }

    #[test]
    fn commands_of_reports_carry_where_the_campaign_is_that_they_read() {
        let commands = Commands::carrying([("--state", "/s")]);
        for bare in ["run --aa", "run", "cleanup", "compare", "run --on xfs --blocks 2", "plan"] {
            let text = format!("use `assay {bare}` there, then `assay explain --like`");
            assert_eq!(commands.completed(&text), text);
        }
        for (verb, rest) in
            [("run", "--like c7"), ("check", "etcd --of c7"), ("resume", "c7"), ("compare", "a b")]
        {
            let whole = format!("use `assay {verb} --state /s {rest}` here");
            assert_eq!(commands.completed(&format!("use `assay {verb} {rest}` here")), whole);
            assert_eq!(commands.completed(&whole), whole, "once");
        }
    }

    #[test]
    fn nothing_is_carried_where_nothing_was_given() {
        assert_eq!(Commands::carrying([]), Commands::default());
        assert_eq!(Commands::default().completed("`assay list`"), "`assay list`");
    }
}
