//! Campaigns of root on directories of other users, who plant what they like there meanwhile. Needs root;
//! where it is missing, a test says so and ends.

use crate::common::{Place, root_or_skip, text};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

const NOBODY: u32 = 65534;
const SMALL: [&str; 8] =
    ["--preset", "smoke", "--procs", "1", "--tests", "columnar.write.*", "--scale", "smoke"];

/// A directory owned by the user `nobody`, which no one else can reach.
fn nobodys(place: &Place) -> PathBuf {
    fs::set_permissions(place.path(""), Permissions::from_mode(0o755)).unwrap();
    let dir = place.dir("theirs");
    chown(&dir, Some(NOBODY), Some(NOBODY)).unwrap();
    dir
}

/// Something of root's that must stay as it is.
struct Precious {
    dir: PathBuf,
}

impl Precious {
    fn new(place: &Place) -> Precious {
        let dir = place.dir("precious");
        fs::write(dir.join("file"), "precious\n").unwrap();
        Precious { dir }
    }

    fn assert_untouched(&self) {
        let names: Vec<_> = fs::read_dir(&self.dir).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "{names:?}");
        assert_eq!(fs::read_to_string(self.dir.join("file")).unwrap(), "precious\n");
        let meta = fs::metadata(self.dir.join("file")).unwrap();
        assert_eq!((meta.uid(), meta.nlink() == 1, meta.mode() & 0o777), (0, true, 0o644));
        assert_eq!(fs::metadata(&self.dir).unwrap().uid(), 0);
    }
}

/// Runs a campaign on `theirs` while `plant` gets the private directory again and again.
fn run_against(place: &Place, theirs: &Path, plant: impl Fn(&Path) + Sync) -> std::process::Output {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let found = fs::read_dir(theirs).unwrap().flatten();
                let ours = |name: &str| name.starts_with("assay-") && !name.ends_with("aside");
                let mut found = found.filter(|entry| ours(&entry.file_name().to_string_lossy()));
                if let Some(private) = found.next() {
                    plant(&private.path());
                }
            }
        });
        let on = format!("dir:{}", theirs.display());
        let output = place.assay(&[&["run", "--on", &on][..], &SMALL].concat());
        over.store(true, Ordering::Relaxed);
        output
    })
}

#[test]
fn root_works_as_the_owner_and_leaves_nothing() {
    if !root_or_skip("another user's directory") {
        return;
    }
    let place = Place::new();
    let theirs = nobodys(&place);
    let strangers = AtomicBool::new(false);
    let output = run_against(&place, &theirs, |private| {
        let work = private.join("w0");
        let files = fs::read_dir(&work).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in files.chain([private.to_path_buf(), work.clone()]) {
            if fs::symlink_metadata(path).is_ok_and(|meta| meta.uid() != NOBODY) {
                strangers.store(true, Ordering::Relaxed);
            }
        }
    });
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!strangers.load(Ordering::Relaxed), "something of root's was made there");
    assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0);
    place.assert_clean();
}

#[test]
fn a_private_directory_that_becomes_a_link_leads_root_nowhere() {
    if !root_or_skip("another user's directory") {
        return;
    }
    let place = Place::new();
    let (theirs, precious) = (nobodys(&place), Precious::new(&place));
    let output = run_against(&place, &theirs, |private| {
        let aside = private.with_extension("aside");
        if !private.is_symlink() && fs::rename(private, &aside).is_ok() {
            let _ = symlink(&precious.dir, private);
        }
    });
    precious.assert_untouched();
    assert!(!output.status.success());
    let said = text(&output.stderr);
    // Whether a worker or who undoes it comes upon the link first is a matter of time.
    let told = ["was replaced during the run", "is reached through a link"];
    assert!(told.iter().any(|why| said.contains(why)), "{said}");
}

#[test]
fn links_in_place_of_directories_and_files_harm_nothing() {
    if !root_or_skip("another user's directory") {
        return;
    }
    let place = Place::new();
    let (theirs, precious) = (nobodys(&place), Precious::new(&place));
    let file = precious.dir.join("file");
    run_against(&place, &theirs, |private| {
        let work = private.join("w0");
        // The directory of the worker, then its files, then a hard link: what the owner can do.
        if !work.is_symlink() && fs::rename(&work, private.join("aside")).is_ok() {
            let _ = symlink(&precious.dir, &work);
            thread::yield_now();
            let _ = fs::remove_file(&work);
            let _ = fs::rename(private.join("aside"), &work);
        }
        for entry in fs::read_dir(&work).into_iter().flatten().flatten() {
            let path = entry.path();
            let _ = fs::remove_file(&path);
            if symlink(&file, &path).is_ok() {
                let _ = fs::remove_file(&path);
            }
            if fs::hard_link(&file, &path).is_ok() {
                let _ = fs::remove_file(&path);
            }
        }
    });
    precious.assert_untouched();
}

#[test]
fn a_directory_that_is_moved_away_fails_its_target() {
    if !root_or_skip("another user's directory") {
        return;
    }
    let place = Place::new();
    let theirs = nobodys(&place);
    let (over, moved) = (AtomicBool::new(false), place.path("moved"));
    let output = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let begun = fs::read_dir(&theirs).unwrap().flatten().next();
                let Some(private) = begun.filter(|_| !moved.exists()) else { continue };
                let planted = moved.join(private.file_name());
                fs::create_dir_all(&planted).unwrap();
                fs::write(planted.join("file"), "theirs\n").unwrap();
                // At no moment there is nothing.
                renameat_with(CWD, &theirs, CWD, &moved, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let on = format!("dir:{}", theirs.display());
        let output = place.assay(&[&["run", "--on", &on][..], &SMALL].concat());
        over.store(true, Ordering::Relaxed);
        output
    });
    assert!(!output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains("was replaced during the run"), "{said}");
    let planted = fs::read_dir(&theirs).unwrap().flatten().next().unwrap().path();
    assert_eq!(fs::read_to_string(planted.join("file")).unwrap(), "theirs\n", "nothing is removed");
}

#[test]
fn what_a_killed_campaign_left_there_is_cleaned_up() {
    if !root_or_skip("another user's directory") {
        return;
    }
    let place = Place::new();
    let (theirs, precious) = (nobodys(&place), Precious::new(&place));
    let on = format!("dir:{}", theirs.display());
    let mut child = place.spawn(&["run", "--on", &on, "--preset", "standard", "--procs", "1"]);
    let begun = || {
        let private = fs::read_dir(&theirs).unwrap().flatten().next()?.path();
        private.join("w0").exists().then_some(private)
    };
    let private = loop {
        match begun() {
            Some(private) => break private,
            None => thread::yield_now(),
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before it began");
    };
    child.kill().unwrap();
    child.wait().unwrap();
    symlink(&precious.dir, private.join("planted")).unwrap();
    symlink(precious.dir.join("file"), private.join("w0/planted")).unwrap();
    place.ok(&["cleanup"]);
    precious.assert_untouched();
    assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0);
    place.assert_clean();
}
