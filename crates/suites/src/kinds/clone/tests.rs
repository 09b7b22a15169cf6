//! Clones that are made, overwritten and read on a real file system, and what is refused.

use super::{settings::Call, *};
use crate::testing::{declared, job, pool, run};
use model::workload::Work;
use needs::{Mounted, Need, skip};
use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::fs::FileExt,
    process::Command,
};

/// A mounted file system on an image, unmounted before the image is removed.
struct Made {
    mounted: Mounted,
    _top: tempfile::TempDir,
}

impl Made {
    fn dir(&self) -> &Path {
        self.mounted.dir()
    }
}

/// A file system of this kind; `None`, with the reason printed, where it cannot be made here.
fn made(kind: &str) -> Option<Made> {
    if !needs::root_or_skip("mounting") {
        return None;
    }
    let top = tempfile::tempdir().unwrap();
    let (image, dir) = (top.path().join("image"), top.path().join("mnt"));
    fs::create_dir(&dir).unwrap();
    File::create(&image).unwrap().set_len(512 << 20).unwrap();
    let made = Command::new(format!("mkfs.{kind}")).arg("-q").arg(&image).output();
    if !made.is_ok_and(|made| made.status.success()) {
        skip(Need::FileSystem(kind.into()), format!("mkfs.{kind} does not make an image"));
        return None;
    }
    let options = ["-t", kind, "-o", "loop"].map(OsStr::new);
    let mounted = Mounted::new(&[&options[..], &[image.as_os_str()]].concat(), &dir);
    Some(Made { mounted, _top: top })
}

fn test(text: &str) -> &'static dyn Test {
    declared(&format!("kind = 'clone'\nid = 'x.c'\n{text}"))
}

fn measured(text: &str, job: &Job) -> Measured {
    let test = test(text);
    let pool = pool(run(test, job).unwrap_or_else(|error| panic!("{text}: {error}")));
    test.measure(job, &pool).remove(0)
}

