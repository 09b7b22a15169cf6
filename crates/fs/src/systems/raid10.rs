//! raid10: data striped over the disks, with two or three copies of each block on different disks.

use super::common::md::{
    self, BITMAP, BITMAP_CHUNK, BITMAP_NEEDED, CHUNK, LOST, LOST_OR_REBUILT, METADATA, Md, REBUILT,
};
use crate::options::value;
use crate::trial::not_both;
use crate::{About, Exclusion};
use model::target::Knob;

/// The registered part.
pub(crate) const ROW: Md = Md {
    about: About { exclusions: EXCLUSIONS, ..md::about("raid10", &["raid10"], KNOBS) },
    level: 10,
    devices: 4,
};

const KNOBS: &[Knob] = &[
    value("devices", "disks", "number of disks", "4", &["2", "3", "4", "5", "6", "7", "8"]),
    CHUNK,
    value(
        "layout",
        "",
        "copies of a block: n next to each other, f far from each other, o one stripe further",
        "n2",
        &["n2", "n3", "f2", "f3", "o2", "o3"],
    ),
    BITMAP,
    BITMAP_CHUNK,
    METADATA,
    LOST,
    REBUILT,
];

const COPIES: &str = "three copies need three disks; raise devices";

const EXCLUSIONS: &[Exclusion] = &[
    BITMAP_NEEDED,
    LOST_OR_REBUILT,
    not_both("devices=2", "layout=n3", COPIES),
    not_both("devices=2", "layout=f3", COPIES),
    not_both("devices=2", "layout=o3", COPIES),
];

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn the_layout_says_how_many_copies_there_are() {
        let of = |target: &str| {
            let target = target.parse::<crate::ResolvedTarget>().unwrap();
            let part = &target.parts()[0];
            part.fs.redundancy(&part.options).map(|own| (own.losses, own.copies))
        };
        assert_eq!(of("raid10"), Some((1, 2)));
        assert_eq!(of("raid10[layout=f3]"), Some((2, 3)));
        assert_eq!(of("raid1[devices=3]"), Some((2, 3)));
        assert_eq!((of("raid5"), of("raid6")), (Some((1, 1)), Some((2, 1))));
        assert_eq!((of("raid0"), of("raid10[degraded]")), (None, None));
    }

    #[test]
    fn plain_and_with_options() {
        let disks = "/dev/loopN /dev/loopM /dev/loopL /dev/loopK";
        let lines = commands("raid10(xfs)");
        assert_eq!(
            lines[0],
            format!(
                "mdadm --create /dev/md/assay-0 --run --quiet --level=10 --raid-devices=4 \
                 --metadata=1.2 --name=assay-0 --bitmap=internal {disks}"
            )
        );
        let create = &commands("raid10[layout=f2,chunk=256K,devices=3]")[0];
        let options = "--bitmap=internal --chunk=256K --layout=f2 /dev/loopN /dev/loopM /dev/loopL";
        assert!(create.contains("--raid-devices=3") && create.ends_with(options), "{create}");
    }

    #[test]
    fn more_copies_than_disks_are_refused() {
        let target = "raid10[devices=2,layout=f3]".parse().unwrap();
        let refused = crate::resolve(&target).err().unwrap().to_string();
        assert!(refused.contains("three copies need three disks"), "{refused}");
        assert!(crate::resolve(&"raid10[devices=3,layout=f3]".parse().unwrap()).is_ok());
    }
}
