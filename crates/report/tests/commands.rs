//! Commands in every form of a report carry the options of the run, so that they can be pasted.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::common;

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
    let both = [(data, found)];
    let page = report::html_beside(&both, &commands());
    assert!(page.contains("<code>assay compare --store /my_data/a.db --state /s</code>"), "{page}");
    assert!(page.contains("<code>assay resume --store /my_data/a.db --state /s c7</code>"));
}
