//! Text that `strace -f -ttt -T` wrote, by us or elsewhere, as a trace.

mod line;
mod names;
mod reader;
mod run;
#[cfg(test)]
mod tests;

pub use run::{Import, import, record};
