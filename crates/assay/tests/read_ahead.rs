//! Random reads from a cold cache on a disk that reads much ahead, and on one that does not, for which a loop device
//! stands in. Needs root; where it is missing, the test says so.

use crate::common::{Place, ready_or_skip, root_or_skip};
use crate::stand_in::{Disk, can_attach};
use std::{collections::BTreeMap, fs};

const SIZE: u64 = 2 << 30;

/// Blocks of a page, all of a file once, by calls and by a mapping; and the same in order, of which one does not expect
/// that each asks the disk.
const SUITE: &str = r#"
name = "ahead"
about = "Reads from a cold cache."
procs = [1]

[[test]]
kind = "io"
id = "ahead.{engine}.{rw}"
for.engine = ["sync", "mmap"]
for.rw = ["rndrd", "seqrd"]
block = "4k"
size = "16M"
cache = "cold"
"#;

/// Runs the suite on `disk`, whose queue reads `kib` ahead; by test, the share of hits.
fn hits(place: &Place, disk: &Disk, kib: u32) -> Vec<(String, Option<f64>)> {
    let device = fs::canonicalize(&disk.node).unwrap();
    let name = device.file_name().unwrap().to_str().unwrap();
    let queue = format!("/sys/block/{name}/queue/read_ahead_kb");
    fs::write(&queue, kib.to_string()).unwrap();
    let (link, serial) = (disk.link.to_str().unwrap(), disk.serial());
    let run = ["run", "--suite", "./ahead.toml", "--device", link, "--destroy", &serial];
    let rest = ["--on", "ext4", "--blocks", "1", "--scale", "1", "--preset", "smoke"];
    place.ok(&[&run[..], &rest].concat());
    assert_eq!(fs::read_to_string(&queue).unwrap().trim(), kib.to_string());
    let share = |metrics: BTreeMap<String, f64>| metrics.get("read_ahead_hit_pct").copied();
    place.samples().into_iter().map(|(test, metrics)| (test, share(metrics))).collect()
}

#[test]
fn random_reads_that_were_read_ahead_say_so() {
    if !root_or_skip("a disk") || !can_attach("a disk") {
        return;
    }
    let (place, disk) = (Place::new(), Disk::new(SIZE));
    if !ready_or_skip(&place, "ext4") {
        return;
    }
    fs::write(place.path("ahead.toml"), SUITE).unwrap();
    for (kib, is_ahead) in [(4096, true), (0, false)] {
        let found = hits(&place, &disk, kib);
        assert!(found.len() >= 4, "{found:?}");
        for (test, share) in &found {
            assert_eq!(share.is_some(), test.ends_with("rndrd"), "{test}");
            // For calls at random places the kernel reads ahead little, and by small requests.
            let may_be_ahead = is_ahead && test.contains("sync");
            let labelled = share.is_some_and(|pct| pct > 10.0);
            let expected = is_ahead && test == "ahead.mmap.rndrd";
            assert!(may_be_ahead || labelled == expected, "{test}: {share:?} % with {kib} KiB");
        }
        let report = place.ok(&["report", "last"]);
        assert_eq!(report.contains("read ahead "), is_ahead, "{report}");
        let page = fs::read_to_string(place.path(&report_page(&place))).unwrap();
        assert_eq!(page.contains("read ahead "), is_ahead);
    }
    place.assert_clean();
}

/// The page of the last campaign.
fn report_page(place: &Place) -> String {
    place.ok(&["report", "last", "--format", "html", "--out", "page.html"]);
    "page.html".into()
}
