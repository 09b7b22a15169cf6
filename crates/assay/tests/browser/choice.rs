//! Tests that the page's recomputed results equal the program's, that the URL keeps the choice, and that every table
//! can be exported.

use super::{
    campaign::{self, Shown},
    devtools::Browser,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs};

/// Changes a control as a person does.
pub(super) const CHANGE: &str = "const change = (own, value, kind) => { own[typeof value === 'boolean' ? 'checked' : 'value'] = value;
                      own.dispatchEvent(new Event(kind ?? 'change', { bubbles: true })); };";

/// What the picture and the table of every test say, in the section of the choice or the report's own.
pub(super) fn said(browser: &mut Browser, scope: &str) -> (String, String) {
    let picture =
        browser.text(&format!("document.querySelector('{scope} .forest desc').textContent"));
    let table = format!(
        "[...document.querySelector('{scope} table.heat').rows].map(row => [...row.cells].map(cell => \
         cell.textContent.trim()).join('|')).join('\\n')"
    );
    (picture.split_once(": ").unwrap().1.into(), browser.text(&table))
}

#[test]
fn another_baseline_says_what_the_program_says_over_it() {
    let Some(Shown { place, page, mut browser }) = campaign::shown() else { return };
    for baseline in ["ext4", "xfs", "btrfs"] {
        let own = campaign::page(&place, baseline);
        browser.open(&own, "");
        let program = said(&mut browser, "main");
        let told = |word: &str, column: &str| program.1.contains(word) || baseline == column;
        assert!(
            told("invalid", "btrfs") && program.1.contains("noisy") && program.1.contains("n=3")
        );
        assert_eq!(program.1.contains("baseline noisy"), baseline == "xfs");
        assert!(program.0.contains("better, interval") || baseline == "btrfs");
        browser.open(&page, &format!("#base={baseline}"));
        let computed = said(&mut browser, "#what-if");
        assert_eq!(parts(&computed.0), parts(&program.0), "{baseline}");
        assert_eq!(computed.1, program.1, "{baseline}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn another_metric_says_what_the_program_says_by_it() {
    let Some(Shown { place, page, mut browser }) = campaign::shown() else { return };
    browser.open(&campaign::page_with(&place, "ext4", &["--metric", "sum_rate"]), "");
    let program = said(&mut browser, "main");
    browser.open(&page, "");
    assert_ne!(parts(&said(&mut browser, "main").0), parts(&program.0));
    browser.eval(&format!(
        "{CHANGE} change(document.querySelectorAll('.bar select')[1], 'sum_rate'); 0"
    ));
    assert_eq!(browser.text("location.hash"), "#metric=sum_rate");
    let computed = said(&mut browser, "#what-if");
    assert_eq!(parts(&computed.0), parts(&program.0));
    assert_eq!(computed.1, program.1);
    // A cell leads to its own samples, though not all tests have the metric.
    let shown = "[...document.querySelectorAll('#what-if .heat a')].every(a => \
                 document.querySelector(a.getAttribute('href')).closest('details').querySelector('summary').textContent\
                 .startsWith(a.closest('tr').querySelector('th').textContent + ','))";
    assert_eq!(browser.eval(shown), Value::Bool(true));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What is said of each panel, whatever the order of its rows.
fn parts(description: &str) -> BTreeMap<String, Vec<String>> {
    let panel = |panel: &str| {
        let (title, rows) = panel.split_once(": ").unwrap_or(("Score", panel));
        let mut rows: Vec<String> =
            rows.trim_end_matches('.').split("; ").map(String::from).collect();
        rows.sort();
        (title.to_string(), rows)
    };
    description.split(". ").map(panel).collect()
}

#[test]
fn controls_choose_and_the_address_keeps_it() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    browser.open(&page, "");
    assert_eq!(browser.eval("document.getElementById('what-if')"), Value::Null);
    let links =
        "[...document.querySelectorAll('nav a')].filter(a => a.textContent === 'What if').length";
    assert_eq!(browser.eval(links), 0);
    browser.eval(&format!(
        "{CHANGE} change(document.querySelector('.bar select'), 'xfs');
         change(document.querySelector('.bar fieldset input'), false);
         change(document.querySelector('.weights input[type=checkbox]'), false);
         change(document.querySelectorAll('.weights input[type=range]')[2], 9, 'input'); 0"
    ));
    let hash = browser.text("decodeURIComponent(location.hash)");
    assert_eq!(hash, "#base=xfs&procs=16&off=write-critical&weights=meta:9");
    let shown = browser.text("document.getElementById('what-if').innerText");
    assert!(shown.contains("Ratio over xfs") && !shown.contains("Write, critical"), "{shown}");
    assert!(!shown.contains("1 process\n"), "{shown}");
    assert_eq!(browser.eval(links), 1);
    // What it stands for is not shown next to it.
    assert_eq!(
        browser.eval(
            "[...document.querySelectorAll('main .forest')].filter(f => f.checkVisibility()).length"
        ),
        1
    );
    let hash = browser.text("location.hash");
    browser.open(&page, &hash);
    assert_eq!(browser.text("document.getElementById('what-if').innerText"), shown);
    browser.eval("[...document.querySelectorAll('.bar button')].find(b => b.textContent === 'Reset').click()");
    assert_eq!(
        browser.eval("[document.getElementById('what-if'), location.hash]"),
        json!([null, ""])
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_weight_of_nothing_is_as_if_its_group_were_not_there() {
    let Some(Shown { place: _place, page, mut browser }) = campaign::shown() else { return };
    let mut scores = |fragment: &str| {
        browser.open(&page, fragment);
        browser.text("document.querySelector('#what-if desc').textContent.split('. ')[0]")
    };
    let all = scores("#base=ext4");
    let without = scores("#off=meta");
    // The other groups have cells that all candidates share, so only the weight of this one goes.
    assert_ne!(all, without);
    assert_eq!(scores("#weights=meta:0"), without);
    // Nonsense in the address chooses nothing.
    assert_eq!(scores("#base=none&procs=7&off=x&weights=meta:-3,y:9"), all);
}

#[test]
fn the_page_tests_itself_and_computes_nothing_when_that_fails() {
    let Some(Shown { place, page, mut browser }) = campaign::shown() else { return };
    browser.open(&page, "");
    let result = browser.text("document.getElementById('selftest').textContent");
    let figures: Vec<u32> = result.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(figures[0] > 150 && figures[0] == figures[1], "{result}");
    assert_eq!(browser.eval("!!document.querySelector('.bar .weights')"), true);
    let text = fs::read_to_string(&page).unwrap();
    let wrong = text.replacen("[1.0,0.975,12.7062", "[1.0,0.975,12.7063", 1);
    assert_ne!(text, wrong);
    let other = place.path("wrong.html");
    fs::write(&other, wrong).unwrap();
    browser.open(&other, "#base=xfs");
    let result = browser.text("document.getElementById('selftest').textContent");
    assert!(result.contains(&format!("{} of {}", figures[1] - 1, figures[1])), "{result}");
    let computed = "document.querySelector('.bar .weights') ?? document.getElementById('what-if')";
    assert_eq!(browser.eval(computed), Value::Null);
}

#[test]
fn every_table_can_be_taken_as_csv_json_and_markdown() {
    let Some(Shown { place, page, mut browser }) = campaign::shown() else { return };
    let taken = place.dir("taken");
    let folder = json!({ "behavior": "allow", "downloadPath": taken, "eventsEnabled": true });
    browser.call("Browser.setDownloadBehavior", folder);
    browser.open(&page, "#base=xfs");
    let tables = "document.querySelectorAll('main table').length";
    let bare = "[...document.querySelectorAll('main table')].filter(t => !t.closest('details') && \
                !t.closest('.wide').nextElementSibling.matches('.take')).length";
    assert!(browser.eval(tables).as_u64() > Some(5));
    assert_eq!(browser.eval(bare), 0);
    let mut files = Vec::new();
    for format in ["CSV", "JSON", "Markdown"] {
        browser.eval(&format!(
            "[...document.querySelector('#what-if .heat').closest('.wide').nextElementSibling.querySelectorAll('button')]\
             .find(button => button.textContent === '{format}').click()"
        ));
        let begun = browser.wait("Browser.downloadWillBegin");
        let name = begun["suggestedFilename"].as_str().unwrap().to_string();
        while browser.wait("Browser.downloadProgress")["state"] != "completed" {}
        files.push((name.clone(), fs::read_to_string(taken.join(name)).unwrap()));
    }
    let [(csv_name, csv), (_, json), (_, markdown)] = &files[..] else { panic!("{files:?}") };
    assert_eq!(csv_name, "ratio-over-xfs-blue-is-better-orange-worse-hatched-unclear.csv");
    let head = "Group,Test,ext4 1 process,ext4 16 processes,btrfs 1 process,btrfs 16 processes\r\n";
    assert!(csv.starts_with(head) && csv.lines().count() == 1 + 12, "{csv}");
    assert!(csv.contains("\"Read, cold\",test 4,"), "{csv}");
    let rows: Vec<BTreeMap<String, String>> = serde_json::from_str(json).unwrap();
    assert_eq!((rows.len(), rows[0]["Test"].as_str()), (12, "test 0"));
    assert!(markdown.starts_with("| Group | Test |") && markdown.lines().count() == 2 + 12);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
