//! The whole pipeline, from arguments to tables and files, with the null suite: exact numbers, no
//! disk, no root.

use crate::common::Place;
use std::fs;

fn null_run(place: &Place, blocks: &str) {
    let args = ["run", "--suite", "null", "--on", "null", "--on", "null", "--procs", "1,3"];
    place.ok(&[
        &args[..],
        &["--blocks", blocks, "--preset", "smoke", "--scale", "smoke", "--seed", "7"],
    ]
    .concat());
}

#[test]
fn a_campaign_is_stored_shown_and_reported() {
    let place = Place::new();
    null_run(&place, "2");
    let list = place.ok(&["list"]);
    assert!(list.contains("null, null#2") && list.contains("done"), "{list}");
    let show = place.ok(&["show"]);
    assert!(show.contains("seed 7") && show.contains("0 invalid"), "{show}");
    let csv = place.ok(&["report", "--format", "csv"]);
    let header = "group,procs,testtype,test,target,value,unit,ratio,ratio_low,ratio_high,verdict,lab,bytes,ops,\
                  seconds,durability,left_out";
    assert_eq!(csv.lines().next(), Some(header));
    for footer in ["GEOMETRIC MEAN", "MIN RATIO", "MAX RATIO"] {
        assert!(csv.contains(footer), "{csv}");
    }
    let html = fs::read_to_string(place.path("report.html")).unwrap();
    assert!(
        html.contains("null#2") && !html.contains("http://") && !html.contains("https://"),
        "the page must stand alone"
    );
    place.assert_clean();
}

#[test]
fn tables_can_rank_by_another_metric() {
    let place = Place::new();
    null_run(&place, "1");
    let csv = place.ok(&["report", "--metric", "settle_s", "--format", "csv"]);
    assert!(csv.lines().any(|l| l.contains(",null.write,null,") && l.contains(",s,")), "{csv}");
    let line = place.fails(&["report", "--metric", "speed"], 2);
    assert!(line.contains("(metrics: ") && line.contains("durable_rate"), "{line}");
}

#[test]
fn prices_are_kept_with_the_campaign() {
    let place = Place::new();
    let plan = place.path("prices.toml");
    let text = "targets = [\"null\", \"null\"]\nsuites = [\"null\"]\nprocs = [1]\n\
                [prices]\nnull = \"0.08*500GB\"\n\"null#2\" = \"0.08*500GB+0.005*3000IOPS\"\n";
    fs::write(&plan, text).unwrap();
    let plan = plan.to_str().unwrap();
    let short = ["--preset", "smoke", "--scale", "smoke", "--blocks", "1"];
    let foreseen = place.ok(&[&["plan", plan], &short[..]].concat());
    assert!(foreseen.contains("price: null#2 costs 55 a month (0.08*500GB+"), "{foreseen}");
    place.ok(&[&["run", plan, "--price", "null#2=0.1*100GB"], &short[..]].concat());
    let html = fs::read_to_string(place.path("report.html")).unwrap();
    assert!(html.contains("Price, as given"), "the page at the end of the run has them");
    let month = |args: &[&str]| {
        let text = place.ok(&[&["report"], args].concat());
        let table = text.split_once("Price, as given").unwrap().1.to_string();
        let row = table.lines().find(|line| line.trim().starts_with("null#2")).unwrap().to_string();
        row.split_whitespace().nth(4).unwrap().to_string()
    };
    assert_eq!((month(&[]), month(&["--price", "null#2=1*5GB"])), ("10.0".into(), "5.00".into()));
    place.ok(&["export", "last", "--format", "json", "--out", "out"]);
    let file = fs::read_dir(place.path("out")).unwrap().flatten().next().unwrap();
    let json = fs::read_to_string(file.path()).unwrap();
    assert!(json.contains("0.1*100GB"), "{json}");
    let run = [&["run", plan, "--price", "ext4=1*1GB"], &short[..]].concat();
    let refused = place.assay(&run);
    assert_eq!(refused.status.code(), Some(2));
    let refused = crate::common::text(&refused.stderr);
    assert!(refused.contains("--price: `ext4` is not a target of this campaign"), "{refused}");
}

