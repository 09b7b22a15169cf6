//! Reads files that a user names, or that are in a folder that a user names: plans, suites, jobs, profiles, results
//! of other tools. Another user may have written them, so only regular files are read, up to a limit: no pipe blocks,
//! no device is read empty.

use model::text::Bytes;
use rustix::fs::OFlags;
use std::{
    fs::{File, Metadata, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Most bytes of a hand-written text: plans, suites, jobs and profiles.
const TEXT_BYTES: u64 = 1 << 20;

/// Reads the text of a plan, a suite, a job or a profile, at most 1 MiB.
pub fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let bytes = read_bounded(path.as_ref(), TEXT_BYTES)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Reads a whole regular file of at most `most` bytes.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_bounded(path, most)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file of at most `most` bytes.
pub fn open_bounded(path: &Path, most: u64) -> io::Result<Bounded> {
    // Before it is opened, because opening some devices has side effects.
    fits(&path.metadata()?, most)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    Bounded::new(file, most)
}

/// Reads the rest of an open file, which may differ from the one that was checked, and may grow. More than
/// the limit is an error.
pub struct Bounded {
    file: File,
    most: u64,
    read: u64,
}

impl Bounded {
    fn new(file: File, most: u64) -> io::Result<Bounded> {
        fits(&file.metadata()?, most)?;
        Ok(Bounded { file, most, read: 0 })
    }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte beyond the limit shows that it is exceeded.
        let left = (self.most - self.read).saturating_add(1);
        let count = (&self.file).take(left).read(buffer)?;
        let read = self.read + count as u64;
        if read > self.most {
            return Err(too_large(read, self.most));
        }
        self.read = read;
        Ok(count)
    }
}

/// Checks by its `meta` that a file is regular and has at most `most` bytes.
pub fn fits(meta: &Metadata, most: u64) -> io::Result<()> {
    match meta.is_file() {
        false => Err(io::Error::other("it is not a regular file")),
        true if meta.len() > most => Err(too_large(meta.len(), most)),
        true => Ok(()),
    }
}

fn too_large(bytes: u64, most: u64) -> io::Error {
    let (has, most) = (Bytes(bytes), Bytes(most));
    io::Error::other(format!("it is {has} long, and the limit is {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io::Write};

    #[test]
    fn irregular_and_long_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_bounded(&file, 5).unwrap(), b"12345");
        let error = |path: &Path, most| read_bounded(path, most).unwrap_err().to_string();
        assert_eq!(error(&file, 4), "it is 5 B long, and the limit is 4 B");
        for path in [dir.path(), Path::new("/dev/null"), Path::new("/dev/zero")] {
            assert_eq!(error(path, 4), "it is not a regular file");
        }
        assert!(error(&dir.path().join("none"), 4).contains("No such file"));
        fs::write(&file, [0xff]).unwrap();
        assert_eq!(text(&file).unwrap_err().to_string(), "it is not UTF-8");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_bounded(&link, 4).unwrap(), [0xff]);
    }

    /// Files of the kernel report a length of 0, and files being written report too little.
    #[test]
    fn file_longer_than_its_size_is_read_to_the_limit() {
        let error = read_bounded(Path::new("/proc/self/maps"), 10).unwrap_err().to_string();
        assert_eq!(error, "it is 11 B long, and the limit is 10 B");
        let mut growing = tempfile::NamedTempFile::new().unwrap();
        growing.write_all(b"123").unwrap();
        let open = || Bounded::new(File::open(growing.path()).unwrap(), 5).unwrap();
        let (mut fits, mut grows) = (open(), Bounded { most: 4, ..open() });
        growing.write_all(b"45").unwrap();
        let mut bytes = Vec::new();
        assert_eq!(fits.read_to_end(&mut bytes).unwrap(), 5);
        assert_eq!(bytes, b"12345");
        assert!(grows.read_to_end(&mut bytes).is_err());
    }
}
