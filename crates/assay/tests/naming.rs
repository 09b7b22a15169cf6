//! Tests of user-given names: of candidates in tables, of campaigns wherever an id is expected, and tags.

use crate::common::{Place, text};
use serde_json::Value;

/// Runs a campaign of two directories that are called fast and slow, with these arguments.
fn run(place: &Place, more: &[&str]) -> String {
    let on = ["fast", "slow"].map(|name| format!("{name}=dir:{}", place.dir(name).display()));
    let mut args = vec!["run", "--suite", "null", "--on", &on[0], "--on", &on[1]];
    args.extend(["--preset", "smoke", "--scale", "smoke", "--procs", "1", "--full"]);
    args.extend(more);
    place.ok(&args)
}

#[test]
fn tables_show_the_names_of_candidates_and_say_once_what_they_are() {
    let place = Place::new();
    let text = run(&place, &["--baseline", "slow"]);
    assert!(text.contains("Score / slow"), "{text}");
    let said = format!("fast is dir:{}; slow is dir:", place.path("fast").display());
    assert_eq!(text.replace('\n', " ").matches(&said).count(), 1, "{text}");
    // The same work again, with the names that are left.
    let one = place.ok(&[
        "run",
        "--like",
        "last",
        "--on",
        &format!("slow=dir:{}", place.path("slow").display()),
    ]);
    assert!(one.contains("slow is dir:") && !one.contains("fast is"), "{one}");
    let csv = place.ok(&["report", "last~1", "--format", "csv"]);
    assert!(csv.contains(",fast,") && !csv.contains("dir:"), "{csv}");
}

#[test]
fn a_campaign_is_found_by_its_name_and_by_its_tags() {
    let place = Place::new();
    run(&place, &["--name", "nightly", "--tag", "firmware=1.3", "--tag", "rack=7"]);
    run(&place, &["--name", "nightly", "--tag", "firmware=1.4"]);
    run(&place, &[]);
    let listed = |args: &[&str]| {
        let id = |campaign: &Value| campaign["id"].as_str().unwrap().to_string();
        place.campaigns(args).iter().map(id).collect::<Vec<_>>()
    };
    let all = listed(&[]);
    assert_eq!(all.len(), 3);
    assert_eq!(listed(&["--tag", "firmware=1.3"]), all[..1]);
    assert_eq!(listed(&["--tag", "firmware=1.4", "--tag", "rack=7"]), Vec::<String>::new());
    for (name, id) in [("nightly", &all[1]), ("nightly~1", &all[0]), ("last", &all[2])] {
        let shown = place.ok(&["show", name]);
        assert!(shown.contains(id.as_str()), "{name}: {shown}");
    }
    let line = place.fails(&["show", "nightly~2"], 1);
    assert!(line.contains("no campaign `nightly~2`"), "{line}");
}

#[test]
fn names_that_could_be_mistaken_are_refused() {
    let place = Place::new();
    let dir = format!("dir:{}", place.dir("a").display());
    for (args, says) in [
        (vec!["run", "--on", "a=xfs,a=ext4"], "both xfs and ext4 are named a"),
        (vec!["run", "--on", "ext4,ext4=xfs"], "ext4 is another candidate"),
        (vec!["run", "--on", &dir, "--name", "last"], "is reserved for the newest campaign"),
        (vec!["run", "--on", &dir, "--name", "../x"], "ids consist"),
    ] {
        let line = place.fails(&args, 2);
        assert!(line.contains(says), "{args:?}: {line}");
    }
    place.assert_clean();
}

#[test]
fn equal_candidates_are_named_before_anything_is_measured_and_in_the_plan() {
    let place = Place::new();
    let null = ["--suite", "null", "--preset", "smoke", "--scale", "smoke", "--procs", "1"];
    let said = "null and null#2 are the same target, so any difference between them is noise; ";
    let twice = [&["null", "null"][..], &null].concat();
    let plan = place.assay(&[&["plan"], &twice[..]].concat());
    assert!(plan.status.success() && text(&plan.stderr).contains(said), "{}", text(&plan.stderr));
    assert!(text(&plan.stdout).contains(said), "{}", text(&plan.stdout));
    assert!(text(&plan.stdout).contains("name the target once and pass --aa"));
    let run = place.assay(&[&["run"], &twice[..]].concat());
    let stderr = text(&run.stderr);
    let (before, _) = stderr.split_once("\ncampaign ").unwrap();
    assert!(run.status.success() && before.contains(said), "{stderr}");
    // Two names of one directory, each under a link of its own.
    let dir = place.dir("data");
    let on = ["a", "b"].map(|name| {
        std::os::unix::fs::symlink(&dir, place.path(name)).unwrap();
        format!("{name}=dir:{}", place.path(name).display())
    });
    let links = [&["plan", "--on", &on[0], "--on", &on[1]][..], &null].concat();
    let plan = place.ok(&links);
    assert!(plan.contains("a and b are the same target"), "{plan}");
    let pair = place.ok(&[&["plan", "null", "--aa"][..], &null].concat());
    assert!(!pair.contains("the same target") && pair.contains("A/A check: "), "{pair}");
}
