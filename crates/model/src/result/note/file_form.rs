//! The form of a note in files: words from elsewhere are a string, any other note is an object with its kind as key.

use super::Note;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::fmt;

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Note::Said(text) => serializer.serialize_str(text),
            // The function that is derived, which has precedence over this one of the trait.
            _ => Note::serialize(self, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Note {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Note, D::Error> {
        struct StringOrObject;
        impl<'de> Visitor<'de> for StringOrObject {
            type Value = Note;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a note: a string, or an object with its kind as key")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Note, E> {
                Ok(Note::Said(text.into()))
            }

            fn visit_string<E: de::Error>(self, text: String) -> Result<Note, E> {
                Ok(Note::Said(text))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Note, A::Error> {
                Note::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(StringOrObject)
    }
}
