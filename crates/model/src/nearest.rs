//! The name that somebody may have meant.

use strsim::damerau_levenshtein;

/// Slips of the keyboard in a word of this many letters: one is taken for a slip, and one more for every so many.
const LETTERS_A_SLIP: usize = 4;

/// The one of `known` from which `name` differs by the fewest slips (a letter too much, missing, other, or two
/// exchanged), as long as they are few beside its length.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let slips = |known: &'k str| (damerau_levenshtein(name, known), known);
    let most = name.chars().count().div_ceil(LETTERS_A_SLIP);
    let found = known.into_iter().map(slips).min_by_key(|(slips, _)| *slips);
    found.filter(|(slips, _)| *slips <= most).map(|(_, known)| known)
}

/// For a message about `name`, which is none of `known`: " (did you mean `ext4`?)", or nothing.
pub fn did_you_mean<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(name, known).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
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
}