fn value(measured: &Measured, name: &str) -> f64 {
    let found = measured.metrics.iter().find(|metric| metric.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {:?}", measured.metrics)).value
}

#[test]
fn overwritten_clone_is_measured_next_to_an_unshared_file() {
    for kind in ["xfs", "btrfs"] {
        let Some(made) = made(kind) else { continue };
        let job = job("x.c", made.dir());
        let measured = measured("block = '64k'\nshare = 50", &job);
        assert_eq!(measured.metrics[0].name, "durable_rate", "{kind}");
        // 128 of 256 pieces of each of two files.
        assert_eq!((measured.ops, measured.bytes), (256, 256 << 16), "{kind}");
        let counts: Vec<_> = measured.histograms.iter().map(|h| (&*h.op, h.count())).collect();
        assert_eq!(counts, [("clone", 4), ("unshared", 4)], "{kind}");
        let of = |name| value(&measured, name);
        assert!(of("slowdown") > 0.0 && of("unshared_rate") > 0.0, "{kind}");
        assert_eq!(of("clone_shared_pct"), 50.0, "{kind}");
        assert!(of("clone_extents") > of("origin_extents"), "{kind}");
        let own = (of("clone_grown_pct"), of("unshared_grown_pct"));
        assert!(own.0 >= 95.0, "{kind}: new blocks take space: {own:?}");
        if kind == "xfs" {
            assert!(own.1 < 10.0, "overwritten in place: {own:?}");
        }
    }
}

/// The files that overwriting leaves are those that are read, and are made where they are not there.
#[test]
fn each_file_is_read_after_the_overwrites() {
    let Some(made) = made("xfs") else { return };
    let job = job("x.c", made.dir());
    let state = || fs::metadata(made.dir().join(FOLDER).join("0.origin")).unwrap();
    measured("share = 50", &job);
    let before = state().modified().unwrap();
    for (file, shared) in [("clone", 50.0), ("origin", 50.0), ("unshared", 0.0)] {
        let measured = measured(&format!("share = 50\naction = 'read'\nfile = '{file}'"), &job);
        assert_eq!((measured.bytes, measured.ops), (16 << 20, 16), "{file}");
        assert_eq!(measured.metrics[0].name, "rate");
        assert_eq!(value(&measured, &format!("{file}_shared_pct")), shared, "{file}");
    }
    assert_eq!(state().modified().unwrap(), before, "not made again");
    let whole = measured("share = 0\naction = 'read'", &job);
    assert_eq!(value(&whole, "clone_shared_pct"), 100.0);
    assert_ne!(state().modified().unwrap(), before, "made again for another share");
}

#[test]
fn more_sets_are_more_files_of_their_own() {
    let Some(made) = made("xfs") else { return };
    let job = Job { work: Some(Work { times: 1.0, copies: 2 }), ..job("x.c", made.dir()) };
    let written = measured("block = '1m'\nshare = 100\nbatch = 4", &job);
    assert_eq!(written.bytes, 2 * 2 * (16 << 20));
    let read = measured("block = '1m'\nshare = 100\nbatch = 4\naction = 'read'", &job);
    assert_eq!((read.bytes, value(&read, "clone_shared_pct")), (2 * (16 << 20), 0.0));
    let [first, second] =
        ["0.origin", "1.origin"].map(|name| fs::read(made.dir().join(FOLDER).join(name)).unwrap());
    assert!(first != second);
}

#[test]
fn made_clones_are_timed_and_removed() {
    for kind in ["xfs", "btrfs"] {
        let Some(made) = made(kind) else { continue };
        let job = job("x.c", made.dir());
        let measured = measured("action = 'make'\nshare = 100\nblock = '64k'\nclones = 7", &job);
        assert_eq!(measured.metrics[0].name, "durable_service_p50_us", "{kind}");
        assert_eq!(measured.ops, 5, "{kind}: not fewer, whatever the scale");
        let of = |name| value(&measured, name);
        assert!(of("call_service_p50_us") <= of("durable_service_p50_us"), "{kind}");
        assert_eq!(of("clone_shared_pct"), 100.0, "{kind}");
        let names = fs::read_dir(made.dir().join(FOLDER)).unwrap().count();
        assert_eq!(names, 4, "{kind}: three files, and what says what they hold");
    }
}

/// FICLONE fails there, and copy_file_range(2) copies.
#[test]
fn file_system_without_clones_is_refused_and_nothing_is_copied() {
    let Some(made) = made("ext4") else { return };
    let job = job("x.c", made.dir());
    for (call, what) in [
        ("ficlone", "a clone of a file (FICLONE)"),
        ("copy_file_range", "a clone of a file that shares its blocks"),
    ] {
        for action in ["make", "overwrite", "read"] {
            let text = format!("action = '{action}'\ncall = '{call}'");
            let error = run(test(&text), &job).unwrap_err();
            assert_eq!(error.refused(), Some(what), "{text}: {error}");
        }
    }
}

#[test]
fn copy_file_range_counts_where_it_clones() {
    let Some(made) = made("xfs") else { return };
    let measured = measured("call = 'copy_file_range'", &job("x.c", made.dir()));
    assert_eq!(value(&measured, "origin_shared_pct").round(), 90.0);
}

#[test]
fn changed_origin_and_lost_overwrite_are_found() {
    let Some(made) = made("xfs") else { return };
    let job = job("x.c", made.dir());
    let settings: Settings = settings("share = 50".parse().unwrap(), &KNOBS).unwrap();
    measured("share = 50", &job);
    let sets = CloneSets::new(&settings, &job);
    for which in Which::ALL {
        sets.check(which, 0).unwrap();
    }
    let damage = |which, at| {
        let file = File::options().write(true).open(sets.path(which, 0)).unwrap();
        file.write_all_at(b"damage", at).unwrap();
        sets.check(which, 0).unwrap_err().to_string()
    };
    assert!(damage(Which::Origin, 5 * 4096).contains("piece 5 of 4096 bytes is not as it was"));
    assert!(damage(Which::Clone, 9 * 4096).contains("piece 9 of 4096 bytes is not "));
    let file = File::options().write(true).open(sets.path(Which::Unshared, 0)).unwrap();
    file.set_len(17 << 20).unwrap();
    let error = sets.check(Which::Unshared, 0).unwrap_err().to_string();
    assert!(error.contains("17825792 bytes instead of 16777216"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |text: &str| {
        let settings: Result<Settings, String> = settings(text.parse().unwrap(), &KNOBS);
        settings.and_then(|s| s.check()).unwrap_err()
    };
    assert!(refused("size = '15M'").contains("`size`"));
    assert!(refused("size = '2T'").contains("`size`"));
    assert!(refused("block = '12k'").contains("`block`"));
    assert!(refused("share = 101").contains("`share`"));
    assert!(refused("share = 0").contains("nothing to overwrite"));
    assert!(refused("batch = 0").contains("batch"));
    assert!(refused("clones = 0").contains("clones"));
    assert!(refused("file = 'copy'").contains("file"));
    assert!(refused("call = 'cp'").contains("call"));
    let taken: Settings = settings(toml::Table::new(), &KNOBS).unwrap();
    assert_eq!((taken.check(), taken.call), (Ok(()), Call::Ficlone));
}
