//! The bytes of an output of fio without its complaints, and its lines. Neither holds more of it than a part
//! of a line.

use super::COMPLAINT;
use crate::{FormatError, source::Input};
use std::io::{self, BufRead, Read};

/// Of a longer line no more is looked at; what fio prints for people or as terse output is shorter.
const LONGEST_LINE: usize = 64 << 10;

/// A line with its number, from 1, as far as it is looked at.
pub(super) type NumberedLine = (u64, String);

/// The lines of `file`.
pub(super) fn lines(
    file: Input<'_>,
) -> Result<impl Iterator<Item = Result<NumberedLine, FormatError>>, FormatError> {
    let mut reader = file.reader()?;
    let mut number = 0;
    Ok(std::iter::from_fn(move || {
        let line = next_line(&mut reader).map_err(|why| file.unreadable(&why)).transpose()?;
        number += 1;
        Some(line.map(|line| (number, line)))
    }))
}

fn next_line(mut reader: impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if part_of_line(&mut reader, &mut line)? == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") {
        reader.skip_until(b'\n')?;
    }
    let text = String::from_utf8_lossy(&line);
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// Appends what is left of a line, with its end, or a part of it that is not too long.
fn part_of_line(reader: impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    reader.take(LONGEST_LINE as u64).read_until(b'\n', line)
}

/// A text in which lines that fio complains in are empty, and what is not UTF-8 is written as U+FFFD.
pub(super) struct Clean<R> {
    inner: R,
    part: Vec<u8>,
    /// Bytes of `part` that were read.
    taken: usize,
    /// The start of a character that continues in the next part.
    cut: Vec<u8>,
    begins_line: bool,
    complains: bool,
    /// Ends of lines that were read.
    pub(super) lines: usize,
}

impl<R: BufRead> Clean<R> {
    pub(super) fn new(inner: R) -> Clean<R> {
        Clean {
            inner,
            part: Vec::new(),
            taken: 0,
            cut: Vec::new(),
            begins_line: true,
            complains: false,
            lines: 0,
        }
    }

    /// Reads the next part of a line; false when there is no more.
    fn fill(&mut self) -> io::Result<bool> {
        let mut raw = std::mem::take(&mut self.cut);
        let is_last = part_of_line(&mut self.inner, &mut raw)? == 0;
        let ends_line = raw.ends_with(b"\n");
        self.complains |= self.begins_line && raw.starts_with(COMPLAINT.as_bytes());
        self.begins_line = ends_line;
        if self.complains {
            self.complains = !ends_line;
            raw.drain(..raw.len() - usize::from(ends_line));
        }
        if let Err(error) = std::str::from_utf8(&raw)
            && error.error_len().is_none()
            && !is_last
        {
            self.cut = raw.split_off(error.valid_up_to());
        }
        self.part = match String::from_utf8(raw) {
            Ok(text) => text.into_bytes(),
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into_bytes(),
        };
        self.taken = 0;
        Ok(!(is_last && self.part.is_empty()))
    }
}

impl<R: BufRead> BufRead for Clean<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // A part may be empty, if all of it was a warning or is the start of a character.
        while self.taken == self.part.len() && self.fill()? {}
        Ok(&self.part[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        let read = &self.part[self.taken..][..count];
        self.lines += read.iter().filter(|&&byte| byte == b'\n').count();
        self.taken += count;
    }
}

impl<R: BufRead> Read for Clean<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.fill_buf()?;
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `text` becomes when it is read `step` bytes at a time.
    fn cleaned(text: &[u8], step: usize) -> (String, usize) {
        let mut clean = Clean::new(text);
        let (mut all, mut buffer) = (Vec::new(), vec![0; step]);
        while let n @ 1.. = clean.read(&mut buffer).unwrap() {
            all.extend_from_slice(&buffer[..n]);
        }
        (String::from_utf8(all).unwrap(), clean.lines)
    }

    #[test]
    fn complaints_are_empty_lines_and_characters_stay_whole() {
        let long = "é".repeat(LONGEST_LINE);
        let text = format!("{{\nfio: x\n é\nfio: {long}\n{long}\n}}fio: y");
        let plain = format!("{{\n\n é\n\n{long}\n}}fio: y");
        for step in [1, 7, 1 << 20] {
            assert!(cleaned(text.as_bytes(), step) == (plain.clone(), 5), "step {step}");
        }
        assert_eq!(cleaned(b"a\xff\xc3", 1), ("a\u{fffd}\u{fffd}".into(), 0));
        assert_eq!(cleaned(b"fio: a", 1), (String::new(), 0));
    }
}
