//! Reads and writes at the position of a file, through the page cache, with or without leaving pages there.

use super::{EngineError, error::path_of, file::RWF_DONTCACHE};
use rustix::io::{Errno, preadv2, pwritev2};
use std::{
    fs::File,
    io::{self, IoSlice, IoSliceMut, Read, Write},
};

/// At the position of the file, which moves on.
const HERE: u64 = u64::MAX;

/// A file whose reads and writes may each have `RWF_DONTCACHE`. Where that is refused, the error is
/// [`EngineError::NotSupported`] inside of the one of the call.
#[derive(Debug)]
pub struct Stream<'a> {
    file: &'a File,
    is_uncached: bool,
}

impl<'a> Stream<'a> {
    /// The calls on `file`, with `RWF_DONTCACHE` if `is_uncached`.
    pub fn new(file: &'a File, is_uncached: bool) -> Stream<'a> {
        Stream { file, is_uncached }
    }

    fn moved(&self, moved: rustix::io::Result<usize>) -> io::Result<usize> {
        moved.map_err(|error| match error {
            // A kernel without the flag says so, too.
            Errno::OPNOTSUPP | Errno::NOSYS => {
                let path = path_of(self.file);
                io::Error::other(EngineError::not_supported("RWF_DONTCACHE", path, "dontcache"))
            }
            other => other.into(),
        })
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.is_uncached {
            true => {
                self.moved(preadv2(self.file, &mut [IoSliceMut::new(out)], HERE, RWF_DONTCACHE))
            }
            false => self.file.read(out),
        }
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.is_uncached {
            true => self.moved(pwritev2(self.file, &[IoSlice::new(bytes)], HERE, RWF_DONTCACHE)),
            false => self.file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        io::{Seek, SeekFrom},
    };

    #[test]
    fn calls_go_on_where_the_last_one_ended() {
        let mut file = tempfile::tempfile().unwrap();
        let mut stream = Stream::new(&file, false);
        stream.write_all(b"abc").unwrap();
        stream.write_all(b"def").unwrap();
        file.seek(SeekFrom::Start(1)).unwrap();
        let mut found = [0; 2];
        let mut stream = Stream::new(&file, false);
        for expected in [b"bc", b"de"] {
            stream.read_exact(&mut found).unwrap();
            assert_eq!(&found, expected);
        }
    }

    #[test]
    fn tmpfs_refuses_to_leave_no_pages() {
        let path = format!("/dev/shm/assay-stream-{}", std::process::id());
        let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let written = Stream::new(&file, true).write(b"abc").unwrap_err();
        let read = Stream::new(&file, true).read(&mut [0; 3]).unwrap_err();
        for error in [written, read] {
            let refused = error.get_ref().and_then(|inner| inner.downcast_ref::<EngineError>());
            assert_eq!(refused.and_then(EngineError::refused), Some("RWF_DONTCACHE"), "{error}");
        }
        assert_eq!(file.metadata().unwrap().len(), 0, "nothing was written in another way");
    }
}
