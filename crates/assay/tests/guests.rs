//! Campaigns whose targets are made in guests. Where a kind of guest is missing, its test says so and
//! ends.

use crate::common::{Place, root_or_skip, text};
use needs::{Need, skip};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
    thread,
    time::Duration,
};

const SMALL: [&str; 10] = [
    "--preset",
    "smoke",
    "--scale",
    "smoke",
    "--procs",
    "1",
    "--tests",
    "columnar.write.*",
    "--image-size",
    "512MiB",
];

fn uml_or_skip() -> bool {
    needs::uml_or_skip() && root_or_skip("a guest as another user")
}

fn args<'a>(first: &[&'a str]) -> Vec<&'a str> {
    [first, &SMALL].concat()
}

#[test]
fn campaign_runs_in_user_mode_linux_and_on_this_machine() {
    if !uml_or_skip() {
        return;
    }
    let place = Place::new();
    let cache = place.path("cache").display().to_string();
    let run = |extra: &[&str]| {
        let mut command = place.command(&args(&["run", "--on", "ext4,tmpfs"]));
        command.args(extra).env("ASSAY_CACHE", &cache).output().unwrap()
    };
    let output = run(&["--lab", "uml"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("trying ext4, tmpfs in User-Mode Linux, Linux "), "{said}");
    place.assert_no_process();
    let file = place.ok(&["export", "--format", "json", "--out", "out"]);
    let dataset = fs::read_to_string(place.path(file.trim())).unwrap();
    assert!(dataset.contains("\"lab\": \"uml\"") && !dataset.contains("\"lab\": \"host\""));
    assert!(dataset.contains("lab.kernel") && dataset.contains("\"lab.durable\": \"not shown\""));

    let again = text(&run(&["--lab", "uml"]).stderr);
    assert!(!again.contains("trying"), "what was made once is remembered: {again}");

    let plan = |on| {
        let mut command = place.command(&args(&["plan", "--lab", "uml", "--on", on]));
        text(&command.env("ASSAY_CACHE", &cache).output().unwrap().stdout)
    };
    let known = plan("ext4,tmpfs");
    assert!(
        known.contains("time estimated from campaign ") && !known.contains("in a guest"),
        "{known}"
    );
    let unknown = plan("ext4");
    assert!(unknown.contains("guests are slower") && unknown.ends_with("unclear\n"), "{unknown}");
}

#[test]
fn zerofs_serves_a_directory_by_nfs_and_9p_and_a_disk_by_nbd() {
    if !uml_or_skip() {
        return;
    }
    // The cache of this machine, not of the test: the program takes 20 minutes to build.
    let program =
        lab::programs::artifacts::program_dir("zerofs", lab::programs::artifacts::ZEROFS_VERSION)
            .join("bin/zerofs");
    if !program.exists() {
        let what = program.display();
        skip(Need::Other, format!("{what} is missing; run `assay doctor --install zerofs`"));
        return;
    }
    let place = Place::new();
    let small = ["--preset", "smoke", "--scale", "smoke", "--procs", "1", "--image-size", "512MiB"];
    let tests = ["--tests", "columnar.write.int.small", "--tests", "columnar.read.int.small"];
    let on = ["run", "--lab", "uml", "--on", "zerofs-nfs,zerofs-9p,zerofs-nbd"];
    let output = place.command(&[&on[..], &small, &tests].concat()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("zerofs-9p may lose synced data on power loss"));
    place.assert_no_process();
    let file = place.ok(&["export", "--format", "json", "--out", "out"]);
    let dataset = fs::read_to_string(place.path(file.trim())).unwrap();
    for kind in ["nfs", "9p", "ext4"] {
        assert!(dataset.contains(&format!("\"mount.fstype\": \"{kind}\"")), "{kind}");
    }
}

#[test]
fn target_that_no_lab_can_make_is_reported_and_the_others_run() {
    if !uml_or_skip() {
        return;
    }
    let place = Place::new();
    let output = place
        .command(&args(&[
            "run",
            "--full",
            "--on",
            "tmpfs,ext4,xfs[mkfs.b=size=64k]",
            "--lab",
            "uml",
        ]))
        .env("ASSAY_CACHE", place.path("cache"))
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("left out: xfs[mkfs.b=size=64k]: in User-Mode Linux: "), "{said}");
    assert!(text(&output.stdout).contains("could not be measured"), "it is in the tables");
    place.assert_no_process();
}

