//! A guest on a machine that has only what `scripts/setup.sh` installs: a root directory with the smallest set of
//! packages that Debian has, from the mirror of this machine, in which the real script runs, and then a campaign in
//! User-Mode Linux. A program that the guest runs and that setup forgets is missing there and nowhere else.

use crate::common::{Place, copy_program, text, validity};
use needs::{Need, program_or_skip, root_or_skip, skip};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// What this distribution is called, and where it has its packages from; `None` where that is not Debian's way.
fn source() -> Option<(String, String)> {
    let release = fs::read_to_string("/etc/os-release").ok()?;
    let name = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="))?.to_string();
    let format = "$(SITE) $(RELEASE) $(COMPONENT)";
    let told = Command::new("apt-get").args(["indextargets", "--format", format]).output().ok()?;
    let of_main = format!(" {name} main");
    let site =
        text(&told.stdout).lines().find_map(|line| Some(line.strip_suffix(&of_main)?.to_string()));
    Some((name, site?))
}

/// A root directory with the smallest set of packages; `None`, with the reason, where it cannot be had.
fn root(place: &Place) -> Option<PathBuf> {
    if !root_or_skip("a root directory of its own") || !program_or_skip("debootstrap") {
        return None;
    }
    let Some((name, site)) = source() else {
        skip(Need::Other, "apt does not tell from where this distribution has its packages");
        return None;
    };
    let root = place.path("root");
    let mut debootstrap = Command::new("debootstrap");
    let made =
        debootstrap.args(["--variant=minbase", &name]).arg(&root).arg(site).output().unwrap();
    let said = text(&made.stdout) + &text(&made.stderr);
    if !made.status.success()
        && (said.contains("Failed getting") || said.contains("Couldn't download"))
    {
        skip(Need::Other, "the mirror of this machine cannot be reached");
        return None;
    }
    assert!(made.status.success(), "{said}");
    Some(root)
}

/// Gives up what other tests have mounted, shows the kernel in a root directory and runs what follows there; the mounts
/// are gone with it.
const ENTER: &str = concat!(
    include_str!("../../lab/src/own_mounts.sh"),
    "set -e; give_up_targets; root=$1; shift
mount --bind $root $root; mount --rbind /proc $root/proc; mount --rbind /dev $root/dev; mount -t sysfs sys $root/sys
mount -t tmpfs run $root/run
exec chroot $root env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \"$@\""
);

fn inside(root: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", ENTER, "enter"]);
    command.arg(root).args(args).stdin(Stdio::null()).output().unwrap()
}

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
    let Some(root) = root(&place) else { return };
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Rust is the one thing that the script asks for and does not install; nothing is built here.
    put(root.join("usr/local/bin/cargo"), "#!/bin/sh\n");
    put(root.join("setup.sh"), fs::read(repository.join("scripts/setup.sh")).unwrap());
    copy_program(root.join("usr/local/bin/assay"));
    fs::copy("/etc/resolv.conf", root.join("etc/resolv.conf")).unwrap();

    let kinds = ["ext4", "f2fs", "nilfs2", "raid1", "nfs"];
    let doctor = || text(&inside(&root, &["assay", "doctor"]).stdout);
    let before = doctor();
    assert!(kinds.iter().all(|kind| judged(&before, kind) != "ok"), "{before}");
    let setup = inside(&root, &["sh", "/setup.sh"]);
    assert!(setup.status.success(), "{}", text(&setup.stdout) + &text(&setup.stderr));
    let again = inside(&root, &["sh", "/setup.sh"]);
    assert_eq!(text(&again.stdout), "setup: nothing to install\n", "{}", text(&again.stderr));

    let after = doctor();
    assert!(kinds.iter().all(|kind| judged(&after, kind) == "ok"), "{after}");

    // What it says is ok is.
    let targets = ["ext4", "f2fs", "nilfs2", "raid1(ext4)", "nfs(ext4)"];
    let on = targets.join(",");
    let ran = inside(
        &root,
        &[
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
        ],
    );
    let said = text(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let exported = inside(&root, &["assay", "export", "last", "--format", "csv", "--out", "/out"]);
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    let csv = fs::read_to_string(root.join("out/samples.csv")).unwrap();
    for target in targets {
        let own: Vec<&str> =
            csv.lines().filter(|line| line.contains(&format!(",{target},"))).collect();
        assert!(!own.is_empty(), "{target} has no sample: {said}");
        assert!(own.iter().all(|line| validity(line) == "valid"), "{own:?}");
    }
    place.assert_no_process();
}
