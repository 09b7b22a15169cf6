//! Suggests the name that was probably meant.

use strsim::damerau_levenshtein;

/// Typos tolerated in a word: one, plus one more per this many letters.
const LETTERS_A_SLIP: usize = 4;

/// The one of `known` from which `name` differs by the fewest slips (a letter too much, missing, other, or two
/// exchanged), as long as they are few beside its length.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let slips = |known: &'k str| (damerau_levenshtein(name, known), known);
    let letters = name.chars().count();
    // Of a letter alone nothing would be left.
    let most = letters.div_ceil(LETTERS_A_SLIP).min(letters.saturating_sub(1));
    let found = known.into_iter().map(slips).min_by_key(|(slips, _)| *slips);
    found.filter(|(slips, _)| *slips <= most).map(|(_, known)| known)
}

/// For a message about `name`, which is none of `known`: " (did you mean `ext4`?)", or nothing.
pub fn did_you_mean<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(name, known).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

/// The same for a pattern of parts, as `columnar.wirte.*`, that fits none of `names`.
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
