//! A text by its lines, each with the number that it had in the file.

use std::borrow::Cow;

/// The lines of a text, without their ends.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    all: Vec<(u64, Cow<'a, str>)>,
    /// The last one has an end.
    ended: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Lines<'a> {
        let ended = text.ends_with('\n');
        let inner = text.strip_suffix('\n').unwrap_or(text);
        let plain = |line: &'a str| Cow::Borrowed(line.strip_suffix('\r').unwrap_or(line));
        let all = (1..).zip(inner.split('\n').map(plain)).collect();
        Lines { all, ended }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.all.iter().map(|(_, line)| line.as_ref())
    }

    /// Those in which something stands.
    pub(super) fn filled(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.iter().filter(|line| !line.trim().is_empty())
    }

    /// The first in which something stands.
    pub(super) fn first(&self) -> &str {
        self.filled().next().unwrap_or_default()
    }

    pub(super) fn get(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |(_, line)| line.as_ref())
    }

    /// Puts what `of` makes of each line in its place; `None` leaves it as it is.
    pub(super) fn replace(&mut self, of: impl Fn(&str) -> Option<String>) {
        for (_, line) in &mut self.all {
            if let Some(new) = of(line) {
                *line = Cow::Owned(new);
            }
        }
    }

    /// Appends to each line those that `follows` says it continues in, with `between` before them.
    pub(super) fn join(&mut self, follows: impl Fn(&str, &str) -> Option<&'static str>) {
        let mut joined: Vec<(u64, Cow<'a, str>)> = Vec::with_capacity(self.all.len());
        let mut before = String::new();
        for (number, line) in std::mem::take(&mut self.all) {
            let own = line.clone().into_owned();
            match (joined.last_mut(), follows(&before, &line)) {
                (Some((_, open)), Some(between)) => {
                    let open = open.to_mut();
                    open.push_str(between);
                    open.push_str(&line);
                }
                _ => joined.push((number, line)),
            }
            before = own;
        }
        self.all = joined;
    }

    /// Leaves out the lines before one.
    pub(super) fn cut(&mut self, first: usize) {
        self.all.drain(..first.min(self.all.len()));
    }

    /// Puts `lines` in the place of all, as if they stood at the first.
    pub(super) fn put(&mut self, lines: Vec<String>) {
        let number = self.all.first().map_or(1, |(number, _)| *number);
        self.all = lines.into_iter().map(|line| (number, Cow::Owned(line))).collect();
        self.ended = true;
    }

    /// The text from line `first` on, of which at least `least` bytes are needed.
    pub(super) fn from(&self, first: usize, least: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (_, line) in self.all.iter().skip(first) {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
            if bytes.len() >= least {
                break;
            }
        }
        bytes
    }

    /// Bytes and numbers of all lines.
    pub(super) fn parted(self) -> (Vec<u8>, Vec<u64>) {
        let mut bytes = Vec::new();
        for (_, line) in &self.all {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        if !self.ended {
            bytes.pop();
        }
        (bytes, self.all.into_iter().map(|(number, _)| number).collect())
    }
}
