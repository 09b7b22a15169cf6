//! A part that most samples lack: it takes memory only once it is written to.

use std::{
    fmt,
    ops::{Deref, DerefMut},
};

/// A type with a value that most samples have.
pub trait Usual: 'static {
    /// That value.
    const USUAL: &'static Self;
}

impl<T: 'static> Usual for Vec<T> {
    const USUAL: &'static Vec<T> = &Vec::new();
}

/// A part that is read as [`Usual::USUAL`] until it is written to.
#[derive(Clone)]
pub struct Rare<T>(Option<Box<T>>);

impl<T> Rare<T> {
    /// The part, to be changed, where it was written to.
    pub fn written(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }
}

impl<T> Default for Rare<T> {
    fn default() -> Rare<T> {
        Rare(None)
    }
}

impl<T: Usual> Deref for Rare<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::USUAL)
    }
}

impl<T: Usual + Clone> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| Box::new(T::USUAL.clone()))
    }
}

impl<'a, T: 'static> IntoIterator for &'a Rare<Vec<T>> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Usual + PartialEq> From<T> for Rare<T> {
    fn from(part: T) -> Rare<T> {
        Rare((part != *T::USUAL).then(|| Box::new(part)))
    }
}

impl<T: Usual + PartialEq> PartialEq for Rare<T> {
    fn eq(&self, other: &Rare<T>) -> bool {
        **self == **other
    }
}

impl<T: Usual + PartialEq> PartialEq<T> for Rare<T> {
    fn eq(&self, other: &T) -> bool {
        **self == *other
    }
}

impl<T: Usual + fmt::Debug> fmt::Debug for Rare<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_takes_memory() {
        let mut part = Rare::from(Vec::<u8>::new());
        assert!(part.is_empty() && part.0.is_none());
        let none = part.clone();
        part.push(1);
        assert_eq!((&*part, part != none), (&vec![1], true));
        part.clear();
        assert_eq!(part, none, "equal, wherever they are");
    }
}
