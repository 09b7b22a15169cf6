//! Tests that a bundle round-trips, identifies no one unless requested, and can do no harm.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::options;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use formats::{NamedBytes, export, import, published};
use model::{
    result::{Dataset, TargetState},
    strategies::dataset,
    target::Target,
};
use proptest::prelude::*;
use std::io::{Read, Write};

fn back(files: &[NamedBytes]) -> Result<Dataset, String> {
    import(files, None, &options()).map_err(|why| why.to_string())
}

fn text(files: &[NamedBytes]) -> String {
    let mut text = String::new();
    GzDecoder::new(&files[0].1[..]).read_to_string(&mut text).unwrap();
    text
}

/// The error of a bundle with `lines` behind its first.
fn refusal(lines: &[u8]) -> String {
    back(&[("x.assay.gz".into(), export::packed(lines, true).unwrap())]).unwrap_err()
}

proptest! {
    #[test]
    fn a_bundle_gives_back_an_equal_dataset(data in dataset()) {
        let files = export::bundle(&data, true, &[]).unwrap();
        prop_assert_eq!(back(&files).unwrap(), data);
    }

    #[test]
    fn figures_are_what_they_were_when_names_are_left_out(data in dataset()) {
        let files = export::bundle(&data, false, &["here".into()]).unwrap();
        let read = back(&files).unwrap();
        let figures = |data: &Dataset| {
            let figure = |s: &model::result::Sample| (s.block, s.position, s.ops, s.series.clone().map(|s| s.end_ms));
            data.samples.iter().map(figure).collect::<Vec<_>>()
        };
        prop_assert_eq!(figures(&read), figures(&data));
        prop_assert_eq!(read.targets.len(), data.targets.len());
        // What was left out once is not there to be left out again.
        prop_assert_eq!(export::bundle(&read, false, &["here".into()]).unwrap(), files);
    }
}

/// A study with names of a machine wherever one can stand.
fn telling() -> Dataset {
    let mut data = published().unwrap().swap_remove(0);
    let told = "dir:/srv/jane/fast disk";
    let label = data.targets[0].label.clone();
    for sample in data.samples.iter_mut().filter(|sample| sample.case.target == label) {
        sample.case.target = told.into();
    }
    data.targets[0].label = told.into();
    data.targets[0].target = told.into();
    data.targets[0].state = TargetState::Failed("db7: cannot stat /srv/jane/x: gone".into());
    let facts = &mut data.targets[0].facts.0;
    facts.insert("mount.source".into(), "files.lan:/export".into());
    facts.insert("disk.serial".into(), "S64GNN0T".into());
    let campaign = &mut data.campaign;
    campaign.plan.targets = vec![told.parse::<Target>().unwrap()];
    campaign.plan.baseline = Some(told.into());
    campaign.plan.backing.dir = Some("/srv/jane/images".into());
    campaign.plan.files.insert("/srv/jane/a.fio".into(), "[a]\ndirectory=/srv/jane/run\n".into());
    campaign.title = "columnar on dir:/srv/jane/fast disk, of db7.example.com".into();
    campaign.environment.0.insert("net".into(), "10.1.2.3 aa:bb:cc:00:11:22 S64GNN0T".into());
    campaign.notes.push("by jane, on db7; files.lan was idle".into());
    data.checked().unwrap()
}

#[test]
fn what_names_the_machine_is_left_out_unless_it_is_asked_for() {
    let data = telling();
    let names = ["db7".into(), "jane".into()];
    let telltales =
        ["jane", "/srv", "fast disk", "db7", "files.lan", "S64GNN0T", "10.1.2.3", "aa:bb"];
    let asked = export::bundle(&data, true, &names).unwrap();
    assert!(telltales.iter().all(|name| text(&asked).contains(name)));
    assert_eq!(back(&asked).unwrap(), data);

    let files = export::bundle(&data, false, &names).unwrap();
    let written = text(&files);
    for name in telltales {
        let at = written.find(name).map(|at| &written[at.saturating_sub(80)..at + 40]);
        assert_eq!(at, None, "{name} is left");
    }
    let read = back(&files).unwrap();
    assert_eq!(read.targets[0].label, "dir:/path-1");
    let plan = &read.campaign.plan;
    assert_eq!(
        (plan.candidates(), plan.baseline.as_deref()),
        (vec!["dir:/path-1".into()], Some("dir:/path-1"))
    );
    assert_eq!(read.samples.len(), data.samples.len());
    assert_eq!(export::bundle(&read, false, &names).unwrap(), files);
}

#[test]
fn the_same_campaign_is_the_same_file_and_damage_is_seen() {
    let data = published().unwrap().swap_remove(1);
    let files = export::bundle(&data, false, &[]).unwrap();
    assert_eq!(files, export::bundle(&data, false, &[]).unwrap());
    assert!(files[0].0.ends_with(".assay.gz"), "{}", files[0].0);
    let with = |bytes: Vec<u8>| back(&[("x.assay.gz".into(), bytes)]).unwrap_err();
    let whole = &files[0].1;
    for cut in [whole.len() - 1, whole.len() / 2] {
        assert!(with(whole[..cut].to_vec()).contains("damaged or truncated"));
    }
    assert!(with([whole, &b"x"[..]].concat()).contains("after the end"));
    assert!(back(&[files[0].clone(), files[0].clone()]).unwrap_err().contains("2 bundles"));
    // Other figures under the old hash.
    let forged = text(&files).replacen("\"block\":0", "\"block\":1", 1);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(forged.as_bytes()).unwrap();
    assert!(with(gzip.finish().unwrap()).contains("has the hash"));
}

#[test]
fn another_version_is_told_from_damage() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(b"{\"schema\":\"assay-bundle-9\",\"identified\":false,\"sha256\":\"\"}\n")
        .unwrap();
    let why = back(&[("x".into(), gzip.finish().unwrap())]).unwrap_err();
    assert!(why.contains("assay-bundle-9") && why.contains("assay-bundle-1"), "{why}");
}

#[test]
fn bombs_are_refused_before_they_fill_the_memory() {
    let data = published().unwrap().swap_remove(1);
    let whole = text(&export::bundle(&data, true, &[]).unwrap());
    let lines = whole.split_once('\n').unwrap().1;
    let head = lines.split_inclusive('\n').next().unwrap();
    let bomb =
        |unit: &[u8], times: usize| refusal(&[head.as_bytes(), &unit.repeat(times)].concat());
    let long = bomb(b"[", 17 << 20);
    assert!(long.contains("line 3") && long.contains("exceeds the limit"), "{long}");
    let deep = refusal(format!("{head}{}\n", "{\"case\":[".repeat(10_000)).as_bytes());
    assert!(deep.contains("line 3"), "{deep}");
    let first = back(&[("x".into(), endless_heading())]).unwrap_err();
    assert!(first.contains("line 1"), "{first}");
}

/// A bundle whose first line has no end.
fn endless_heading() -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(b"{\"schema\":\"assay-bundle-1\",\"x\":\"").unwrap();
    gzip.write_all(&[b'a'; 1 << 20]).unwrap();
    gzip.finish().unwrap()
}
