//! Paths that end in a number, and what fails on them. A loop over a million names formats none of
//! them: the digits are put behind the part that stays, in one buffer.

use crate::TestError;
use rustix::io::Errno;
use std::{
    ffi::{CStr, OsStr},
    io,
    os::unix::ffi::OsStrExt,
    path::PathBuf,
};

/// Digits of the largest number.
const DIGITS: usize = 20;
/// The longest path that Linux takes, with its NUL.
const PATH_MAX: usize = 4096;

/// One path at a time.
pub(in crate::kinds) struct PathBuffer(Vec<u8>);

impl PathBuffer {
    /// A buffer that no path outgrows.
    pub(in crate::kinds) fn new() -> PathBuffer {
        PathBuffer(Vec::with_capacity(PATH_MAX))
    }

    /// `stem`, then `number` in decimal, padded with zeros to `width`.
    #[inline]
    pub(in crate::kinds) fn put(
        &mut self,
        stem: &[u8],
        number: u64,
        width: usize,
    ) -> Result<&CStr, TestError> {
        self.put_with(stem, number, width, b"")
    }

    /// The same with `end` behind the number.
    #[inline]
    pub(in crate::kinds) fn put_with(
        &mut self,
        stem: &[u8],
        number: u64,
        width: usize,
        end: &[u8],
    ) -> Result<&CStr, TestError> {
        self.0.clear();
        self.0.extend_from_slice(stem);
        let mut digits = [b'0'; DIGITS];
        let mut at = DIGITS;
        let mut rest = number;
        while rest > 0 {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let from = at.min(DIGITS - width.clamp(1, DIGITS));
        self.0.extend_from_slice(&digits[from..]);
        self.0.extend_from_slice(end);
        self.0.push(0);
        CStr::from_bytes_with_nul(&self.0).map_err(|_| has_nul(&self.0))
    }
}

fn has_nul(bytes: &[u8]) -> TestError {
    TestError::io("name", &path(bytes))(io::ErrorKind::InvalidInput.into())
}

fn path(bytes: &[u8]) -> PathBuf {
    OsStr::from_bytes(bytes).into()
}

/// For `map_err`: `what` failed on `path`.
pub(in crate::kinds) fn failed<'a>(
    what: &'static str,
    at: &'a CStr,
) -> impl FnOnce(Errno) -> TestError + 'a {
    move |error| TestError::io(what, &path(at.to_bytes()))(error.into())
}

/// The error of a file at `at` that does not hold what it should.
pub(in crate::kinds) fn wrong(at: &CStr, why: String) -> TestError {
    TestError::Wrong { path: path(at.to_bytes()), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_behind_the_stem() {
        let mut buffer = PathBuffer::new();
        let mut text = |number, width, end: &str| {
            let path = buffer.put_with(b"/a/f.", number, width, end.as_bytes()).unwrap();
            path.to_str().unwrap().to_string()
        };
        assert_eq!(text(0, 0, ""), "/a/f.0");
        assert_eq!(text(42, 8, ""), "/a/f.00000042");
        assert_eq!(text(123_456_789, 8, "-XX"), "/a/f.123456789-XX");
        assert_eq!(text(u64::MAX, 3, ""), format!("/a/f.{}", u64::MAX));
        assert!(PathBuffer::new().put(b"a\0b", 1, 1).is_err());
    }
}
