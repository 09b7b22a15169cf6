//! Tests of a target whose mount options change while it is measured. Needs root; where it is missing, the test
//! says so.

use crate::common::{Place, root_or_skip};
use needs::Mounted;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

#[test]
fn options_that_change_under_the_run_make_its_samples_invalid() {
    if !root_or_skip("mounting") {
        return;
    }
    let place = Place::new();
    let dir = place.dir("target");
    let mounted = Mounted::new(&["-t", "tmpfs", "assay-test"], &dir);
    let over = AtomicBool::new(false);
    let on = format!("dir:{}", dir.display());
    thread::scope(|scope| {
        scope.spawn(|| {
            let options = ["noexec", "exec"];
            for option in options.iter().cycle().take_while(|_| !over.load(Ordering::Relaxed)) {
                mounted.remount(option);
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
