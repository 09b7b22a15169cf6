//! Errors of a target: what, on which target, and the next step.

use model::{
    target::{KnobError, TargetError},
    text::did_you_mean,
};
use std::borrow::Cow;

/// Why a target is not one that can be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Text that is not a target.
    #[error(transparent)]
    Target(TargetError),
    /// An option that the file system does not have.
    #[error("{0}")]
    Option(#[from] KnobError),
    /// No such file system in the registry.
    #[error(
        "unknown file system `{name}`{}; expected {known}",
        did_you_mean(name, known.split(", "))
    )]
    UnknownFileSystem {
        /// The text as written.
        name: String,
        /// The registered names.
        known: String,
    },
    /// The target is on another target, and this file system cannot.
    #[error(
        "`{target}` is invalid: {name} cannot be a layer on another target; write `{name}` alone"
    )]
    NoInner {
        /// The text as written.
        target: String,
        /// The file system.
        name: String,
    },
    /// A part that needs several disks, on one that offers one.
    #[error(
        "`{target}` is invalid: {name} needs {needed} disks, but the layer below provides one; \
         swap the two layers"
    )]
    TooFewDisks {
        /// The text as written.
        target: String,
        /// The part.
        name: String,
        /// The number required.
        needed: usize,
    },
    /// Two options of a target exclude each other.
    #[error("`{target}` cannot be created: {why}")]
    Excluded {
        /// The text as written.
        target: String,
        /// The reason and what to do.
        why: Cow<'static, str>,
    },
    /// Options that leave open what is meant.
    #[error("`{target}`: {why}")]
    UnclearOptions {
        /// The text as written.
        target: String,
        /// The reason and what to do.
        why: String,
    },
    /// An option that would reach beyond the target's own disks.
    #[error("`{target}`: the option `{option}` is refused: {why}")]
    Reaches {
        /// The text as written.
        target: String,
        /// The option with its value.
        option: String,
        /// The reason and what to do.
        why: &'static str,
    },
}
