//! Tests that the keyboard leads to every cell of a map, which says what it is, and that only commands have a button
//! that copies them.

use super::{
    campaign::{self, Shown},
    devtools::Browser,
};
use serde_json::json;
use std::{collections::BTreeMap, fs};

/// Row and column of the cell that has the focus, and what the page says of it.
const HERE: &str = "(() => { const cell = document.activeElement.closest('td'), told = document.getElementById('told'); \
                    return [cell?.parentElement.rowIndex, cell?.cellIndex, told.hidden ? '' : told.textContent]; })()";

/// Goes through the map that has the focus by arrows alone, a row from its start to its end after the other; what is
/// told of each cell, by its row and column.
fn walked(browser: &mut Browser) -> BTreeMap<(u64, u64), String> {
    let mut seen = BTreeMap::new();
    let mut note = |browser: &mut Browser| {
        let here = browser.eval(HERE);
        let place = (here[0].as_u64().unwrap(), here[1].as_u64().unwrap());
        let told = here[2].as_str().unwrap().to_string();
        (seen.insert(place, told).is_none(), place)
    };
    loop {
        browser.press("Home");
        while note(browser).0 {
            browser.press("ArrowRight");
        }
        let before = note(browser).1.0;
        browser.press("ArrowDown");
        if note(browser).1.0 == before {
            return seen;
        }
        browser.press("Home");
    }
}

#[test]
fn keyboard_leads_to_every_cell_of_a_map_which_says_what_it_is() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown_large() else { return };
    browser.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
    for fragment in ["", "#base=xfs", "#intervals=1"] {
        browser.width(1280);
        browser.open(&page, fragment);
        let map = "[...document.querySelectorAll('table.heat')].find(own => own.checkVisibility())";
        let bare = format!("{map}.querySelectorAll('tbody td:not(:has(a))').length");
        assert!(browser.eval(&bare).as_u64().unwrap() > 0, "{fragment}: every cell is linked");
        let stops = format!(
            "[...{map}.querySelectorAll('tbody a, tbody td:not(:has(a))')].filter(own => own.tabIndex === 0)"
        );
        assert_eq!(browser.eval(&format!("{stops}.length")), 1, "{fragment}: stops of the Tab key");
        browser.eval(&format!("{stops}[0].focus()"));
        let seen = walked(&mut browser);
        let all = browser.eval(&format!("{map}.querySelectorAll('tbody td').length"));
        assert_eq!(seen.len() as u64, all.as_u64().unwrap(), "{fragment}: {seen:?}");
        let over = if fragment.contains("xfs") { "over xfs: " } else { "over ext4: " };
        for (place, told) in &seen {
            let is_invalid = told.starts_with("btrfs. ") && told.contains("invalid");
            let is_told = ["MB/s: ", over, "-", "locks: "].iter().all(|part| told.contains(part));
            assert!(is_told || is_invalid, "{fragment} {place:?}: {told}");
        }
        assert!(seen.values().any(|told| told.contains("blocks: 50")), "{fragment}: {seen:?}");
        // The next Tab leaves the map.
        browser.press("Tab");
        assert_eq!(browser.eval("document.activeElement.closest('table.heat tbody')"), json!(null));
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn commands_alone_have_a_button_that_copies_them() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    let words = ["iodepth", "iodepth = 8", "node-3 kernel: ", "assay", "--image-size 16GiB"];
    let commands =
        ["assay list", "sudo assay run", "mkfs.ext4 DEVICE", "mount -t ext4 DEVICE DIRECTORY"];
    let code = |text: &&str| format!("<code>{text}</code> ");
    let own: String = words.iter().chain(&commands).map(code).collect();
    let text = fs::read_to_string(&page).unwrap();
    fs::write(
        &page,
        text.replacen("<p>Scope: ", &format!("<p id=\"words\">{own}</p><p>Scope: "), 1),
    )
    .unwrap();
    browser.open(&page, "");
    let copied = "[...document.querySelectorAll('#words button')].map(own => own.getAttribute('aria-label'))";
    assert_eq!(browser.eval(copied), json!(commands.map(|own| format!("Copy {own}"))));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
