//! The end of a campaign, or of a part of it.

/// How a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All blocks are stored that the plan asks for, of every target that could be measured at all.
    Done,
    /// A target failed in some of the blocks, which can be tried again.
    Gaps,
    /// A signal came.
    Stopped,
}
