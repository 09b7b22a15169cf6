//! Input and output of importers. Files can be read repeatedly and need not be held; samples are passed on one by one.
//! So the memory of an import need not grow with its size.

use crate::{FormatError, Importer, NamedBytes, base_name, export::MOST_LINE_BYTES, gate};
use model::{
    result::{Dataset, Head, Sample},
    text::Bytes,
    workload::TestInfo,
};
use std::{
    cell::Cell,
    collections::HashMap,
    io::{self, BufReader, Read},
    rc::Rc,
};

/// A file that is to be imported.
pub trait InputFile {
    /// Its name, with directories where they mean something.
    fn name(&self) -> &str;

    /// Its bytes from the start, each time.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;
}

impl InputFile for NamedBytes {
    fn name(&self) -> &str {
        &self.0
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(&self.1[..]))
    }
}

/// Most bytes of what a dataset has besides its samples, which is held as a whole: a line of a bundle.
const MOST_HEAD_BYTES: u64 = MOST_LINE_BYTES;

/// How much may still be read, shared by a reader and its limiter.
pub(crate) type Budget = Rc<Cell<u64>>;

/// Reads until its budget is spent.
pub(crate) struct Bounded<R> {
    reader: R,
    left: Budget,
}

impl<R: Read> Bounded<R> {
    /// Reads `reader`, which is what a dataset has besides its samples.
    fn head(reader: R) -> Bounded<R> {
        Bounded { reader, left: Rc::new(Cell::new(MOST_HEAD_BYTES)) }
    }

    /// The budget, which may be raised while samples are read.
    pub(crate) fn budget(&self) -> Budget {
        Rc::clone(&self.left)
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let Some(left) = self.left.get().checked_sub(read as u64) else {
            let most = Bytes(MOST_HEAD_BYTES);
            return Err(io::Error::other(format!("it has more than {most} besides its samples")));
        };
        self.left.set(left);
        Ok(read)
    }
}

/// Takes samples, one by one, in the order of the source.
pub(crate) type Take<'t> = dyn FnMut(Sample) -> Result<(), FormatError> + 't;

/// Bytes of a file that are shown to `sniff`.
pub(crate) const HEAD_BYTES: usize = 4096;

/// A file, with errors that name it.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a>(pub(crate) &'a dyn InputFile);

impl<'a> Input<'a> {
    pub(crate) fn name(&self) -> &'a str {
        self.0.name()
    }

    /// Its bytes from the start.
    pub(crate) fn reader(&self) -> Result<BufReader<Box<dyn Read + 'a>>, FormatError> {
        Ok(BufReader::new(self.0.open().map_err(|why| self.unreadable(&why))?))
    }

    /// Its bytes from the start, if they are the part of a dataset besides its samples.
    pub(crate) fn head_reader(
        &self,
    ) -> Result<Bounded<BufReader<Box<dyn Read + 'a>>>, FormatError> {
        Ok(Bounded::head(self.reader()?))
    }

    /// The error of reading it.
    pub(crate) fn unreadable(&self, why: &io::Error) -> FormatError {
        FormatError::file(self.name(), format!("cannot be read: {why}"))
    }

    /// All of it.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::new();
        let read = self.reader()?.read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|why| self.unreadable(&why))
    }

    /// Whether `importer` recognises it.
    pub(crate) fn is_of(&self, importer: &dyn Importer) -> Result<bool, FormatError> {
        let mut bytes = Vec::new();
        let read = self.reader()?.take(HEAD_BYTES as u64).read_to_end(&mut bytes);
        read.map_err(|why| self.unreadable(&why))?;
        Ok(importer.sniff(&bytes, base_name(self.name())))
    }
}

/// Holds the files, and gives on the samples of what `read` makes of them.
pub(crate) fn whole(
    files: &[Input<'_>],
    take: &mut Take<'_>,
    read: impl FnOnce(&[NamedBytes]) -> Result<Dataset, FormatError>,
) -> Result<Head, FormatError> {
    let held = files.iter().map(|file| Ok((file.name().to_owned(), file.bytes()?)));
    pass(read(&held.collect::<Result<Vec<_>, _>>()?)?, take)
}

/// Gives on the samples of a campaign, each as it passes the gate.
pub(crate) fn pass(dataset: Dataset, take: &mut Take<'_>) -> Result<Head, FormatError> {
    let (head, samples) = dataset.parted();
    let tests: HashMap<&str, &TestInfo> =
        head.tests.iter().map(|test| (test.id.as_str(), test)).collect();
    for sample in samples {
        let test = tests.get(sample.case.test.as_str()).copied();
        take(gate::pass(sample, test))?;
    }
    Ok(head)
}

/// The beginning of a file, by which it is recognised.
pub(crate) fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(HEAD_BYTES)]
}
