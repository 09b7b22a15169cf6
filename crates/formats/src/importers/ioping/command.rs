//! The command of ioping, where the text has it: the only place that tells sequential from random requests, and direct
//! from cached ones.

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

/// Options by their whole names, with one hyphen or two, whose letters are no options.
const LONG: [&str; 8] =
    ["linear", "read-write", "async", "cached", "direct", "uring", "sync", "dsync"];

/// Options that say how requests are made.
const HOW: [(char, &str); 6] = [
    ('A', "async"),
    ('C', "cached"),
    ('D', "direct"),
    ('U', "uring"),
    ('Y', "sync"),
    ('y', "dsync"),
];

/// What a command says of its requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) places: Places,
    /// Names of [`HOW`].
    pub(super) how: String,
}

impl Command {
    /// By a line of a shell, `# ioping -c 10 -L file`; `None` if it is none of ioping.
    pub(super) fn of(line: &str) -> Option<Command> {
        let mut words = line.split_whitespace();
        words.find(|word| *word == "ioping" || word.ends_with("/ioping"))?;
        let options: Vec<&str> = words.filter_map(|word| word.strip_prefix('-')).collect();
        let has = |letter, long| options.iter().any(|word| holds(word, letter, long));
        let places = if has('L', "linear") { Places::Sequential } else { Places::Random };
        let how = HOW.into_iter().filter(|(letter, long)| has(*letter, *long));
        Some(Command { places, how: how.map(|(_, long)| long).collect::<Vec<_>>().join(" ") })
    }
}

/// Whether a word of options, without its first hyphen, has the option of this letter.
fn holds(word: &str, letter: char, long: &str) -> bool {
    let name = word.trim_start_matches('-');
    if LONG.contains(&name) {
        return name == long;
    }
    let mut flags = word.chars().take_while(|&flag| !WITH_VALUE.contains(flag) && flag != 'I');
    !word.starts_with('-') && flags.any(|flag| flag == letter)
}

#[cfg(test)]
mod tests {
    use super::{Command, Places};

    #[test]
    fn a_command_tells_how_requests_are_made() {
        for (line, places, how) in [
            ("$ ioping -c 10 .", Places::Random, ""),
            ("root@host:~# ioping -RL /dev/sda", Places::Sequential, ""),
            ("/usr/bin/ioping -R -L -w 1 f", Places::Sequential, ""),
            ("ioping --linear .", Places::Sequential, ""),
            ("ioping -linear .", Places::Sequential, ""),
            ("ioping -read-write -s64k .", Places::Random, ""),
            ("ioping -c 3 -sL .", Places::Random, ""),
            ("ioping --help-L .", Places::Random, ""),
            ("ioping -RD -c 10 .", Places::Random, "direct"),
            ("ioping -direct -cached .", Places::Random, "cached direct"),
        ] {
            assert_eq!(Command::of(line), Some(Command { places, how: how.into() }), "{line}");
        }
        assert_eq!(Command::of("results:"), None);
    }
}
