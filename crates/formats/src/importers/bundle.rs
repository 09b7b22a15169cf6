//! Reads what `export --format bundle` writes: gzip over lines of JSON, a sample at a time. Its contents are untrusted:
//! a few kilobytes can inflate to terabytes, so bytes are counted as they are inflated, and no line is held that is
//! longer than any sample. Assets behind the lines are read by [`each_enclosed`].

use crate::{
    FormatError, ImportOptions,
    export::{
        BUNDLE_SCHEMA_NAME, ENCLOSING_SCHEMA_NAME, Enclosed, Heading, MOST_BUNDLE_BYTES,
        MOST_ENCLOSED_BYTES, MOST_LINE_BYTES,
    },
    figure::json_error,
    names_of,
    source::{Input, InputFile, Take},
};
use flate2::bufread::GzDecoder;
use model::{
    result::{Campaign, Head, Sample, TargetRecord},
    text::Bytes,
    workload::{ContentHash, TestInfo},
};
use serde::{Deserialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::io::{self, BufRead, BufReader, Read, Take as AtMost};

/// The importer.
pub(crate) struct Importer;

/// What every version of the format begins with.
const FAMILY: &str = "{\"schema\":\"assay-bundle-";

/// Most bytes of the first line.
const MOST_HEADING_BYTES: u64 = 1 << 16;

/// The second line.
#[derive(Deserialize)]
struct Once {
    campaign: Campaign,
    targets: Vec<TargetRecord>,
    tests: Vec<TestInfo>,
}

impl crate::Importer for Importer {
    fn name(&self) -> &'static str {
        "bundle"
    }

    fn sniff(&self, head: &[u8], _: &str) -> bool {
        let mut begin = [0; FAMILY.len()];
        GzDecoder::new(head).read_exact(&mut begin).is_ok() && begin == *FAMILY.as_bytes()
    }

    fn is_own(&self) -> bool {
        true
    }

    fn stream(
        &self,
        files: &[Input<'_>],
        _: &ImportOptions,
        take: &mut Take<'_>,
    ) -> Result<Head, FormatError> {
        let file = only_one(files)?;
        let mut lines = Lines::new(file, MOST_BUNDLE_BYTES)?;
        let heading = lines.heading()?;
        let Once { campaign, targets, tests } =
            lines.next()?.ok_or_else(|| lines.wrong("it has no campaign"))?;
        while let Some(sample) = lines.next::<Sample>()? {
            take(sample)?;
        }
        lines.finish(&heading)?;
        Ok(Head { campaign, targets, tests })
    }
}

/// The one bundle of `files`.
fn only_one<'a>(files: &[Input<'a>]) -> Result<Input<'a>, FormatError> {
    let mut own = Vec::new();
    for file in files {
        own.extend(file.is_of(&Importer)?.then_some(*file));
    }
    match own[..] {
        [file] => Ok(file),
        _ => {
            let why = format!("it contains {} bundles of assay; import each separately", own.len());
            Err(FormatError::file(&names_of(files), why))
        }
    }
}

/// The assets that `file` says that it holds, none if it is not a bundle. Only the first line is read.
///
/// # Errors
/// It cannot be read, its first line is damaged, or they are more than a bundle may hold.
pub fn enclosed(file: &dyn InputFile) -> Result<Vec<Enclosed>, FormatError> {
    let file = Input(file);
    match file.is_of(&Importer)? {
        true => Ok(Lines::new(file, MOST_BUNDLE_BYTES)?.heading()?.assets),
        false => Ok(Vec::new()),
    }
}

/// Hands the content of each asset in the one bundle of `files` to `put`, which reads it as it is inflated. At most one
/// byte more is inflated than the bundle says that it has.
///
/// # Errors
/// The bundle is damaged, or the error of `put`.
pub fn each_enclosed<E: From<FormatError>>(
    files: &[&dyn InputFile],
    put: &mut dyn FnMut(Enclosed, &mut dyn Read) -> Result<(), E>,
) -> Result<(), E> {
    let files: Vec<Input<'_>> = files.iter().map(|file| Input(*file)).collect();
    let file = only_one(&files)?;
    let damaged = |why: io::Error| FormatError::file(file.name(), format!("is damaged: {why}"));
    let mut lines = Lines::new(file, MOST_BUNDLE_BYTES)?;
    let heading = lines.heading()?;
    io::copy(&mut lines.text, &mut io::sink()).map_err(damaged)?;
    let mut packed = lines.text.into_inner().into_inner().into_inner();
    for asset in heading.assets {
        let mut content = GzDecoder::new(packed).take(asset.bytes.saturating_add(1));
        put(asset, &mut content)?;
        io::copy(&mut content, &mut io::sink()).map_err(damaged)?;
        packed = content.into_inner().into_inner();
    }
    ends(file.name(), &mut packed)?;
    Ok(())
}

