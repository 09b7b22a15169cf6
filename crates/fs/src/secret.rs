//! Words that a command gets in its environment and never shows.

/// A word that a command gets in its environment and never shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Secret {
    /// Who asks a server of ours.
    AccessKey,
    /// What only that one knows.
    SecretKey,
    /// Who asks a store of the user's own.
    UsersAccessKey,
    /// What only that one knows.
    UsersSecretKey,
    /// What says that both were lent for a while; not there where they were not.
    UsersToken,
}

/// Stands for a secret where a command is shown.
pub const HIDDEN: &str = "...";
