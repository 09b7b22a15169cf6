//! A target whose mount options somebody changes while it is measured. Needs root; where it is missing, the test
//! says so.

use crate::common::{Place, root_or_skip};
use std::{
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

fn mount(args: &[&str], dir: &Path) {
    assert!(Command::new("mount").args(args).arg(dir).status().unwrap().success());
}

/// Unmounts it, whatever the test did.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn options_that_change_under_the_run_make_its_samples_invalid() {
    if !root_or_skip("mounting") {
        return;
    }
    let place = Place::new();
    let dir = place.dir("target");
    mount(&["-t", "tmpfs", "assay-test"], &dir);
    let mounted = Mounted(&dir);
    let over = AtomicBool::new(false);
    let on = format!("dir:{}", dir.display());
    thread::scope(|scope| {
        scope.spawn(|| {
            let options = ["remount,noexec", "remount,exec"];
            for option in options.iter().cycle().take_while(|_| !over.load(Ordering::Relaxed)) {
                mount(&["-o", option], &dir);
            }
        });
        let tests = "columnar.write.*,columnar.reread.*";
        let run = ["run", "--on", &on, "--scale", "smoke", "--procs", "1", "--blocks", "2"];
        let output = place.assay(&[&run[..], &["--tests", tests]].concat());
        over.store(true, Ordering::Relaxed);
        assert!(output.status.success(), "{}", crate::common::text(&output.stderr));
    });
    let report = place.ok(&["report"]);
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("its mount options changed: "), "{report}");
    drop(mounted);
    place.assert_clean();
}
