//! Refusals: a campaign does not start, or ends early, with an exit status for the reason.

/// A refusal; each names the remedy.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Arguments or a plan are wrong; nothing was touched.
    #[error("{0}")]
    Usage(String),
    /// The machine lacks something: root, a tool, a kernel file system, space.
    #[error("{0}")]
    Lacking(String),
    /// Only one of several candidates is left, with nothing to compare it with.
    #[error("{0}")]
    Alone(String),
    /// A signal arrived; everything that was made is torn down.
    #[error("{0}")]
    Stopped(String),
}

/// [`Refusal::Usage`] as an error.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    Refusal::Usage(message.into()).into()
}

/// [`Refusal::Lacking`] as an error.
pub(crate) fn lacking(message: impl Into<String>) -> anyhow::Error {
    Refusal::Lacking(message.into()).into()
}

/// [`Refusal::Alone`] as an error.
pub(crate) fn alone(message: impl Into<String>) -> anyhow::Error {
    Refusal::Alone(message.into()).into()
}

/// [`Refusal::Stopped`] as an error.
pub(crate) fn stopped(message: impl Into<String>) -> anyhow::Error {
    Refusal::Stopped(message.into()).into()
}
