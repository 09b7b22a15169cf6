//! Text: names, words, sizes and cells as people and files spell them.

pub mod cell;
mod counted;
mod line;
pub(crate) mod name;
mod nearest;
mod pieces;
mod shell;
mod units;

pub use counted::counted;
pub use line::line_at;
pub use name::{Name, NameError, NameKind, is_unprintable, printable, printable_line};
pub use nearest::{did_you_mean, nearest, pattern_meant};
pub use pieces::pieces;
pub use shell::shell_word;
pub use units::{Bytes, UnitError};
