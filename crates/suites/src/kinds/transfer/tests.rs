//! The tree, what changes in it, and what a comparison finds.

use super::*;
use crate::testing::{declared, job};
use std::{
    collections::BTreeSet,
    fs::{self, File, Permissions},
    os::unix::fs::{FileExt, PermissionsExt},
    path::Path,
    process::Command,
};

fn work(change: u64) -> (&'static dyn Test, Box<dyn SentTree>) {
    let test = declared(&format!("kind = 'transfer'\nid = 'x.t'\nchange = {change}"));
    let work = test.sent_tree(&job("x.t", Path::new("/nowhere"))).unwrap();
    (test, work)
}

/// A tree and a copy of it, by a program that keeps all.
fn copied() -> (tempfile::TempDir, [PathBuf; 2]) {
    let dir = tempfile::tempdir().unwrap();
    let trees = ["a", "b"].map(|name| dir.path().join(name));
    fs::create_dir(&trees[0]).unwrap();
    work(5).1.create(&trees[0]).unwrap();
    copy(&trees);
    (dir, trees)
}

fn copy([from, to]: &[PathBuf; 2]) {
    let done = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(done.success());
}

#[test]
fn tree_is_as_large_as_asked_and_the_same_each_time() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (test, work) = work(5);
    for dir in &dirs {
        // 32 MiB at this scale.
        let bytes = work.create(dir.path()).unwrap();
        assert!((32 << 20..33 << 20).contains(&bytes), "{bytes}");
        let files = tree::files(dir.path()).unwrap();
        let names: BTreeSet<_> = files.iter().map(|path| path.extension()).collect();
        assert_eq!(names.len(), 1);
        let found: u64 = files.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        assert!(found > bytes, "hard links are counted twice: {found}");
    }
    let [a, b] = [dirs[0].path(), dirs[1].path()];
    let why = difference(a, b).unwrap().unwrap();
    assert!(why.contains("time of modification"), "only links and inner directories: {why}");
    assert_eq!(test.infos().len(), 2);
}

#[test]
fn every_kind_of_change_is_made_and_found() {
    let (_dir, [a, b]) = copied();
    assert_eq!(difference(&a, &b).unwrap(), None);
    let before: BTreeSet<_> = tree::files(&b).unwrap().into_iter().collect();
    let written = work(10).1.change(&b).unwrap();
    let ten_pct = (32 << 20) / 10;
    assert!((ten_pct..ten_pct + (1 << 20)).contains(&written), "{written}");
    let after: BTreeSet<_> = tree::files(&b).unwrap().into_iter().collect();
    let new = |word: &str| {
        after
            .iter()
            .filter(|path| path.ends_with(word) || path.extension().is_some_and(|e| e == word))
            .count()
    };
    assert!(new("new") > 0 && new("moved") > 0);
    assert!(b.join("renamed").is_dir() && !b.join("d0").exists());
    assert!(before.difference(&after).count() > 0);
    assert!(difference(&a, &b).unwrap().is_some());
}

/// Each difference, made alone on a copy, is what is said.
#[test]
fn each_difference_is_named() {
    let (_dir, trees) = copied();
    let [a, b] = &trees;
    let file = b.join("d0/d0/f0");
    let differs = |what: &str| {
        let why = difference(a, b).unwrap().unwrap_or_default();
        assert!(why.contains(what), "{what}: {why}");
        fs::remove_dir_all(b).unwrap();
        copy(&trees);
    };
    fs::remove_file(&file).unwrap();
    set_times_as(a, b, "d0/d0");
    differs("d0/d0/f0 was not received");
    File::create(b.join("d0/d0/more")).unwrap();
    set_times_as(a, b, "d0/d0");
    differs("d0/d0/more was not deleted");
    fs::set_permissions(&file, Permissions::from_mode(0o777)).unwrap();
    differs("d0/d0/f0 has another mode");
    let times = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let open = File::options().write(true).open(&file);
    // Only root may write to each of them.
    let Ok(open) = open else { return needs::skip(needs::Need::Root, "writing to all files") };
    let time = times(&file);
    open.write_all_at(b"damage", 100).unwrap();
    open.set_modified(time).unwrap();
    differs("d0/d0/f0 has another content");
    let open = File::options().write(true).open(&file).unwrap();
    open.set_len(7).unwrap();
    open.set_modified(time).unwrap();
    differs("d0/d0/f0 has another length");
    let linked = b.join("d0/d0/f3");
    let time = times(&linked);
    let content = fs::read(&linked).unwrap();
    fs::remove_file(b.join("d0/d0/hard3")).unwrap();
    fs::write(b.join("d0/d0/hard3"), content).unwrap();
    fs::set_permissions(b.join("d0/d0/hard3"), fs::metadata(&linked).unwrap().permissions())
        .unwrap();
    std::os::unix::fs::chown(
        b.join("d0/d0/hard3"),
        Some(std::os::unix::fs::MetadataExt::uid(&fs::metadata(&linked).unwrap())),
        Some(std::os::unix::fs::MetadataExt::gid(&fs::metadata(&linked).unwrap())),
    )
    .unwrap();
    File::options().write(true).open(b.join("d0/d0/hard3")).unwrap().set_modified(time).unwrap();
    set_times_as(a, b, "d0/d0");
    differs("set of hard links");
}

/// Gives the directory `dir` of `b` the time that it has in `a`.
fn set_times_as(a: &Path, b: &Path, dir: &str) {
    let time = fs::metadata(a.join(dir)).unwrap().modified().unwrap();
    File::open(b.join(dir)).unwrap().set_modified(time).unwrap();
}

#[test]
fn impossible_setting_is_refused_by_name() {
    let refused = |text: &str| {
        let settings: Result<Settings, String> = settings(text.parse().unwrap(), &KNOBS);
        settings.and_then(|s| s.check()).unwrap_err()
    };
    assert!(refused("size = '31M'").contains("`size`"));
    assert!(refused("change = 51").contains("change"));
    assert!(refused("change = 0").contains("change"));
    assert!(refused("way = 'rsync'").contains("way"));
}

#[test]
fn both_pages_say_what_is_done() {
    let (test, _) = work(7);
    let [full, change] = ["x.t", "x.t.change"].map(|id| test.explain(id));
    assert!(full.contains("send a tree in full") && full.contains("7 % of the bytes change"));
    assert!(change.contains("send what has changed"), "{change}");
}
