//! What a file system says of a bit that has turned on its disk.

/// Where the bit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turned {
    /// In the data of a file.
    Data,
    /// In its name, as its directory holds it.
    Name,
}

/// What is read of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// What was written: it was repaired, or another copy was read.
    Right,
    /// The turned bit, as if nothing had been.
    Wrong,
    /// This error number.
    Failed(i32),
}
