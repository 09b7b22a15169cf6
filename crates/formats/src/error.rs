//! Errors in a file: which file, which line, what, and the next step.

use model::text::printable_line;

/// A file that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// A line is wrong.
    #[error("{file}, line {line}: {why}")]
    Line {
        /// Name of the file.
        file: String,
        /// Line from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The file as a whole is wrong.
    #[error("{file}: {why}")]
    File {
        /// Name of the file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// No importer knows any of the files.
    #[error(
        "no importer recognizes {files}; name the tool that wrote it with --format, one of {known}"
    )]
    Unknown {
        /// Names of the files.
        files: String,
        /// Names of the importers.
        known: String,
    },
    /// The dataset cannot be written in the format.
    #[error("cannot export as {format}: {why}")]
    Export {
        /// Name of the format.
        format: &'static str,
        /// What is in the way.
        why: String,
    },
}

impl FormatError {
    /// A wrong line.
    pub(crate) fn line(file: &str, line: u64, why: impl ToString) -> FormatError {
        FormatError::Line { file: one_line(file), line, why: one_line(&why.to_string()) }
    }

    /// A wrong file.
    pub(crate) fn file(file: &str, why: impl ToString) -> FormatError {
        FormatError::File { file: one_line(file), why: one_line(&why.to_string()) }
    }
}

/// Characters of a reason that are shown; what is quoted from a damaged file may be megabytes.
const LONGEST: usize = 400;

/// A reason or a name on one printable line, not too long to read.
fn one_line(text: &str) -> String {
    let beginning: String = text.chars().take(LONGEST).collect();
    let more = if text.chars().nth(LONGEST).is_some() { "..." } else { "" };
    format!("{}{more}", printable_line(&beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_however_it_was_quoted() {
        let error = FormatError::line("a.txt", 3, "`x\ny\0` is not a number");
        assert_eq!(error.to_string(), "a.txt, line 3: `x\\ny\\u0000` is not a number");
        let error = FormatError::file("a\u{1b}[2J.txt", "is empty");
        assert_eq!(error.to_string(), "a\\u001b[2J.txt: is empty");
        let long = FormatError::file("a.txt", "x".repeat(1 << 20)).to_string();
        assert_eq!(long.len(), "a.txt: ".len() + LONGEST + "...".len());
    }
}
