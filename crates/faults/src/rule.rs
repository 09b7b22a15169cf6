//! Rules of fault injection: which requests fail, when, and how. They use no clock and no disk, so that the same
//! requests get the same faults.

use std::{ops::Range, time::Duration};

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// A read.
    Read,
    /// A write. Discards are none.
    Write,
    /// A write that holds these bytes.
    WriteOf(Pattern),
    /// A flush; it has no place, and meets every range.
    Flush,
    /// Any request.
    Any,
}

/// A request, as rules see it.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// A read.
    Read,
    /// A write of these bytes.
    Write(&'a [u8]),
    /// A flush.
    Flush,
    /// A discard, or a write of zeros without data.
    Discard,
}

/// Unit in which writes are looked through, bytes.
const SECTOR: usize = 512;

/// Up to eight bytes at one place of a sector, by which what is written can be known: the magic number of a journal, or
/// data of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    at: usize,
    bytes: [u8; 8],
    length: usize,
}

impl Pattern {
    /// `bytes`, at most the first eight, at byte `at` of a sector of 512 bytes.
    pub fn new(at: usize, bytes: &[u8]) -> Pattern {
        let mut pattern = Pattern { at, bytes: [0; 8], length: bytes.len().min(8) };
        pattern.bytes.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        pattern
    }

    /// Whether a sector of `data` holds it.
    fn is_in(&self, data: &[u8]) -> bool {
        let own = &self.bytes[..self.length];
        data.chunks(SECTOR).any(|sector| sector.get(self.at..).is_some_and(|s| s.starts_with(own)))
    }
}

/// Which of the requests that meet a rule it is for, counted from the moment it was armed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// Requests that are let through first.
    pub after: u64,
    /// Requests that the fault is for; `None` for all from then on.
    pub times: Option<u64>,
}

impl When {
    /// The first one alone.
    pub const ONCE: When = When { after: 0, times: Some(1) };
    /// All.
    pub const ALWAYS: When = When { after: 0, times: None };

    /// The one with this number alone; the first is 1.
    pub fn nth(number: u64) -> When {
        When { after: number.saturating_sub(1), times: Some(1) }
    }

    /// The first ones, as many as `times`.
    pub fn first(times: u64) -> When {
        When { after: 0, times: Some(times) }
    }

    /// Whether the request is meant that comes after `met` others.
    fn holds(self, met: u64) -> bool {
        met >= self.after && self.times.is_none_or(|times| met - self.after < times)
    }
}

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The request fails with EIO. Of a write nothing is on the disk, and a flush makes nothing durable.
    Error,
    /// One bit is turned: of what is read, or of what is written before it is stored.
    Flip {
        /// Its number on the disk: eight times the byte, plus 0 to 7.
        bit: u64,
    },
    /// The request is answered as done, and is not.
    Lose,
    /// A write is answered as done, and is done in another place.
    Misdirect {
        /// The first byte of the disk that it is written to.
        to: u64,
    },
    /// The request is done this much later.
    Delay(Duration),
}

/// A fault, and the requests that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The kind of request.
    pub on: On,
    /// Bytes of the disk; a request meets the rule that has one of them. A turned bit has to be in the request too.
    pub range: Range<u64>,
    /// Which of those that meet it.
    pub when: When,
    /// The fault.
    pub what: What,
}

impl Rule {
    /// Whether a request of this kind and place meets the rule.
    fn is_met(&self, request: Request<'_>, place: &Range<u64>) -> bool {
        let is_on = match (self.on, request) {
            (On::Flush | On::Any, Request::Flush) => return true,
            (On::Any, _) | (On::Read, Request::Read) | (On::Write, Request::Write(_)) => true,
            (On::WriteOf(pattern), Request::Write(data)) => pattern.is_in(data),
            _ => false,
        };
        let overlaps = place.start < self.range.end && self.range.start < place.end;
        let has_bit = match self.what {
            What::Flip { bit } => place.contains(&(bit / 8)),
            _ => true,
        };
        is_on && overlaps && has_bit
    }
}

/// The decision on one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// It fails.
    pub is_error: bool,
    /// It is answered, and not done.
    pub is_lost: bool,
    /// It is done at this byte of the disk instead.
    pub to: Option<u64>,
    /// Bits that are turned, by their numbers on the disk.
    pub flips: Vec<u64>,
    /// How much later it is done.
    pub delay: Duration,
}

/// Rules with what has met them since they were armed.
#[derive(Clone, Debug, Default)]
pub struct Armed {
    rules: Vec<Rule>,
    met: Vec<u64>,
    injected: Vec<u64>,
}

impl Armed {
    /// Arms `rules`: nothing has met them yet.
    pub fn new(rules: Vec<Rule>) -> Armed {
        let (met, injected) = (vec![0; rules.len()], vec![0; rules.len()]);
        Armed { rules, met, injected }
    }

