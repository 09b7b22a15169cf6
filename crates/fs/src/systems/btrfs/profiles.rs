//! Profiles of Btrfs: the flags that stand for those of data and of metadata, and the disks that they need.

use crate::rebuild::RESYNC;
use crate::site::DEGRADED;
use model::target::Options;

/// The profile of two copies on two disks, and the flag that is short for it.
pub(super) const RAID1: &str = "raid1";

/// Each of them.
pub(super) const PROFILES: &[&str] =
    &["single", "dup", "raid0", RAID1, "raid1c3", "raid1c4", "raid10", "raid5", "raid6"];

/// Disks that a profile is made on: the fewest on which it does what it is for.
const DISKS: &[(&str, usize)] = &[
    ("raid0", 2),
    (RAID1, 2),
    ("raid1c3", 3),
    ("raid1c4", 4),
    ("raid10", 4),
    ("raid5", 3),
    ("raid6", 4),
];

/// Flags with the profiles of data and of metadata that they are short for. Metadata is not striped with parity, as
/// btrfs(5) advises: it has one copy more than the disks that its data may lose.
const SHORT: &[(&str, [&str; 2])] = &[
    ("single", ["single"; 2]),
    ("dup", ["dup"; 2]),
    ("raid0", ["raid0", RAID1]),
    (RAID1, [RAID1; 2]),
    ("raid1c3", ["raid1c3"; 2]),
    ("raid1c4", ["raid1c4"; 2]),
    ("raid10", ["raid10"; 2]),
    ("raid5", ["raid5", RAID1]),
    ("raid6", ["raid6", "raid1c3"]),
];

/// Flags whose data survives the loss of a disk.
const REDUNDANT: &[&str] = &[RAID1, "raid1c3", "raid1c4", "raid10", "raid5", "raid6"];

/// The flag among `options` that stands for profiles, with those of data and metadata.
pub(super) fn short(options: &Options) -> Option<(&'static str, [&'static str; 2])> {
    SHORT.iter().copied().find(|(flag, _)| options.contains_key(*flag))
}

/// Returns true if `key` is a flag that stands for profiles.
pub(super) fn is_short(key: &str) -> bool {
    SHORT.iter().any(|(flag, _)| *flag == key)
}

/// Disks that the profiles in `options` need.
pub(super) fn disks(options: &Options) -> usize {
    let given = ["mkfs.d", "mkfs.m"].map(|key| options.get(key).map(String::as_str));
    let short = short(options).into_iter().flat_map(|(_, profiles)| profiles);
    let wanted = given.into_iter().flatten().chain(short);
    let needed = wanted.filter_map(|profile| DISKS.iter().find(|(name, _)| *name == profile));
    needed.map(|(_, disks)| *disks).max().unwrap_or(1)
}

/// Why `options` cannot be combined with the profiles among them.
pub(super) fn excluded(options: &Options) -> Option<&'static str> {
    let flags = options.keys().filter(|key| is_short(key)).count();
    let has = |key: &str| options.contains_key(key);
    let is_redundant = REDUNDANT.iter().any(|flag| has(flag));
    if flags > 1 {
        Some("its profiles contradict each other; drop all but one, or set mkfs.d and mkfs.m")
    } else if flags == 1 && (has("mkfs.d") || has("mkfs.m")) {
        Some("a profile sets mkfs.d and mkfs.m; drop one")
    } else if has(DEGRADED) && !is_redundant {
        Some("degraded needs raid1, raid1c3, raid1c4, raid10, raid5 or raid6; add one")
    } else if has(RESYNC) && !is_redundant {
        Some("resync needs raid1, raid1c3, raid1c4, raid10, raid5 or raid6; add one")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;

    #[test]
    fn each_flag_is_short_for_two_profiles() {
        for (flag, [data, metadata]) in SHORT {
            let made = &commands(&format!("btrfs[{flag}]"))[0];
            let given = format!("-K -d {data} -m {metadata} /dev/loopN");
            assert!(made.contains(&given), "{made}");
            let long = commands(&format!("btrfs[mkfs.d={data},mkfs.m={metadata}]"));
            assert_eq!(*made, long[0], "{flag}");
            assert!(
                !commands(&format!("btrfs[{flag}]"))[1].contains(flag),
                "it is no mount option"
            );
        }
        assert!(PROFILES.iter().all(|profile| is_short(profile)));
    }

    #[test]
    fn each_has_the_fewest_disks_on_which_it_does_what_it_is_for() {
        let disks = |flag: &str| {
            let target = format!("btrfs[{flag}]");
            target.parse::<crate::ResolvedTarget>().unwrap().disks()
        };
        assert_eq!(["single", "dup", "raid0", "raid1"].map(disks), [1, 1, 2, 2]);
        assert_eq!(["raid1c3", "raid1c4", "raid10", "raid5"].map(disks), [3, 4, 4, 3]);
        assert_eq!(disks("raid6"), 4);
    }

    #[test]
    fn contradictions_are_refused() {
        let refused =
            |text: &str| crate::resolve(&text.parse().unwrap()).err().unwrap().to_string();
        assert!(refused("btrfs[raid1,raid10]").contains("contradict each other"));
        assert!(refused("btrfs[raid1,mkfs.m=dup]").contains("drop one"));
        for lost in ["degraded", "resync=20"] {
            for other in ["", "raid0,", "single,", "dup,"] {
                let text = refused(&format!("btrfs[{other}{lost}]"));
                assert!(text.contains("needs raid1, raid1c3"), "{text}");
            }
            assert!(crate::resolve(&format!("btrfs[raid6,{lost}]").parse().unwrap()).is_ok());
        }
    }
}
