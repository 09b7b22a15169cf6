//! Tests that the report says how to repeat a campaign and how to tell its samples from others.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use crate::{bare::markdown, common};
use model::result::{Dataset, Origin};
use stats::{description::Settings, evaluation::findings};

/// The section of `data`.
fn method(data: &Dataset) -> String {
    let text = markdown(data, &findings(data, &Settings::default()).unwrap());
    let (_, section) = text.split_once("## Method\n").unwrap();
    section.split("\n## ").next().unwrap().into()
}

/// The hash that it names.
fn digest(data: &Dataset) -> String {
    let text = method(data);
    let (_, digest) = text.split_once("SHA-256 of the samples: ").unwrap();
    digest.split_whitespace().next().unwrap().into()
}

#[test]
fn a_campaign_of_this_machine_has_its_command_its_orders_and_its_hash() {
    let mut data = common::campaign(2);
    let text = method(&data);
    assert!(
        text.contains("To run it again: ") && text.contains("assay run --suite columnar"),
        "{text}"
    );
    assert!(text.contains("Order of the candidates: block 1 "), "{text}");
    assert_eq!(digest(&data), digest(&common::campaign(2)));
    data.samples[0].figures.metrics[0].value += 1.0;
    assert_ne!(digest(&data), digest(&common::campaign(2)));
    data.campaign.origin = Origin::Import;
    assert!(!method(&data).contains("To run it again"), "another tool ran it");
}

/// A reader who sees both would take one of them for a mistake.
#[test]
fn wider_interval_of_the_lead_is_explained() {
    let text = method(&common::campaign(2));
    assert!(text.contains("in the verdict reaches higher than that of the same pair"), "{text}");
}
