//! Rules for names. Names come from foreign files; they are shown on terminals, become file names and appear in tables,
//! so their allowed characters are defined once, here, together with the escaping of text that breaks the rules.

use std::{borrow::Cow, fmt, fmt::Write};

/// Longest id, bytes: with an ending it is a file name on every file system.
const ID_BYTES: usize = 200;
/// Longest label, bytes: a path of Linux and what is around it.
const LABEL_BYTES: usize = 4200;
/// Longest text, bytes.
const TEXT_BYTES: usize = 1 << 20;
/// Characters of a wrong name that an error quotes.
const QUOTED: usize = 40;

/// What a name is for, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// Of a campaign, a suite, a test: typed on command lines, and a part of file names. ASCII letters,
    /// digits, `.`, `_` and `-`, the first a letter or a digit; at most 200 bytes.
    Id,
    /// Of a target, a metric, a unit; the name of a test that people read: one line without control
    /// characters, at most 4200 bytes. May be empty.
    Label,
    /// A sentence, or what a program printed: notes, facts, reasons. Lines without control characters
    /// but tabs, at most 1 MiB. May be empty.
    Text,
}

/// A text that keeps the rule of its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// A text that breaks the rule of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    text: String,
    kind: NameKind,
    why: String,
}

impl Name {
    /// `text` as a name of `kind`.
    ///
    /// # Errors
    /// `text` breaks the rule of `kind`.
    pub fn new(kind: NameKind, text: impl Into<String>) -> Result<Name, NameError> {
        let text = text.into();
        kind.check(&text).map(|()| Name(text))
    }

    /// An id that `text` is, or that resembles it: what no id may hold is written as `-`.
    pub fn id_like(text: &str) -> Name {
        let fits = |c: char| if is_of_id(c) { c } else { '-' };
        let id: String = text.chars().map(fits).take(ID_BYTES).collect();
        match NameKind::Id.fault(&id) {
            None => Name(id),
            Some(_) => Name(format!("x{}", &id[..id.len().min(ID_BYTES - 1)])),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Name> for String {
    fn from(name: Name) -> String {
        name.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl NameKind {
    /// Fails for a `text` that breaks the rule.
    pub(crate) fn check(self, text: &str) -> Result<(), NameError> {
        let error = |why| Err(NameError { text: text.into(), kind: self, why });
        self.fault(text).map_or(Ok(()), error)
    }

    /// What is wrong with `text`, if anything is.
    pub(crate) fn fault(self, text: &str) -> Option<String> {
        let (most, wrong): (usize, fn(char) -> bool) = match self {
            NameKind::Id => (ID_BYTES, |c| !is_of_id(c)),
            NameKind::Label => (LABEL_BYTES, is_unprintable),
            NameKind::Text => (TEXT_BYTES, |c| is_unprintable(c) && c != '\n' && c != '\t'),
        };
        if text.len() > most {
            return Some(format!("has {} bytes, and the limit is {most}", text.len()));
        }
        if let Some(c) = text.chars().find(|&c| wrong(c)) {
            return Some(format!("contains the character U+{:04X}", u32::from(c)));
        }
        let begun = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        (self == NameKind::Id && !begun).then(|| "does not start with a letter or a digit".into())
    }

    fn rule(self) -> &'static str {
        match self {
            NameKind::Id => "ids consist of the letters a to z, digits, `.`, `_` and `-`",
            NameKind::Label => "labels are one line without control characters",
            NameKind::Text => "texts have no control characters",
        }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted: String = self.text.chars().take(QUOTED).collect();
        let more = if self.text.chars().nth(QUOTED).is_some() { "..." } else { "" };
        let quoted = printable_line(&quoted);
        write!(f, "`{quoted}{more}` {}; {}", self.why, self.kind.rule())
    }
}

impl std::error::Error for NameError {}

fn is_of_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Whether `c` could do something to a terminal or to the order in which a line is read: the control
/// characters C0, DEL and C1, the marks, embeddings, overrides and isolates of the bidirectional
/// algorithm (Unicode Standard Annex 9), and the separators of lines and paragraphs.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` as it may be shown: lines stay lines, a tab is a blank, and every other character that is not
/// printable is written as `\uXXXX`, which is the same text where it was JSON.
pub fn printable(text: &str) -> Cow<'_, str> {
    shown(text, |c| match c {
        '\n' => Some("\n"),
        '\t' => Some(" "),
        _ => None,
    })
}

/// `text` as it may be shown on one line: the same, with `\n`, `\r` and `\t` where these are.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    shown(text, |c| match c {
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        '\t' => Some("\\t"),
        _ => None,
    })
}

