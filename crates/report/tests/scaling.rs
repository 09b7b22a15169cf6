//! Tests of the section on process counts.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, json, markdown},
    common,
};
use stats::{description::Settings, evaluation::findings};

#[test]
fn rates_over_process_counts_are_drawn_and_stand_in_a_table() {
    let data = common::campaign(5);
    let found = findings(&data, &Settings::default()).unwrap();
    let page = html(&data, &found);
    // Rates of `common` grow with the root of the processes: 8 with 64, an eighth of what is ideal.
    for said in [
        "Rate relative to 1 process, 95 % intervals",
        ">ideal<",
        ">64 processes<",
        "<td class=\"n\">13 %</td>",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let text = markdown(&data, &found);
    assert!(text.contains("## Scaling") && text.contains("speed-up"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&json(&data, &found)).unwrap();
    let scaling = &json["scalings"][0];
    assert_eq!(scaling["procs"].as_array().unwrap().len(), 2);
    let step = &scaling["targets"][0]["steps"][1];
    assert!((step["efficiency"].as_f64().unwrap() / 0.125 - 1.0).abs() < 0.1, "{step}");
}

#[test]
fn of_one_count_nothing_is_said() {
    let mut data = common::campaign(5);
    data.samples.retain(|sample| sample.case.procs == 1);
    let found = findings(&data, &Settings::default()).unwrap();
    assert!(!html(&data, &found).contains(">Scaling<"));
}

#[test]
fn limit_of_the_processors_is_next_to_the_efficiency() {
    let mut data = common::campaign(5);
    let said = |data: &model::result::Dataset| {
        let found = findings(data, &Settings::default()).unwrap();
        let page = html(data, &found);
        page.split_once("increase in processes; ").unwrap().1.split_once('.').unwrap().0.to_string()
    };
    data.campaign.environment.0.insert("cpu.count".into(), "16".into());
    assert_eq!(
        said(&data),
        "this machine has 16 processors, so 64 processes that never wait reach about 25 %, and \
         more only if they wait for something"
    );
    // Of many hosts each has its own.
    data.campaign.environment.0.insert("host.a.cpu.count".into(), "16".into());
    assert_eq!(said(&data), "processes in excess of the processors share them");
    data.campaign.environment.0.remove("host.a.cpu.count");
    data.campaign.environment.0.insert("cpu.count".into(), "64".into());
    assert_eq!(said(&data), "processes in excess of the processors share them");
}

#[test]
fn the_ideal_ends_at_the_processors_and_points_say_what_they_are() {
    let ideal = |cpus: &str| {
        let mut data = common::campaign(5);
        data.campaign.environment.0.insert("cpu.count".into(), cpus.into());
        let page = html(&data, &findings(&data, &Settings::default()).unwrap());
        assert!(page.contains("MB/s, n=5, limiter device 100 %</title>"), "{page}");
        page.contains(">ideal<")
    };
    assert!(ideal("64"));
    // With 16 only the first count of 1 and 64 could be reached.
    assert!(!ideal("16"));
}
