//! Splits text for lines of a terminal.

/// Splits `text` at its spaces. What is between backquotes is a command that is to be pasted, and stays together.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let has_pairs = text.matches('`').count().is_multiple_of(2);
    let mut is_quoted = false;
    text.split(move |letter: char| {
        is_quoted ^= has_pairs && letter == '`';
        letter.is_whitespace() && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_stays_together_and_a_lone_backquote_is_a_letter() {
        let split = |text| pieces(text).collect::<Vec<_>>();
        assert_eq!(split("use `assay run a`, then"), ["use", "`assay run a`,", "then"]);
        assert_eq!(split("a ` lone one"), ["a", "`", "lone", "one"]);
        assert_eq!(split("two  spaces"), ["two", "", "spaces"]);
    }
}
