//! A machine that has only what `scripts/setup.sh` installs. A program that assay or a test runs and that setup forgets
//! is missing there and nowhere else.

mod machine;

use crate::common::{Place, copy_program, text, validity};
use machine::{Machine, repository, said};
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

/// Another user than root, who may become root by sudo.
const USER: &str = "tester";

/// What of `make test` root runs there besides the lints: units that start foreign programs. Long ones that start only
/// those of file systems are left out, and run there as another user.
const UNITS: &str = "campaign/ disk/ engine/ formats/lib lab/ suites/ workers/ xtask/ assay/lib assay/e2e::bad_input \
                     assay/e2e::consent assay/e2e::data assay/e2e::dist assay/e2e::docs assay/e2e::hostile \
                     assay/e2e::labs assay/e2e::progress assay/e2e::setup assay/e2e::tools";

fn put(path: PathBuf, bytes: impl AsRef<[u8]>) {
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What the doctor says of `target` in User-Mode Linux.
fn judged(doctor: &str, target: &str) -> String {
    let cells = |line: &str| -> Vec<String> {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(String::from).collect()
    };
    let head = cells(doctor.lines().next().unwrap());
    let at = head.iter().position(|lab| lab == "uml").unwrap();
    let row = doctor.lines().map(cells).find(|row| row.first().is_some_and(|own| own == target));
    row.unwrap()[at].clone()
}

#[test]
fn a_guest_runs_where_only_the_setup_was() {
    let place = Place::new();
    let Some(machine) = Machine::new(&place) else { return };
    // Rust is the one thing that the script asks for and does not install; nothing is built here.
    put(machine.path("usr/local/bin/cargo"), "#!/bin/sh\n");
    put(machine.path("setup.sh"), fs::read(repository().join("scripts/setup.sh")).unwrap());
    copy_program(machine.path("usr/local/bin/assay"));

    let kinds = ["ext4", "f2fs", "nilfs2", "raid1", "nfs"];
    let doctor = || machine.ok(&["assay", "doctor"]);
    let before = doctor();
    assert!(kinds.iter().all(|kind| judged(&before, kind) != "ok"), "{before}");
    machine.ok(&["sh", "/setup.sh"]);
    assert_eq!(machine.ok(&["sh", "/setup.sh"]), "setup: nothing to install\n");

    let after = doctor();
    assert!(kinds.iter().all(|kind| judged(&after, kind) == "ok"), "{after}");

    // What it says is ok is.
    let targets = ["ext4", "f2fs", "nilfs2", "raid1(ext4)", "nfs(ext4)"];
    let on = targets.join(",");
    let ran = machine.run(&[
        "assay",
        "run",
        "--lab",
        "uml",
        "--on",
        &on,
        "--preset",
        "smoke",
        "--scale",
        "smoke",
        "--procs",
        "1",
        "--tests",
        "columnar.write.int.medium",
    ]);
    let said = text(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    machine.ok(&["assay", "export", "last", "--format", "csv", "--out", "/out"]);
    let csv = fs::read_to_string(machine.path("out/samples.csv")).unwrap();
    for target in targets {
        let own: Vec<&str> =
            csv.lines().filter(|line| line.contains(&format!(",{target},"))).collect();
        assert!(!own.is_empty(), "{target} has no sample: {said}");
        assert!(own.iter().all(|line| validity(line) == "valid"), "{own:?}");
    }
    place.assert_no_process();
}

#[test]
#[ignore = "it takes a quarter of an hour: run it by --ignored where the setup or what a test needs has changed"]
fn readme_commands_succeed_on_fresh_machine() {
    let place = Place::new();
    let Some(mut machine) = Machine::new(&place) else { return };
    let built = Command::new("sh").arg(repository().join("scripts/build.sh")).output().unwrap();
    assert!(built.status.success(), "{}", said(&built));
    machine.show_sources(&place);
    machine.ok(&["apt-get", "install", "-y", "--no-install-recommends", "make", "sudo"]);
    machine.add_user(USER);

    let work = "ARGS=--on ext4,xfs --preset smoke --scale smoke --procs 1";
    for (user, units) in [(USER, ""), ("root", UNITS)] {
        for args in [["run", work], ["test", &format!("UNITS={units}")]] {
            let made = machine.make(user, &args);
            assert!(made.status.success(), "{user} {args:?}: {}", said(&made));
        }
    }
    place.assert_no_process();
}
