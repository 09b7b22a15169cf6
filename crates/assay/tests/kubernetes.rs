//! The job of docs/kubernetes.md, as it is written there: its arguments are those of this program, its paths are those
//! that it mounts, its image is that of this version. The CPU limit of a container is seen.

use crate::common::{Place, text};
use needs::{Need, root_or_skip, skip};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const PAGE: &str = include_str!("../../../docs/kubernetes.md");

/// The manifest of the page.
fn manifest() -> &'static str {
    let (_, rest) = PAGE.split_once("```yaml\n").unwrap();
    rest.split_once("```").unwrap().0
}

/// What follows each `key: `, in block style or in flow style.
fn values(key: &str) -> Vec<&'static str> {
    let key = format!("{key}: ");
    let of =
        |line: &'static str| line.split_once(&key).map(|(_, value)| value.trim_end_matches('}'));
    manifest().lines().filter_map(of).collect()
}

fn args() -> Vec<String> {
    let [args] = values("args")[..] else { panic!("one container has arguments") };
    serde_json::from_str(args).unwrap()
}

#[test]
fn the_job_plans_what_it_says_on_the_paths_that_it_mounts() {
    let place = Place::new();
    let mounts = values("mountPath");
    assert_eq!(mounts, ["/volume", "/results"]);
    for mount in &mounts {
        assert!(args().iter().any(|arg| arg.contains(mount)), "{mount} is not used");
    }
    for path in args().iter().filter_map(|arg| arg.split_once('/')) {
        let path = format!("/{}", path.1);
        assert!(mounts.iter().any(|mount| path.starts_with(mount)), "{path} is not mounted");
    }
    let here = |arg: &String| {
        let dir = |name: &str| place.dir(name).to_str().unwrap().to_string();
        arg.replace("/volume", &dir("volume")).replace("/results", &dir("results"))
    };
    let mut planned: Vec<String> = args().iter().map(here).collect();
    assert_eq!(planned[0], "run");
    planned[0] = "plan".into();
    // A plan writes no page.
    let out = planned.iter().position(|arg| arg == "--out").unwrap();
    planned.drain(out..out + 2);
    let plan = place.ok(&planned.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(plan.contains("volume") && plan.contains("columnar"), "{plan}");
}

#[test]
fn each_volume_of_the_job_is_mounted_and_its_image_is_of_this_version() {
    let is_volume = |name: &&str| ["volume", "results"].iter().any(|one| name.starts_with(one));
    let names: Vec<&str> = values("name").into_iter().filter(is_volume).collect();
    assert_eq!(
        names,
        ["volume, mountPath: /volume", "results, mountPath: /results", "volume", "results"]
    );
    let image = format!("assay:{}", env!("CARGO_PKG_VERSION"));
    assert!(values("image")[0].ends_with(&image), "{:?}", values("image"));
    assert!(PAGE.contains(&format!("assay-{}-x86_64-linux.oci.tar", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn the_manifest_is_indented_by_blanks_in_steps_of_two() {
    for line in manifest().lines() {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        assert!(blanks % 2 == 0 && !line.contains('\t'), "{line:?}");
    }
}

/// A control group with a quota of half a processor; removed afterwards.
struct HalfACpu(PathBuf);

impl HalfACpu {
    /// Makes it in the controller `cpu` of version 1 or in version 2; `None` where neither can be written.
    fn new() -> Option<HalfACpu> {
        let name = format!("assay-test-{}", std::process::id());
        let v1 = Path::new("/sys/fs/cgroup/cpu").join(&name);
        let v2 = Path::new("/sys/fs/cgroup").join(&name);
        let made = [(v1, "cpu.cfs_quota_us", "50000"), (v2, "cpu.max", "50000 100000")];
        made.into_iter().find_map(|(group, file, quota)| {
            fs::create_dir(&group).ok()?;
            let group = HalfACpu(group);
            fs::write(group.0.join(file), quota).ok().map(|()| group)
        })
    }
}

impl Drop for HalfACpu {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn the_limit_of_a_container_is_the_number_of_processors() {
    if !root_or_skip("a control group") {
        return;
    }
    let Some(group) = HalfACpu::new() else {
        return skip(Need::Other, "no control group takes a CPU quota here");
    };
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("volume").display());
    let assay = place.command(&["plan", "--on", &dir, "--preset", "smoke"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "echo $$ >\"$0/cgroup.procs\" && exec \"$@\""]).arg(&group.0);
    limited.arg(assay.get_program()).args(assay.get_args()).current_dir(place.dir("."));
    limited.envs(assay.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let output = limited.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let plan = text(&output.stdout);
    assert!(plan.contains(" 1, 4 processes"), "{plan}");
}
