//! Tests that a bundle round-trips, identifies no one unless requested, and can do no harm.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::options;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use formats::{FormatError, NamedBytes, export, import, published};
use model::{
    result::{Dataset, HostsWith, Note, TargetState},
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
            let figure = |s: &model::result::Sample| (s.block, s.position, s.figures.ops, s.figures.series.clone().map(|s| s.end_ms));
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
    campaign.notes.push(Note::Said("by jane, on db7; files.lan was idle".into()));
    let value = Some("S64GNN0T".to_string());
    campaign.notes.push(Note::HostsDiffer {
        fact: "net".into(),
        values: vec![HostsWith { value, hosts: vec!["db7".into(), "db7.example.com".into()] }],
    });
    campaign.notes.push(Note::DeviceInUse { target: told.into() });
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
fn another_version_is_distinguished_from_damage() {
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

/// A bundle of `lines` with `contents` behind them, each said to have these bytes.
fn enclosing(contents: &[(&[u8], u64)]) -> NamedBytes {
    let data = published().unwrap().swap_remove(0);
    let assets = contents.iter().enumerate();
    let assets = assets.map(|(index, (_, bytes))| export::Enclosed { index, bytes: *bytes });
    let options = export::ExportOptions {
        identified: true,
        enclosed: assets.collect(),
        ..export::ExportOptions::default()
    };
    let (name, mut bytes) = export::bundle_to_enclose(&data, &options).unwrap().swap_remove(0);
    for (content, _) in contents {
        export::enclose(&mut &content[..], &mut bytes).unwrap();
    }
    (name, bytes)
}

/// Why an asset was not taken.
struct Refused(String);

impl From<FormatError> for Refused {
    fn from(why: FormatError) -> Refused {
        Refused(why.to_string())
    }
}

/// What a bundle holds, each by its place.
fn contents(file: &NamedBytes) -> Result<Vec<(usize, Vec<u8>)>, String> {
    let mut found = Vec::new();
    let read = formats::each_enclosed::<Refused>(&[file], &mut |asset, content| {
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes).map_err(|why| Refused(why.to_string()))?;
        found.push((asset.index, bytes));
        Ok(())
    });
    read.map(|()| found).map_err(|Refused(why)| why)
}

#[test]
fn bundle_holds_assets_behind_its_campaign() {
    let file = enclosing(&[(b"abc", 3), (b"", 0)]);
    assert_eq!(contents(&file).unwrap(), [(0, b"abc".to_vec()), (1, Vec::new())]);
    assert_eq!(formats::enclosed(&file).unwrap().len(), 2);
    let data = published().unwrap().swap_remove(0);
    let plain = export::bundle(&data, true, &[]).unwrap();
    assert_eq!(back(&[file]), back(&plain), "the campaign is the same");
    assert!(
        text(&plain).starts_with("{\"schema\":\"assay-bundle-1\",\"identified\":true,\"sha256\"")
    );
    assert_eq!(contents(&plain[0]).unwrap(), []);
    assert!(formats::enclosed(&("x.json".into(), b"{}".to_vec())).unwrap().is_empty());
}

#[test]
fn asset_is_inflated_no_further_than_the_bundle_says() {
    // A megabyte of one letter is a kilobyte of gzip.
    let bomb = vec![b'x'; 1 << 20];
    let mut inflated = 0;
    let file = enclosing(&[(&bomb, 3)]);
    let read = formats::each_enclosed::<Refused>(&[&file], &mut |_, content| {
        inflated = std::io::copy(content, &mut std::io::sink()).unwrap();
        Err(Refused("is longer".into()))
    });
    assert!(read.is_err());
    assert_eq!(inflated, 4);
    let why = formats::enclosed(&enclosing(&[(b"", 64 << 30), (b"", 1)])).unwrap_err().to_string();
    assert!(why.contains("the limit is 64.0 GiB"), "{why}");
}

#[test]
fn bundle_whose_assets_are_truncated_or_followed_by_more_is_refused() {
    let (name, bytes) = enclosing(&[(b"abc", 3)]);
    for cut in [1, 9, 20] {
        assert!(contents(&(name.clone(), bytes[..bytes.len() - cut].to_vec())).is_err(), "{cut}");
    }
    let more = (name, [&bytes[..], b"x"].concat());
    assert!(contents(&more).unwrap_err().contains("data after the end of the bundle"));
}
