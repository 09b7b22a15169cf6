//! Decodes characters changed by copying: UTF-16, quoted-printable, blanks and marks of pages and terminals.

use super::{Mending, json, lines::Lines};
use std::borrow::Cow;

/// Marks of a byte order, as the first character.
const BYTE_ORDER: char = '\u{feff}';

/// Blanks that pages put in the place of spaces, and marks without width.
const BLANKS: [char; 4] = ['\u{a0}', '\u{2007}', '\u{202f}', '\u{3000}'];
const WIDTHLESS: [char; 3] = ['\u{200b}', '\u{2060}', BYTE_ORDER];

/// A mail breaks no shorter line than this.
const SHORTEST: usize = 60;

/// What says that the rest of a mail is encoded.
const ENCODED: &str = "content-transfer-encoding: quoted-printable";

/// The text as tools write it; `None` where it is no text.
pub(super) fn text<'a>(bytes: &'a [u8], findings: &mut Vec<Mending>) -> Option<Cow<'a, str>> {
    let wide = |of: fn([u8; 2]) -> u16, rest: &[u8]| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|two| of([two[0], two[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let mut text = match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(wide(u16::from_le_bytes, rest)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(wide(u16::from_be_bytes, rest)),
        _ => Cow::Borrowed(std::str::from_utf8(bytes).ok()?),
    };
    if text.contains('\0') {
        return None;
    }
    if matches!(text, Cow::Owned(_)) {
        findings.push(Mending::Wide);
    }
    let is_blank = |c| BLANKS.contains(&c);
    if text.contains(|c| is_blank(c) || WIDTHLESS.contains(&c)) || text.contains("\u{1b}[") {
        let plain: String = without_colours(&text)
            .chars()
            .filter(|c| !WIDTHLESS.contains(c))
            .map(|c| if is_blank(c) { ' ' } else { c })
            .collect();
        findings.push(Mending::Characters);
        text = Cow::Owned(plain);
    }
    Some(text)
}

/// The text without what sets colours, `ESC [ 1 ; 32 m`. What else commands a terminal stays, and is
/// refused where names may not hold it.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        match rest.strip_prefix(['m', 'K']) {
            Some(rest) => plain.push_str(rest),
            None => {
                plain.push_str("\u{1b}[");
                plain.push_str(part);
            }
        }
    }
    plain
}

/// Decodes a mail that was saved as it was sent: `=3D` is `=`, and a `=` at the end of a line joins it with
/// the next. A mail that does not say so is known by having no `=` but these.
pub(super) fn quoted_printable(lines: &mut Lines<'_>) -> Option<Mending> {
    let says = |line: &str| line.trim().eq_ignore_ascii_case(ENCODED);
    let encoded = |line: &str| decoded(line).is_some();
    let continued = |line: &str| line.len() >= SHORTEST && line.ends_with('=');
    let marks = lines.iter().any(|line| line.contains("=3D") || continued(line));
    // A text of JSON may hold what looks so, but no broken line.
    let marks = marks && (!json::begins(lines.first()) || lines.iter().any(continued));
    if !marks || !(lines.iter().any(says) || lines.iter().all(encoded)) {
        return None;
    }
    lines.join(|before, _| before.ends_with('=').then_some("\n"));
    let mend = |line: &str| Some(decoded(&line.replace("=\n", "")).unwrap_or_else(|| line.into()));
    lines.replace(mend);
    Some(Mending::QuotedPrintable)
}

/// A line with its characters; `None` where a `=` stands for nothing.
fn decoded(line: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), line);
    while let Some((before, after)) = rest.split_once('=') {
        bytes.extend_from_slice(before.as_bytes());
        if after.is_empty() {
            return String::from_utf8(bytes).ok();
        }
        let code =
            after.get(..2).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}
