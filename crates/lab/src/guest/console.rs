//! Reads the messages of a guest's kernel from a pipe: there is no file that another user could replace, and only the
//! end is kept.

use std::{
    collections::VecDeque,
    io::{self, PipeReader, PipeWriter, Read},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

const KEPT_BYTES: usize = 256 << 10;
/// Time that the last messages may take after the end of the guest.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The end of what a guest says.
#[derive(Debug)]
pub(super) struct Console {
    last: Arc<Mutex<VecDeque<u8>>>,
    reader: JoinHandle<()>,
}

impl Console {
    /// One, and where to write to it.
    pub(super) fn open() -> io::Result<(Console, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let last = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&last);
        let reader = thread::spawn(move || keep(reader, &kept));
        Ok((Console { last, reader }, writer))
    }

    /// Returns what is kept, after the end of the guest.
    pub(super) fn text(&self) -> String {
        let start = Instant::now();
        while !self.reader.is_finished() && start.elapsed() < LAST_WORDS {
            thread::sleep(LAST_WORDS / 100);
        }
        String::from_utf8_lossy(lock(&self.last).make_contiguous()).into_owned()
    }
}

fn keep(mut reader: PipeReader, kept: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = reader.read(&mut buffer) {
        let mut kept = lock(kept);
        kept.extend(&buffer[..n]);
        let surplus = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..surplus);
    }
}

fn lock(kept: &Mutex<VecDeque<u8>>) -> MutexGuard<'_, VecDeque<u8>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_end_is_kept() {
        let (console, mut writer) = Console::open().unwrap();
        for line in 0..100_000 {
            writeln!(writer, "{line}").unwrap();
        }
        drop(writer);
        let text = console.text();
        assert!(text.len() <= KEPT_BYTES && text.ends_with("\n99999\n"), "{}", text.len());
    }
}
