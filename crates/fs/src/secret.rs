//! Secrets that a command gets in its environment and that are never shown.

/// A word that a command gets in its environment and never shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Secret {
    /// The access key of a server of ours.
    AccessKey,
    /// The secret key that belongs to it.
    SecretKey,
    /// The access key of the user's own store.
    UsersAccessKey,
    /// The secret key that belongs to it.
    UsersSecretKey,
    /// The token that comes with temporary keys.
    UsersToken,
}

/// Stands for a secret where a command is shown.
pub const HIDDEN: &str = "...";
