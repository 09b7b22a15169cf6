//! A campaign with something for every control of the page: three candidates, four groups, two process counts, four
//! blocks, one test that a candidate could not do.

use crate::common::Place;
use std::{fmt::Write, fs, path::PathBuf};

const SAMPLES: &str = "campaign,block,position,target,suite,test,procs,threads,cache,metric,value,unit,better,bytes,ops,\
                       seconds,skew_ms,overlap,device_read_bytes,device_write_bytes,cpu_user_s,cpu_sys_s,limiter,validity,lab,durability";
const TESTS: &str = "test,suite,name,testtype,group,metric,unit,better,only_writes,grid,grid_block_bytes,grid_threads";
const TARGETS: [&str; 3] = ["ext4", "xfs", "btrfs"];
const GROUPS: [&str; 4] = ["write-critical", "read-cold", "meta", "mixed"];

/// Tests of each group.
const EACH: usize = 3;

/// A noise without a generator: the fractional parts of multiples of the golden ratio spread evenly.
fn noise(at: usize) -> f64 {
    0.04 * ((at as f64 * 0.618_033_988_749_895).fract() - 0.5)
}

fn samples() -> String {
    let mut text = format!("{SAMPLES}\n");
    let mut at = 0;
    for (block, target) in (0..4).flat_map(|block| (0..TARGETS.len()).map(move |t| (block, t))) {
        for (test, procs) in (0..EACH * GROUPS.len()).flat_map(|test| [(test, 1), (test, 16)]) {
            at += 1;
            let gain = 0.06 * target as f64 * (test as f64 - 5.0) / 5.0;
            let value = 100.0 * (gain + noise(at * 7 + test)).exp() * f64::from(procs).sqrt();
            let summed = 100.0 * (noise(at * 3 + test) - gain).exp();
            let validity = if (target, test) == (2, 4) { "invalid: no space" } else { "valid" };
            // Not every test has the other metric.
            for (metric, value) in
                [("rate", value), ("sum_rate", summed)].into_iter().take(1 + test % 3)
            {
                writeln!(
                    text,
                    "c1,{block},{target},{},s,s.t{test},{procs},1,any,{metric},{value},MB/s,higher,1000000,10,{},0.0,\
                     1.0,,,0.1,0.1,none,{validity},host,",
                    TARGETS[target],
                    1 + test % 5,
                )
                .unwrap();
            }
        }
    }
    text
}

fn tests() -> String {
    let line = |test: usize| {
        format!("s.t{test},s,test {test},type,{},rate,MB/s,higher,false,,,\n", GROUPS[test / EACH])
    };
    let lines: String = (0..EACH * GROUPS.len()).map(line).collect();
    format!("{TESTS}\n{lines}")
}

/// Takes it into the store of `place`.
pub(super) fn import(place: &Place) {
    for (name, text) in [("samples.csv", samples()), ("tests.csv", tests())] {
        fs::write(place.path(name), text).unwrap();
    }
    place.ok(&["import", "samples.csv", "tests.csv"]);
}

/// Its page over `baseline`.
pub(super) fn page(place: &Place, baseline: &str) -> PathBuf {
    page_with(place, baseline, &[])
}

/// The same with more arguments.
pub(super) fn page_with(place: &Place, baseline: &str, more: &[&str]) -> PathBuf {
    let report = ["report", "last", "--format", "html", "--baseline", baseline];
    let text = place.ok(&[&report, more].concat());
    let path = place.path(&format!("{baseline}{}.html", more.join("")));
    fs::write(&path, text).unwrap();
    path
}
