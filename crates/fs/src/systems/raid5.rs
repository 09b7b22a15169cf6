//! raid5: data striped over all disks but one, and the parity of each stripe, on disks in turn.

use super::common::md::{
    self, BITMAP, BITMAP_CHUNK, BITMAP_NEEDED, CHUNK, LOST, LOST_OR_REBUILT, METADATA, Md, POLICY,
    REBUILT,
};
use crate::options::value;
use crate::trial::not_both;
use crate::{About, Exclusion};
use model::target::Knob;

/// The registered part.
pub(crate) const ROW: Md = Md {
    about: About { exclusions: EXCLUSIONS, ..md::about("raid5", &["raid456"], KNOBS) },
    level: 5,
    devices: 3,
};

const KNOBS: &[Knob] = &[
    value("devices", "disks", "number of disks", "3", &["3", "4", "5", "6", "7", "8"]),
    CHUNK,
    value("layout", "", "where the parity of each stripe is", "left-symmetric", LAYOUTS),
    BITMAP,
    BITMAP_CHUNK,
    value(
        POLICY,
        "",
        "ppl: log of partial parity, which closes the write hole, instead of a bitmap",
        "bitmap",
        &["ppl"],
    ),
    METADATA,
    LOST,
    REBUILT,
];

const LAYOUTS: &[&str] = &[
    "left-asymmetric",
    "right-asymmetric",
    "left-symmetric",
    "right-symmetric",
    "parity-first",
    "parity-last",
];

const EXCLUSIONS: &[Exclusion] = &[
    BITMAP_NEEDED,
    LOST_OR_REBUILT,
    not_both(POLICY, "bitmap", "an array has a partial parity log or a bitmap; drop one"),
    not_both(POLICY, "bitmap-chunk", "an array has a partial parity log or a bitmap; drop one"),
];

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_and_with_options() {
        assert_eq!(
            commands("raid5(xfs)"),
            [
                "mdadm --create /dev/md/assay-0 --run --quiet --level=5 --raid-devices=3 \
                 --metadata=1.2 --name=assay-0 --bitmap=internal /dev/loopN /dev/loopM /dev/loopL",
                "mdadm --wait /dev/md/assay-0",
                "mdadm --stop --quiet /dev/md/assay-0",
                "mdadm --assemble --quiet /dev/md/assay-0 /dev/loopN /dev/loopM /dev/loopL",
                "mkfs.xfs -f -q -K /dev/md/assay-0",
                "mount -t xfs /dev/md/assay-0 /m",
            ]
        );
        let create =
            &commands("raid5[consistency-policy=ppl,layout=parity-last,chunk=64K,devices=4]")[0];
        let options = "--name=assay-0 --consistency-policy=ppl --chunk=64K --layout=parity-last /";
        assert!(create.contains(options), "{create}");
    }

    #[test]
    fn a_lost_disk_is_the_last_one() {
        let lines = commands("raid5[degraded]");
        assert_eq!(
            lines[3],
            "mdadm --assemble --quiet --run /dev/md/assay-0 /dev/loopN /dev/loopM"
        );
        let lines = commands("raid5[resync=20]");
        assert_eq!(lines[6], "mdadm --manage --quiet /dev/md/assay-0 --add /dev/loopL");
    }

    #[test]
    fn a_log_of_parity_stands_in_for_the_bitmap() {
        let target = "raid5[consistency-policy=ppl,bitmap=internal]".parse().unwrap();
        let refused = crate::resolve(&target).err().unwrap().to_string();
        assert!(refused.contains("a partial parity log or a bitmap; drop one"), "{refused}");
    }

    #[test]
    fn checksums_are_a_layer_below() {
        let target = "raid5[integrity]".parse().unwrap();
        let refused = crate::resolve(&target).err().unwrap().to_string();
        assert!(refused.contains("write e.g. integrity(raid1(ext4))"), "{refused}");
    }
}
