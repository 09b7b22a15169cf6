//! Facts about file systems for advice: features, limits, vendor support, each with its source.

/// The facts about one file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facts {
    /// Not said yet; a test names the file system.
    Unsaid,
    /// A sheet of facts in TOML, as `model::target::FactSheet` reads it.
    Sheet(&'static str),
    /// None have been looked up: why.
    Without(&'static str),
}
