//! Numbers in other tools' JSON, and the errors of such files.

use crate::FormatError;
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};
use std::fmt;

/// A count, a rate or a time: finite and not negative. Anything else is an error of its line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figure(pub(crate) f64);

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Figure, D::Error> {
        // Checked inside the visitor, where the reader still knows the line.
        deserializer.deserialize_f64(FigureVisitor)
    }
}

struct FigureVisitor;

impl Visitor<'_> for FigureVisitor {
    type Value = Figure;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Figure, E> {
        let fits = number.is_finite() && number >= 0.0;
        let wrong = || E::custom(format!("{number} is not a count, a rate or a time"));
        fits.then_some(Figure(number)).ok_or_else(wrong)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Figure, E> {
        self.visit_f64(number as f64)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Figure, E> {
        self.visit_f64(number as f64)
    }
}

/// The error of a JSON document that begins after `lines_before` lines of `file`.
pub(crate) fn json_error(
    file: &str,
    lines_before: usize,
    error: &serde_json::Error,
    what: &str,
) -> FormatError {
    let line = lines_before + error.line().max(1);
    let why = error.to_string();
    // The reader's own line number counts from the document's start.
    let why = why.split(" at line ").next().unwrap_or_default();
    FormatError::line(file, line as u64, format!("{what}: {why}"))
}
