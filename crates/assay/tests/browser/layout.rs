//! Tests of how the page behaves: nothing scrolls within it, heads stay, panels close, filters say what they hide.

use super::campaign::{self, Shown};
use serde_json::json;

/// Boxes that scroll within the page.
pub(super) const SCROLLED: &str = "[...document.querySelectorAll('main *')].filter(own => own.checkVisibility() && \
                        /auto|scroll/.test(getComputedStyle(own).overflow) && (own.scrollWidth > own.clientWidth + 1 || \
                        own.scrollHeight > own.clientHeight + 1)).map(own => own.textContent.slice(0, 60))";

#[test]
fn no_box_scrolls_within_the_page_and_heads_stay_below_the_bar() {
    let Some(Shown { place, page, mut browser }) = campaign::shown() else { return };
    for width in [390, 1280, 1920] {
        browser.width(width);
        for published in place.campaigns(&["--published"]) {
            let id = published["id"].as_str().unwrap();
            let study = place.path("study.html");
            std::fs::write(&study, place.ok(&["report", id, "--format", "html"])).unwrap();
            browser.open(&study, "");
            assert_eq!(browser.eval(SCROLLED), json!([]), "{id} at {width}");
        }
        browser.open(&page, "");
        browser.eval("document.querySelectorAll('details').forEach(own => { own.open = true; })");
        browser.until(&format!("({SCROLLED}).length === 0"));
        browser.open(&page, "");
        if width < 400 {
            continue;
        }
        let below = "(() => { const table = document.querySelector('table.heat'); \
                     scrollTo(0, scrollY + table.getBoundingClientRect().bottom - 300); \
                     const bar = document.querySelector('.bar').getBoundingClientRect(); \
                     const head = table.tHead.getBoundingClientRect(); \
                     return bar.top === 0 && Math.abs(head.top - bar.bottom) < 2; })()";
        assert_eq!(browser.eval(below), true, "{width}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Two campaigns share a wide window, and are below each other in a narrow one.
#[test]
fn no_box_scrolls_on_a_page_of_two_campaigns() {
    let Some(Shown { place, mut browser, .. }) = campaign::shown() else { return };
    let published = place.campaigns(&["--published"]);
    let id = published[0]["id"].as_str().unwrap();
    let both = place.path("both.html");
    std::fs::write(&both, place.ok(&["report", "last", id, "--format", "html"])).unwrap();
    for width in [390, 1280, 1920] {
        browser.width(width);
        browser.open(&both, "");
        assert_eq!(browser.eval(SCROLLED), json!([]), "{width}");
        let over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.eval(over), 0, "{width}");
    }
    browser.width(390);
    browser.open(&both, "");
    let cell = "[...document.querySelectorAll('.stacked td')].find(own => own.dataset.head)";
    assert_eq!(browser.text(&format!("{cell}.getAttribute('role')")), "cell");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Widens each figure of the tables to the most digits and marks that they may have.
const LONG: &str = "document.querySelectorAll('.wide:not(.many) tbody td.n:has(small)').forEach(own => { \
                    const word = own.querySelector('b') ? '<b>? contended</b> ' : ''; \
                    own.innerHTML = `0.00666 ${word}<small>0.00273-0.00427</small> <small>baseline noisy</small>`; })";

#[test]
fn long_figures_fit_the_window() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    for width in [1280, 1920] {
        browser.width(width);
        browser.open(&page, "");
        let beyond = "[...document.querySelectorAll('#at-verdict table, #at-in-short table')].map(own => Math.round( \
                      own.getBoundingClientRect().right - own.closest('section').getBoundingClientRect().right))\
                      .filter(beyond => beyond > 0)";
        assert_eq!(browser.eval(beyond), json!([]), "over the picture, {width}");
        browser.eval(LONG);
        let over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.eval(over), 0, "{width}");
    }
}

#[test]
fn map_fits_a_telephone_with_whole_words_in_its_head() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    browser.width(390);
    for fragment in ["", "#intervals=1"] {
        browser.open(&page, fragment);
        let map = "[...document.querySelectorAll('table.heat')].find(own => own.checkVisibility())";
        let over = format!("(own => own.scrollWidth - own.clientWidth)({map}.closest('.wide'))");
        assert_eq!(browser.eval(&over), 0, "{fragment}");
        assert_eq!(browser.eval(&broken(&format!("[...{map}.tHead.rows[1].cells]"))), json!([]));
        let text = format!("{map}.tHead.rows[1].cells[0].textContent");
        assert_eq!(browser.text(&text), "1 process", "{fragment}");
    }
}

/// A small window of a laptop: what was found is next to its picture, with what another choice costs.
#[test]
fn verdict_and_candidates_are_on_the_first_screen() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown_workload() else {
        return;
    };
    browser.width(1280);
    browser.open(&page, "");
    let bottom =
        |own: &str| format!("document.querySelector('{own}').getBoundingClientRect().bottom");
    let bar = browser.eval(&format!("{} - {}", bottom(".bar"), bottom("header"))).as_f64().unwrap();
    assert!(bar < 80.0, "more than two lines: {bar}");
    let table = browser.eval(&bottom("#at-verdict table")).as_f64().unwrap();
    assert!(table < 660.0, "{table}");
}

