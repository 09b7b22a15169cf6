//! Converts output to the user's locale: to ASCII if it is not UTF-8.

use std::{borrow::Cow, env, sync::OnceLock};

/// What stands for the letters outside ASCII that assay itself writes.
const SPELLED: [(char, &str); 16] = [
    ('·', "-"),
    ('…', "..."),
    ('±', "+/-"),
    ('×', "x"),
    ('−', "-"),
    ('–', "-"),
    ('—', "-"),
    ('µ', "u"),
    ('μ', "u"),
    ('≤', "<="),
    ('≥', ">="),
    ('→', "->"),
    ('’', "'"),
    ('“', "\""),
    ('”', "\""),
    ('\u{a0}', " "),
];

/// `text` as the locale of this process can show it.
pub(super) fn spelled(text: Cow<'_, str>) -> Cow<'_, str> {
    static IS_ASCII: OnceLock<bool> = OnceLock::new();
    let is_ascii = *IS_ASCII.get_or_init(|| {
        let variables = ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| env::var(name).ok());
        !has_utf8(variables.into_iter())
    });
    match is_ascii && !text.is_ascii() {
        true => in_ascii(&text).into(),
        false => text,
    }
}

/// Whether a locale of these variables, of which the first that is set counts, has UTF-8. Where none is set nothing is
/// known of the terminal, and nearly all of them have it.
fn has_utf8(variables: impl Iterator<Item = Option<String>>) -> bool {
    let own = variables.flatten().find(|value| !value.is_empty());
    own.is_none_or(|value| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}

fn in_ascii(text: &str) -> String {
    let spelled = |letter: char| match SPELLED.iter().find(|(own, _)| *own == letter) {
        Some((_, ascii)) => (*ascii).to_string(),
        None if letter.is_ascii() => letter.to_string(),
        None => "?".into(),
    };
    text.chars().map(spelled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let has = |all: [&str; 3]| has_utf8(all.into_iter().map(|value| Some(value.into())));
        assert!(has(["", "", "en_GB.UTF-8"]) && has(["C.utf8", "C", "C"]) && has(["", "", ""]));
        assert!(!has(["C", "", "en_GB.UTF-8"]) && !has(["", "POSIX", ""]));
        assert!(has_utf8([None, None, None].into_iter()));
    }

    #[test]
    fn what_assay_writes_has_a_spelling() {
        assert_eq!(in_ascii("ext4 · 1 µs ± 5 % …é"), "ext4 - 1 us +/- 5 % ...?");
    }
}
