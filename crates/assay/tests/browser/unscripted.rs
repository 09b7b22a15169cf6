//! Tests of the page where its script does not run: nothing scrolls within it, at any width.

use super::{
    campaign::{self, Shown},
    devtools::Browser,
    layout::SCROLLED,
};
use crate::common::Place;
use serde_json::json;
use std::{fs, path::PathBuf};

/// Tables that reach beyond their place.
const BEYOND: &str = "[...document.querySelectorAll('main .wide')].filter(own => own.checkVisibility() && \
                      own.firstElementChild.getBoundingClientRect().right > own.getBoundingClientRect().right + 1)\
                      .map(own => own.textContent.slice(0, 60))";

/// The page of each published study, and of two campaigns side by side.
fn more_pages(place: &Place) -> Vec<PathBuf> {
    let published = place.campaigns(&["--published"]);
    let ids: Vec<&str> = published.iter().map(|own| own["id"].as_str().unwrap()).collect();
    let sets = ids.iter().map(|id| vec![*id]).chain([vec!["last", ids[0]]]);
    let page = |(at, ids): (usize, Vec<&str>)| {
        let path = place.path(&format!("unscripted-{at}.html"));
        let args = [&["report"], &ids[..], &["--format", "html"]].concat();
        fs::write(&path, place.ok(&args)).unwrap();
        path
    };
    sets.enumerate().map(page).collect()
}

/// How a row of the map of every test is drawn, and what is before its first figure.
fn drawn(browser: &mut Browser) -> [String; 2] {
    let of =
        |what: &str| format!("getComputedStyle(document.querySelector('table.heat tbody {what}");
    [
        browser.text(&format!("{}')).display", of("tr:has(td)"))),
        browser.text(&format!("{}'), '::before').content", of("td"))),
    ]
}

#[test]
fn nothing_scrolls_within_the_page_without_its_script() {
    let Some(Shown { place, page, mut browser }) = campaign::shown() else { return };
    let pages = [vec![page.clone()], more_pages(&place)].concat();
    browser.scripted(false);
    for width in [390, 1280, 1920] {
        browser.width(width);
        for page in &pages {
            browser.open(page, "");
            browser
                .eval("document.querySelectorAll('details').forEach(own => { own.open = true; })");
            let page = page.display();
            assert_eq!(browser.eval(SCROLLED), json!([]), "{page} at {width}");
            assert_eq!(browser.eval(BEYOND), json!([]), "{page} at {width}");
            let over =
                "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(browser.eval(over), 0, "{page} at {width}");
        }
        browser.open(&page, "");
        let [row, _] = drawn(&mut browser);
        assert_eq!(row, if width < 400 { "flex" } else { "table-row" }, "{width}");
    }
    browser.width(390);
    browser.open(&page, "");
    let [_, head] = drawn(&mut browser);
    assert_eq!(head, "\"xfs 1 process: \"", "each figure has the head of its column");
    // On paper tables are tables.
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    assert_eq!(drawn(&mut browser)[0], "table-row");
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "" }));
    // Where the script runs, it is what stacks them.
    browser.scripted(true);
    browser.open(&page, "");
    let content =
        "getComputedStyle(document.querySelector('table.heat tbody td'), '::before').content";
    let is_stacked =
        "document.querySelector('table.heat').closest('.wide').classList.contains('stacked')";
    let is_headed = browser.text(content) != "none";
    assert_eq!(browser.eval(is_stacked), is_headed);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
