//! raid6: data striped over all disks but two, and two checksums of each stripe, on disks in turn.

use super::common::md::{
    self, BITMAP, BITMAP_CHUNK, BITMAP_NEEDED, CHUNK, LOST, LOST_OR_REBUILT, METADATA, Md, REBUILT,
};
use crate::options::value;
use crate::{About, Exclusion};
use model::target::Knob;

/// The registered part.
pub(crate) const ROW: Md = Md {
    about: About { exclusions: EXCLUSIONS, ..md::about("raid6", &["raid456"], KNOBS) },
    level: 6,
    devices: 4,
};

const KNOBS: &[Knob] = &[
    value("devices", "disks", "number of disks", "4", &["4", "5", "6", "7", "8"]),
    CHUNK,
    value("layout", "", "where the parity of each stripe is", "left-symmetric", LAYOUTS),
    BITMAP,
    BITMAP_CHUNK,
    METADATA,
    LOST,
    REBUILT,
];

const LAYOUTS: &[&str] =
    &["left-asymmetric", "right-asymmetric", "left-symmetric", "right-symmetric"];

const EXCLUSIONS: &[Exclusion] = &[BITMAP_NEEDED, LOST_OR_REBUILT];

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_and_with_options() {
        let disks = "/dev/loopN /dev/loopM /dev/loopL /dev/loopK";
        let lines = commands("raid6(xfs)");
        assert_eq!(
            lines[0],
            format!(
                "mdadm --create /dev/md/assay-0 --run --quiet --level=6 --raid-devices=4 \
                 --metadata=1.2 --name=assay-0 --bitmap=internal {disks}"
            )
        );
        assert_eq!(lines[3], format!("mdadm --assemble --quiet /dev/md/assay-0 {disks}"));
        let create = &commands("raid6[bitmap=none,layout=right-symmetric,chunk=1M]")[0];
        let options = "--bitmap=none --chunk=1M --layout=right-symmetric";
        assert!(create.ends_with(&format!("{options} {disks}")), "{create}");
    }

    #[test]
    fn a_lost_disk_is_the_last_one() {
        let lines = commands("raid6[degraded]");
        assert!(lines[3].ends_with("--run /dev/md/assay-0 /dev/loopN /dev/loopM /dev/loopL"));
    }
}