fn shown(text: &str, known: fn(char) -> Option<&'static str>) -> Cow<'_, str> {
    let changes = |c: char| is_unprintable(c) && known(c) != Some("\n");
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain || !text.contains(changes) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match known(c) {
            Some(instead) => out.push_str(instead),
            // Writing to a text cannot fail.
            None if is_unprintable(c) => drop(write!(out, "\\u{:04x}", u32::from(c))),
            None => out.push(c),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use NameKind::{Id, Label, Text};
    use proptest::prelude::*;

    #[test]
    fn an_id_is_a_file_name_that_stays_where_it_is_put() {
        for id in ["2026-11-22-06-52-k3", "columnar.write.float.large", "x", "A_1"] {
            assert_eq!(Name::new(Id, id).unwrap().as_str(), id);
        }
        for text in
            ["", ".", "..", ".hidden", "-rf", "_x", "/etc/x", "../../x", "a/b", "a b", "a\0", "é"]
        {
            assert!(Name::new(Id, text).is_err(), "{text:?}");
        }
        assert!(Name::new(Id, "x".repeat(ID_BYTES + 1)).is_err());
    }

    #[test]
    fn labels_are_lines_and_texts_have_lines() {
        assert!(Name::new(Label, "ext4[mkfs.O=bigalloc] é,|<b>`").is_ok());
        assert!(Name::new(Text, "one\n\ttwo").is_ok());
        for text in ["a\x1b[31m", "a\rb", "\u{9b}2J", "\u{7f}", "a\u{202e}b", "\u{2067}", "\0"] {
            assert!(Name::new(Label, text).is_err() && Name::new(Text, text).is_err(), "{text:?}");
        }
        assert!(Name::new(Label, "a\nb").is_err() && Name::new(Label, "a\tb").is_err());
        let long = Name::new(Label, "x".repeat(LABEL_BYTES + 1)).unwrap_err().to_string();
        assert!(long.len() < 200 && long.contains("4201 bytes"), "{long}");
    }

    #[test]
    fn an_error_shows_the_name_without_harm() {
        let error = Name::new(Label, "xfs\x1b]0;owned\x07").unwrap_err().to_string();
        let expected = "`xfs\\u001b]0;owned\\u0007` contains the character U+001B; labels are one \
                        line without control characters";
        assert_eq!(error, expected);
    }

    #[test]
    fn what_is_shown_tells_what_it_was() {
        assert_eq!(printable("a\x1b[1m\tb\nc\r"), "a\\u001b[1m b\nc\\u000d");
        assert_eq!(printable_line("a\n\tb\u{202e}"), "a\\n\\tb\\u202e");
        assert!(matches!(printable("plain\ntext é"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn no_text_is_shown_with_harm(text in any::<String>()) {
            let lines = printable(&text);
            prop_assert!(!lines.contains(|c| is_unprintable(c) && c != '\n'));
            prop_assert!(!printable_line(&text).contains(is_unprintable));
        }

        #[test]
        fn every_text_resembles_an_id(text in any::<String>()) {
            let id = Name::id_like(&text);
            prop_assert_eq!(Name::new(Id, id.as_str()), Ok(id.clone()));
            prop_assert_eq!(Name::id_like(id.as_str()), id);
        }
    }
}
