//! Reads the arguments given to a tool, so that the image and the plan match what it will really do.

use model::text::Bytes;

/// Returns the value of the option `name`: the rest of its word, or the next word; the last one counts.
pub(super) fn value<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    let long = name.starts_with("--");
    let of = |(at, word): (usize, &'a String)| {
        let rest = word.strip_prefix(name)?;
        match (rest.is_empty(), long) {
            (true, _) => args.get(at + 1).map(String::as_str),
            (false, true) => rest.strip_prefix('='),
            (false, false) => Some(rest.trim_start_matches('=')),
        }
    };
    args.iter().enumerate().filter_map(of).next_back()
}

/// Returns whether the words contain the one-letter option `name`, alone, with its value, or among other letters.
pub(super) fn has(args: &[String], name: char) -> bool {
    args.iter().any(|word| {
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        letters.is_some_and(|letters| {
            letters.chars().take_while(char::is_ascii_alphabetic).any(|c| c == name)
        })
    })
}

/// Returns whether the words contain the flag `name`, alone or among other letters; the rest of a word after a letter
/// of `valued` is its value.
pub(super) fn flag(args: &[String], name: char, valued: &str) -> bool {
    args.iter().any(|word| {
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        letters.is_some_and(|letters| {
            let valued = |letter: &char| valued.contains(*letter);
            letters.chars().take_while(|letter| !valued(letter)).any(|letter| letter == name)
        })
    })
}

/// Parses a number with one of the suffixes k, m, g and t, or `plain` times a number without.
pub(super) fn size(text: &str, plain: u64) -> Option<u64> {
    match text.parse::<u64>() {
        Ok(number) => number.checked_mul(plain),
        Err(_) => text.parse::<Bytes>().ok().map(u64::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn options_are_found_in_every_notation() {
        let args = words("-n 20 -w4k --file-total-size=4G --time 5 -uF -n 30");
        assert_eq!(value(&args, "-n"), Some("30"));
        assert_eq!(value(&args, "-w"), Some("4k"));
        assert_eq!(value(&args, "--file-total-size"), Some("4G"));
        assert_eq!(value(&args, "--time"), Some("5"));
        assert_eq!(value(&args, "-e"), None);
        assert!(has(&args, 'u') && has(&args, 'F') && has(&args, 'w') && !has(&args, 'e'));
        assert!(!has(&words("--file"), 'f') && !has(&words("x-f"), 'f'));
    }

    #[test]
    fn letter_of_a_value_is_not_a_flag() {
        let has = |text: &str| flag(&words(text), 'D', "ms");
        assert!(has("-D") && has("-fD -m x") && has("-m x -D"));
        assert!(!has("-mDisk") && !has("-fs4D") && !has("--D") && !has("D"));
    }

    #[test]
    fn sizes_may_have_suffixes() {
        assert_eq!(size("4k", 1), Some(4096));
        assert_eq!(size("2", 1 << 20), Some(2 << 20));
        assert_eq!(size("1GiB", 1), Some(1 << 30));
        assert_eq!(
            [size("x", 1), size("4q", 1), size("", 1), size("99999999999999999999g", 1)],
            [None; 4]
        );
    }
}
