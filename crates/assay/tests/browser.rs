//! The page in a real browser: nothing for the console, and no sideways scrolling of the whole page from the
//! narrowest telephone to a wide screen, light and dark, with every drawer open.

mod access;
mod campaign;
mod cells;
mod choice;
mod devtools;
mod layout;
mod pictures;
mod profile;
mod unscripted;

use crate::common::{Place, text};
use needs::program_or_skip;
use std::{fs, process::Command};

const BROWSER: &str = "chromium";

/// Widths of a window, CSS pixels.
const WIDTHS: &str = "[360, 390, 768, 1280, 1920]";

/// A page that holds `page` and writes a word for each width at which it is wider than its window, then `seen`.
fn around(page: &str) -> String {
    let held = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><iframe id=\"held\" height=\"900\" srcdoc=\"{held}\"></iframe><pre id=\"out\"></pre><script>
         onload = () => {{
           const inside = held.contentDocument;
           inside.querySelectorAll('details').forEach(drawer => drawer.open = true);
           for (const width of {WIDTHS}) {{
             held.style.width = width + 'px';
             const wide = inside.body.scrollWidth;
             if (wide > width) out.textContent += `too-wide:${{wide}}/${{width}} `;
           }}
           out.textContent += `seen:${{inside.querySelectorAll('h1').length}}`;
         }}
         </script>"
    )
}

/// What the browser makes of `page`: the document at the end, and what it says on the way.
fn opened(place: &Place, page: &str, scheme: u8) -> (String, String) {
    opened_at(place, &around(page), "", scheme)
}

/// The same of a single page, at `fragment`.
fn opened_at(place: &Place, page: &str, fragment: &str, scheme: u8) -> (String, String) {
    let path = place.path("page.html");
    fs::write(&path, page).unwrap();
    let output = Command::new(BROWSER)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"])
        .args(["--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--user-data-dir={}", place.path("browser").display()))
        .arg(format!("file://{}{fragment}", path.display()))
        .output()
        .unwrap();
    (text(&output.stdout), text(&output.stderr))
}

fn is_well(place: &Place, page: &str) {
    for scheme in [0, 1] {
        let (document, said) = opened(place, page, scheme);
        let (_, found) = document.split_once("<pre id=\"out\">").unwrap();
        assert_eq!(found.split('<').next(), Some("seen:1"), "scheme {scheme}");
        let console: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert!(console.is_empty(), "{console:?}");
    }
}

#[test]
fn a_page_fits_every_window_and_says_nothing_to_the_console() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    place.ok(&[
        "run", "--suite", "null", "--on", "null", "--aa", "--procs", "1,2", "--preset", "smoke",
        "--blocks", "2", "--scale", "smoke",
    ]);
    // The one was run and has samples to open, the other has several targets and so a picture of each kind.
    let own = place.ok(&["report", "last", "--format", "html"]);
    let published = place.campaigns(&["--published"]);
    let id = published[0]["id"].as_str().unwrap();
    let other = place.ok(&["report", id, "--format", "html"]);
    assert!(own.contains("<details>") && other.contains("class=\"heat\""), "{own}\n{other}");
    for page in [own, other] {
        is_well(&place, &page);
    }
}

#[test]
fn the_browser_is_seen_to_object() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    let page = "<h1 style=\"width:700px\">x</h1><script>console.error('y')</script>";
    let (document, said) = opened(&place, page, 1);
    assert!(document.contains("too-wide:") && said.contains("CONSOLE"), "{document}\n{said}");
}

#[test]
fn the_address_keeps_how_tables_are_sorted_and_which_rows_are_hidden() {
    if !program_or_skip(BROWSER) {
        return;
    }
    let place = Place::new();
    let published = place.campaigns(&["--published"]);
    let id = published[0]["id"].as_str().unwrap();
    let page = place.ok(&["report", id, "--format", "html"]);
    assert!(!page.contains("aria-sort=\"") && !page.contains("hidden=\"\""));
    let (document, said) = opened_at(&place, &page, "#sort=2,1,up&decided=1", 1);
    assert_eq!(document.matches("aria-sort=\"ascending\"").count(), 1, "{document}");
    assert!(document.contains("<tr hidden=\"\">"), "{document}");
    assert!(!said.contains("CONSOLE"), "{said}");
}
