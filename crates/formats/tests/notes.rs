//! Notes in files: words from elsewhere are strings, any other note is an object, and none loses anything.
#![allow(clippy::unwrap_used)]

use formats::{ImportOptions, NamedBytes, export, import, published};
use model::{
    result::{Dataset, Note},
    strategies,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A small dataset with these notes.
fn with(notes: Vec<Note>) -> Dataset {
    let mut data = published().unwrap().swap_remove(2);
    data.campaign.notes = notes;
    data
}

fn back(files: &[NamedBytes]) -> Vec<Note> {
    import(files, None, &ImportOptions::default()).unwrap().campaign.notes
}

/// Keys of the kinds that can be read, from what the reader says of an unknown one.
fn kinds() -> BTreeSet<String> {
    let why = serde_json::from_value::<Note>(json!({ "unheard": {} })).unwrap_err().to_string();
    let (_, expected) = why.split_once("expected one of ").unwrap();
    let names: Vec<&str> = expected.split('`').collect();
    names.chunks_exact(2).map(|pair| pair[1].to_string()).collect()
}

fn key(note: &Note) -> Option<String> {
    match serde_json::to_value(note).unwrap() {
        Value::Object(object) => object.keys().next().cloned(),
        _ => None,
    }
}

#[test]
fn every_kind_of_note_is_tried() {
    let tried: BTreeSet<String> = strategies::notes().iter().filter_map(key).collect();
    assert!(tried.len() > 30);
    assert_eq!(tried, kinds());
    assert!(strategies::notes().iter().any(|note| note.said().is_some()));
}

#[test]
fn words_are_strings_and_other_notes_are_objects() {
    for note in strategies::notes() {
        let value = serde_json::to_value(&note).unwrap();
        assert_eq!(value.as_str(), note.said(), "{value}");
        if note.said().is_none() {
            assert_eq!(value.as_object().map(serde_json::Map::len), Some(1), "{value}");
        }
        assert_eq!(serde_json::from_value::<Note>(value).unwrap(), note);
    }
    // As files of earlier versions have them, also where one reads like a kind.
    for text in ["Loop-backed, in turn.", "shifted", "{\"shifted\":{}}", ""] {
        assert_eq!(serde_json::from_value::<Note>(json!(text)).unwrap(), Note::Said(text.into()));
    }
    for wrong in [
        json!({ "said": "x" }),
        json!({}),
        json!({ "shifted": {}, "unfinished": {} }),
        json!({ "dropped": { "target": "xfs" } }),
        json!(["x"]),
        json!(1),
    ] {
        assert!(serde_json::from_value::<Note>(wrong.clone()).is_err(), "{wrong}");
    }
}

/// Strings of `value` that are not keys.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(object) => object.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

/// Words of enums, which hold no text from elsewhere.
const WORDS: [&str; 15] = [
    "A",
    "B",
    "characters",
    "discard",
    "enough",
    "most",
    "none",
    "open",
    "quoted_printable",
    "round-robin",
    "stamp",
    "trailing",
    "wide",
    "zero-range",
    "zeros",
];

#[test]
fn every_text_of_a_note_is_checked_and_changed() {
    for note in strategies::notes() {
        let seen = with(vec![note.clone()]).map_texts(&mut |_| "seen".into());
        let value = serde_json::to_value(&seen.campaign.notes).unwrap();
        for text in strings(&value) {
            assert!(text == "seen" || WORDS.contains(&text), "{text:?} of {note:?} is overlooked");
        }
        let harmed = with(vec![note]).map_texts(&mut |_| "\x1b[2J".into());
        let harmed = with(harmed.campaign.notes);
        if strings(&serde_json::to_value(&harmed.campaign.notes).unwrap()).contains(&"\x1b[2J") {
            assert!(harmed.clone().checked().is_err(), "{:?}", harmed.campaign.notes);
            let shown = serde_json::to_value(&harmed.printable().campaign.notes).unwrap();
            assert!(strings(&shown).iter().all(|text| !text.contains('\x1b')), "{shown}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_note_survives_every_own_format(
        notes in proptest::collection::vec(strategies::note(), 0..4)
    ) {
        let data = with(notes.clone());
        prop_assert_eq!(&back(&export::json(&data).unwrap()), &notes);
        prop_assert_eq!(&back(&export::csv(&data).unwrap()), &notes);
        prop_assert_eq!(&back(&export::bundle(&data, true, &[]).unwrap()), &notes);
    }
}
