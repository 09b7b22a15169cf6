//! The packages of `make dist`, installed into roots in which nothing else is: the program runs there, its pages and
//! completions are where a system looks for them, and nothing is left when the package is removed.

use crate::common::{Place, text};
use needs::{Need, program_or_skip, root_or_skip, skip};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

/// What `make dist` made, by the end of its name, with the tool that makes it. Made once, of the static program without
/// optimisation, which would take most of the time. It has a folder of its own: in the place of the program that users
/// build it would be measured with.
fn package(end: &str, tool: &str) -> Option<PathBuf> {
    static MADE: OnceLock<Vec<PathBuf>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let script = |name: &str| {
            let mut command = Command::new("sh");
            command.arg(repository.join("scripts").join(name));
            command
        };
        let program = run(script("build.sh")
            .env("CARGO_TARGET_DIR", repository.join("target/unoptimised"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"));
        let made = run(script("dist.sh").env("ASSAY", program.trim()));
        made.lines().map(PathBuf::from).collect()
    });
    let found = made.iter().find(|path| path.to_string_lossy().ends_with(end)).cloned();
    if found.is_none() {
        skip(Need::program(tool), format!("`{tool}`, which makes {end}, is not installed"));
    }
    found
}

fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {}", text(&stderr));
    text(&stdout)
}

/// Files below `root`, without what the package managers keep for themselves.
fn files(root: &Path) -> BTreeSet<String> {
    let list = run(Command::new("find").arg(root).args(["!", "-type", "d", "-printf", "%P\n"]));
    let kept = ["var/lib/", "var/log/", "usr/lib/sysimage/", "root/.rpmdb/"];
    let own = |line: &&str| !kept.iter().any(|place| line.starts_with(place));
    list.lines().filter(own).map(String::from).collect()
}

/// Runs the program where there is nothing but the package.
fn inside(root: &Path, args: &[&str]) -> String {
    let mut chroot = Command::new("chroot");
    chroot.arg(root).arg("/usr/bin/assay").args(args).env_clear();
    run(chroot.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"))
}

fn assert_whole(root: &Path, completions: &[&str]) {
    assert!(inside(root, &["--version"]).starts_with("assay "));
    let studies = inside(root, &["list", "--published"]);
    assert!(studies.contains("published-"), "{studies}");
    let id = studies.split_whitespace().find(|word| word.starts_with("published-")).unwrap();
    let report = inside(root, &["report", id]);
    assert!(report.contains("xfs"), "{report}");
    let files = files(root);
    let man = |name: &str| format!("usr/share/man/man1/{name}.1.gz");
    for file in [man("assay"), man("assay-run"), man("assay-export")] {
        let page = run(Command::new("gzip").args(["-dc"]).arg(root.join(&file)));
        assert!(page.contains("\n.TH "), "{file}");
    }
    for file in completions {
        let written =
            fs::read_to_string(root.join(file)).unwrap_or_else(|why| panic!("{file}: {why}"));
        assert!(written.contains("image-dir"), "{file}");
    }
    assert_licences(root, &files);
}

/// The package has its own licences and the notices of what is linked.
fn assert_licences(root: &Path, files: &BTreeSet<String>) {
    let place = |name: &str| {
        let found = files.iter().find(|file| file.ends_with(name));
        root.join(found.unwrap_or_else(|| panic!("{name}: {files:?}")))
    };
    place("LICENSE-MIT");
    place("LICENSE-APACHE");
    let notices = fs::read_to_string(place("NOTICES")).unwrap();
    for part in ["SQLite", "GNU C Library", "libsqlite3-sys", "Permission is hereby granted"] {
        assert!(notices.contains(part), "{part}");
    }
}

#[test]
fn the_deb_installs_into_a_clean_root_runs_and_leaves_nothing() {
    if !root_or_skip("dpkg in a root of its own") || !program_or_skip("dpkg") {
        return;
    }
    let Some(deb) = package(".deb", "dpkg-deb") else { return };
    let place = Place::new();
    let root = place.dir("root");
    let dpkg = |args: &[&str]| run(Command::new("dpkg").arg("--root").arg(&root).args(args));
    for made in ["var/lib/dpkg/updates", "var/lib/dpkg/info", "var/log"] {
        fs::create_dir_all(root.join(made)).unwrap();
    }
    for list in ["status", "available"] {
        fs::write(root.join("var/lib/dpkg").join(list), "").unwrap();
    }
    let before = files(&root);
    dpkg(&["--install", deb.to_str().unwrap()]);
    let completions = [
        "usr/share/bash-completion/completions/assay",
        "usr/share/zsh/vendor-completions/_assay",
        "usr/share/fish/vendor_completions.d/assay.fish",
    ];
    assert_whole(&root, &completions);
    dpkg(&["--purge", "assay"]);
    assert_eq!(files(&root), before);
}

#[test]
fn the_rpm_installs_into_a_clean_root_runs_and_leaves_nothing() {
    if !root_or_skip("rpm in a root of its own") || !program_or_skip("rpm") {
        return;
    }
    let Some(package) = package(".rpm", "rpmbuild") else { return };
    let place = Place::new();
    let root = place.dir("root");
    let rpm = |args: &[&str]| run(Command::new("rpm").arg("--root").arg(&root).args(args));
    let before = files(&root);
    let package = package.to_str().unwrap();
    // What every system has, and this root has not.
    let needed = run(Command::new("rpm").args(["-qp", "--nosignature", "--requires", package]));
    let is_there = |line: &str| line == "/bin/sh" || line.starts_with("rpmlib(");
    assert!(needed.lines().all(is_there), "{needed}");
    rpm(&["--install", "--nodeps", "--nosignature", package]);
    let completions = [
        "usr/share/bash-completion/completions/assay",
        "usr/share/zsh/site-functions/_assay",
        "usr/share/fish/vendor_completions.d/assay.fish",
    ];
    assert_whole(&root, &completions);
    rpm(&["--erase", "assay"]);
    assert_eq!(files(&root), before);
}

#[test]
fn the_wheel_installs_into_a_venv_without_an_index_and_leaves_nothing() {
    if !program_or_skip("python3") {
        return;
    }
    let Some(wheel) = package(".whl", "python3") else { return };
    let place = Place::new();
    let venv = place.path("venv");
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv));
    let pip = |args: &[&str]| {
        let mut pip = Command::new(venv.join("bin/python"));
        run(pip.args(["-m", "pip", "--disable-pip-version-check"]).args(args))
    };
    // Those of pip itself change when it runs.
    let own = || -> BTreeSet<String> {
        files(&venv).into_iter().filter(|file| !file.contains("/pip/")).collect()
    };
    let before = own();
    pip(&["install", "--no-index", wheel.to_str().unwrap()]);
    let version = run(Command::new(venv.join("bin/assay")).arg("--version"));
    assert!(version.starts_with("assay "), "{version}");
    assert!(venv.join("share/man/man1/assay.1.gz").exists());
    assert_licences(&venv, &own());
    let shown = pip(&["show", "assay"]);
    // Behind the number stands the commit, where it is known.
    let number = version.split_whitespace().nth(1).unwrap();
    assert!(shown.lines().any(|line| line == format!("Version: {number}")), "{version}{shown}");
    pip(&["uninstall", "--yes", "assay"]);
    assert_eq!(own(), before);
}

