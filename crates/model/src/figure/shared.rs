//! A value that many others share, e.g. the name and unit of a figure: of 100 000 samples with twenty figures each,
//! every figure would hold its own copy.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    fmt::{self, Debug},
    ops::{Deref, DerefMut},
    sync::Arc,
};

/// A value that is shared by its clones until one of them is written to.
#[derive(Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shared<T>(Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Shared<T> {
        Shared(Arc::new(value))
    }
}

impl<T> std::borrow::Borrow<T> for Shared<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: Debug> Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shared<T>, D::Error> {
        T::deserialize(deserializer).map(Shared::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_until_one_is_written_to() {
        let one = Shared::from("durable_rate".to_owned());
        let mut other = one.clone();
        assert!(std::ptr::eq(&*one, &*other));
        other.push('2');
        assert_eq!((&**one, &**other), ("durable_rate", "durable_rate2"));
        let alone = std::ptr::from_ref(&*other);
        other.push('3');
        assert_eq!(std::ptr::from_ref(&*other), alone);
        assert_eq!(format!("{other:?}"), "\"durable_rate23\"");
        assert_eq!(serde_json::to_string(&one).unwrap(), "\"durable_rate\"");
    }
}
