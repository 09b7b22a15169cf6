//! A campaign with something for every control of the page: three candidates, four groups, two process counts, four
//! blocks, one test that a candidate could not do, one of which it lacks a block and one in which it is noisy.

use super::{BROWSER, devtools::Browser};
use crate::common::Place;
use needs::program_or_skip;
use std::{fmt::Write, fs, path::PathBuf};

const SAMPLES: &str = "campaign,block,position,target,suite,test,procs,threads,cache,metric,value,unit,better,bytes,ops,\
                       seconds,skew_ms,overlap,device_read_bytes,device_write_bytes,cpu_user_s,cpu_sys_s,limiter,validity,lab,durability";
const TESTS: &str = "test,suite,name,testtype,group,metric,unit,better,only_writes,grid,grid_block_bytes,grid_threads";
const TARGETS: [&str; 3] = ["ext4", "xfs", "btrfs"];
const GROUPS: [&str; 4] = ["write-critical", "read-cold", "meta", "mixed"];

/// Tests of each group.
const EACH: usize = 3;

/// Blocks, and those with which there are more samples than a page holds.
const BLOCKS: u32 = 4;
const MANY_BLOCKS: u32 = 50;

/// Tests that a profile weighs, and two that differ in the state of the cache alone: id, group and that state.
const WORKLOAD: [(&str, &str, &str); 7] = [
    ("files.create.4k", "write-critical", "any"),
    ("files.read.4k", "read-cold", "any"),
    ("metadata.storm.create", "meta", "any"),
    ("metadata.storm.unlink", "meta", "any"),
    ("metadata.hard.file.read", "meta", "any"),
    ("metadata.stat.cold", "meta", "cold"),
    ("metadata.stat.hot", "meta", "hot"),
];

/// A test with its id, name, group and the state of the cache.
type Test = (String, String, &'static str, &'static str);

fn plain() -> Vec<Test> {
    let test = |at: usize| (format!("s.t{at}"), format!("test {at}"), GROUPS[at / EACH], "any");
    (0..EACH * GROUPS.len()).map(test).collect()
}

fn of_workload() -> Vec<Test> {
    let test = |(id, group, cache): (&str, _, _)| (id.to_string(), id.to_string(), group, cache);
    WORKLOAD.map(test).into()
}

/// A noise without a generator: the fractional parts of multiples of the golden ratio spread evenly.
fn noise(at: usize) -> f64 {
    0.04 * ((at as f64 * 0.618_033_988_749_895).fract() - 0.5)
}

fn samples(tests: &[Test], blocks: u32) -> String {
    let mut text = format!("{SAMPLES}\n");
    let mut at = 0;
    for (block, target) in (0..blocks).flat_map(|block| (0..TARGETS.len()).map(move |t| (block, t)))
    {
        for (test, procs) in (0..tests.len()).flat_map(|test| [(test, 1), (test, 16)]) {
            at += 1;
            let gain = 0.06 * target as f64 * (test as f64 - 5.0) / 5.0;
            let is_noisy = (target, test) == (1, 7);
            let noise_of_blocks = if is_noisy { 0.2 - 0.4 * f64::from(block % 2) } else { 0.0 };
            let value = 100.0
                * (gain + noise_of_blocks + noise(at * 7 + test)).exp()
                * f64::from(procs).sqrt();
            let summed = 100.0 * (noise(at * 3 + test) - gain).exp();
            let validity = match (target, test, block) {
                (2, 4, _) | (1, 8, 3) => "invalid: no space",
                _ => "valid",
            };
            // Not every test has the other metric.
            for (metric, value) in
                [("rate", value), ("sum_rate", summed)].into_iter().take(1 + test % 3)
            {
                writeln!(
                    text,
                    "c1,{block},{target},{},s,{},{procs},1,{},{metric},{value},MB/s,higher,1000000,10,{},0.0,\
                     1.0,,,0.1,0.1,none,{validity},host,",
                    TARGETS[target],
                    tests[test].0,
                    tests[test].3,
                    1 + test % 5,
                )
                .unwrap();
            }
        }
    }
    text
}

fn listed(tests: &[Test]) -> String {
    let line = |(id, name, group, _): &Test| {
        format!("{id},s,{name},type,{group},rate,MB/s,higher,false,,,\n")
    };
    let lines: String = tests.iter().map(line).collect();
    format!("{TESTS}\n{lines}")
}

/// Takes it into the store of `place`.
pub(super) fn import(place: &Place) {
    import_of(place, &plain(), BLOCKS);
}

/// The same with more samples than a page holds: not every test has its own there.
fn import_large(place: &Place) {
    import_of(place, &plain(), MANY_BLOCKS);
}

/// The same of one with tests of a profile, and with both states of the cache.
pub(super) fn import_workload(place: &Place) {
    import_of(place, &of_workload(), BLOCKS);
}

fn import_of(place: &Place, tests: &[Test], blocks: u32) {
    for (name, text) in [("samples.csv", samples(tests, blocks)), ("tests.csv", listed(tests))] {
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

/// A browser and its page over ext4, which no test has opened yet.
pub(super) struct Shown {
    pub(super) place: Place,
    pub(super) page: PathBuf,
    pub(super) browser: Browser,
}

/// Imports it, and starts a browser where there is one.
pub(super) fn shown() -> Option<Shown> {
    shown_of(import)
}

/// The same of [`import_large`].
pub(super) fn shown_large() -> Option<Shown> {
    shown_of(import_large)
}

/// The same of [`import_workload`].
pub(super) fn shown_workload() -> Option<Shown> {
    shown_of(import_workload)
}

fn shown_of(import: fn(&Place)) -> Option<Shown> {
    if !program_or_skip(BROWSER) {
        return None;
    }
    let place = Place::new();
    import(&place);
    let (page, browser) = (page(&place, "ext4"), Browser::start(&place));
    Some(Shown { place, page, browser })
}
