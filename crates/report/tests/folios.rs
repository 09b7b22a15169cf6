//! Tests that hot files in folios of different sizes are reported.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{bare::markdown, common};
use model::{result::known, workload::CacheState};

#[test]
fn hot_files_in_folios_of_different_sizes_are_named() {
    let mut data = common::campaign(5);
    let text = |data: &model::result::Dataset| {
        let settings = stats::description::Settings::default();
        markdown(data, &stats::evaluation::findings(data, &settings).unwrap())
    };
    for sample in data.samples.iter_mut().filter(|sample| sample.case.test == "columnar.append.mid")
    {
        sample.case.cache = CacheState::Hot;
        sample.set(known::FOLIO_BYTES, 1 << 20);
    }
    assert!(!text(&data).contains("Folios of hot files"));
    for sample in data.samples.iter_mut().filter(|sample| sample.case.target.starts_with("btrfs")) {
        sample.set(known::FOLIO_BYTES, 4096);
    }
    let text = text(&data);
    assert!(text.contains("## Folios of hot files\n"), "{text}");
    let sizes = "columnar.append.mid with 1 process: ext4 1.0 MiB, xfs 1.0 MiB, btrfs";
    assert!(text.contains(sizes), "{text}");
}
