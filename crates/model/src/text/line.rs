//! Tells at which line of a file a reader of TOML or another format stopped.

use std::ops::Range;

/// The line, from 1, in which `span` of `text`, bytes, begins; the first where no place is known.
pub fn line_at(text: &str, span: Option<Range<usize>>) -> usize {
    let before = span.and_then(|span| text.as_bytes().get(..span.start));
    before.map_or(1, |before| 1 + before.iter().filter(|byte| **byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_in_the_line_that_it_begins() {
        let text = "a = 1\nb = é\nc";
        assert_eq!(line_at(text, Some(0..1)), 1);
        // The end of a line is in it, the beginning of the next in that one.
        assert_eq!((line_at(text, Some(5..6)), line_at(text, Some(6..7))), (1, 2));
        assert_eq!(line_at(text, Some(text.len() - 1..text.len())), 3);
        assert_eq!((line_at(text, None), line_at(text, Some(99..100))), (1, 1));
    }
}