    /// Counts a request of the bytes `place` of the disk, and says what becomes of it.
    pub fn decide(&mut self, request: Request<'_>, place: &Range<u64>) -> Fate {
        let mut fate = Fate::default();
        for (number, rule) in self.rules.iter().enumerate() {
            if !rule.is_met(request, place) {
                continue;
            }
            let met = self.met[number];
            self.met[number] += 1;
            if !rule.when.holds(met) {
                continue;
            }
            self.injected[number] += 1;
            match rule.what {
                What::Error => fate.is_error = true,
                What::Flip { bit } => fate.flips.push(bit),
                What::Lose => fate.is_lost = true,
                What::Misdirect { to } => fate.to = Some(to),
                What::Delay(delay) => fate.delay += delay,
            }
        }
        fate
    }

    /// Requests that each rule was for.
    pub fn injected(&self) -> &[u64] {
        &self.injected
    }
}

/// Turns those of `bits` of the disk that are in `bytes`, which begin at byte `offset` of it.
pub fn flip(bytes: &mut [u8], offset: u64, bits: &[u64]) {
    for bit in bits {
        let at = (bit / 8).checked_sub(offset).and_then(|at| usize::try_from(at).ok());
        if let Some(byte) = at.and_then(|at| bytes.get_mut(at)) {
            *byte ^= 1 << (bit % 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(on: On, range: Range<u64>, when: When, what: What) -> Rule {
        Rule { on, range, when, what }
    }

    #[test]
    fn a_rule_is_for_the_requests_that_it_names() {
        let mut armed = Armed::new(vec![
            rule(On::Write, 4096..8192, When::nth(2), What::Error),
            rule(On::Flush, 0..0, When::ALWAYS, What::Lose),
            rule(On::Read, 0..4096, When::first(2), What::Misdirect { to: 7 }),
        ]);
        let mut failed = |on, place: Range<u64>| {
            let data = vec![0; 512];
            let request = match on {
                On::Read => Request::Read,
                On::Flush => Request::Flush,
                _ => Request::Write(&data),
            };
            armed.decide(request, &place)
        };
        assert_eq!(failed(On::Write, 0..4096), Fate::default(), "before its range");
        assert_eq!(failed(On::Read, 4096..8192), Fate::default());
        assert!(!failed(On::Write, 4096..4608).is_error, "the first");
        assert!(failed(On::Write, 0..1 << 20).is_error, "the second");
        assert!(!failed(On::Write, 8191..9000).is_error, "the third");
        assert!(failed(On::Flush, 0..0).is_lost && failed(On::Flush, 0..0).is_lost);
        let to = [0, 1, 2].map(|_| failed(On::Read, 0..512).to);
        assert_eq!(to, [Some(7), Some(7), None]);
        assert_eq!(armed.injected(), [1, 2, 2]);
    }

    #[test]
    fn a_lost_disk_fails_every_request_from_one_on() {
        let lost = When { after: 2, times: None };
        let mut armed = Armed::new(vec![rule(On::Any, 0..u64::MAX, lost, What::Error)]);
        let block = [0; 512];
        let requests = [
            Request::Write(&block),
            Request::Flush,
            Request::Read,
            Request::Discard,
            Request::Write(&block),
            Request::Flush,
        ];
        let failed = requests.map(|request| armed.decide(request, &(0..512)).is_error);
        assert_eq!(failed, [false, false, true, true, true, true]);
        assert_eq!(armed.injected(), [4]);
    }

    #[test]
    fn a_bit_is_turned_where_it_lies_and_only_then_counted() {
        let bit = 8 * 5000 + 3;
        let flips = rule(On::Read, 4096..8192, When::ONCE, What::Flip { bit });
        let mut armed = Armed::new(vec![flips]);
        assert_eq!(armed.decide(Request::Read, &(4096..4608)), Fate::default());
        let fate = armed.decide(Request::Read, &(4608..8192));
        let mut bytes = vec![0u8; 3584];
        flip(&mut bytes, 4608, &fate.flips);
        assert_eq!((bytes[392], bytes.iter().filter(|byte| **byte != 0).count()), (8, 1));
        assert_eq!(armed.injected(), [1]);
    }

    #[test]
    fn a_write_is_known_by_what_it_holds() {
        let commit = Pattern::new(4, &[0xc0, 0x3b]);
        let mut armed =
            Armed::new(vec![rule(On::WriteOf(commit), 0..8192, When::ALWAYS, What::Error)]);
        let mut data = vec![0; 1536];
        let mut is_error = |data: &[u8], at: u64| {
            armed.decide(Request::Write(data), &(at..at + data.len() as u64)).is_error
        };
        data[1030] = 0xc0;
        data[1031] = 0x3b;
        assert!(!is_error(&data, 0), "at another place of the sector");
        data[1028] = 0xc0;
        data[1029] = 0x3b;
        assert!(is_error(&data, 0) && !is_error(&data, 8192));
        assert!(!is_error(&data[..1029], 0), "cut off");
    }
}
