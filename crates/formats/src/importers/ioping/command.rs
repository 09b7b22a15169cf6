//! The command of ioping, where the text has it: the only place that tells sequential from random requests.

/// Where requests went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Places {
    #[default]
    Unknown,
    Random,
    /// One after the other, by `-L`.
    Sequential,
}

/// Options that take a value, which may be written right behind the letter.
const WITH_VALUE: &str = "itTwsScopPlraeb";

/// Options by their whole names, with one hyphen or two, in which an `L` is none of `-L`.
const LONG: [&str; 2] = ["linear", "read-write"];

impl Places {
    /// By a line of a shell, `# ioping -c 10 -L file`; `None` if it is none of ioping.
    pub(super) fn of(line: &str) -> Option<Places> {
        let mut words = line.split_whitespace();
        words.find(|word| *word == "ioping" || word.ends_with("/ioping"))?;
        let mut options = words.filter_map(|word| word.strip_prefix('-'));
        Some(if options.any(is_linear) { Places::Sequential } else { Places::Random })
    }
}

/// Whether a word of options, without its first hyphen, has `-L`.
fn is_linear(word: &str) -> bool {
    let long = word.trim_start_matches('-');
    if LONG.contains(&long) {
        return long == "linear";
    }
    let flags = word.chars().take_while(|&letter| !WITH_VALUE.contains(letter) && letter != 'I');
    !word.starts_with('-') && flags.into_iter().any(|letter| letter == 'L')
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn a_command_tells_random_from_sequential() {
        for (line, places) in [
            ("$ ioping -c 10 .", Some(Places::Random)),
            ("root@host:~# ioping -RL /dev/sda", Some(Places::Sequential)),
            ("/usr/bin/ioping -R -L -w 1 f", Some(Places::Sequential)),
            ("ioping --linear .", Some(Places::Sequential)),
            ("ioping -linear .", Some(Places::Sequential)),
            ("ioping -read-write -s64k .", Some(Places::Random)),
            ("ioping -c 3 -sL .", Some(Places::Random)),
            ("ioping --help-L .", Some(Places::Random)),
            ("results:", None),
        ] {
            assert_eq!(Places::of(line), places, "{line}");
        }
    }
}
