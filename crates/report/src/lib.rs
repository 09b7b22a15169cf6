//! From findings to text. Sections turn a dataset and its findings into blocks, renderers turn
//! blocks into terminal text, HTML and Markdown; CSV and JSON come straight from the findings.
//! No I/O: every renderer returns a string. Commands in it carry the options that it is given.

pub mod block;
mod commands;
mod flat;
mod names;
mod number;
mod render;
pub mod sections;
pub mod words;

pub use commands::Commands;
pub use number::probability;
pub use render::{
    columns::columns,
    csv::csv,
    html::html,
    json::{json, json_of_advice, json_of_limits},
    markdown::markdown,
    side_by_side::html_side_by_side,
    summary::summary,
    terminal::terminal,
    terminal_text::TerminalOptions,
};
pub use sections::measured;
