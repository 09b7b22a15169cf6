//! The end of a campaign, or of a part of it.

/// How a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// All blocks of the plan are stored, of every target that could be measured at all.
    Done,
    /// A target failed in some of the blocks, which can be retried.
    Gaps,
    /// A signal came.
    Stopped,
}
