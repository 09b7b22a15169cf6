//! raid0: data striped over two or more disks, each of which is needed.

use super::common::md::{self, CHUNK, METADATA, Md};
use crate::options::value;
use model::target::Knob;

/// The registered part.
pub(crate) const ROW: Md =
    Md { about: md::about("raid0", &["raid0"], KNOBS), level: 0, devices: 2 };

const KNOBS: &[Knob] = &[
    value("devices", "disks", "number of striped disks", "2", &["2", "3", "4", "5", "6", "7", "8"]),
    CHUNK,
    METADATA,
];

#[cfg(test)]
mod tests {
    use crate::tests::commands;

    #[test]
    fn plain_and_with_options() {
        assert_eq!(
            commands("raid0(xfs)"),
            [
                "mdadm --create /dev/md/assay-0 --run --quiet --level=0 --raid-devices=2 \
                 --metadata=1.2 --name=assay-0 /dev/loopN /dev/loopM",
                "mdadm --stop --quiet /dev/md/assay-0",
                "mdadm --assemble --quiet /dev/md/assay-0 /dev/loopN /dev/loopM",
                "mkfs.xfs -f -q -K /dev/md/assay-0",
                "mount -t xfs /dev/md/assay-0 /m",
            ]
        );
        let create = &commands("raid0[chunk=64K,devices=3]")[0];
        assert!(
            create.contains("--raid-devices=3") && create.contains("--chunk=64K /dev/loopN "),
            "{create}"
        );
    }

    /// It survives no loss, and has nothing to keep alike.
    #[test]
    fn has_neither_bitmap_nor_rebuild() {
        for option in ["degraded", "resync=20", "bitmap=none"] {
            let target = format!("raid0[{option}]");
            let refused = crate::resolve(&target.parse().unwrap()).err().unwrap().to_string();
            assert!(refused.contains("no option"), "{refused}");
        }
    }
}
