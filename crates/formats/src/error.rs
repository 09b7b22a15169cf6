//! What can be wrong with a file: which file, which line, what, and what to do.

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
    #[error("no importer knows {files}; assay reads {known}")]
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
        FormatError::Line { file: file.into(), line, why: why.to_string() }
    }

    /// A wrong file.
    pub(crate) fn file(file: &str, why: impl ToString) -> FormatError {
        FormatError::File { file: file.into(), why: why.to_string() }
    }
}
