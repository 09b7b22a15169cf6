//! Tests of every page: no external resources, every picture has a name, headings are in order.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, html_side_by_side, markdown},
    common,
};
use model::{
    result::{Sample, TargetState},
    workload::Group,
};
use sha2::{Digest, Sha256};
use stats::{description::Settings, evaluation::findings};

fn page_of(data: &model::result::Dataset) -> String {
    html(data, &findings(data, &Settings::default()).unwrap())
}

/// What follows each `<TAG` up to the end of the tag.
fn tags<'p>(page: &'p str, tag: &str) -> Vec<&'p str> {
    page.split(&format!("<{tag}")).skip(1).map(|rest| rest.split_once('>').unwrap().0).collect()
}

/// RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |chunk: &[u8]| {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | u32::from(*chunk.get(i).unwrap_or(&0)));
        (0..4).map(move |i| (i, LETTERS[(bits >> (18 - 6 * i)) as usize & 63])).collect::<Vec<_>>()
    };
    let letter =
        |chunk: &[u8], (i, letter): (usize, u8)| if i > chunk.len() { '=' } else { letter.into() };
    bytes.chunks(3).flat_map(|c| group(c).into_iter().map(move |l| letter(c, l))).collect()
}

/// The map of every test in the page.
fn map_of(data: &model::result::Dataset) -> String {
    let page = page_of(data);
    page.split_once("<h2>Every test").unwrap().1.split_once("<h2>").unwrap().0.into()
}

#[test]
fn the_map_of_every_test_says_what_is_in_no_score_last_and_without_colour() {
    let mut data = common::campaign(5);
    data.tests[0].group = Group::Sync;
    let map = map_of(&data);
    let said = "not scored, because the rate of each write includes its sync";
    assert_eq!(map.matches(said).count(), 1, "{map}");
    let (scored, unscored) = map.split_once(said).unwrap();
    assert!(scored.contains("Read, cold") && !unscored.contains("Read, cold"), "{map}");
    assert!(scored.contains("class=\"n b") && !unscored.contains("better"), "{map}");
    assert_eq!(unscored.matches("<td class=\"n\"").count(), unscored.matches("<td").count());
}

#[test]
fn the_map_of_every_test_marks_what_its_tables_mark() {
    let mut data = common::campaign(5);
    assert_eq!(map_of(&data).matches("<small>n=4</small>").count(), 2, "one lukewarm block of xfs");
    for sample in data.samples.iter_mut().filter(|own| own.case.test == data.tests[1].id) {
        sample.figures.metrics[0].value *= f64::from(sample.block + 1);
    }
    assert!(map_of(&data).contains("<small>noisy</small>"));
    let mut data = common::campaign(5);
    let base = data.targets[0].label.clone();
    let test = data.tests[1].id.clone();
    let own = |own: &&mut Sample| own.case.test == test && own.case.target == base;
    for sample in data.samples.iter_mut().filter(own) {
        sample.figures.metrics[0].value *= f64::from(sample.block + 1);
    }
    let map = map_of(&data);
    assert!(map.contains("<small>baseline noisy</small>"), "{map}");
    assert!(!map.contains("<small>noisy"), "{map}");
}