#[test]
fn the_share_of_time_that_was_measured_is_shown() {
    let place = Place::new();
    let args = ["run", "--suite", "null", "--on", "null", "--procs", "1", "--preset", "smoke"];
    place.ok(&[&args[..], &["--blocks", "2", "--knob", "write_us=200000"]].concat());
    let show = place.ok(&["show"]);
    // A write with its sync of 0.201 s and a read of 1 ms in each block; the sync's own row is a part of both.
    let line = show.lines().find(|line| line.starts_with("Measured: ")).unwrap();
    let seconds: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!((0.40..0.60).contains(&seconds) && line.contains(" that 2 blocks took ("), "{line}");
    assert!(line.ends_with("the median of the 4 timed parts was 0.10 s."), "{line}");
    let html = fs::read_to_string(place.path("report.html")).unwrap();
    assert!(html.contains(line) && place.ok(&["report", "--format", "md"]).contains(line));
    place.ok(&["export", "--format", "md", "--out", "out"]);
    assert!(fs::read_to_string(place.path("out/report.md")).unwrap().contains(line));
    // An import tells no time.
    place.ok(&["export", "--format", "csv", "--out", "out"]);
    place.ok(&["import", "out", "--store", "other.db"]);
    assert!(!place.ok(&["show", "--store", "other.db"]).contains("Measured: "));
}

#[test]
fn an_exported_campaign_imports_equal() {
    let place = Place::new();
    null_run(&place, "2");
    place.ok(&["export", "last", "--format", "csv", "--out", "first"]);
    let samples = fs::read_to_string(place.path("first/samples.csv")).unwrap();
    assert_eq!(
        samples.lines().next(),
        Some(
            "campaign,block,position,target,suite,test,procs,threads,cache,metric,value,unit,better,bytes,ops,\
             seconds,skew_ms,overlap,device_read_bytes,device_write_bytes,cpu_user_s,cpu_sys_s,limiter,validity,lab,\
             durability,after_fault"
        )
    );
    place.ok(&["import", "first", "--store", "other.db"]);
    place.ok(&["export", "last", "--format", "csv", "--out", "second", "--store", "other.db"]);
    for file in ["samples.csv", "tests.csv", "campaign.json"] {
        let read = |dir: &str| fs::read_to_string(place.path(dir).join(file)).unwrap();
        // Nothing but where it comes from is another.
        let first = read("first").replace("\"origin\": \"run\"", "\"origin\": \"import\"");
        assert_eq!(first, read("second"), "{file}");
    }
    let again = place.ok(&["import", "first"]);
    assert!(again.contains("already in the store"), "{again}");
    assert_eq!(
        place.ok(&["report", "--format", "csv"]),
        place.ok(&["report", "--format", "csv", "--store", "other.db"])
    );
}

#[test]
fn every_sample_carries_pressure() {
    let place = Place::new();
    null_run(&place, "1");
    place.ok(&["export", "--out", "out"]);
    let samples = fs::read_to_string(place.path("out/samples.csv")).unwrap();
    if !std::path::Path::new("/proc/pressure/cpu").exists() {
        needs::skip(needs::Need::Other, "this kernel has no pressure stall information");
        return;
    }
    let rows =
        |metric: &str| samples.lines().filter(|l| l.contains(&format!(",{metric},"))).count();
    assert!(rows("psi_cpu_some_pct") > 0);
    assert_eq!(rows("psi_cpu_some_pct"), rows("slab_bytes"));
}

#[test]
fn published_studies_are_listed_and_reported() {
    let place = Place::new();
    let list = place.ok(&["list", "--published"]);
    assert!(list.contains("published-nano-2025-09-rhel9-p5510"), "{list}");
    let csv = place.ok(&[
        "report",
        "published-nano-2025-09-rhel9-p5510",
        "--baseline",
        "ext4",
        "--format",
        "csv",
    ]);
    let ratio: f64 = csv
        .lines()
        .find(|l| l.starts_with("write-critical,1,") && l.contains("GEOMETRIC MEAN,xfs"))
        .and_then(|l| l.split(',').nth(7)?.parse().ok())
        .unwrap();
    assert!((ratio - 1.28).abs() < 0.01, "{ratio}");
}

