//! Tests of the page's accessibility: on any screen, on paper, by keyboard only, without its script.

use super::{BROWSER, campaign, choice::CHANGE, devtools::Browser, layout};
use crate::common::Place;
use needs::program_or_skip;
use serde_json::{Value, json};
use std::path::PathBuf;

/// An array of what is wrong with the page that is open.
const CHECKS: &str = include_str!("access.js");

/// The page of a campaign that was run, and has drawers with samples, and of one with something for every control.
fn pages(place: &Place) -> [PathBuf; 2] {
    place.ok(&[
        "run", "--suite", "null", "--on", "null", "--aa", "--procs", "1,2", "--preset", "smoke",
        "--blocks", "2", "--scale", "smoke", "--html", "run.html",
    ]);
    campaign::import(place);
    [place.path("run.html"), campaign::page(place, "ext4")]
}

#[test]
fn text_has_contrast_and_everything_its_name() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    let pages = pages(&place);
    let mut browser = Browser::start(&place);
    for (page, fragment) in [(&pages[0], ""), (&pages[1], ""), (&pages[1], "#base=xfs&intervals=1")]
    {
        for dark in [false, true] {
            browser.scheme(dark);
            browser.open(page, fragment);
            browser.eval("document.querySelectorAll('details').forEach(own => own.open = true)");
            let found = browser.eval(CHECKS);
            assert_eq!(found, json!([]), "{} {fragment} dark {dark}", page.display());
        }
    }
    // The check is seen to object.
    browser.eval("document.querySelector('p').style.color = '#555'; document.querySelector('caption').remove()");
    let found = browser.eval(CHECKS).to_string();
    assert!(found.contains("contrast") && found.contains("no caption"), "{found}");
}

#[test]
fn a_cell_is_opened_and_left_by_keyboard_alone() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    let page = &pages(&place)[1];
    let mut browser = Browser::start(&place);
    browser.open(page, "");
    let is_at_cell = "document.activeElement.matches('table.heat a')";
    let reached = (0..200).any(|_| {
        browser.press("Tab");
        browser.eval(is_at_cell) == true
    });
    assert!(reached, "no cell is reached in 200 steps");
    let cell = browser.text("document.activeElement.getAttribute('href')");
    browser.press("Enter");
    let drawer = format!("document.querySelector('{cell}').closest('details')");
    browser.until(&format!("({drawer}.open && {drawer}.contains(document.activeElement))"));
    browser.until(&format!(
        "(document.querySelector('{cell}').getBoundingClientRect().top < innerHeight)"
    ));
    browser.press("Escape");
    assert_eq!(browser.eval(&format!("{drawer}.open")), false);
    assert_eq!(browser.text("document.activeElement.getAttribute('href')"), cell);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn without_its_script_the_page_is_whole() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    let page = &pages(&place)[1];
    let mut browser = Browser::start(&place);
    let counts = "[...'table figure h2 details'.split(' ')].length && ['table', 'figure', 'h2', 'details'].map(kind => \
                  [...document.querySelectorAll(`main ${kind}`)].filter(own => own.closest('details') || \
                  own.checkVisibility()).length)";
    browser.open(page, "");
    let with = browser.eval(counts);
    browser.scripted(false);
    browser.open(page, "");
    assert_eq!(browser.eval("document.querySelector('.bar')"), Value::Null);
    assert_eq!(browser.eval(counts), with);
    // A link into a drawer opens it by the browser alone.
    browser.eval("document.querySelector('details summary').click()");
    assert_eq!(browser.eval("document.querySelector('details').open"), true);
}

/// Height of a sheet without margins of 1 cm, at 96 dots per inch.
const A4_PX: f64 = 1047.0;

#[test]
fn paper_is_twelve_pages_at_most_and_cuts_no_table() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    let pages = pages(&place);
    let mut browser = Browser::start(&place);
    let extents = ["", "#print=all"];
    for (page, fragment) in pages.iter().flat_map(|page| extents.map(|extent| (page, extent))) {
        browser.open(page, fragment);
        // A4 without margins of 1 cm at 96 dots per inch.
        browser.width(718);
        browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        let cut = "[...document.querySelectorAll('table,th,td,figure,p,svg')].filter(own => own.checkVisibility() && \
                   own.getBoundingClientRect().right > innerWidth + 1).map(own => own.textContent.slice(0, 60))";
        assert_eq!(browser.eval(cut), json!([]), "{}", page.display());
        assert_eq!(
            browser.eval("document.querySelector('.bar')?.checkVisibility() ?? false"),
            false
        );
        let height = browser.eval("document.documentElement.scrollHeight").as_f64().unwrap();
        let shown =
            browser.eval("document.querySelector('#at-samples')?.checkVisibility() ?? null");
        match fragment {
            "" => {
                assert!(height <= 12.0 * A4_PX && shown != true, "{height}: {}", page.display());
                let broken = layout::broken("[...document.querySelectorAll('th,td')]");
                assert_eq!(browser.eval(&broken), json!([]), "{}", page.display());
            }
            _ => assert_ne!(shown, false, "{}", page.display()),
        }
        let pdf =
            browser.call("Page.printToPDF", json!({ "paperWidth": 8.27, "paperHeight": 11.69 }));
        // `%PDF-` in base64.
        assert!(pdf["data"].as_str().unwrap().starts_with("JVBERi"));
        browser.call("Emulation.setEmulatedMedia", json!({ "media": "" }));
        browser.call("Emulation.clearDeviceMetricsOverride", json!({}));
    }
}

#[test]
fn colours_are_those_of_the_reader_or_of_the_system_and_light_on_paper() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    campaign::import(&place);
    let page = campaign::page(&place, "ext4");
    let mut browser = Browser::start(&place);
    let colour = "getComputedStyle(document.body).backgroundColor";
    let (light, dark) = ("rgb(255, 255, 255)", "rgb(22, 23, 25)");
    for is_dark in [false, true] {
        browser.scheme(is_dark);
        let system = if is_dark { dark } else { light };
        for (fragment, wanted) in
            [("", system), ("#theme=light", light), ("#theme=dark", dark), ("#theme=x", system)]
        {
            browser.open(&page, fragment);
            assert_eq!(browser.text(colour), wanted, "{fragment} {is_dark}");
        }
    }
    browser.open(&page, "");
    let list = "[...document.querySelectorAll('.bar label')].find(own => own.textContent.startsWith('Colours'))\
                .querySelector('select')";
    browser.eval(&format!("{CHANGE} change({list}, 'light'); 0"));
    assert_eq!(
        (browser.text(colour).as_str(), browser.text("location.hash").as_str()),
        (light, "#theme=light")
    );
    browser.eval(&format!("change({list}, 'dark'); 0"));
    browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    assert_eq!(browser.text(colour), light);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
