//! The JSON Schema of profiles against the types that read them: each field the schema names is read,
//! each that it requires is missed, and none that it lacks is taken.

use model::Profile;
use serde_json::{Map, Value, json};

const SCHEMA: &str = include_str!("../../../profiles/profile.schema.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

/// A profile with every field.
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

/// Pointers to every object of a full profile, with the rule of the schema for it.
const OBJECTS: [(&str, &str); 6] = [
    ("", ""),
    ("/profile", "/properties/profile"),
    ("/group/0", "/properties/group/items"),
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
    let written = serde_json::to_value(serde_json::from_value::<Profile>(full()).unwrap()).unwrap();
    for (object, rule) in OBJECTS {
        let schema = schema();
        let named = schema.pointer(rule).unwrap()["properties"].as_object().unwrap();
        let fields = written.pointer(object).unwrap().as_object().unwrap();
        assert_eq!(named.keys().collect::<Vec<_>>(), fields.keys().collect::<Vec<_>>(), "{object}");
    }
}

#[test]
fn what_the_schema_requires_is_missed_and_nothing_else() {
    assert!(reads(full()));
    for (object, rule) in OBJECTS {
        let schema = schema();
        let rule = schema.pointer(rule).unwrap();
        assert_eq!(rule["additionalProperties"], json!(false), "{object}");
        let required = rule["required"].as_array().unwrap();
        for name in rule["properties"].as_object().unwrap().keys() {
            let mut without = full();
            at(&mut without, object).remove(name);
            assert_eq!(reads(without), !required.contains(&json!(name)), "{object}/{name}");
        }
        let mut more = full();
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