/// The file of an image that `descriptor` names, whose size and digest are those that it states.
fn blob(image: &Path, descriptor: &Value) -> PathBuf {
    let digest = descriptor["digest"].as_str().unwrap();
    let path = image.join("blobs").join(digest.replace(':', "/"));
    assert_eq!(Some(fs::metadata(&path).unwrap().len()), descriptor["size"].as_u64(), "{digest}");
    assert_eq!(sha256(Command::new("sha256sum").arg(&path)), digest);
    path
}

/// The digest that `command` prints.
fn sha256(command: &mut Command) -> String {
    format!("sha256:{}", run(command).split_whitespace().next().unwrap())
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn unpack(archive: &Path, into: &Path) {
    run(Command::new("tar")
        .arg("--extract")
        .arg("--directory")
        .arg(into)
        .arg("--file")
        .arg(archive));
}

#[test]
fn the_layers_of_the_image_in_order_are_a_root_in_which_the_program_measures() {
    if !root_or_skip("a chroot") {
        return;
    }
    let Some(archive) = package(".oci.tar", "python3") else { return };
    let place = Place::new();
    let (image, root) = (place.dir("image"), place.dir("root"));
    unpack(&archive, &image);
    assert_eq!(json(&image.join("oci-layout"))["imageLayoutVersion"], "1.0.0");
    let index = json(&image.join("index.json"));
    let manifest = json(&blob(&image, &index["manifests"][0]));
    let config = json(&blob(&image, &manifest["config"]));
    let (layers, ids) = (manifest["layers"].as_array().unwrap(), &config["rootfs"]["diff_ids"]);
    assert_eq!(layers.len(), ids.as_array().unwrap().len());
    for (layer, id) in layers.iter().zip(ids.as_array().unwrap()) {
        let path = blob(&image, layer);
        let plain = format!("gzip -dc '{}' | sha256sum", path.display());
        assert_eq!(&Value::from(sha256(Command::new("sh").args(["-c", &plain]))), id);
        unpack(&path, &root);
    }
    // Docker before version 25 finds the same.
    let docker = json(&image.join("manifest.json"));
    let of_docker: Vec<&Value> = docker[0]["Layers"].as_array().unwrap().iter().collect();
    let of_oci = layers.iter().map(|layer| layer["digest"].as_str().unwrap().replace(':', "/"));
    assert!(
        of_oci
            .map(|path| format!("blobs/{path}"))
            .eq(of_docker.iter().map(|p| p.as_str().unwrap()))
    );
    assert_eq!(config["config"]["Entrypoint"], serde_json::json!(["/usr/bin/assay"]));
    assert_eq!(config["os"], "linux");
    assert_licences(&root, &files(&root));
    assert!(inside(&root, &["--version"]).starts_with("assay "));
    // As docs/kubernetes.md has it: a volume, no privileges, and no other program.
    for made in ["volume", "results", "proc"] {
        fs::create_dir(root.join(made)).unwrap();
    }
    for open in ["volume", "results"] {
        fs::set_permissions(root.join(open), fs::Permissions::from_mode(0o777)).unwrap();
    }
    let script = "mount -t proc proc \"$0/proc\" && exec chroot --userspec=65534:65534 \"$0\" /usr/bin/assay \"$@\"";
    let mut pod = Command::new("unshare");
    pod.args(["--mount", "sh", "-c", script]).arg(&root);
    pod.args([
        "run",
        "--on",
        "volume=dir:/volume",
        "--tests",
        "columnar.append.*",
        "--preset",
        "smoke",
    ]);
    pod.args(["--store", "/results/assay.db", "--state", "/results/state"]);
    pod.args(["--out", "/results/report.html"]);
    let answer = run(pod.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"));
    assert!(answer.contains("volume"), "{answer}");
}
