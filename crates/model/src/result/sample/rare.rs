//! A group of figures that most imported samples lack: it takes memory only once one of them is set.

use std::{
    fmt,
    ops::{Deref, DerefMut},
};

/// A group of figures of which all may be unknown.
pub trait Group: Clone + Default + 'static {
    /// The group of which all are.
    const UNKNOWN: &'static Self;
}

/// A group that is read as [`Group::UNKNOWN`] until it is written to.
#[derive(Clone, Default)]
pub struct Rare<T>(Option<Box<T>>);

impl<T: Group> Deref for Rare<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::UNKNOWN)
    }
}

impl<T: Group> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: Group> From<T> for Rare<T> {
    fn from(group: T) -> Rare<T> {
        Rare(Some(Box::new(group)))
    }
}

impl<T: Group + PartialEq> PartialEq for Rare<T> {
    fn eq(&self, other: &Rare<T>) -> bool {
        **self == **other
    }
}

impl<T: Group + fmt::Debug> fmt::Debug for Rare<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Declares a [`Group`]: each field is an `Option`.
macro_rules! group {
    ($(#[$doc:meta])* pub struct $name:ident { $($(#[$of:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name { $($(#[$of])* pub $field: Option<$type>,)* }

        impl $crate::result::sample::rare::Group for $name {
            const UNKNOWN: &'static $name = &$name { $($field: None,)* };
        }
    };
}

pub(super) use group;