#[test]
fn measured_disk_is_named_before_anything_is_made() {
    let place = Place::new();
    let dir = place.dir("data");
    let args = ["--on", &format!("dir:{}", dir.display()), "--preset", "smoke", "--procs", "1"];
    let run = place.assay(&[&["run", "--tests", "columnar.write.int.tiny"][..], &args].concat());
    let said = crate::common::text(&run.stderr);
    let line = format!("{} is on ", args[1]);
    let mut lines = said.lines().skip_while(|line| line.starts_with("one candidate, "));
    assert!(lines.next().is_some_and(|first| first.starts_with(&line)), "{said}");
    // Where a disk is under it, the scope of the report names it.
    let show = place.ok(&["show"]);
    if let Some(disk) = show.lines().find_map(|line| line.trim().strip_prefix("backing.disk = ")) {
        assert!(said.contains(&format!("{line}{disk}")), "{said}");
        assert!(place.ok(&["report"]).contains(&format!("Scope: disk {disk}, ")));
    }
}

/// What a job of the user's own writes and reads, by processes and blocks: what the samples then say is what was
/// foreseen.
#[test]
fn a_plan_says_what_the_run_then_moves() {
    let place = Place::new();
    let suite = "name = 'moved'\nabout = 'Moved.'\n[defaults.io]\nblock = '64k'\nruntime_s = 0\nrank = 'rate'\n\
                 [[test]]\nkind = 'io'\nid = 'moved.write'\nrw = 'seqwr'\nsize = '32M'\n\
                 [[test]]\nkind = 'io'\nid = 'moved.random'\nrw = 'rndrd'\nsize = '16M'\ncache = 'hot'\n";
    fs::write(place.path("moved.toml"), suite).unwrap();
    let target = format!("dir:{}", place.dir("data").display());
    let all = ["--suite", "moved.toml", "--on", &target, "--preset", "smoke", "--scale", "1"];
    let counts = ["--procs", "1,2", "--blocks", "2"];
    let plan = place.ok(&[&["plan"], &all[..], &counts[..]].concat());
    // By three processes in each of two blocks; what is read was written before.
    assert!(plan.contains("192 MiB written · 96.0 MiB read"), "{plan}");
    place.ok(&[&["run"], &all[..], &counts[..]].concat());
    place.ok(&["export", "last", "--format", "csv", "--out", "out"]);
    let csv = fs::read_to_string(place.path("out/samples.csv")).unwrap();
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let at = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let mut moved = std::collections::BTreeMap::new();
    for row in rows {
        let key = (row[at("test")], row[at("procs")], row[at("block")]);
        moved.insert(key, row[at("bytes")].parse::<u64>().unwrap());
    }
    let sum = |test: &str| -> u64 {
        moved.iter().filter(|(key, _)| key.0 == test).map(|(_, bytes)| bytes).sum()
    };
    assert_eq!([sum("moved.write"), sum("moved.random")], [192 << 20, 96 << 20], "{moved:?}");
}

#[test]
fn a_plan_touches_nothing() {
    let place = Place::new();
    let dir = place.dir("data");
    let target = format!("dir:{}", dir.display());
    let text = place
        .ok(&["plan", "--on", &target, "--preset", "smoke", "--scale", "smoke", "--procs", "1"]);
    assert!(text.contains("columnar.write.float.large") && text.contains("written"), "{text}");
    assert!(text.starts_with(&format!("{target} is on ")), "{text}");
    let some = place.ok(&["plan", "--suite", "null", "--on", "null", "--tests", "null.read"]);
    assert!(some.contains("left out: 2 of the 3 tests of null: excluded by --tests\n"), "{some}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    assert!(!place.path("store.db").exists());
}
