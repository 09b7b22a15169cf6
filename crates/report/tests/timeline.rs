//! Tests of the timeline of the machine.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{
    bare::{html, markdown},
    common,
};
use model::{
    figure::{Better, Metric},
    result::Dataset,
};
use stats::{description::Settings, evaluation::findings};

fn page(data: &Dataset) -> String {
    html(data, &findings(data, &Settings::default()).unwrap())
}

#[test]
fn figures_of_the_machine_are_drawn_with_the_blocks_marked() {
    let mut data = common::campaign(3);
    for sample in &mut data.samples {
        let pressure = 10.0 * f64::from(sample.block);
        sample.push(Metric::new("psi_io_some_pct", pressure, "%", Better::Lower));
    }
    let text = page(&data);
    for said in [
        "The machine over the campaign",
        ">Devices of the candidates, MB/s<",
        ">I/O pressure (some), %<",
    ] {
        assert!(text.contains(said), "{said}");
    }
    // No sample has dirty pages; the axis of the pressure ends at its maximum, 20.
    assert!(!text.contains(">Dirty pages at most, MB<") && text.contains(">20.0<"), "{text}");
    let found = findings(&data, &Settings::default()).unwrap();
    assert!(!markdown(&data, &found).contains("The machine over the campaign"), "it is a drawing");
}

#[test]
fn a_long_campaign_is_cut_into_as_many_pieces_as_a_short_one() {
    let length = |blocks: u32| {
        let text = page(&common::campaign(blocks));
        let at = text.find("class=\"range\"").unwrap();
        text[at..at + text[at..].find("/>").or(text[at..].find("></path>")).unwrap()].len()
    };
    assert!(length(40) < 240 * 24, "{}", length(40));
    assert!(length(3) < length(40));
}
