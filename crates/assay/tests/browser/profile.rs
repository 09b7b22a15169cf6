//! The choice of a profile and of a state of the cache: the page weighs as advice does, and leaves the tests that are
//! asked for.

use super::{
    campaign::{self, Shown},
    choice::{CHANGE, said},
};
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_profile_weighs_and_rules_out_as_advice_does() {
    let Some(Shown { place, page, mut browser }) = campaign::shown_workload() else { return };
    let advice: Value = serde_json::from_str(&place.ok(&[
        "advise",
        "last",
        "--profile",
        "mail-small-files",
        "--format",
        "json",
    ]))
    .unwrap();
    browser.open(&page, "");
    let lists = "[...document.querySelectorAll('.bar select')]";
    let profile = format!(
        "{lists}.find(own => own.value === '' && [...own.options].some(o => o.value === 'mail-small-files'))"
    );
    browser.eval(&format!("{CHANGE} change({profile}, 'mail-small-files'); 0"));
    assert_eq!(browser.text("location.hash"), "#profile=mail-small-files");
    let (picture, _) = said(&mut browser, "#what-if");
    // The point is that of the advice over the first of its candidates; the page has it over the baseline.
    let candidates = advice["advice"]["candidates"].as_array().unwrap();
    let of = |label: &str| {
        let own = candidates.iter().find(|own| own["target"] == label).unwrap();
        own["ratio"]["point"].as_f64().unwrap()
    };
    for label in ["xfs", "btrfs"] {
        let ratio = format!("{label} {:.2} ", of(label) / of("ext4"));
        assert!(picture.contains(&ratio), "{ratio} in {picture}");
    }
    // The sliders are those of its groups, and one that is moved is in the address.
    let names = browser.eval(
        "[...document.querySelectorAll('.weights label')].map(own => own.textContent.trim())",
    );
    let covered = advice["advice"]["groups"].as_array().unwrap();
    let covered: Vec<&Value> =
        covered.iter().filter(|own| own["of_cells"] != 0).map(|own| &own["name"]).collect();
    assert_eq!(names, json!(covered));
    browser.eval("change(document.querySelector('.weights input[type=range]'), 3, 'input'); 0");
    assert_ne!(said(&mut browser, "#what-if").0, picture);
    assert_eq!(browser.text("location.hash"), "#profile=mail-small-files&weights=0%3A3");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn one_state_of_the_cache_leaves_the_tests_in_it() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown_workload() else {
        return;
    };
    for (state, test) in [("cold", "metadata.stat.cold"), ("hot", "metadata.stat.hot")] {
        browser.open(&page, &format!("#cache={state}"));
        let rows = "[...document.querySelectorAll('#what-if .heat tbody th[scope=row]')].map(own => own.textContent)";
        assert_eq!(browser.eval(rows), json!([test]));
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn advice_of_a_profile_carries_the_store_that_was_given() {
    let Some(Shown { place, mut browser, .. }) = campaign::shown_workload() else { return };
    let store = place.path("store.db");
    let report = ["report", "last", "--format", "html", "--store", store.to_str().unwrap()];
    let page = place.path("given.html");
    fs::write(&page, place.ok(&report)).unwrap();
    browser.open(&page, "#profile=mail-small-files");
    let command = browser.text("document.querySelector('#what-if code').textContent");
    assert!(
        command.starts_with(&format!("assay advise --store {} ", store.display())),
        "{command}"
    );
}
