//! The observer of a campaign: the campaign reports events, the program decides how to show them.

use model::result::{Dataset, Note, Sample};
use std::time::Instant;

/// Takes lines for the user, which may contain text of other programs: the code that shows them sanitizes them.
pub type Notes<'a> = &'a dyn Fn(&str);

/// How far a campaign goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// Cases until it may end by its figures.
    pub cases: u64,
    /// Cases when it has all its blocks.
    pub most: u64,
    /// When its budget is over; `None` without one.
    pub over: Option<Instant>,
}

/// Follows a campaign case by case.
pub trait Watch {
    /// The campaign has `ahead` before it, from now on.
    fn expect(&self, ahead: Ahead);
    /// A step worth a line of its own begins.
    fn step(&self, line: &str);
    /// The current step.
    fn now(&self, message: &str);
    /// `cases` more are done.
    fn done(&self, cases: u64);
    /// A sample was stored.
    fn measured(&self, _sample: &Sample) {}
    /// A block is complete; the argument is all that is stored of the campaign.
    fn block(&self, _dataset: &Dataset) {}
    /// A line that must stay visible among the steps.
    fn remark(&self, line: &str);
    /// A note was added to the campaign; it must stay visible among the steps.
    fn noted(&self, note: &Note);
}
