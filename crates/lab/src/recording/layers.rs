//! Parts on disks that a trial of faults brings: they are made once, then brought up and taken down again on all of
//! these disks, on some, or on copies of them.

use crate::{
    error::LabError,
    setup::Lab,
    stack::{Present, Stack},
};
use ::fs::{Part, Site};
use std::path::{Path, PathBuf};

/// Names and directories of parts, for every time that they are brought up: on one set of disks at once.
#[derive(Clone, Debug)]
pub struct Places(Vec<(String, PathBuf, PathBuf)>);

/// Parts on disks, from the bottom to the top. Dropping it takes down what is up.
#[derive(Debug)]
pub struct Layers<'l> {
    lab: &'l Lab,
    stack: Stack,
    /// Parts that are brought up; the others are only made.
    up: usize,
}

impl Lab {
    /// Makes directories and finds names for `parts`, which need disks of `bytes`. What remains of them after this
    /// process dies is in the journal.
    ///
    /// # Errors
    /// They cannot be made, or the journal cannot be written.
    pub fn places(
        &self,
        parts: &[Part],
        disks: &[PathBuf],
        bytes: u64,
    ) -> Result<Places, LabError> {
        let first = self.numbers(parts.len() as u32);
        let place = |number: usize, part: &Part| {
            let (at, name) = (first + number as u32, part.fs.about().name);
            let dir = self.directory(&format!("{at}-{name}"));
            (self.mark().name(at), dir, self.directory(&format!("{at}-scratch")))
        };
        let places = parts.iter().enumerate().map(|(number, part)| place(number, part)).collect();
        self.make_sites(&Stack::new(parts, disks, (bytes, None), place))?;
        Ok(Places(places))
    }
}

impl<'l> Layers<'l> {
    /// `parts` at `places` on `disks` of `bytes`, of which the lowest `up` are brought up. Nothing is done yet.
    pub fn new(
        lab: &'l Lab,
        parts: &[Part],
        places: &Places,
        (disks, bytes, present): (&[&Path], u64, Present),
        up: usize,
    ) -> Layers<'l> {
        let disks: Vec<PathBuf> = disks.iter().map(|disk| disk.to_path_buf()).collect();
        let place = |number: usize, _: &Part| places.0[number].clone();
        let stack = Stack::new(parts, &disks, (bytes, None), place);
        let stack = if present == Present::Some { stack.on_some() } else { stack };
        Layers { lab, stack, up }
    }

    /// Where the part with this number is.
    pub fn site(&self, number: usize) -> &Site {
        &self.stack.parts()[number].site
    }

    /// The first disk that they offer; `None` without parts.
    pub fn offers(&self) -> Option<PathBuf> {
        let top = self.stack.top()?;
        top.fs().offers(&top.site).into_iter().next()
    }

    /// Makes all parts, and leaves those up that are brought up.
    ///
    /// # Errors
    /// A command failed.
    pub fn make(&self) -> Result<(), LabError> {
        self.stack.make_lowest(self.up)
    }

    /// Brings them up, from the bottom to the top.
    ///
    /// # Errors
    /// A command failed; what is up stays up until it is taken down.
    pub fn bring_up(&self) -> Result<(), LabError> {
        self.stack.bring_up_lowest(self.up)
    }

    /// Takes down what is up, from the top to the bottom.
    ///
    /// # Errors
    /// It stays busy.
    pub fn take_down(&self) -> Result<(), LabError> {
        self.stack.take_down(0, self.lab.mark())
    }
}

impl Drop for Layers<'_> {
    fn drop(&mut self) {
        // What fails here is in the journal, and reported by `assay cleanup`.
        let _ = self.take_down();
    }
}
