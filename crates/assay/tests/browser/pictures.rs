//! The pictures of the README: parts of a page as the browser draws them. They are made again from the page of a real
//! run by
//!
//! ```text
//! assay run --budget 3m40s
//! ASSAY_PICTURES=$PWD/report.html cargo test --workspace --locked --test e2e_labs browser::pictures
//! ```

use super::{BROWSER, devtools::Browser};
use crate::common::Place;
use needs::program_or_skip;
use serde_json::json;
use std::{
    env, fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

/// Each with the width of its window, the most of its height, CSS pixels, and the part of the page that it shows.
const PICTURES: [(&str, u32, f64, &str); 5] = [
    ("report", 1280, 1400.0, "document.body"),
    ("heat", 1280, 1180.0, "document.getElementById('at-every-test')"),
    ("drawer", 672, 1062.0, "opened()"),
    ("scaling", 792, 1150.0, "document.getElementById('at-scaling')"),
    ("machine", 792, 700.0, "document.getElementById('at-the-machine-over-the-campaign')"),
];

/// Opens the samples of the first test with a large difference, else of the first. What sticks to the window would
/// cover what is behind it.
const OPENED: &str = "function opened() { const all = [...document.querySelectorAll('details:not(.behind,.signs)')]\
                      .filter(own => own.closest('main')); \
                      const own = all.find(own => own.querySelector('.b2,.b3')) ?? all[0]; own.open = true; return own; } \
                      document.head.append(Object.assign(document.createElement('style'), \
                      { textContent: '.bar,thead,tbody .t{position:static!important}' })); 0";

/// Frames without a change after which a part has its place: tables are fitted in frames after their window.
const SETTLED: u32 = 30;

/// Air around a part.
const MARGIN: f64 = 12.0;

/// The picture called `name`, as base64; `None` where the page has no such part.
fn picture(browser: &mut Browser, (width, most, part): (u32, f64, &str)) -> Option<String> {
    browser.width(width);
    let is_there = browser.eval(&format!("!!{part}"));
    if is_there != true {
        return None;
    }
    let place = browser.eval(&format!(
        "new Promise(done => {{ let [before, same] = ['', 0]; const look = () => {{ \
         const own = {part}.getBoundingClientRect(); \
         const place = [own.left + scrollX, own.top + scrollY, own.width, own.height]; \
         same = `${{place}}` === before ? same + 1 : 0; before = `${{place}}`; \
         if (same > {SETTLED}) done(place); else requestAnimationFrame(look); }}; look(); }})"
    ));
    let [x, y, width, height] = [0, 1, 2, 3].map(|at| place[at].as_f64().unwrap());
    let clip = json!({
        "x": (x - MARGIN).max(0.0), "y": (y - MARGIN).max(0.0), "width": width + 2.0 * MARGIN.min(x),
        "height": (height + 2.0 * MARGIN.min(y)).min(most), "scale": 1,
    });
    let asked = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
    browser.call("Page.captureScreenshot", asked)["data"].as_str().map(String::from)
}

/// Writes what base64 says.
fn decode(text: &str, path: &PathBuf) {
    let mut command = Command::new("base64");
    command.arg("-d").stdin(Stdio::piped()).stdout(fs::File::create(path).unwrap());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn every_picture_of_the_readme_is_a_part_of_the_page() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    let given = env::var_os("ASSAY_PICTURES").map(PathBuf::from);
    let page = given.clone().unwrap_or_else(|| {
        let on = ["a", "b"].map(|name| format!("{name}=dir:{}", place.dir(name).display()));
        place.ok(&[
            "run", "--suite", "null", "--on", &on[0], "--on", &on[1], "--procs", "1,2", "--preset",
            "smoke", "--blocks", "2", "--scale", "smoke", "--html", "run.html",
        ]);
        place.path("run.html")
    });
    let mut browser = Browser::start(&place);
    // A picture has none, and a page without one is wider.
    browser.call("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    browser.open(&page, "");
    browser.eval(OPENED);
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures"));
    let readme = include_str!("../../../../README.md");
    for (name, width, most, part) in PICTURES {
        let shown = picture(&mut browser, (width, most, part));
        let file = format!("{name}.png");
        assert!(
            readme.contains(&format!("](docs/pictures/{file})")),
            "{file} is not in the README"
        );
        // A run that measures nothing has neither speed-ups nor a machine.
        let is_needed = given.is_some() || !["scaling", "machine"].contains(&name);
        assert!(shown.is_some() || !is_needed, "the page has no part for {file}");
        let Some(shown) = shown else { continue };
        // The first bytes of every PNG, in base64.
        assert!(shown.starts_with("iVBORw0KGgo"), "{file}");
        if given.is_some() {
            decode(&shown, &folder.join(&file));
        }
    }
    let links = readme.matches("](docs/pictures/").count();
    assert_eq!(links, PICTURES.len(), "pictures in the README that no part of the page is for");
}
