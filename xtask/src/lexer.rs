//! Separates code from comments and literals, so that a rule about code is not fooled by a text
//! that speaks of it.

/// `text` with every comment and the inside of every string and character literal replaced by
/// spaces. Lines and columns stay where they are.
pub(crate) fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_end(&chars, at).unwrap_or(at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// True when `word` is in `code` with no letter, digit or `_` next to it.
pub(crate) fn has_word(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        !code[..at].chars().next_back().is_some_and(part)
            && !code[at + word.len()..].chars().next().is_some_and(part)
    })
}

/// End of the comment or literal that starts at `at`, when one does.
fn literal_end(chars: &[char], at: usize) -> Option<usize> {
    let next = chars.get(at + 1).copied();
    match chars[at] {
        '/' if next == Some('/') => Some(find(chars, at, |c| c == '\n')),
        '/' if next == Some('*') => Some(block_comment_end(chars, at)),
        '"' => Some(quoted_end(chars, at, '"')),
        'r' if !inside_word(chars, at) => raw_string_end(chars, at),
        '\'' => char_end(chars, at),
        _ => None,
    }
}

/// Whether the character before `at` belongs to the same word; the `b` of `br"..."` does not count.
fn inside_word(chars: &[char], at: usize) -> bool {
    let part = |i: usize| chars[i].is_alphanumeric() || chars[i] == '_';
    match at {
        0 => false,
        1 => part(0) && chars[0] != 'b',
        _ => part(at - 1) && (chars[at - 1] != 'b' || part(at - 2)),
    }
}

fn find(chars: &[char], from: usize, stop: impl Fn(char) -> bool) -> usize {
    (from..chars.len()).find(|&i| stop(chars[i])).unwrap_or(chars.len())
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') if depth == 1 => return at + 2,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    chars.len()
}

fn quoted_end(chars: &[char], start: usize, quote: char) -> usize {
    let mut at = start + 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

fn raw_string_end(chars: &[char], start: usize) -> Option<usize> {
    let open = find(chars, start + 1, |c| c != '#');
    let hashes = open - start - 1;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes = |&i: &usize| {
        chars[i] == '"' && chars[i + 1..].iter().take_while(|&&c| c == '#').count() >= hashes
    };
    Some((open + 1..chars.len()).find(closes).map_or(chars.len(), |i| i + 1 + hashes))
}

/// A character literal; `None` for a lifetime.
fn char_end(chars: &[char], at: usize) -> Option<usize> {
    match chars.get(at + 1)? {
        '\\' => Some(quoted_end(chars, at, '\'')),
        _ if chars.get(at + 2) == Some(&'\'') => Some(at + 3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_become_blank() {
        for (text, left) in [
            ("a // unsafe", "a"),
            ("a /* b /* c */ d */ e", "a e"),
            ("f(\"un\\\"safe\")", "f( )"),
            ("r#\"a \" b\"# c", "c"),
            ("br\"a\\\" c", "b c"),
            ("'\\'' x '\"' y", "x y"),
            ("&'a str; 'b'", "&'a str;"),
            ("for r in r#type", "for r in r#type"),
        ] {
            let words: Vec<String> = code(text).split_whitespace().map(String::from).collect();
            assert_eq!(words.join(" "), left, "{text}");
        }
    }

    #[test]
    fn lines_stay() {
        let text = "a\n\"b\nc\"\n/* d\n */ e";
        assert_eq!(code(text).lines().count(), text.lines().count());
        assert!(code(text).ends_with("e"));
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("x = unsafe { y }", "unsafe"));
        assert!(!has_word("deny(unsafe_code)", "unsafe"));
    }
}
