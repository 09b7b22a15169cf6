//! The sentence of each reason.

use super::*;

/// The sentences of `model::strategies::reasons`, in their order.
const SENTENCES: &[&str] = &[];

#[test]
fn each_reason_has_its_sentence() {
    let reasons = model::strategies::reasons();
    let worded: Vec<String> = reasons.iter().map(reason).collect();
    assert_eq!(worded, SENTENCES);
}

#[test]
fn validity_is_its_word_and_the_reason() {
    assert_eq!(validity(&Validity::Valid), "valid");
    let why = CacheFault::ResidentBefore { share_pct: 12.5.into() };
    let lukewarm = Validity::Lukewarm(why.into());
    assert_eq!(validity(&lukewarm), "lukewarm: 12.5 % resident before the start");
}
