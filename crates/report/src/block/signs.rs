//! Checks that tell whether figures can be trusted, each with its answer.

/// What was found by a check that could not be made, as its shape says, too.
pub const NOT_KNOWN: &str = "not known";

/// A question that several checks answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Signs {
    /// The question, with its mark.
    pub question: String,
    /// The checks.
    pub signs: Vec<Sign>,
}

/// What one check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    /// The check, in a word or two.
    pub name: String,
    /// Whether it is in favour; `None` where it does not tell.
    pub is_good: Option<bool>,
    /// What was found, in a clause.
    pub found: String,
    /// What follows for the figures, in a clause.
    pub so_what: String,
}

impl Sign {
    /// In words: `drift: none, the machine kept its speed`.
    pub(crate) fn text(&self) -> String {
        format!("{}: {}, {}", self.name, self.found, self.so_what)
    }

    /// A word for what its colour says.
    pub(crate) fn answer(&self) -> &'static str {
        match self.is_good {
            Some(true) => "yes",
            Some(false) => "no",
            None => "open",
        }
    }
}

impl Signs {
    /// In words, a sentence.
    pub(crate) fn text(&self) -> String {
        let all: Vec<String> = self.signs.iter().map(Sign::text).collect();
        format!("{} {}.", self.question, all.join("; "))
    }
}