/// The words within `elements` that are broken: one that has more than one line.
pub(super) fn broken(elements: &str) -> String {
    format!(
        "{elements}.filter(own => own.checkVisibility()).flatMap(own => {{ \
         const walker = document.createTreeWalker(own, NodeFilter.SHOW_TEXT), range = new Range(), found = []; \
         for (let node = walker.nextNode(); node; node = walker.nextNode()) \
           for (const word of node.data.matchAll(/\\p{{L}}+/gu)) {{ \
             range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length); \
             if (new Set([...range.getClientRects()].map(line => line.top)).size > 1) found.push(word[0]); }} \
         return found; }})"
    )
}

#[test]
fn intervals_stand_in_the_map_without_another_choice() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    browser.open(&page, "");
    let flag = "[...document.querySelectorAll('.bar label')].find(own => own.textContent.includes('Intervals'))";
    browser.eval(&format!("{flag}.click()"));
    assert_eq!(browser.text("location.hash"), "#intervals=1");
    let shown = "[...document.querySelectorAll('table.heat')].filter(own => own.checkVisibility()).map(own => \
                 /\\d-\\d/.test(own.tBodies[0].rows[1].cells[1].textContent))";
    assert_eq!(browser.eval(shown), json!([true]));
    assert_eq!(browser.eval("document.getElementById('what-if')"), json!(null));
    browser.eval(&format!("{flag}.click()"));
    assert_eq!(browser.eval(shown), json!([false]));
}

#[test]
fn a_panel_closes_when_it_is_left_and_by_escape() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    browser.width(1280);
    browser.open(&page, "");
    let open = "document.querySelector('.weights').open";
    browser.eval("document.querySelector('.weights summary').click()");
    let under = "(() => { const [button, panel] = ['summary', 'div'].map(own => document.querySelector(`.weights ${own}`)\
                 .getBoundingClientRect()); return panel.top >= button.bottom - 1 && panel.left < button.right && \
                 panel.right > button.left && panel.right <= innerWidth; })()";
    assert_eq!((browser.eval(open), browser.eval(under)), (json!(true), json!(true)));
    browser.press("Escape");
    assert_eq!(browser.eval(open), false);
    browser.eval("document.querySelector('.weights summary').click()");
    browser.eval("document.querySelector('h1').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))");
    assert_eq!(browser.eval(open), false);
}

#[test]
fn escape_gives_back_the_address_and_a_cell_says_what_it_is() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    browser.open(&page, "");
    let address = browser.text("location.href");
    browser.eval("document.querySelector('table.heat a').click()");
    assert_ne!(browser.text("location.href"), address);
    browser.eval("document.querySelector('details:not(.behind):has(:target) summary').focus()");
    browser.press("Escape");
    assert_eq!(browser.text("location.href"), address);
    let said = browser.text(
        "(() => { const cell = document.querySelector('table.heat td'); \
         cell.dispatchEvent(new Event('mouseover', { bubbles: true })); return cell.title; })()",
    );
    for part in ["xfs. MB/s: ", "over ext4: ", "blocks: 4", "Limiter: none found 100 %"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // The keyboard shows the same below the cell, until it leads on or Escape hides it.
    let shown =
        "(own => own && !own.hidden ? own.textContent : '')(document.getElementById('told'))";
    browser.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
    browser
        .eval("document.activeElement.blur(); document.querySelector('table.heat td a').focus()");
    assert_eq!(browser.text(shown), said);
    let place = "(() => { const [cell, told] = [document.activeElement.closest('td'), document.getElementById('told')]\
                 .map(own => own.getBoundingClientRect()); return told.top >= cell.bottom - 1 && told.right <= innerWidth; })()";
    assert_eq!(browser.eval(place), true);
    let named =
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).role";
    assert_eq!(browser.text(named), "tooltip");
    browser.press("Escape");
    assert_eq!(browser.text(shown), "");
}

#[test]
fn what_leaves_nothing_is_named_and_taken_back() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    browser.open(&page, "#without=1,2&procs=16");
    let said = browser.text("document.querySelector('#what-if .nothing').textContent");
    assert!(said.contains("because of: Candidates.") && !said.contains("Processes"), "{said}");
    browser.eval("document.querySelector('#what-if .nothing button').click()");
    assert_eq!(browser.text("location.hash"), "#procs=16");
    assert_eq!(browser.eval("document.querySelector('#what-if .nothing')"), json!(null));
    // A candidate that is off is in no picture and no table of the choice.
    browser.open(&page, "#without=2");
    let shown = browser.text("document.getElementById('what-if').textContent");
    assert!(shown.contains("xfs") && !shown.contains("btrfs"), "{shown}");
    // A row filter that hides all rows of a table says so, and so does no heading without its rows.
    browser.open(&page, "#decided=1");
    let bare = "[...document.querySelectorAll('main tbody')].filter(own => !own.closest('details') && own.querySelector('.t') && \
                own.rows.length > 1 && [...own.rows].slice(1).every(row => row.hidden) && !own.rows[0].hidden).length";
    assert_eq!(browser.eval(bare), 0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
