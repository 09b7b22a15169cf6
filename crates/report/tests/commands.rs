//! Commands in every form of a report carry the options of the run, so that they can be pasted.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

use model::result::Origin;
use report::{Commands, TerminalOptions};
use stats::{description::Settings, evaluation::findings};

/// As `--store` and `--state` lead to them, with a character that Markdown and HTML escape.
fn commands() -> Commands {
    Commands::carrying([("--store", "/my_data/a.db"), ("--state", "/s")])
}

#[test]
fn commands_can_be_pasted_from_every_form() {
    let mut data = common::campaign(1);
    let mut found = findings(&data, &Settings::default()).unwrap();
    let resume = "assay resume --store /my_data/a.db --state /s c7 --blocks +2";
    let options = TerminalOptions { width: 120, color: false };
    let page = report::html(&data, &found, &commands());
    assert!(page.contains(&format!("<code>{resume}</code>")), "in the verdict: {page}");
    let again = "<code>assay run --store /my_data/a.db --state /s --like c7 --tests ";
    assert!(page.contains(again), "in a drawer: {page}");
    let quoted = format!("`{resume}`");
    let texts = [
        report::markdown(&data, &found, &commands()),
        report::terminal(&data, &found, &commands(), &options),
        report::summary(&data, &found, &commands(), &options, "All tables: `assay report c7`."),
    ];
    for text in &texts {
        assert!(text.contains(&quoted), "{text}");
    }
    assert!(
        texts[2].contains("`assay report --store /my_data/a.db --state /s c7`"),
        "{}",
        texts[2]
    );
    data.campaign.state = model::result::CampaignState::Open;
    found.campaign.id = "c8".into();
    let mut other = (data.clone(), found.clone());
    other.0.campaign.id = "c9".into();
    let both = [(data, found), other];
    let page = report::html_side_by_side(&both, &commands());
    let compare = "<code>assay compare --store /my_data/a.db --state /s c7 c9</code>";
    assert!(page.contains(compare), "{page}");
    assert!(page.contains("<code>assay resume --store /my_data/a.db --state /s c7</code>"));
}

#[test]
fn commands_for_another_machine_carry_no_store_of_this_one() {
    let mut data = common::campaign(3);
    let options = TerminalOptions { width: 120, color: false };
    for (origin, command) in [(Origin::Import, "assay run --aa"), (Origin::Published, "assay run")]
    {
        data.campaign.origin = origin;
        let found = findings(&data, &Settings::default()).unwrap();
        let forms = [
            report::html(&data, &found, &commands()),
            report::markdown(&data, &found, &commands()),
            report::terminal(&data, &found, &commands(), &options),
            report::summary(&data, &found, &commands(), &options, ""),
        ];
        for text in &forms {
            assert!(text.contains(command), "{origin:?}: {text}");
            assert!(!text.contains("assay run --store"), "{origin:?}: {text}");
        }
        let all = report::summary(&data, &found, &commands(), &options, "All: `assay report c7`.");
        assert_eq!(all.contains("report --store"), origin == Origin::Import, "{all}");
    }
    let run = common::campaign(3);
    let found = findings(&run, &Settings::default()).unwrap();
    let page = report::html(&run, &found, &commands());
    assert!(page.contains("To run it again: <code>assay run"), "{page}");
    assert!(!page.contains("To run it again: <code>assay run --store"), "{page}");
}

/// What the script of the page words itself.
#[test]
fn page_carries_what_its_script_needs_to_complete_a_command() {
    let mut data = common::campaign(3);
    let found = findings(&data, &Settings::default()).unwrap();
    let carried = "\"carried\":\" --store /my_data/a.db --state /s\"";
    assert!(report::html(&data, &found, &commands()).contains(carried));
    assert!(!report::html(&data, &found, &Commands::default()).contains("\"carried\""));
    data.campaign.origin = Origin::Published;
    assert!(!report::html(&data, &found, &commands()).contains("\"carried\""));
}
