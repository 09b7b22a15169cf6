//! A report of dd, at the end of a run or, when it is asked by a signal, in between.

use crate::gate::Print;
use model::result::Reason;

/// Whole and partial records.
#[derive(Clone, Copy)]
pub(super) struct Records {
    whole: u64,
    partial: u64,
}

impl Records {
    /// Those of `1024+0 records in`, with ` records in` as `what`.
    pub(super) fn of(line: &str, what: &str) -> Option<Records> {
        let (whole, partial) = line.strip_suffix(what)?.split_once('+')?;
        Some(Records { whole: whole.parse().ok()?, partial: partial.parse().ok()? })
    }

    /// Those of a line in another language, `1024+0 Datensätze ein`: the words around them differ.
    pub(super) fn of_other_language(line: &str) -> Option<Records> {
        let mut words = line.split_whitespace();
        let (whole, partial) = words.find_map(|word| word.split_once('+'))?;
        Some(Records { whole: whole.parse().ok()?, partial: partial.parse().ok()? })
    }

    /// Both together.
    pub(super) fn count(self) -> u64 {
        self.whole.saturating_add(self.partial)
    }

    /// Whether these may have become the `later` ones.
    fn may_become(self, later: Records) -> bool {
        self.whole <= later.whole && self.partial <= later.partial
    }
}

/// What dd reported.
pub(super) struct Report {
    /// Its last line.
    pub(super) line: u64,
    pub(super) read: Option<Records>,
    pub(super) written: Option<Records>,
    pub(super) bytes: u64,
    pub(super) seconds: f64,
    /// Whether the printed rate is that of both.
    pub(super) check: Result<(), Reason>,
    /// Its command, where the text has one.
    pub(super) command: String,
    pub(super) print: Print,
    /// It was found to be of the same run as the report before it.
    pub(super) continues: bool,
}

impl Report {
    /// Bytes of a record, where all are whole.
    pub(super) fn block(&self) -> Option<u64> {
        let written = self.written.filter(|written| written.whole > 0 && written.partial == 0)?;
        self.bytes.is_multiple_of(written.whole).then(|| self.bytes / written.whole)
    }

    /// Whether it may be of the run that `before` reports, which continued: more bytes in more time, in records of the
    /// same size. Runs of one size are repeats, but where `before` is known to be in between: a run may sync at its
    /// end.
    pub(super) fn is_after(&self, before: &Report) -> bool {
        let more = self.bytes > before.bytes || (before.continues && self.bytes == before.bytes);
        let become_these = |before: Option<Records>, these: Option<Records>| match (before, these) {
            (Some(before), Some(these)) => before.may_become(these),
            (None, None) => true,
            _ => false,
        };
        more && self.seconds > before.seconds
            && become_these(before.read, self.read)
            && become_these(before.written, self.written)
            && before.block().is_none_or(|block| self.may_have(block))
    }

    /// Whether its bytes may be in records of `block` bytes, of which partial ones have less.
    fn may_have(&self, block: u64) -> bool {
        let Some(written) = self.written else { return true };
        let of = |records: u64| records.saturating_mul(block);
        (of(written.whole)..=of(written.count())).contains(&self.bytes)
    }
}
