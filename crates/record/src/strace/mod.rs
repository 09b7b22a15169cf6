//! Turns the output of `strace -f -ttt -T`, from this or another machine, into a trace.

mod line;
mod names;
mod reader;
mod run;
#[cfg(test)]
mod tests;

pub use run::{Import, import, record};
