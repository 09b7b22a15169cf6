//! raid1: the same data on two or more disks.

use super::common::md::{
    self, BITMAP, BITMAP_CHUNK, BITMAP_NEEDED, LOST, LOST_OR_REBUILT, METADATA, Md, REBUILT,
};
use crate::options::value;
use crate::{About, Exclusion};
use model::target::Knob;

/// The registered part.
pub(crate) const ROW: Md = Md {
    about: About { exclusions: EXCLUSIONS, ..md::about("raid1", &["raid1"], KNOBS) },
    level: 1,
    devices: 2,
};

const KNOBS: &[Knob] = &[
    value("devices", "disks", "number of mirrored disks", "2", &["2", "3", "4"]),
    BITMAP,
    BITMAP_CHUNK,
    METADATA,
    LOST,
    REBUILT,
];

const EXCLUSIONS: &[Exclusion] = &[BITMAP_NEEDED, LOST_OR_REBUILT];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::commands;
    use crate::{FileSystem, Repair};

    #[test]
    fn plain_under_ext4() {
        assert_eq!(commands("raid1"), commands("raid1(ext4)"));
        assert_eq!(
            commands("raid1(xfs)"),
            [
                "mdadm --create /dev/md/assay-0 --run --quiet --level=1 --raid-devices=2 \
                 --metadata=1.2 --name=assay-0 --bitmap=internal /dev/loopN /dev/loopM",
                "mdadm --wait /dev/md/assay-0",
                "mdadm --stop --quiet /dev/md/assay-0",
                "mdadm --assemble --quiet /dev/md/assay-0 /dev/loopN /dev/loopM",
                "mkfs.xfs -f -q -K /dev/md/assay-0",
                "mount -t xfs /dev/md/assay-0 /m",
            ]
        );
    }

    #[test]
    fn degraded_is_made_whole_and_assembled_without_its_last_disk() {
        let lines = commands("raid1[degraded](xfs)");
        assert!(
            lines[0].ends_with("/dev/loopN /dev/loopM") && lines[1].contains("--wait"),
            "{lines:?}"
        );
        assert_eq!(lines[3], "mdadm --assemble --quiet --run /dev/md/assay-0 /dev/loopN");
    }

    #[test]
    fn a_rebuild_begins_with_each_assembly() {
        let lines = commands("raid1[resync=20](xfs)");
        assert_eq!(lines[3], "mdadm --assemble --quiet --run /dev/md/assay-0 /dev/loopN");
        assert_eq!(lines[4], "mdadm --zero-superblock --quiet /dev/loopM");
        assert!(lines[5].ends_with("assay-0 /dev/md/assay-0 20480"), "{}", lines[5]);
        assert_eq!(lines[6], "mdadm --manage --quiet /dev/md/assay-0 --add /dev/loopM");
        let refused = |text: &str| crate::resolve(&text.parse().unwrap()).err().unwrap();
        assert!(refused("raid1[resync=fast]").to_string().contains("e.g. resync=20"));
        assert!(
            refused("raid1[resync=5,degraded]").to_string().contains("degraded and resync exclude")
        );
    }

    #[test]
    fn what_is_left_is_scrubbed_and_gets_a_new_disk() {
        let (parts, mut sites) = crate::tests::placed("raid1(ext4)", None);
        let (part, site) = (&parts[0], &mut sites[0]);
        site.disks.truncate(1);
        let up = part.fs.mount_degraded(site, &part.options);
        assert_eq!(up[0].to_string(), "mdadm --assemble --quiet --run /dev/md/assay-0 /dev/loopN");
        let one = |steps: Vec<Repair>| match &steps[..] {
            [Repair::Command(command)] => command.to_string(),
            other => panic!("{other:?}"),
        };
        let replaced = one(part.fs.replace(site, &part.options, 1, "/dev/loopL".as_ref()));
        assert!(replaced.ends_with("assay-0 /dev/md/assay-0 /dev/loopL"), "{replaced}");
        assert!(one(part.fs.scrub(site)).ends_with("/dev/md/assay-0 check"));
        assert!(one(part.fs.make_alike(site)).ends_with("/dev/md/assay-0 repair"));
        assert_eq!(part.fs.read_found("128\n"), Some(128));
    }

    #[test]
    fn geometry_tells_the_state_of_the_resync() {
        let text = "/dev/md/a:\n           Version : 1.2\n        Raid Level : raid1\n             \
                    State : clean, resyncing \n     Resync Status : 12% complete\n    Number   Major\n";
        let pairs = [
            ("metadata", "1.2"),
            ("level", "raid1"),
            ("state", "clean, resyncing"),
            ("resync", "12% complete"),
        ];
        assert_eq!(ROW.read_geometry(text), pairs.map(|(k, v)| (k.to_string(), v.to_string())));
    }
}
