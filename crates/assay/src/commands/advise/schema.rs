//! Tests the JSON Schema of profiles against the types that read them: every field of the schema is read, a missing
//! required field is an error, and a field that is not in the schema is rejected.

use model::workload::Profile;
use serde_json::{Map, Value, json};

const SCHEMA: &str = include_str!("../../../profiles/profile.schema.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

/// A profile of counted operations.
fn mix() -> Value {
    json!({
        "profile": { "name": "p", "intent": "i", "device_class": "ssd" },
        "op": [{ "name": "a", "test": "x.*", "count": 2.5, "cache": "hot", "procs": "one" }],
        "floor": [{ "test": "x.*", "limit": "p99 <= 5ms" }]
    })
}

/// A profile with every field that groups leave room for.
fn full() -> Value {
    json!({
        "profile": { "name": "p", "intent": "i", "device_class": "ssd", "tier": "hot" },
        "group": [
            { "name": "a", "weight": 1.5, "tests": ["x.*"], "cache": "cold", "procs": "most" }
        ],
        "floor": [{ "test": "x.*", "max_ratio_to_best": 2.0 }],
        "require": [{ "feature": "snapshots" }],
        "prefer": [{ "feature": "reflink", "worth": 0.03 }]
    })
}

/// The profile that has the object at this pointer.
fn whole(object: &str) -> Value {
    if object.starts_with("/op") { mix() } else { full() }
}

/// Pointers to every object of a profile, with the rule of the schema for it.
const OBJECTS: [(&str, &str); 7] = [
    ("", ""),
    ("/profile", "/properties/profile"),
    ("/group/0", "/properties/group/items"),
    ("/op/0", "/properties/op/items"),
    ("/floor/0", "/properties/floor/items"),
    ("/require/0", "/properties/require/items"),
    ("/prefer/0", "/properties/prefer/items"),
];

fn reads(value: Value) -> bool {
    serde_json::from_value::<Profile>(value).is_ok_and(|profile| profile.check().is_ok())
}

fn at<'a>(value: &'a mut Value, pointer: &str) -> &'a mut Map<String, Value> {
    value.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap()
}

#[test]
fn the_schema_names_every_field() {
    for (object, rule) in OBJECTS {
        let profile = serde_json::from_value::<Profile>(whole(object)).unwrap();
        let written = serde_json::to_value(profile).unwrap();
        let schema = schema();
        let named = schema.pointer(rule).unwrap()["properties"].as_object().unwrap();
        let fields = written.pointer(object).unwrap().as_object().unwrap();
        assert_eq!(named.keys().collect::<Vec<_>>(), fields.keys().collect::<Vec<_>>(), "{object}");
    }
}

#[test]
fn what_the_schema_requires_is_missed_and_nothing_else() {
    assert!(reads(full()) && reads(mix()));
    for (object, rule) in OBJECTS {
        let schema = schema();
        let rule = schema.pointer(rule).unwrap();
        assert_eq!(rule["additionalProperties"], json!(false), "{object}");
        // Of alternatives this profile has one, which is then required.
        let alternatives = rule["oneOf"].as_array().into_iter().flatten();
        let required = alternatives.chain([rule]).filter_map(|rule| rule["required"].as_array());
        let required: Vec<&Value> = required.flatten().collect();
        for name in rule["properties"].as_object().unwrap().keys() {
            let mut without = whole(object);
            let was_there = at(&mut without, object).remove(name).is_some();
            let missed = was_there && required.contains(&&json!(name));
            assert_eq!(reads(without), !missed, "{object}/{name}");
        }
        let mut more = whole(object);
        at(&mut more, object).insert("surprise".into(), json!(1));
        assert!(!reads(more), "{object}");
    }
}

#[test]
fn words_and_limits_are_those_of_the_schema() {
    let words = |pointer: &str| schema().pointer(pointer).unwrap()["enum"].clone();
    let group = "/properties/group/items/properties";
    for (object, name, rule) in [
        ("/profile", "tier", "/properties/profile/properties/tier".to_string()),
        ("/group/0", "cache", format!("{group}/cache")),
        ("/group/0", "procs", format!("{group}/procs")),
    ] {
        for word in words(&rule).as_array().unwrap().iter().chain([&json!("other")]) {
            let mut value = full();
            at(&mut value, object).insert(name.into(), word.clone());
            assert_eq!(reads(value), word != "other", "{name}: {word}");
        }
    }
    for (object, name, least) in [
        ("/group/0", "weight", 0.0),
        ("/floor/0", "max_ratio_to_best", 1.0),
        ("/prefer/0", "worth", 0.0),
    ] {
        let mut value = full();
        at(&mut value, object).insert(name.into(), json!(least));
        assert!(!reads(value), "{name}");
    }
}
