//! Topics of messages: each is received separately, in the order of sending.

/// The purpose of a message.
#[derive(Clone, Copy, Debug)]
#[repr(i32)]
pub(crate) enum Topic {
    /// From rank 0, to one that has nothing to do.
    Order = 1,
    /// To rank 0, of an order.
    Answer = 2,
    /// To rank 0, during a run.
    Word = 3,
    /// From rank 0, during a run.
    Ruling = 4,
    /// A round trip of the clocks.
    Clock = 5,
    /// From rank 0, which is there.
    Beat = 6,
    /// From rank 0: a piece of an asset, bytes as they are.
    Piece = 7,
    /// A token of the barrier before a phase.
    Barrier = 8,
}
