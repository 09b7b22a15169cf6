//! The private directory of an instance within a directory that is not assay's. It is held open while it is reachable;
//! while an export is unmounted to make it cold it is released, and afterwards it must be the same directory.

use crate::{
    error::LabError,
    instance::held_dir::{HeldDir, Identity, NamedDir},
    ownership::mark::Mark,
};
use model::plan::User;
use std::{
    cell::{Cell, Ref, RefCell},
    path::{Path, PathBuf},
};

/// It, or where it will be.
#[derive(Debug)]
pub(crate) struct Held {
    path: PathBuf,
    user: Cell<Option<User>>,
    known: Cell<Option<Identity>>,
    dir: RefCell<Option<HeldDir>>,
}

impl Held {
    /// The directory `path`, which [`Held::make`] makes once what it is in is mounted.
    pub(super) fn at(path: PathBuf) -> Held {
        Held { path, user: Cell::default(), known: Cell::default(), dir: RefCell::default() }
    }

    /// Makes it in `named`, with `mark`.
    ///
    /// # Errors
    /// It is there, or may not be made.
    pub(super) fn make(&self, named: NamedDir, mark: &Mark) -> Result<(), LabError> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.hold(named.make(&name, mark)?)
    }

    fn hold(&self, dir: HeldDir) -> Result<(), LabError> {
        self.user.set(dir.user());
        self.known.set(Some(dir.identity()?));
        self.dir.replace(Some(dir));
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn user(&self) -> Option<User> {
        self.user.get()
    }

    /// The open directory.
    ///
    /// # Errors
    /// It was let go.
    pub(super) fn get(&self) -> Result<Ref<'_, HeldDir>, LabError> {
        Ref::filter_map(self.dir.borrow(), Option::as_ref)
            .map_err(|_| self.replaced("it is no longer mounted"))
    }

    /// Closes it, so that what it is in can be unmounted.
    pub(super) fn let_go(&self) {
        self.dir.replace(None);
    }

    /// Opens it again.
    ///
    /// # Errors
    /// It is not there, or another one is, or another user can change it now.
    pub(super) fn find_again(&self) -> Result<(), LabError> {
        let (known, user) = (self.known.get(), self.user.get());
        self.hold(HeldDir::find(&self.path)?)?;
        let is_same = |one: Identity| known.is_some_and(|known| known.is_same_file(&one));
        if self.known.get().is_some_and(is_same) && self.user.get() == user {
            return Ok(());
        }
        self.let_go();
        Err(self.replaced("another file system was mounted in its place"))
    }

    /// Removes it, with all that is in it, where it is still there.
    ///
    /// # Errors
    /// Something in it cannot be removed.
    pub(super) fn remove(&self) -> Result<(), LabError> {
        let removed = self.dir.borrow().as_ref().map_or(Ok(()), HeldDir::remove);
        self.let_go();
        removed
    }

    fn replaced(&self, why: &str) -> LabError {
        LabError::DirReplaced { path: self.path.clone(), why: why.into() }
    }
}
