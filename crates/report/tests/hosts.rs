//! Tests of the section on hosts.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, markdown},
    common,
};
use model::result::{Dataset, HostUse, known};
use stats::{description::Settings, evaluation::findings};

/// Of `common`, each sample of 64 processes on `hosts`, of which each has half the rate of the one before.
fn campaign(hosts: &[&str]) -> Dataset {
    let mut data = common::campaign(5);
    for sample in data.samples.iter_mut().filter(|sample| sample.case.procs == 64) {
        let mut rate = 800.0;
        for host in hosts {
            sample.covariates.hosts.push(HostUse {
                host: host.to_string(),
                ranks: Some(32),
                ops_per_s: Some(rate),
            });
            rate /= 2.0;
        }
        sample.set(known::SLOWEST_RANK_OPS_PER_S, 10.0);
        sample.set(known::FASTEST_RANK_OPS_PER_S, 40.0);
    }
    data
}

#[test]
fn each_host_has_its_rate_and_the_slowest_is_named() {
    let data = campaign(&["n1", "n2"]);
    let found = findings(&data, &Settings::default()).unwrap();
    let text = markdown(&data, &found);
    let hosts = text.split_once("## Hosts\n").unwrap().1.split("\n## ").next().unwrap();
    assert!(
        hosts.contains("A rank on n2 did 0.50 times as many operations in a second as one on n1"),
        "{hosts}"
    );
    let line = |of: &str| hosts.lines().find(|line| line.starts_with(of)).unwrap();
    // Fourteen cells: five tests on three targets, of which one has no valid sample.
    assert!(line("| n2 ").contains("0.71") && line("| n2 ").contains("14 of 14"), "{hosts}");
    assert!(line("| n1 ").contains("1.41") && line("| n1 ").contains("0 of 14"), "{hosts}");
    let row = line("| xfs ");
    for said in ["| 64 ", "800", "400", "32 ranks", "0.50", "0.25"] {
        assert!(row.contains(said), "{said}: {row}");
    }
    let json: serde_json::Value = serde_json::from_str(&json(&data, &found)).unwrap();
    assert_eq!(json["hosts"].as_array().unwrap().len(), 14);
}

#[test]
fn of_many_hosts_the_slowest_and_the_fastest_are_named() {
    let names = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"];
    let data = campaign(&names);
    let page = html(&data, &findings(&data, &Settings::default()).unwrap());
    let table = page.split_once("Rates of hosts and ranks by test").unwrap().1;
    let table = table.split_once("</table>").unwrap().0;
    assert!(table.contains(">a1<") && table.contains(">a9<") && !table.contains("a5"), "{table}");
}

#[test]
fn of_one_host_nothing_is_said() {
    for hosts in [&[][..], &["n1"]] {
        let data = campaign(hosts);
        let found = findings(&data, &Settings::default()).unwrap();
        assert!(!html(&data, &found).contains(">Hosts<"), "{hosts:?}");
    }
}
