//! Reads and writes the lines of a journal: `LENGTH CRC32 JSON`. A line that is not whole is recognized, and does not
//! hide the lines around it.

use serde::{Serialize, de::DeserializeOwned};
use std::{io, path::Path};

/// A part of a journal that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    /// Numbers of its lines, from 1, that are damaged.
    lines: Vec<usize>,
    /// The last line has no end: its writing was cut short, and its act never happened.
    torn: bool,
}

impl Faults {
    /// In words, of the journal at `path`.
    pub(super) fn lines(&self, path: &Path) -> Vec<String> {
        let path = path.display();
        let damaged = self.lines.iter().map(|line| {
            format!(
                "{path} line {line} is damaged and was skipped; cleanup searches for what it \
                 named by its mark"
            )
        });
        let torn = self.torn.then(|| {
            format!(
                "the last line of {path} is torn and was skipped: the action it names never \
                 happened"
            )
        });
        damaged.chain(torn).collect()
    }
}

/// `value` as a line.
pub(super) fn line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    Ok(sealed(&serde_json::to_string(value)?))
}

/// `json`, which is one line, as a line.
pub(super) fn sealed(json: &str) -> Vec<u8> {
    format!("{} {:08x} {json}\n", json.len(), crc32fast::hash(json.as_bytes())).into_bytes()
}

/// The head and the entries in the text of a journal, as far as they are whole.
pub(super) fn read<H: DeserializeOwned, E: DeserializeOwned>(
    bytes: &[u8],
) -> (Option<H>, Vec<E>, Faults) {
    let (mut head, mut entries, mut faults) = (None, Vec::new(), Faults::default());
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let json = json(line);
        let first = json.filter(|_| number == 0).and_then(|json| serde_json::from_str(json).ok());
        let entry = json.and_then(|json| serde_json::from_str(json).ok());
        match (first, entry) {
            (Some(first), _) => head = Some(first),
            (None, Some(entry)) => entries.push(entry),
            (None, None) if line.ends_with(b"\n") => faults.lines.push(number + 1),
            (None, None) => faults.torn = true,
        }
    }
    (head, entries, faults)
}

/// The JSON in a line that is whole.
fn json(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (length, rest) = line.split_once(' ')?;
    let (sum, json) = rest.split_once(' ')?;
    let is_whole = length.parse() == Ok(json.len())
        && u32::from_str_radix(sum, 16) == Ok(crc32fast::hash(json.as_bytes()));
    is_whole.then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(values: &[String]) -> Vec<u8> {
        values.iter().flat_map(|value| line(value).unwrap()).collect()
    }

    fn back(bytes: &[u8]) -> (Vec<String>, Faults) {
        let (_, entries, faults) = read::<u32, String>(bytes);
        (entries, faults)
    }

    #[test]
    fn a_line_has_length_sum_and_text() {
        assert_eq!(line(&123_456_789).unwrap(), b"9 cbf43926 123456789\n");
        assert_eq!(json(b"1 83dcefb7 1\n"), Some("1"));
        for bad in ["1 83dcefb8 1\n", "2 83dcefb7 1\n", "1 83dcefb7 1", "1\n", "\n", "{}\n"] {
            assert_eq!(json(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn faults_are_reported_by_line() {
        let (first, last) = (line(&"a").unwrap(), line(&"c").unwrap());
        let bytes = [&first[..], b"9 00000000 \"b\"\n", &last, b"3 123"].concat();
        let (entries, faults) = back(&bytes);
        assert_eq!(entries, ["a", "c"]);
        let messages = faults.lines(Path::new("/j"));
        assert!(
            messages[0].starts_with("/j line 2 is damaged") && messages[1].contains("torn"),
            "{messages:?}"
        );
        assert_eq!(messages.len(), 2);
    }

    proptest! {
        #[test]
        fn cut_anywhere_the_whole_lines_are_read(values in prop::collection::vec(".*", 0..8), part in 0.0..1.0f64) {
            let whole = text(&values);
            let cut = (whole.len() as f64 * part) as usize;
            let (entries, faults) = back(&whole[..cut]);
            let ends = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
            prop_assert_eq!(&entries[..], &values[..ends]);
            prop_assert_eq!(faults.torn, cut > 0 && whole[cut - 1] != b'\n');
            prop_assert!(faults.lines.is_empty());
        }

        #[test]
        fn one_changed_byte_costs_its_line_alone(
            values in prop::collection::vec(".*", 1..8), at in 0.0..1.0f64, to in any::<u8>()
        ) {
            let mut bytes = text(&values);
            let at = (bytes.len() as f64 * at) as usize;
            let was = std::mem::replace(&mut bytes[at], to);
            let (entries, _) = back(&bytes);
            prop_assert!(was == to || entries.len() + 2 >= values.len());
            prop_assert!(entries.iter().all(|entry| values.contains(entry)));
        }

        #[test]
        fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            back(&bytes);
        }
    }
}
