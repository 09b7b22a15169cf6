//! Stacks tables by style alone where the script of the page does not run, so that nothing scrolls within it: each row
//! is a block, and each cell has the head of its column before it. A table has a class for the room that its longest
//! words need, and is stacked where it has less.

use std::fmt::Write;

/// How a stacked table looks, within the rule for it.
const STACKED: &str = include_str!("stacked.css");

/// Rooms by which tables differ, rem. What needs more than the last is always stacked.
const ROOMS_REM: [u32; 14] = [16, 20, 24, 28, 32, 38, 44, 50, 58, 66, 76, 90, 110, 999];

/// Width of a character of a table, and of the padding of a cell, rem.
const CHARACTER_REM: f64 = 0.58;
const PADDING_REM: f64 = 1.3;

/// Characters that a name of a row gets at least.
const LEAST_NAME: usize = 14;
/// Characters of a word from which on it is broken in the last of two columns.
const MOST_WORD: usize = 24;

/// Where the script does not run.
const UNSCRIPTED: &str = ":root:not([data-script])";

/// Before the heads of a table.
const HEADS: &str = " data-h=\"";

/// Characters of the longest word in `text`.
pub(super) fn longest(text: &str) -> usize {
    text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or_default()
}

/// The class of a table by the characters of the longest word of each column.
pub(super) fn class(lengths: &[usize]) -> String {
    let last = lengths.len() - usize::from(!lengths.is_empty());
    let length = |(at, length): (usize, &usize)| match at {
        0 => (*length).max(LEAST_NAME),
        1 if last == 1 => (*length).min(MOST_WORD),
        _ => *length,
    };
    let column = |own| CHARACTER_REM * length(own) as f64 + PADDING_REM;
    let needed: f64 = lengths.iter().enumerate().map(column).sum();
    let room = ROOMS_REM.into_iter().find(|room| f64::from(*room) >= needed);
    format!("r{}", room.unwrap_or(ROOMS_REM[ROOMS_REM.len() - 1]))
}

/// The heads of columns, as the style of their table: `--h2:'MB/s: ';`. The first column needs none.
pub(super) fn heads(all: impl Iterator<Item = String>) -> String {
    let mut style = String::new();
    for (at, head) in all.enumerate().skip(1).filter(|(_, head)| !head.is_empty()) {
        // Writing to a string cannot fail.
        let _ = write!(style, "--h{}:'{}: ';", at + 1, quoted(&head));
    }
    style
}

/// `text` within quotes of a style, in which nothing is markup either.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for c in text.chars() {
        match c {
            '\'' | '"' | '\\' | '<' | '>' | '&' => {
                let _ = write!(quoted, "\\{:x} ", u32::from(c));
            }
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted
}

/// `main` with a number in place of the heads of each table, as many tables have the same, and the style that has the
/// heads, and stacks what `main` holds.
pub(super) fn shared(main: &str) -> (String, String) {
    let mut known: Vec<&str> = Vec::new();
    let mut parts = main.split(HEADS);
    let mut shared = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (heads, rest) = part.split_once('"').unwrap_or((part, ""));
        let number = known.iter().position(|own| *own == heads).unwrap_or_else(|| {
            known.push(heads);
            known.len() - 1
        });
        let _ = write!(shared, "{HEADS}{number}\"{rest}");
    }
    let style = style(&known, |room| main.contains(&format!(" r{room}\">")));
    (shared, style)
}

/// The rules for tables of these heads, and of the rooms that are `needed`.
fn style(heads: &[&str], needed: impl Fn(u32) -> bool) -> String {
    let mut style = format!(".stacked.wide{{{STACKED}}}");
    for (number, heads) in heads.iter().enumerate() {
        let _ = write!(style, "[data-h=\"{number}\"]{{{heads}}}");
    }
    style += "@media screen{";
    for room in ROOMS_REM.into_iter().filter(|room| needed(*room)) {
        let _ =
            write!(style, "@container (max-width:{room}rem){{{UNSCRIPTED} .r{room}{{{STACKED}}}}}");
    }
    let most = heads.iter().filter_map(|own| number_of_last(own)).max().unwrap_or_default();
    for at in 2..=most {
        let _ = write!(style, "{UNSCRIPTED} td:nth-child({at})::before{{content:var(--h{at})}}");
    }
    style + "}"
}

/// The number of the last column in `heads`; `None` where no column has a head.
fn number_of_last(heads: &str) -> Option<usize> {
    let (_, last) = heads.rsplit_once("--h")?;
    last.split_once(':')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_is_of_the_room_that_the_longest_words_need() {
        // 14 characters for the name and 4 for each figure: 9.42 + 2 x 3.62 rem.
        assert_eq!(class(&[3, 4, 4]), "r20");
        assert_eq!(class(&[3, 60, 4]), "r50", "a long word is not broken");
        assert_eq!(class(&[3, 60]), class(&[3, 24]), "but in the last of two columns");
        assert_eq!(class(&[9; 100]), "r999");
        assert_eq!(class(&[]), "r16");
    }

    #[test]
    fn heads_are_in_the_style_once_and_end_no_element() {
        let own = heads(["Target", "MB/s", "", "a'b</style>\\\n"].map(String::from).into_iter());
        assert_eq!(own, "--h2:'MB/s: ';--h4:'a\\27 b\\3c /style\\3e \\5c  : ';");
        let table = |heads: &str| {
            format!("<div class=\"wide r20\"><table data-h=\"{heads}\"><tr></table></div>")
        };
        let (main, style) = shared(&[table(&own), table(""), table(&own)].concat());
        assert_eq!(main, [table("0"), table("1"), table("0")].concat());
        assert_eq!(style.matches(&own).count(), 1, "{style}");
        assert!(
            style.contains("td:nth-child(4)::before") && !style.contains("nth-child(5)"),
            "{style}"
        );
        assert!(
            style.contains("@container (max-width:20rem)") && !style.contains("max-width:24rem")
        );
        assert_eq!(style.matches('{').count(), style.matches('}').count());
        assert_eq!(shared("<p>").0, "<p>");
    }
}
