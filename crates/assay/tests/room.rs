//! Work that cannot fit is refused before anything is made for it.

use crate::common::{Place, ready_or_skip, root_or_skip, smallest, text};
use needs::{Mounted, file_system_or_skip};
use std::{fs, process::Command};

/// A test on files that no disk holds. It is only run where images are refused before they are written.
const SUITE: &str = r#"
name = "vast"
about = "Files that no disk holds."
procs = [1]

[[test]]
kind = "io"
id = "vast.write"
rw = "seqwr"
size = "100T"
"#;

/// A place with that suite, and the words that ask for it.
fn place() -> Place {
    let place = Place::new();
    fs::write(place.path("vast.toml"), SUITE).unwrap();
    place
}

fn words<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().chain(&["--suite", "vast.toml"]).copied().collect()
}

/// What lies in the place.
fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path(".")).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_scale_that_no_image_can_hold_is_refused_with_nothing_made() {
    if !root_or_skip("a loop image") {
        return;
    }
    let place = place();
    for verb in ["run", "plan"] {
        let line = place.fails(&words(&[verb, "--on", "ext4", "--scale", "1"]), 2);
        for told in ["scale 1 needs", "loop image of", " free; ", "use ", "--image-dir"] {
            assert!(line.contains(told), "{verb}: {told}: {line}");
        }
        assert_eq!(names(&place), ["vast.toml"], "{verb}");
    }
}

#[test]
fn a_directory_must_hold_the_files() {
    let place = place();
    let dir = format!("dir:{}", place.dir("d").display());
    let line = place.fails(&words(&["plan", "--on", &dir, "--scale", "1"]), 2);
    assert!(line.contains(&dir[4..]) && line.contains(" free; use "), "{line}");
    assert_eq!(names(&place), ["d", "vast.toml"]);
}

#[test]
fn zeros_fit_only_where_the_file_system_may_compress() {
    if !root_or_skip("mounts") {
        return;
    }
    let place = place();
    let dir = place.dir("d");
    let on = format!("dir:{}", dir.display());
    let zeros = words(&["plan", "--on", &on, "--scale", "1", "--data", "zeros"]);
    let mounted = Mounted::new(&["-t", "tmpfs", "-o", "size=300m", "none"], &dir);
    let line = place.fails(&zeros, 2);
    drop(mounted);
    assert!(line.contains(" free; use "), "{line}");
    if !file_system_or_skip("btrfs") {
        return;
    }
    let image = place.path("image");
    fs::File::create(&image).unwrap().set_len(512 << 20).unwrap();
    let made = Command::new("mkfs.btrfs").arg("-q").arg(&image).status().unwrap();
    assert!(made.success());
    let mounted = Mounted::new(&["-o", "loop", image.to_str().unwrap()], &dir);
    let output = place.assay(&zeros);
    drop(mounted);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_given_image_must_hold_the_files() {
    if !root_or_skip("a loop image") {
        return;
    }
    let place = place();
    let line =
        place.fails(&words(&["plan", "--on", "ext4", "--scale", "1", "--image-size", "1G"]), 2);
    assert!(line.contains("--image-size") && line.contains("1.0 GiB"), "{line}");
}

#[test]
fn resumed_campaign_keeps_the_size_of_its_images() {
    let place = Place::new();
    if !root_or_skip("a loop image") || !ready_or_skip(&place, "ext4") {
        return;
    }
    let images = |args: &[&str]| {
        let output = place.assay(args);
        let told = text(&output.stderr);
        assert!(output.status.success(), "{told}");
        told.lines().find(|line| line.starts_with("writing a loop image of ")).unwrap().to_string()
    };
    let first =
        images(&[&smallest("run", "stream", "ext4")[..], &["--tests", "stream.write"]].concat());
    assert!(first.contains("image of 1.0 GiB"), "{first}");
    assert!(place.ok(&["show"]).contains("made = 1073741824"));
    assert_eq!(images(&["resume", "--blocks", "+1"]), first);
}