#[test]
fn a_killed_campaign_leaves_no_guest() {
    if !uml_or_skip() {
        return;
    }
    let place = Place::new();
    let mut command = place.command(&args(&["run", "--on", "ext4", "--lab", "uml"]));
    command.env("ASSAY_CACHE", place.path("cache")).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.into_iter().any(|line| line.contains("booting")), "it came to its guest");
    thread::sleep(Duration::from_secs(2));
    child.kill().unwrap();
    child.wait().unwrap();
    place.ok(&["cleanup"]);
    place.assert_no_process();
}

#[test]
fn asset_of_a_suite_reaches_a_command_in_a_guest() {
    if !uml_or_skip() {
        return;
    }
    let place = Place::new();
    place.dir("suite/data");
    fs::write(place.path("suite/data/keys.csv"), "key".repeat(100_000)).unwrap();
    let command =
        "test $(wc -c < {asset:data/keys.csv}) = 300000 && ! echo x >> {asset:data/keys.csv}";
    let suite = format!(
        "name = \"mine\"\nabout = \"x\"\nassets = [\"data/keys.csv\"]\n[[test]]\nkind = \"app\"\nid = \
         \"mine.one\"\ncommand = '''\n{command}\n'''\n"
    );
    fs::write(place.path("suite/mine.toml"), suite).unwrap();
    let cache = place.path("cache").display().to_string();
    let args =
        ["run", "--suite", "suite/mine.toml", "--on", "ext4", "--lab", "uml", "--preset", "smoke"];
    let more = ["--scale", "smoke", "--procs", "1", "--image-size", "128MiB", "--blocks", "1"];
    let mut run = place.command(&[&args[..], &more].concat());
    let output = run.env("ASSAY_CACHE", &cache).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let samples = place.exported_samples();
    assert_eq!(samples.len(), 1);
    assert_eq!(samples[0]["validity"], "Valid", "{samples:?}");
}

/// The releases of two kernels that QEMU can boot here.
fn two_kernels_or_skip() -> Option<[String; 2]> {
    use lab::guest;
    use model::plan::LabKind;
    if let Err(missing) = guest::find(LabKind::Tcg, None) {
        skip(Need::Qemu, missing.what);
        return None;
    }
    match guest::releases(LabKind::Tcg).unwrap().as_slice() {
        [new, old, ..] => Some([old.clone(), new.clone()]),
        one => {
            skip(Need::Other, format!("one kernel is installed, and two are compared: {one:?}"));
            None
        }
    }
}

#[test]
fn one_campaign_compares_two_kernels() {
    let Some([old, new]) = two_kernels_or_skip() else { return };
    if !root_or_skip("a guest as another user") {
        return;
    }
    let place = Place::new();
    let (on, named) = (format!("ext4@{old}"), format!("new=ext4@{new}"));
    let small = ["--preset", "smoke", "--scale", "smoke", "--procs", "1", "--image-size", "256MiB"];
    let tests = ["--blocks", "1", "--tests", "columnar.write.int.small"];
    let run = ["run", "--full", "--lab", "qemu", "--on", &on, "--on", &named];
    let mut command = place.command(&[&run[..], &small, &tests].concat());
    let output = command.env("ASSAY_CACHE", place.path("cache")).output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    place.assert_no_process();
    let report = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let kernels = format!("kernels {old} (ext4@{old}), {new} (new)");
    assert!(report.contains(&kernels), "{kernels}\n{report}");
    let samples = place.exported_samples();
    let of =
        |label: &str| samples.iter().filter(|sample| sample["case"]["target"] == label).count();
    assert!(of(&on) > 0 && of(&on) == of("new"), "{samples:?}");
    assert!(samples.iter().all(|sample| sample["validity"] == "Valid"), "{samples:?}");
    let missing = place.command(&["run", "--on", "ext4@1.0,ext4@6"]).output().unwrap();
    let said = text(&missing.stderr);
    assert_eq!(missing.status.code(), Some(3), "{said}");
    assert!(said.contains("begins with 1.0 (installed: ") && said.contains(&new), "{said}");
}
