//! Text that was copied: out of a mail, a page, a log. What copying did to it is undone once, before any importer
//! looks, and each change is reported. Text that is unchanged since its tool wrote it stays as it is.

mod characters;
mod json;
mod lines;
mod prefix;
mod stamp;
mod start;
mod wrapped;

use crate::{
    FormatError, InputFile, importers,
    source::{HEAD_BYTES, Input},
};
use model::{
    result::{Mending, Note},
    text::printable_line,
};
use std::io::{self, Read};

use lines::Lines;

/// What people copy is far smaller; a larger file is left as it is.
const LARGEST_BYTES: u64 = 2 << 20;

/// How often a prefix may be before a prefix, as in a reply to a reply.
const DEEPEST: usize = 6;

/// Fewer lines that begin alike tell nothing.
const FEWEST: usize = 3;

/// Files that a note names.
const NAMED: usize = 3;

/// A file as importers get it.
pub(crate) struct Copied<'a> {
    file: &'a dyn InputFile,
    mended: Option<Mended>,
}

/// The text without what copying did.
#[derive(Debug, PartialEq, Eq)]
struct Mended {
    bytes: Vec<u8>,
    /// Which line each was, from 1.
    numbers: Vec<u64>,
    findings: Vec<Mending>,
}

impl InputFile for Copied<'_> {
    fn name(&self) -> &str {
        self.file.name()
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        match &self.mended {
            Some(mended) => Ok(Box::new(&mended.bytes[..])),
            None => self.file.open(),
        }
    }
}

impl<'a> Copied<'a> {
    /// `file` as it is.
    pub(crate) fn as_is(file: &'a dyn InputFile) -> Copied<'a> {
        Copied { file, mended: None }
    }

    /// `file` without what copying did to it; `format` is that of the tool, where it is known.
    ///
    /// # Errors
    /// When it cannot be read, or what was done cannot be undone.
    pub(crate) fn of(
        file: &'a dyn InputFile,
        format: Option<&str>,
    ) -> Result<Copied<'a>, FormatError> {
        let input = Input(file);
        let mut bytes = Vec::new();
        let read = input.reader()?.take(LARGEST_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|why| input.unreadable(&why))?;
        if bytes.len() as u64 > LARGEST_BYTES {
            return Ok(Copied::as_is(file));
        }
        let name = file.name();
        let mended = mend(&bytes, &|head| importers::know_tool(head, name, format));
        Ok(Copied { file, mended: mended.map_err(|why| FormatError::file(name, why))? })
    }
}

/// The error with the line as it is in the file that was given.
pub(crate) fn placed(files: &[Copied<'_>], error: FormatError) -> FormatError {
    let FormatError::Line { file, line, why } = error else { return error };
    let is_it = |copied: &&Copied<'_>| printable_line(copied.file.name()) == file;
    let mended = files.iter().find(is_it).and_then(|copied| copied.mended.as_ref());
    let number = mended.and_then(|mended| mended.numbers.get(line.saturating_sub(1) as usize));
    let mut findings = mended.iter().flat_map(|mended| &mended.findings);
    let width = findings.find_map(|finding| match finding {
        Mending::Wrapped(width) => Some(*width),
        _ => None,
    });
    let why = match width {
        Some(width) => format!(
            "{why}; its lines are wrapped at {width} characters; import the tool's original output"
        ),
        None => why,
    };
    FormatError::Line { file, line: number.copied().unwrap_or(line), why }
}

/// What was undone, a note for each kind.
pub(crate) fn notes(files: &[Copied<'_>]) -> Vec<Note> {
    let mut told: Vec<(&Mending, Vec<&str>)> = Vec::new();
    for copied in files {
        for finding in copied.mended.iter().flat_map(|mended| &mended.findings) {
            match told.iter_mut().find(|(known, _)| *known == finding) {
                Some((_, names)) => names.push(copied.file.name()),
                None => told.push((finding, vec![copied.file.name()])),
            }
        }
    }
    let note = |(mending, names): (&Mending, Vec<&str>)| {
        let named = names.iter().take(NAMED);
        Note::Copied(model::result::Copied {
            mending: printable(mending),
            files: named.map(|name| printable_line(name).into_owned()).collect(),
            more_files: names.len().saturating_sub(NAMED),
        })
    };
    told.into_iter().map(note).collect()
}

/// The same with the text of the file in a line that can be shown.
fn printable(mending: &Mending) -> Mending {
    let line = |text: &str| printable_line(text).into_owned();
    match mending {
        Mending::Prefix(text) => Mending::Prefix(line(text)),
        Mending::Stray(text) => Mending::Stray(line(text)),
        Mending::Nested(text) => Mending::Nested(line(text)),
        other => other.clone(),
    }
}

/// The text without what copying did; `None` when that is nothing. `knows` says whether a text that
/// begins so is of a tool.
fn mend(bytes: &[u8], knows: &dyn Fn(&[u8]) -> bool) -> Result<Option<Mended>, String> {
    let mut findings = Vec::new();
    let Some(text) = characters::text(bytes, &mut findings) else { return Ok(None) };
    let mut lines = Lines::of(&text);
    findings.extend(characters::quoted_printable(&mut lines));
    if !json::begins(&text) {
        // Of what no tool knows as it is one line is enough.
        let fewest = if knows(&lines.from(0, HEAD_BYTES)) { FEWEST } else { 1 };
        for _ in 0..DEEPEST {
            let found = match prefix::take_off(&mut lines, fewest)? {
                None => stamp::take_off(&mut lines, fewest).or_else(|| start::dedent(&mut lines)),
                found => found,
            };
            let Some(found) = found else { break };
            findings.push(found);
        }
        findings.extend(json::stray(&mut lines));
        findings.extend(start::trim(&mut lines));
    }
    if json::begins(lines.first()) {
        findings.extend(start::outdent(&mut lines));
        findings.extend(json::unnest(&mut lines));
    } else {
        findings.extend(wrapped::join(&mut lines)?);
        start::find(&mut lines, knows, &mut findings);
    }
    if findings.is_empty() {
        return Ok(None);
    }
    let (bytes, numbers) = lines.parted();
    Ok(Some(Mended { bytes, numbers, findings }))
}

#[cfg(test)]
mod tests;
