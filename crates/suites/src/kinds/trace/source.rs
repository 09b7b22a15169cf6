//! The trace that a test replays: in a file, or in memory for tests.

use trace::{
    call::Call,
    header::Header,
    path::Paths,
    start::{StartEntry, StartHandle},
};

/// A recorded run, whose calls are read block by block.
pub(super) trait Source: Send + Sync {
    /// How it was recorded.
    fn header(&self) -> &Header;
    /// The names.
    fn paths(&self) -> &Paths;
    /// What was there.
    fn entries(&self) -> &[StartEntry];
    /// What was open.
    fn handles(&self) -> &[StartHandle];
    /// Number of blocks of calls.
    fn blocks(&self) -> usize;
    /// Replaces `calls` by those of block `number`.
    ///
    /// # Errors
    /// The block cannot be read, in words.
    fn read(&self, number: usize, calls: &mut Vec<Call>) -> Result<(), String>;
}

/// Hands the calls of `source` to `take`, in their order.
///
/// # Errors
/// A block cannot be read, or `take` failed.
pub(super) fn each_call(
    source: &dyn Source,
    take: &mut dyn FnMut(&Call) -> Result<(), String>,
) -> Result<(), String> {
    let mut calls = Vec::new();
    for number in 0..source.blocks() {
        source.read(number, &mut calls)?;
        calls.iter().try_for_each(&mut *take)?;
    }
    Ok(())
}
