//! A recording of a workload from which its states can be made again, and its form in a file.

use crate::{
    image::Image,
    log::{Event, Log},
    states::{Epochs, State, Unaligned},
};
use std::fmt;

/// First bytes of the form in a file; the last one is its version.
const MAGIC: &[u8; 8] = b"astates\x01";

/// What the disk held when a workload began, and what it was asked since then.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The directory of the workload on the file system.
    pub work: String,
    /// What the disk held.
    pub base: Image,
    /// What it was asked, up to the end of the last epoch that has a state of interest.
    pub log: Log,
}

/// A file that holds no recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRecording;

impl fmt::Display for NoRecording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is not a recording of a disk, or not all of one")
    }
}

impl std::error::Error for NoRecording {}

impl Recording {
    /// The state with this `number`, and what the disk holds in it, as pieces that may overlap: later ones count.
    /// `None` where the recording has no such state.
    ///
    /// # Errors
    /// The log has a request that is not of whole sectors.
    pub fn state(&self, number: u64) -> Result<Option<(State, Image)>, Unaligned> {
        let epochs = Epochs::new(&self.log)?;
        Ok(epochs.state(number).map(|state| {
            let mut image = self.base.clone();
            image.pieces.extend(epochs.patches(&state));
            (state, image)
        }))
    }

    /// Its form in a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put_bytes(&mut out, self.work.as_bytes());
        put(&mut out, self.base.bytes);
        put(&mut out, self.base.pieces.len() as u64);
        for (offset, data) in &self.base.pieces {
            put(&mut out, *offset);
            put_bytes(&mut out, data);
        }
        put(&mut out, self.log.events().len() as u64);
        for event in self.log.events() {
            match event {
                Event::Write { offset, data } => {
                    out.push(0);
                    put(&mut out, *offset);
                    put_bytes(&mut out, self.log.data(data));
                }
                Event::Flush => out.push(1),
                Event::Discard { offset, length } => {
                    out.push(2);
                    put(&mut out, *offset);
                    put(&mut out, *length);
                }
                Event::Mark(mark) => {
                    out.push(3);
                    put(&mut out, *mark);
                }
            }
        }
        out
    }

    /// Reads the form in a file.
    ///
    /// # Errors
    /// It is no such form, or is cut off.
    pub fn of_bytes(bytes: &[u8]) -> Result<Recording, NoRecording> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(NoRecording)?;
        let from = &mut rest;
        let work = String::from_utf8(bytes_of(from)?.to_vec()).map_err(|_| NoRecording)?;
        let mut base = Image { bytes: number(from)?, pieces: Vec::new() };
        for _ in 0..number(from)? {
            base.pieces.push((number(from)?, bytes_of(from)?.to_vec()));
        }
        let mut log = Log::new(bytes.len());
        for _ in 0..number(from)? {
            let (kind, more) = from.split_first().ok_or(NoRecording)?;
            *from = more;
            match kind {
                0 => {
                    let offset = number(from)?;
                    log.write(offset, bytes_of(from)?).map_err(|_| NoRecording)?;
                }
                1 => log.push(Event::Flush),
                2 => log.push(Event::Discard { offset: number(from)?, length: number(from)? }),
                3 => log.push(Event::Mark(number(from)?)),
                _ => return Err(NoRecording),
            }
        }
        Ok(Recording { work, base, log })
    }
}

fn put(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend(bytes);
}

fn number(from: &mut &[u8]) -> Result<u64, NoRecording> {
    let (number, rest) = from.split_first_chunk().ok_or(NoRecording)?;
    *from = rest;
    Ok(u64::from_le_bytes(*number))
}

fn bytes_of<'a>(from: &mut &'a [u8]) -> Result<&'a [u8], NoRecording> {
    let length = usize::try_from(number(from)?).map_err(|_| NoRecording)?;
    let (bytes, rest) = from.split_at_checked(length).ok_or(NoRecording)?;
    *from = rest;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::states::{Draw, draw, epoch_of};

    fn recording() -> Recording {
        let mut log = Log::new(1 << 20);
        for nth in 0..6u8 {
            log.write(u64::from(nth) * 512, &[nth + 1; 1024]).unwrap();
            log.push(Event::Mark(nth.into()));
            if nth % 2 == 1 {
                log.push(Event::Flush);
            }
        }
        log.push(Event::Discard { offset: 1024, length: 512 });
        let base = Image { bytes: 1 << 16, pieces: vec![(4096, vec![9; 100]), (8192, vec![8])] };
        Recording { work: "work0".into(), base, log }
    }

    #[test]
    fn it_survives_its_form_and_no_part_of_it_is_taken() {
        let own = recording();
        let bytes = own.to_bytes();
        let read = Recording::of_bytes(&bytes).unwrap();
        assert_eq!((&read.work, &read.base), (&own.work, &own.base));
        assert_eq!(read.to_bytes(), bytes);
        for end in 0..bytes.len() {
            assert_eq!(Recording::of_bytes(&bytes[..end]).err(), Some(NoRecording), "{end}");
        }
    }

    /// States of an epoch are the same whether or not the log continues behind it.
    #[test]
    fn a_log_that_is_cut_behind_an_epoch_has_its_states() {
        let own = recording();
        let epochs = Epochs::new(&own.log).unwrap();
        let drawn = draw(&epochs, Draw { seed: 1, limit: 1000, atomic_bytes: 512 });
        assert!(drawn.states.len() > 10);
        for state in drawn.states {
            let (number, epoch) = (state.number, epoch_of(state.number));
            assert_eq!(epoch, state.epoch);
            let cut = Recording { log: own.log.until_epoch(epoch), ..own.clone() };
            let (again, image) = cut.state(number).unwrap().unwrap();
            assert_eq!(again, state);
            assert_eq!(image.pieces[2..], epochs.patches(&state));
            if epoch > 0 {
                let short = Recording { log: own.log.until_epoch(epoch - 1), ..own.clone() };
                let made = short.state(number).unwrap();
                assert!(made.is_none_or(|(again, _)| again.kept.is_empty()), "{number}");
            }
        }
    }
}
