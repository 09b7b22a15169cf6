//! Tests that imports are read and stored in parts: their memory does not grow with their size.

use crate::common::{Place, text};
use formats::export;
use model::{
    figure::{Better, Metric},
    result::{Dataset, Note, Sample},
    workload::{CacheState, Case},
};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const SAMPLES: u32 = 10_000;
const METRICS: usize = 10;
/// Memory that the import may take for its data, KiB. Held as a whole, these samples take more than twice
/// as much.
const LIMIT_KIB: u32 = 32 << 10;

/// A campaign of [`SAMPLES`] samples.
fn large() -> Dataset {
    let mut data = formats::published().unwrap().swap_remove(1);
    data.targets.truncate(1);
    data.tests.truncate(20);
    let names: Vec<String> = (0..METRICS).map(|n| format!("figure_number_{n}")).collect();
    let sample = |n: u32| {
        let test = &data.tests[n as usize % data.tests.len()];
        let case = Case {
            target: data.targets[0].label.clone(),
            suite: test.suite.clone(),
            test: test.id.clone(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let metric = |name: &String| Metric::new(name, f64::from(n) + 0.1, "MB/s", Better::Higher);
        let metrics = names.iter().map(metric).collect();
        let bare = Sample::bare(n / data.tests.len() as u32, 0, case, metrics);
        bare.timed(1 << 20, 256, 1.0)
    };
    data.samples = (0..SAMPLES).map(sample).collect();
    data
}

/// What an import of `folder` ends with, in little memory.
fn limited(place: &Place, folder: &Path) -> Output {
    let assay = place.command(&["import", folder.to_str().unwrap()]);
    Command::new("sh")
        .args(["-c", &format!("ulimit -d {LIMIT_KIB} && exec \"$@\""), "sh"])
        .arg(assay.get_program())
        .args(assay.get_args())
        .env("ASSAY_STORE", folder.join("store.db"))
        .output()
        .unwrap()
}

#[test]
fn an_import_of_many_samples_takes_little_memory() {
    let (place, data) = (Place::new(), large());
    for (name, export) in [
        ("json", export::json as fn(&_) -> _),
        ("csv", export::csv),
        ("fio", export::fio_json),
        ("bundle", |data| export::bundle(data, false, &[])),
    ] {
        let folder = place.dir(name);
        for (file, bytes) in export(&data).unwrap() {
            fs::write(folder.join(file), bytes).unwrap();
        }
        let limited = limited(&place, &folder);
        let (told, why) = (text(&limited.stdout), text(&limited.stderr));
        assert!(limited.status.success(), "{name}: {:?} {why}", limited.status);
        assert!(told.contains(&format!("{SAMPLES} samples")), "{name}: {told}");
    }
}

/// A dataset is held but for its samples: one that has too much else is refused before it is.
#[test]
fn an_import_of_many_notes_or_facts_is_refused_in_little_memory() {
    let mut short = formats::published().unwrap().swap_remove(1);
    short.samples.truncate(1);
    let mut long = short.clone();
    let mut facts = short.clone();
    short.campaign.notes = (0..200_000).map(|n| Note::Said(format!("note {n}"))).collect();
    long.campaign.notes = (0..9_000).map(|_| Note::Said("x".repeat(5_000))).collect();
    let fact = |n| (format!("fact{n}"), "x".repeat(300));
    facts.campaign.environment.0.extend((0..100_000).map(fact));
    let place = Place::new();
    let refused = |name: &str, files: Vec<(String, Vec<u8>)>, part: &str| {
        let folder = place.dir(name);
        for (file, bytes) in files {
            fs::write(folder.join(file), bytes).unwrap();
        }
        let limited = limited(&place, &folder);
        let why = text(&limited.stderr);
        assert_eq!(limited.status.code(), Some(1), "{name}: {:?} {why}", limited.status);
        assert!(why.contains(part), "{name}: {why}");
    };
    let (many, much) =
        ("it has more than 10000 notes", "it has more than 16.0 MiB besides its samples");
    refused("short.json", export::json(&short).unwrap(), many);
    refused("short.csv", export::csv(&short).unwrap(), many);
    refused("short.bundle", export::bundle(&short, false, &[]).unwrap(), many);
    for (what, data) in [("long", &long), ("facts", &facts)] {
        refused(&format!("{what}.json"), export::json(data).unwrap(), much);
        refused(&format!("{what}.csv"), export::csv(data).unwrap(), much);
    }
}
