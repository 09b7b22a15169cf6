//! Ageing and filling on real loop devices. Needs root; where it or a file system is missing, a test
//! says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use lab::{
    ageing::{Ageing, age, fill, fullness, layout},
    instance::Instance,
    machine::Availability,
    setup::Lab,
};
use model::{plan::AGED_SHARE, text::Bytes};
use needs::{Need, skip};
use std::{fs as files, path::Path, sync::atomic::AtomicBool};

const IMAGE: Bytes = Bytes(700 << 20);
static GO: AtomicBool = AtomicBool::new(false);

/// The file systems that can be made here.
fn names() -> Vec<&'static str> {
    let ready = |name: &&str| match lab::machine::available(fs::find(name).unwrap()) {
        Availability::Ready => true,
        Availability::Missing { what, .. } => {
            skip(Need::file_system(name), format!("{name}: {what}"));
            false
        }
    };
    ["ext4", "xfs", "btrfs"].into_iter().filter(ready).collect()
}

fn each(campaign: &str, test: impl Fn(&str, &Lab)) {
    let names = names();
    if names.is_empty() {
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let mut lab = Lab::open(state.path(), campaign).unwrap();
    lab.make_images(state.path(), IMAGE, 1, &GO, &mut |_| {}).unwrap();
    names.iter().for_each(|name| test(name, &lab));
}

fn fresh<'lab>(lab: &'lab Lab, name: &str) -> Instance<'lab> {
    lab.provision(&name.parse().unwrap(), name).unwrap()
}

fn how(cycles: u32) -> Ageing {
    Ageing { space: IMAGE, cycles, seed: 7 }
}

#[test]
fn age_tears_files_apart_the_same_way_on_every_file_system() {
    let mut fingerprints = std::collections::HashSet::new();
    let seen = std::sync::Mutex::new(&mut fingerprints);
    each("age", |name, lab| {
        let instance = fresh(lab, name);
        let aged = age(&instance.root().join("aged"), &how(120), &GO).unwrap();
        let (before, after) = (aged.fresh.unwrap(), aged.aged.unwrap());
        let scores = [before, after].map(|layout| layout.score().unwrap());
        println!(
            "{name}: layout score {:.4}, aged {:.4}; {before:?} {after:?}",
            scores[0], scores[1]
        );
        assert!(scores[1] < scores[0], "{name}: {before:?} {after:?}");
        assert_eq!(layout(&instance.root().join("aged")).unwrap(), Some(after), "{name}");
        instance.make_cold().unwrap();
        let used = fullness(instance.root()).unwrap();
        assert!((used - AGED_SHARE).abs() < 0.2, "{name}: {used} is used");
        seen.lock().unwrap().insert(aged.fingerprint);
        instance.teardown().unwrap();
    });
    assert!(fingerprints.len() <= 1, "other histories for the same seed");
}

#[test]
fn fullness_is_within_two_points_of_the_request() {
    each("full", |name, lab| {
        for percent in [50, 80, 95] {
            let instance = fresh(lab, name);
            let reached = fill(&instance.root().join("filled"), percent, 3, &GO).unwrap();
            println!("{name}: {percent} % asked, {:.2} % reached", reached * 100.0);
            assert!((reached - f64::from(percent) / 100.0).abs() <= 0.02, "{name}: {reached}");
            assert!((fullness(instance.root()).unwrap() - reached).abs() < 1e-3, "{name}");
            still_writable(instance.root());
            instance.teardown().unwrap();
        }
    });
}

#[test]
fn an_aged_file_system_can_be_filled_and_made_cold() {
    each("both", |name, lab| {
        let instance = fresh(lab, name);
        let aged = age(&instance.root().join("aged"), &how(5), &GO).unwrap();
        instance.make_cold().unwrap();
        let filled = fill(&instance.root().join("filled"), 80, 3, &GO).unwrap();
        instance.make_cold().unwrap();
        let used = fullness(instance.root()).unwrap();
        assert!((filled - 0.8).abs() <= 0.02 && (used - 0.8).abs() <= 0.02, "{name}: {used}");
        assert_eq!(layout(&instance.root().join("aged")).unwrap(), aged.aged, "{name}");
        instance.teardown().unwrap();
    });
}

/// What is left free can be used.
fn still_writable(root: &Path) {
    let path = root.join("test");
    files::write(&path, vec![7u8; 4 << 20]).unwrap();
    files::File::open(&path).unwrap().sync_all().unwrap();
}