#[test]
fn the_page_asks_nothing_of_the_network_and_runs_nothing_but_its_script() {
    let page = page_of(&common::campaign(5));
    let (_, rest) = page.split_once("<script>").unwrap();
    let (script, rest) = rest.split_once("</script>").unwrap();
    assert!(!rest.contains("<script"));
    let policy = format!(
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{}'\"",
        base64(&Sha256::digest(script))
    );
    assert!(page.contains(&policy), "{policy}");
    for outside in
        ["http:", "https:", "src=", "url(", "@import", "<link", " onclick", "eval(", "innerHTML"]
    {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn every_picture_has_a_name() {
    let page = page_of(&common::campaign(5));
    let pictures = page.split("<svg").skip(1).collect::<Vec<_>>();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let (tag, inside) = picture.split_once('>').unwrap();
        let is_named = tag.contains("aria-label=\"") || inside.starts_with("<title>");
        assert!(tag.contains("role=\"img\"") && is_named, "{tag}");
    }
}

#[test]
fn headings_go_down_one_step_at_a_time() {
    let page = page_of(&common::campaign(5));
    let levels = page.match_indices("<h").filter_map(|(at, _)| page[at + 2..].chars().next());
    let levels: Vec<u32> = levels.filter_map(|c| c.to_digit(10)).collect();
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(levels[0] == 1 && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    assert!(tags(&page, "section").len() > 3);
}

#[test]
fn the_first_screen_has_question_candidates_and_what_was_ruled_out() {
    let mut data = common::campaign(5);
    let failed = &mut data.targets[2];
    failed.state = TargetState::Failed("no kernel module".into());
    data.samples.retain(|sample| !sample.case.target.starts_with("btrfs"));
    let page = page_of(&data);
    assert!(page.contains("Which is best for columnar: ext4, xfs or btrfs[compress=zstd:3]?"));
    let plot = page.split("class=\"forest\"").nth(1).unwrap().split("</svg>").next().unwrap();
    assert!(plot.contains("ruled out: no kernel module</text>"), "{plot}");
    assert!(plot.contains("<desc>Score over all groups: xfs 1.0"), "{plot}");
    let judged = findings(&data, &Settings::default()).unwrap();
    let text = markdown(&data, &judged);
    assert!(!text.contains("at a glance") && text.contains("## Verdict"));
}

#[test]
fn every_cell_of_the_heat_map_leads_to_its_samples() {
    let data = common::campaign(5);
    let page = page_of(&data);
    let map = page.split("class=\"heat\"").nth(1).unwrap().split("</table>").next().unwrap();
    let anchors = tags(map, "a href=\"#");
    // Two candidates besides the baseline, five tests, two process counts.
    assert_eq!(anchors.len(), 2 * 5 * 2);
    for anchor in anchors {
        let drawer = page.split(&format!("<div id=\"{anchor}>")).nth(1).unwrap();
        let drawer = drawer.split("</details>").next().unwrap();
        assert!(
            drawer.contains("<svg") && drawer.contains("assay run --like c7 --tests columnar.")
        );
        let (together, listed) = drawer.split_once("Samples in order of time").unwrap();
        assert_eq!(together.matches("<tr><th scope=\"row\">").count(), 3);
        assert_eq!(listed.matches("<tr><th scope=\"row\">").count(), 3 * 5);
    }
    assert!(map.contains("<b>?</b>") == map.contains("class=\"n u\""), "{map}");
    assert!(page.contains("invalid: no space left after 17 MB"));
}

#[test]
fn a_usual_campaign_has_every_sample_in_a_small_page() {
    let mut data = common::campaign(8);
    let (samples, tests) = (std::mem::take(&mut data.samples), std::mem::take(&mut data.tests));
    for copy in 0..10 {
        let id = |id: &str| format!("{id}.{copy}");
        data.tests
            .extend(tests.iter().map(|t| model::workload::TestInfo { id: id(&t.id), ..t.clone() }));
        data.samples.extend(samples.iter().cloned().map(|mut sample| {
            sample.case.test = id(&sample.case.test);
            sample
        }));
    }
    let page = page_of(&data);
    // A hundred cases on three targets in eight blocks: each sample is a row.
    assert_eq!(page.matches("<details>").count(), 100);
    assert!(page.len() < 1_500_000, "{}", page.len());
    println!("{} bytes for {} samples", page.len(), data.samples.len());
}

#[test]
fn of_too_many_samples_those_that_matter_are_shown_and_the_page_says_so() {
    let page = page_of(&common::campaign(150));
    let opened = page.matches("<details>").count();
    assert!((1..10).contains(&opened), "{opened}");
    assert!(page.contains(&format!("{opened} of 10 tests are shown")));
    assert_eq!(page.matches("href=\"#s-").count(), 2 * opened);
}

/// JSON that the page carries under `id`.
fn carried(page: &str, id: &str) -> Option<serde_json::Value> {
    let (_, text) = page.split_once(&format!("<script type=\"application/json\" id=\"{id}\">"))?;
    serde_json::from_str(text.split_once("</script>")?.0).ok()
}

#[test]
fn the_page_carries_what_other_choices_are_computed_from() {
    let mut data = common::campaign(5);
    data.targets[1].label = "</script><b>".into();
    for sample in data.samples.iter_mut().filter(|sample| sample.case.target == "xfs") {
        sample.case.target = "</script><b>".into();
    }
    let page = page_of(&data);
    let logs = carried(&page, "logs").unwrap();
    assert_eq!(logs["targets"][1], "</script><b>");
    let rows = logs["tables"][0]["rows"].as_array().unwrap();
    assert_eq!(rows[0]["logs"][0].as_array().unwrap().len(), 5);
    // The place of a drawer is this with table and row.
    let place = format!("<div id=\"{}-0-0\">", logs["drawers"].as_str().unwrap());
    assert!(page.contains(&place), "{place}");
    assert_eq!(carried(&page, "vectors").unwrap()["data"]["band"], 0.05);
}

#[test]
fn where_there_is_nothing_to_choose_the_page_carries_nothing() {
    let mut data = common::campaign(5);
    data.targets.truncate(1);
    data.samples.retain(|sample| sample.case.target == "ext4");
    let page = page_of(&data);
    assert!(carried(&page, "logs").is_none() && carried(&page, "vectors").is_none());
}

#[test]
fn tab_of_a_browser_names_machine_and_date() {
    let mut data = common::campaign(3);
    data.campaign.origin = model::result::Origin::Run;
    data.campaign.environment.0.insert("cpu.model".into(), "Ryzen <5>".into());
    let day: String = data.campaign.created.chars().take(10).collect();
    let page = page_of(&data);
    let tab = page.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0;
    assert!(tab.ends_with(&format!(", Ryzen &lt;5&gt;, {day}")), "{tab}");
    data.campaign.origin = model::result::Origin::Import;
    assert!(!page_of(&data).contains(&format!(", {day}</title>")));
}

/// What another choice costs is asked before how the campaign was made.
#[test]
fn candidates_stand_before_the_notes_on_the_verdict() {
    let page = page_of(&common::campaign(5));
    let at = ["Loss of score", "<p>Scope: "].map(|part| page.find(part).unwrap());
    assert!(at[0] < at[1], "{at:?}");
}

/// Two campaigns on one page have neither samples nor a script that computes.
#[test]
fn cells_without_samples_say_what_they_are() {
    assert!(!map_of(&common::campaign(5)).contains(" title="), "their drawers say it");
    let data = common::campaign(5);
    let own = (data.clone(), findings(&data, &Settings::default()).unwrap());
    let page = html_side_by_side(&[own.clone(), own]);
    let told: Vec<&str> =
        tags(&page, "td").into_iter().filter(|tag| tag.contains(" title=")).collect();
    assert_eq!(told.len(), 2 * 2 * 5 * 2, "{told:?}");
    for tag in told {
        let parts = ["MB/s: ", "; blocks: "].iter().all(|part| tag.contains(part));
        let is_over = tag.contains("; over ext4: ") || tag.contains("invalid");
        assert!(parts && is_over, "{tag}");
    }
}
