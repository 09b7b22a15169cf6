//! The command of iozone: which tests it asks for, and how it has files opened and written.

/// Options that take a value, which may be written right behind the letter.
const WITH_VALUE: &str = "JjkVrtfFdluUSLH+PibXYgnyqs";

/// Options that say which tests are run, where, on how much and how that is printed.
const NEUTRAL: &str = "aARMQzxfFdluSLPibgnyqsrtXYvhwC";

/// The numbers that follow `-i`.
pub(super) fn asked(command: &str) -> Vec<usize> {
    let mut words = command.split_whitespace();
    let mut numbers = Vec::new();
    while let Some(word) = words.next() {
        let number = match word.strip_prefix("-i") {
            Some("") => words.next(),
            attached => attached,
        };
        numbers.extend(number.and_then(|number| number.parse::<usize>().ok()));
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The other options in one order, e.g. `I e` of `iozone -eI -i 0 -r 4k`.
pub(super) fn how(command: &str) -> String {
    let mut found = Vec::new();
    for word in command.split_whitespace().skip(1).filter_map(|word| word.strip_prefix('-')) {
        let mut letters = word.char_indices();
        for (at, letter) in letters.by_ref() {
            let value = WITH_VALUE.contains(letter).then(|| &word[at + letter.len_utf8()..]);
            if !NEUTRAL.contains(letter) {
                found.push(format!("{letter}{}", value.unwrap_or_default()));
            }
            if value.is_some() {
                break;
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_change_the_work_are_told_from_those_that_do_not() {
        for (command, options) in [
            ("iozone -i 0 -i 1 -r 4k -s 1g -f /srv/f", ""),
            ("iozone -eI -i0 -r4k", "I e"),
            ("iozone -I -i 0 -e", "I e"),
            ("iozone -azcR -g 4G -n 4M -b out.xls", "c"),
            ("iozone -H 8 -U /srv -+n", "+n H U"),
        ] {
            assert_eq!(how(command), options, "{command}");
        }
        assert_eq!(asked("iozone -i 1 -i0 -i 1"), [0, 1]);
    }
}
