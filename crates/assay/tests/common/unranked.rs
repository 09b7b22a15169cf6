//! Looks up in advice whether a target is ranked.

use super::Place;
use serde_json::Value;

/// What `assay advise` says of the campaign `id` for `profile`.
pub fn advice(place: &Place, id: &str, profile: &str) -> Value {
    let text = place.ok(&["advise", id, "--profile", profile, "--format", "json"]);
    serde_json::from_str::<Value>(&text).unwrap()["advice"].clone()
}

/// Fails when `loser` has any figure in `advice`; gives its reasons.
pub fn assert_unranked(advice: &Value, loser: &str) -> String {
    let all = advice["candidates"].as_array().unwrap();
    let own = all.iter().find(|c| c["target"] == loser).unwrap();
    for figure in ["ratio", "p_best", "ranks", "expected_regret", "regret_95"] {
        assert!(own[figure].is_null(), "{figure} of {own}");
    }
    assert!(!advice["leaders"].as_array().unwrap().iter().any(|l| l == loser), "{advice}");
    assert!(!advice["sentence"].as_str().unwrap().contains(loser), "{}", advice["sentence"]);
    own["reasons"].to_string()
}
