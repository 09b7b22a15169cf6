//! Programs that file systems need, and the packages that bring them.

/// A program and the packages that bring it; no distribution has a package of one that assay builds
/// itself, and both names are empty then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Name of the program.
    pub program: &'static str,
    /// Package of Debian and Ubuntu.
    pub debian: &'static str,
    /// Package of RHEL and Fedora. Those of other families are in `family`.
    pub rhel: &'static str,
}
