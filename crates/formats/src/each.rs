//! Lists and fields of JSON documents that are too long to be held.

use crate::FormatError;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, SeqAccess, Visitor},
};
use std::{fmt, marker::PhantomData};

/// A list whose elements are given away as they are read.
pub(crate) struct Each<'r, T> {
    give: &'r mut dyn FnMut(T) -> Result<(), FormatError>,
    failure: &'r mut Option<FormatError>,
    of: PhantomData<T>,
}

impl<'r, T> Each<'r, T> {
    /// Gives elements to `give`. An error of that ends the reading, and is left in `failure`.
    pub(crate) fn new(
        give: &'r mut dyn FnMut(T) -> Result<(), FormatError>,
        failure: &'r mut Option<FormatError>,
    ) -> Each<'r, T> {
        Each { give, failure, of: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Each<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Each<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(element) = list.next_element()? {
            (self.give)(element).map_err(|error| {
                *self.failure = Some(error);
                A::Error::custom("an element was not read")
            })?;
        }
        Ok(())
    }
}

/// Puts the value of a field in its place, which must be empty.
pub(crate) fn once<T, E: Error>(
    name: &'static str,
    place: &mut Option<T>,
    value: T,
) -> Result<(), E> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(name)),
    }
}
