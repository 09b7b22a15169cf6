//! Tests that every reason survives its forms in files, and yields its texts and its figures.

use super::*;
use crate::{
    result::Validity,
    strategies::{self, reasons},
};
use proptest::prelude::*;

fn with(reason: &Reason) -> [Validity; 3] {
    [Validity::Lukewarm, Validity::Disturbed, Validity::Invalid].map(|of| of(reason.clone()))
}

/// Whether `reason` is the same after it was written to each form and read again.
fn survives(reason: &Reason) -> bool {
    with(reason).into_iter().all(|validity| {
        let text = validity.to_string().parse::<Validity>();
        let json = serde_json::to_string(&validity).unwrap();
        text.as_ref() == Ok(&validity)
            && serde_json::from_str::<Validity>(&json).unwrap() == validity
    })
}

#[test]
fn each_reason_survives_text_and_json() {
    for reason in reasons() {
        assert!(survives(&reason), "{reason:?}");
        let words = Reason::Said(reason.to_string());
        assert!(survives(&words), "{words:?} became the reason");
        assert!(survives(&Reason::Said(words.to_string())), "twice {words:?}");
    }
}

#[test]
fn forms_in_files_are_compact_json_or_words() {
    let short = Reason::TooShort { seconds: Number(1e-6), clock_s: Number(1e-5) };
    assert_eq!(short.to_string(), r#"{"too_short":{"seconds":1e-6,"clock_s":0.00001}}"#);
    let memory = Reason::Cache(CacheFault::InMemory {});
    assert_eq!(memory.to_string(), r#"{"cache":{"in_memory":{}}}"#);
    assert_eq!(Reason::said("no space").to_string(), "no space");
    let json = |reason| serde_json::to_string(&Validity::Invalid(reason)).unwrap();
    assert_eq!(json(memory), r#"{"Invalid":{"cache":{"in_memory":{}}}}"#);
    assert_eq!(json(Reason::said("no space")), r#"{"Invalid":"no space"}"#);
    let code = Reason::SeriesUnsound {}.to_string();
    assert_eq!(Reason::said(code).to_string(), r#"{"said":"{\"series_unsound\":{}}"}"#);
}

#[test]
fn what_is_not_a_known_reason_is_words() {
    let later = r#"{"too_warm":{"kelvin":300}}"#;
    let more = r#"{"series_unsound":{"columns":3}}"#;
    for text in ["", "12 % resident", "{", "{}", "\"valid\"", later, more] {
        let Ok(Validity::Invalid(why)) = format!("invalid: {text}").parse() else { panic!() };
        assert_eq!(why, Reason::said(text));
        assert_eq!(why.to_string(), text);
    }
    let json = format!("{{\"Invalid\":{later}}}");
    let read = serde_json::from_str::<Validity>(&json).unwrap();
    assert_eq!(read, Validity::Invalid(Reason::said(later)));
}

#[test]
fn every_text_of_a_reason_is_shown() {
    for mut reason in reasons() {
        for text in reason.texts_mut() {
            *text = "\u{1}".into();
        }
        // No other text is left in it but the names of variants, of fields, and numbers without one.
        let json = serde_json::to_value(&reason).unwrap();
        let mut texts = Vec::new();
        leaves(&json, &mut texts);
        texts.retain(|text| !["NaN", "inf", "-inf"].contains(&text.as_str()));
        texts.retain(|text| !is_word_of_enum(text));
        assert!(texts.iter().all(|text| text == "\u{1}"), "{reason:?}");
    }
}

/// The texts in `json` that are not keys.
fn leaves(json: &serde_json::Value, texts: &mut Vec<String>) {
    match json {
        serde_json::Value::String(text) => texts.push(text.clone()),
        serde_json::Value::Object(fields) => fields.values().for_each(|own| leaves(own, texts)),
        _ => {}
    }
}

fn is_word_of_enum(text: &str) -> bool {
    let json = serde_json::Value::from(text);
    serde_json::from_value::<Counted>(json.clone()).is_ok()
        || serde_json::from_value::<BytesOf>(json.clone()).is_ok()
        || serde_json::from_value::<RebuildEnd>(json).is_ok()
}

#[test]
fn kind_is_the_same_for_other_figures_and_no_other() {
    let resident = |pct| Reason::from(CacheFault::ResidentBefore { share_pct: Number(pct) });
    assert_eq!(resident(12.5).kind(), resident(3.0).kind());
    let only = Reason::from(CacheFault::OnlyResidentBefore { share_pct: Number(3.0) });
    assert_ne!(resident(3.0).kind(), only.kind());
    let exit = |exit_code| Reason::from(Imported::CommandFailed { exit_code });
    assert_ne!(exit(1).kind(), exit(127).kind());
    let mut kinds: Vec<Reason> = reasons().iter().map(Reason::kind).collect();
    kinds.sort();
    kinds.dedup();
    // A time that is infinite is listed twice, as two figures.
    assert_eq!(kinds.len() + 1, reasons().len());
}

proptest! {
    #[test]
    fn any_reason_survives_text_and_json(reason in strategies::reason()) {
        prop_assert!(survives(&reason), "{reason:?}");
    }

    #[test]
    fn any_number_survives_json(value in any::<f64>()) {
        let reason = Reason::OthersUsed { pct: Number(value) };
        prop_assert!(survives(&reason), "{reason:?}");
    }
}
