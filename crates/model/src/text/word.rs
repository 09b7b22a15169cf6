//! A word that many values share, e.g. the name of a metric: of 100 000 samples with twenty figures each, every one
//! would hold its own copy. Cloning one copies no text.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    fmt::{self, Debug, Display},
    ops::Deref,
    sync::Arc,
};

/// Text that is not changed, and shared by its clones.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(Arc<str>);

impl Word {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Has `change` look at the text; what it leaves as it is stays shared.
    ///
    /// # Errors
    /// Those of `change`.
    pub(crate) fn edit<E>(
        &mut self,
        change: impl FnOnce(&mut String) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut text = self.to_string();
        change(&mut text)?;
        if *self != text {
            *self = text.into();
        }
        Ok(())
    }
}

impl Deref for Word {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&**self, f)
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Word {
        Word(text.into())
    }
}

impl From<String> for Word {
    fn from(text: String) -> Word {
        Word(text.into())
    }
}

impl From<&Word> for String {
    fn from(word: &Word) -> String {
        word.to_string()
    }
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        word.to_string()
    }
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        self
    }
}

impl PartialEq<str> for Word {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Word {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<String> for Word {
    fn eq(&self, other: &String) -> bool {
        **self == **other
    }
}

impl PartialEq<Word> for String {
    fn eq(&self, other: &Word) -> bool {
        **self == **other
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
        String::deserialize(deserializer).map(Word::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_their_text_and_files_see_a_string() {
        let word = Word::from("durable_rate");
        assert!(std::ptr::eq(word.as_ptr(), word.clone().as_ptr()));
        let mut edited = word.clone();
        assert_eq!(edited.edit(|_| Ok::<(), ()>(())), Ok(()));
        assert!(std::ptr::eq(word.as_ptr(), edited.as_ptr()));
        let longer = edited.edit(|text| {
            text.push('2');
            Ok::<(), ()>(())
        });
        assert_eq!(longer, Ok(()));
        assert_eq!((&*edited, &*word), ("durable_rate2", "durable_rate"));
        assert_eq!(format!("{word:>14} {word:?}"), "  durable_rate \"durable_rate\"");
    }
}