/// Checks that nothing follows a bundle.
fn ends(file: &str, packed: &mut Packed<'_>) -> Result<(), FormatError> {
    match packed.fill_buf() {
        Ok([]) => Ok(()),
        Ok(_) => Err(FormatError::file(file, "there is data after the end of the bundle")),
        Err(why) => Err(FormatError::file(file, format!("cannot be read: {why}"))),
    }
}

/// The bytes of the file.
type Packed<'a> = BufReader<Box<dyn Read + 'a>>;

/// The lines of a bundle, inflated one by one.
struct Lines<'a> {
    file: &'a str,
    text: BufReader<AtMost<GzDecoder<Packed<'a>>>>,
    /// Bytes that all of them may have.
    most: u64,
    line: Vec<u8>,
    /// Lines that were read.
    read: usize,
    /// Of those after the first.
    hash: Sha256,
}

impl<'a> Lines<'a> {
    /// The lines of `file`, all of which have at most `most` bytes.
    fn new(file: Input<'a>, most: u64) -> Result<Lines<'a>, FormatError> {
        let text = BufReader::new(GzDecoder::new(file.reader()?).take(most + 1));
        let (line, hash) = (Vec::new(), Sha256::new());
        Ok(Lines { file: file.name(), text, most, line, read: 0, hash })
    }

    /// The first line, which is of the version that this reads.
    fn heading(&mut self) -> Result<Heading, FormatError> {
        self.advance(MOST_HEADING_BYTES)?;
        let heading: Heading = self.parsed()?;
        let expected = match heading.assets[..] {
            [] => BUNDLE_SCHEMA_NAME,
            _ => ENCLOSING_SCHEMA_NAME,
        };
        if heading.schema != expected {
            let why = format!(
                "has the format {:?}, but this version reads {expected}; use the version that \
                 wrote it",
                heading.schema
            );
            return Err(self.wrong(why));
        }
        let all = heading.assets.iter().fold(0, |all: u64, asset| all.saturating_add(asset.bytes));
        if all > MOST_ENCLOSED_BYTES {
            let (all, most) = (Bytes(all), Bytes(MOST_ENCLOSED_BYTES));
            return Err(self.wrong(format!("its assets have {all}, and the limit is {most}")));
        }
        Ok(heading)
    }

    /// The next line; `None` behind the last.
    fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FormatError> {
        if !self.advance(MOST_LINE_BYTES)? {
            return Ok(None);
        }
        self.hash.update(&self.line);
        self.parsed().map(Some)
    }

    /// Reads a line of at most `most` bytes with its end; whether there was one.
    fn advance(&mut self, most: u64) -> Result<bool, FormatError> {
        self.line.clear();
        let read = (&mut self.text).take(most).read_until(b'\n', &mut self.line);
        read.map_err(|why| self.wrong(format!("is damaged or truncated: {why}")))?;
        self.read += 1;
        if self.text.get_ref().limit() == 0 {
            return Err(self.wrong(format!("inflates to more than {}", Bytes(self.most))));
        }
        match self.line.last() {
            None => Ok(false),
            Some(b'\n') => Ok(true),
            Some(_) => {
                let why = "the line does not end, or exceeds the limit of a bundle";
                Err(FormatError::line(self.file, self.read as u64, why))
            }
        }
    }

    fn parsed<T: DeserializeOwned>(&self) -> Result<T, FormatError> {
        serde_json::from_slice(&self.line)
            .map_err(|why| json_error(self.file, self.read - 1, &why, "not a bundle of assay"))
    }

    /// Whether all of it is what was written: the hash is that of `heading`, and nothing but its assets follows.
    fn finish(self, heading: &Heading) -> Result<(), FormatError> {
        let expected = &heading.sha256;
        let found = ContentHash::of_bytes(self.hash.clone().finalize().into()).to_string();
        if found != *expected {
            let why = format!("its content has the hash {found}, expected {expected}");
            return Err(self.wrong(why));
        }
        let file = self.file;
        match heading.assets[..] {
            [] => ends(file, &mut self.text.into_inner().into_inner().into_inner()),
            _ => Ok(()),
        }
    }

    fn wrong(&self, why: impl ToString) -> FormatError {
        FormatError::file(self.file, why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::packed;

    #[test]
    fn a_bomb_ends_where_it_passes_the_limit() {
        let file = ("x".to_string(), packed(&b"{}\n".repeat(1 << 20), false).unwrap());
        let mut lines = Lines::new(Input(&file), 1 << 20).unwrap();
        lines.heading().unwrap();
        let mut read = 0;
        let why = loop {
            match lines.next::<serde_json::Value>() {
                Ok(Some(_)) => read += 1,
                Ok(None) => panic!("all of it was read"),
                Err(why) => break why.to_string(),
            }
        };
        assert_eq!(why, "x: inflates to more than 1.0 MiB");
        assert!(read <= (1 << 20) / 3, "{read}");
    }
}
