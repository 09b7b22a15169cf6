//! Names what files leave unnamed: targets by their file names, tests by the names that users gave their jobs.

use crate::{ImportOptions, base_name, columnar::slug};
use std::collections::{BTreeMap, BTreeSet};

/// Longest part of an id that is made from a name, characters.
const SLUG_MAX: usize = 60;
/// Longest id of a campaign that is made from names, characters; a store may add a number.
const CAMPAIGN_MAX: usize = 120;

/// The target of each file: as asked, else by the name of the file without that of the tool, by the
/// directory where another file has the same name.
pub(crate) fn targets(files: &[&str], tool: &str, options: &ImportOptions) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    files.iter().for_each(|file| *count.entry(stem(file, tool)).or_default() += 1);
    let target = |file: &&str| {
        let name = stem(file, tool);
        let directory = file.rsplit_once('/').map_or("", |(directory, _)| base_name(directory));
        let alone = count.get(name) == Some(&1) || directory.is_empty();
        options.target_of(file).unwrap_or(if alone { name } else { directory }).to_owned()
    };
    files.iter().map(target).collect()
}

/// `xfs` of `results/fio-xfs.json`.
fn stem<'a>(file: &'a str, tool: &str) -> &'a str {
    let base = base_name(file);
    let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
    let rest = stem.strip_prefix(tool).map(|rest| rest.trim_start_matches(['-', '_']));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(stem)
}

/// The id below `suite` of a test that people call `name`: its letters and digits, the others as one
/// hyphen each.
pub fn test_id(suite: &str, name: &str) -> String {
    let short = short_slug(name);
    format!("{suite}.{}", if short.is_empty() { "unnamed" } else { &short })
}

/// The beginning of the slug of `name`.
pub(crate) fn short_slug(name: &str) -> String {
    let short: String = slug(name).chars().take(SLUG_MAX).collect();
    short.trim_end_matches('-').into()
}

/// The id of a campaign of `tool` on the targets `labels`.
pub(crate) fn campaign_id(tool: &str, labels: &str) -> String {
    let id: String = format!("{tool}-{}", slug(labels)).chars().take(CAMPAIGN_MAX).collect();
    id.trim_end_matches('-').into()
}

/// The same where several tests may have one name: numbered from the second on.
pub(crate) fn free_id(ids: &mut BTreeSet<String>, suite: &str, name: &str) -> String {
    let stem = test_id(suite, name);
    let mut id = stem.clone();
    let mut copy = 2;
    while !ids.insert(id.clone()) {
        id = format!("{stem}-{copy}");
        copy += 1;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_named_by_file_or_directory() {
        let none = ImportOptions::default();
        let named = |files: &[&str]| targets(files, "fio", &none);
        assert_eq!(named(&["r/fio-xfs.json", "r/ext4.json"]), ["xfs", "ext4"]);
        assert_eq!(named(&["xfs/fio.json", "ext4/fio.json"]), ["xfs", "ext4"]);
        let asked = ImportOptions { target: Some("zfs".into()), ..none };
        assert_eq!(targets(&["a", "b"], "fio", &asked), ["zfs", "zfs"]);
    }

    #[test]
    fn ids_are_short_and_free() {
        let mut ids = BTreeSet::new();
        let mut id = |name: &str| free_id(&mut ids, "fio", name);
        assert_eq!(id("Rand Read/4k"), "fio.rand-read-4k");
        assert_eq!(id("rand read 4k"), "fio.rand-read-4k-2");
        assert_eq!(id("///"), "fio.unnamed");
        assert_eq!(id("été"), "fio.t");
        assert_eq!(id(&"x".repeat(500)).len(), "fio.".len() + SLUG_MAX);
        assert_eq!(campaign_id("fio", "xfs, ext4[a=b]"), "fio-xfs-ext4-a-b");
        assert_eq!(campaign_id("fio", "é"), "fio");
        assert_eq!(campaign_id("fio", &"xf,".repeat(500)).len(), CAMPAIGN_MAX);
    }
}
