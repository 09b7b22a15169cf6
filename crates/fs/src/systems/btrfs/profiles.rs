//! Profiles of Btrfs: the flags that stand for those of data and of metadata, and the disks that they need.

use crate::Redundancy;
use crate::rebuild::RESYNC;
use crate::site::DEGRADED;
use model::target::Options;

/// The profile of two copies on two disks, and that of metadata on several disks without an option.
const RAID1: &str = "raid1";

/// The name of each, which is the value of an mkfs flag and a flag of its own.
pub(super) const PROFILES: &[&str] =
    &["single", "dup", "raid0", RAID1, "raid1c3", "raid1c4", "raid10", "raid5", "raid6"];

/// A profile of data, and what its flag stands for.
struct Profile {
    name: &'static str,
    /// The profile of metadata that its flag adds. Metadata is not striped with parity, as btrfs(5) advises: it has one
    /// copy more than the disks that its data may lose.
    metadata: &'static str,
    /// The fewest disks on which it does what it is for.
    disks: usize,
    /// Disks that its data may lose, whichever they are.
    losses: usize,
    /// Copies of a block.
    copies: usize,
}

const TABLE: &[Profile] = &[
    Profile { name: "single", metadata: "single", disks: 1, losses: 0, copies: 1 },
    Profile { name: "dup", metadata: "dup", disks: 1, losses: 0, copies: 2 },
    Profile { name: "raid0", metadata: RAID1, disks: 2, losses: 0, copies: 1 },
    Profile { name: RAID1, metadata: RAID1, disks: 2, losses: 1, copies: 2 },
    Profile { name: "raid1c3", metadata: "raid1c3", disks: 3, losses: 2, copies: 3 },
    Profile { name: "raid1c4", metadata: "raid1c4", disks: 4, losses: 3, copies: 4 },
    Profile { name: "raid10", metadata: "raid10", disks: 4, losses: 1, copies: 2 },
    Profile { name: "raid5", metadata: RAID1, disks: 3, losses: 1, copies: 1 },
    Profile { name: "raid6", metadata: "raid1c3", disks: 4, losses: 2, copies: 1 },
];

/// The profiles whose flags are among `options`: one, unless they contradict each other.
fn asked(options: &Options) -> impl Iterator<Item = &'static Profile> {
    TABLE.iter().filter(|profile| options.contains_key(profile.name))
}

/// The profiles of data and of metadata that a flag among `options` stands for.
pub(super) fn short(options: &Options) -> Option<[&'static str; 2]> {
    asked(options).next().map(|profile| [profile.name, profile.metadata])
}

/// Returns true if `key` is a flag that stands for profiles.
pub(super) fn is_short(key: &str) -> bool {
    PROFILES.contains(&key)
}

/// Disks that the profiles in `options` need.
pub(super) fn disks(options: &Options) -> usize {
    let wanted = given(options).into_iter().flatten().chain(short(options).into_iter().flatten());
    wanted.filter_map(find).map(|profile| profile.disks).max().unwrap_or(1)
}

/// The profiles of data and of metadata that a file system on several disks has; `None` on one disk.
pub(super) fn on_disks(options: &Options) -> Option<[&'static str; 2]> {
    if disks(options) < 2 {
        return None;
    }
    let [data, metadata] = given(options);
    let of = |given: Option<&str>, default| Some(find(given.unwrap_or(default))?.name);
    short(options).or_else(|| Some([of(data, "single")?, of(metadata, RAID1)?]))
}

/// What survives the loss of a disk, of data and of metadata.
pub(super) fn redundancy(options: &Options) -> Option<Redundancy> {
    let [data, metadata] = on_disks(options)?.map(find);
    let (data, metadata) = (data?, metadata?);
    let losses = data.losses.min(metadata.losses);
    let copies = data.copies.max(metadata.copies);
    (losses > 0).then_some(Redundancy { losses, copies, is_remembered: true })
}

fn given(options: &Options) -> [Option<&str>; 2] {
    ["mkfs.d", "mkfs.m"].map(|key| options.get(key).map(String::as_str))
}

fn find(name: &str) -> Option<&'static Profile> {
    TABLE.iter().find(|profile| profile.name == name)
}

/// Why `options` cannot be combined with the profiles among them.
pub(super) fn excluded(options: &Options) -> Option<&'static str> {
    let flags = asked(options).count();
    let has = |key: &str| options.contains_key(key);
    let is_redundant = asked(options).any(|profile| profile.losses > 0);
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
        for Profile { name: flag, metadata, .. } in TABLE {
            let data = flag;
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
        assert!(TABLE.iter().map(|profile| &profile.name).eq(PROFILES));
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
