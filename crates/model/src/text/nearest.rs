//! Suggests the name that was probably meant.

use strsim::damerau_levenshtein;

/// Typos tolerated in a word: one, plus one more per this many letters.
const LETTERS_A_SLIP: usize = 4;

/// Letters from which on the beginning of a word may stand for all of it.
const LEAST_BEGINNING: usize = 3;

/// The one of `known` from which `name` differs by the fewest slips (a letter too much, missing, other, or two
/// exchanged), as long as they are few compared with its length; else the only one that begins with it.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let known: Vec<&str> = known.into_iter().collect();
    by_slips(name, &known).or_else(|| by_beginning(name, &known))
}

fn by_slips<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let slips = |known: &&'k str| (damerau_levenshtein(name, known), *known);
    let letters = name.chars().count();
    // Of a letter alone nothing would be left.
    let most = letters.div_ceil(LETTERS_A_SLIP).min(letters.saturating_sub(1));
    let found = known.iter().map(slips).min_by_key(|(slips, _)| *slips);
    found.filter(|(slips, _)| *slips <= most).map(|(_, known)| known)
}

fn by_beginning<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let is_word = name.chars().count() >= LEAST_BEGINNING;
    let mut found = known.iter().copied().filter(|known| is_word && known.starts_with(name));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// For a message about `name`, which is none of `known`: " (did you mean `ext4`?)", or nothing.
pub fn did_you_mean<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(name, known).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

/// The same for a pattern of parts, e.g. `columnar.wirte.*`, that fits none of `names`.
pub fn pattern_meant(pattern: &str, names: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<&str> = pattern.split('.').collect();
    let alike = |name: String| {
        let own = name.split('.').zip(&parts);
        own.map(|(own, asked)| if *asked == "*" { "*" } else { own }).collect::<Vec<_>>().join(".")
    };
    let alike: Vec<String> = names.into_iter().map(alike).collect();
    did_you_mean(pattern, alike.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["ext4", "xfs", "btrfs", "metadata", "columnar.write.int.small"];

    #[test]
    fn a_slip_is_seen_and_another_word_is_not() {
        let meant = |name| nearest(name, KNOWN);
        assert_eq!(meant("ext5"), Some("ext4"));
        assert_eq!(meant("brtfs"), Some("btrfs"));
        assert_eq!(meant("metdata"), Some("metadata"));
        assert_eq!(meant("columnar.wirte.int.smal"), Some("columnar.write.int.small"));
        assert_eq!(meant("zfs"), Some("xfs"));
        assert_eq!(meant("reiser4"), None);
        assert_eq!(meant(""), None);
        assert_eq!(nearest("ext4", []), None);
    }

    #[test]
    fn unfinished_word_is_completed_where_only_one_begins_with_it() {
        let known = ["kdb-query-hot", "kdb-query-cold", "kdb-tick-ingestion"];
        let meant = |name| nearest(name, known);
        assert_eq!(meant("kdb-tick"), Some("kdb-tick-ingestion"));
        assert_eq!(meant("kdb-query"), None, "two begin with it");
        assert_eq!(meant("kd"), None, "too short to mean anything");
        assert_eq!(meant("kdb-query-hat"), Some("kdb-query-hot"), "a slip is nearer");
    }

    #[test]
    fn a_message_asks_only_where_there_is_something_near() {
        assert_eq!(did_you_mean("ext5", KNOWN), " (did you mean `ext4`?)");
        assert_eq!(did_you_mean("minix", KNOWN), "");
    }

    #[test]
    fn a_pattern_is_near_in_the_parts_that_it_names() {
        let meant = |pattern| {
            pattern_meant(pattern, ["columnar.write.int", "columnar.size"].map(String::from))
        };
        assert_eq!(meant("columnar.wirte.*"), " (did you mean `columnar.write.*`?)");
        assert_eq!(meant("colunar.*"), " (did you mean `columnar.*`?)");
        assert_eq!(meant("columnar.sise"), " (did you mean `columnar.size`?)");
        assert_eq!(meant("matrix.*"), "");
    }
}
