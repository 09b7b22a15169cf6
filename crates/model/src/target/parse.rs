//! A target as text: `xfs`, `ext4[noatime,mkfs.O=bigalloc]`, `raid1(ext4)`, `nfs[vers=4.2,nconnect=16](xfs)`,
//! `dir:/mnt/fsx`. One grammar, used for arguments and plan files:
//!
//! ```text
//! candidate = "dir:" path | target [ "@" version ]
//! target = "dir:" path | name [ "[" option { "," option } "]" ] [ "(" target ")" ]
//! option = key [ "=" ( value | '"' quoted '"' ) ]
//! ```
//!
//! The version is that of the kernel below all layers, `raid1(ext4)@6.12`. It may also follow the first name, as in
//! `xfs@6.12[noatime]`; a directory has none.
//!
//! A value with `,`, `]` or `"` is quoted; inside quotes `\"` and `\\` stand for themselves. A target has
//! at most 16 layers and 4160 bytes, all of which can be printed: it is a label and is in reports.

use crate::{
    target::{KernelVersion, Options, kernel::is_of_version},
    text::{is_unprintable, printable_line},
};
use serde::{Deserialize, Serialize};
use std::{fmt, path::PathBuf, str::FromStr};

/// Most layers of a stack: more than any stack has, and few enough for whatever walks through them.
const MOST_LAYERS: usize = 16;
/// Longest target, bytes: a path of Linux, and what is around it.
const LONGEST_BYTES: usize = 4160;
/// Characters of a wrong text that an error quotes.
const QUOTED: usize = 100;

/// One candidate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Target {
    /// An existing directory; never formatted.
    Dir(PathBuf),
    /// A file system to be made.
    Made {
        /// Registered name, e.g. `ext4`.
        name: String,
        /// mkfs and mount options.
        options: Options,
        /// What it is on, for `raid1(ext4)` and the like.
        inner: Option<Box<Target>>,
        /// The kernel it is measured with, in a guest; of the outermost layer alone.
        kernel: Option<KernelVersion>,
    },
}

/// A text that is not a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetError {
    text: String,
    why: String,
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a target: {}; expected e.g. xfs, ext4[noatime,mkfs.O=bigalloc] or \
             dir:/mnt/data",
            self.text, self.why
        )
    }
}

impl std::error::Error for TargetError {}

impl Target {
    /// A made file system with default options.
    pub fn named(name: &str) -> Target {
        Target::Made { name: name.into(), options: Options::new(), inner: None, kernel: None }
    }

    /// The kernel that it asks for.
    pub fn kernel(&self) -> Option<&KernelVersion> {
        match self {
            Target::Dir(_) => None,
            Target::Made { kernel, .. } => kernel.as_ref(),
        }
    }

    /// The same with any kernel.
    pub fn without_kernel(mut self) -> Target {
        if let Target::Made { kernel, .. } = &mut self {
            *kernel = None;
        }
        self
    }
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        whole(text, candidate)
            .map_err(|why| TargetError { text: excerpt(text), why: excerpt(&why) })
    }
}

/// What `parse` reads `text` as, all of it; the number that it is given is that of the layers allowed.
pub(crate) fn whole<T: fmt::Display>(
    text: &str,
    parse: impl Fn(&mut &str, usize) -> Result<T, String>,
) -> Result<T, String> {
    let is_bounded = |bytes: usize| match bytes > LONGEST_BYTES {
        true => Err(format!("it has {bytes} bytes, and the limit is {LONGEST_BYTES}")),
        false => Ok(()),
    };
    is_bounded(text.len())?;
    let mut rest = text.trim();
    if let Some(c) = rest.chars().find(|&c| is_unprintable(c)) {
        return Err(format!("it contains the unprintable character {c:?}"));
    }
    let read = parse(&mut rest, MOST_LAYERS)?;
    if !rest.is_empty() {
        return Err(format!("unexpected `{rest}`"));
    }
    // With quotes it may be longer, and it is stored as it prints.
    is_bounded(read.to_string().len())?;
    Ok(read)
}

/// Enough of a text to know it by.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}...", printable_line(&text[..end])),
        None => printable_line(text).into_owned(),
    }
}

/// A target with its kernel, if it has one.
fn candidate(rest: &mut &str, layers: usize) -> Result<Target, String> {
    let last = if rest.starts_with("dir:") { None } else { kernel_at_end(rest)? };
    let mut target = parse(rest, layers)?;
    if let Target::Made { kernel, .. } = &mut target {
        *kernel = one_kernel(kernel.take(), last)?;
    }
    Ok(target)
}

/// Takes `@VERSION` off the end of `rest`, where it is behind all brackets.
pub(crate) fn kernel_at_end(rest: &mut &str) -> Result<Option<KernelVersion>, String> {
    match rest.rsplit_once('@') {
        // Before an option it is read with the name.
        Some((before, version)) if !version.contains([']', ')', '[', '(']) => {
            *rest = before;
            version.parse().map(Some)
        }
        _ => Ok(None),
    }
}

/// Takes `@VERSION` off `rest`, where it stands first.
pub(crate) fn kernel_here(rest: &mut &str) -> Result<Option<KernelVersion>, String> {
    if take(rest, '@') { word(rest, is_of_version).parse().map(Some) } else { Ok(None) }
}

/// The kernel of a target that may have been written behind its name, or at its end.
pub(crate) fn one_kernel(
    first: Option<KernelVersion>,
    last: Option<KernelVersion>,
) -> Result<Option<KernelVersion>, String> {
    match (first, last) {
        (Some(first), Some(last)) => {
            Err(format!("it names two kernels, {first} and {last}; drop one"))
        }
        (first, last) => Ok(first.or(last)),
    }
}

/// What is wrong with a kernel inside parentheses.
pub(crate) const OF_ALL_LAYERS: &str =
    "all its layers are measured with one kernel; write it at the end, e.g. raid1(xfs)@6.12";

fn parse(rest: &mut &str, layers: usize) -> Result<Target, String> {
    if let Some(path) = rest.strip_prefix("dir:") {
        *rest = "";
        if path.is_empty() {
            return Err("dir: needs a path".into());
        }
        return Ok(Target::Dir(path.into()));
    }
    let name = name(rest)?;
    let kernel = kernel_here(rest)?;
    let options = if take(rest, '[') { options(rest)? } else { Options::new() };
    let inner = inner(rest, layers, parse)?;
    let is_below = inner.as_ref().is_some_and(|inner| inner.kernel().is_some());
    if is_below || rest.starts_with('@') {
        return Err(OF_ALL_LAYERS.into());
    }
    Ok(Target::Made { name, options, inner, kernel })
}

/// The name of a file system.
pub(crate) fn name(rest: &mut &str) -> Result<String, String> {
    let name = word(rest, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if name.is_empty() { Err("a name is missing".into()) } else { Ok(name) }
}

/// The text in parentheses, read by `parse`; `None` without parentheses. `layers` are those that may
/// still come, the present one among them.
pub(crate) fn inner<T>(
    rest: &mut &str,
    layers: usize,
    parse: impl Fn(&mut &str, usize) -> Result<T, String>,
) -> Result<Option<Box<T>>, String> {
    if !take(rest, '(') {
        return Ok(None);
    }
    let layers = layers.checked_sub(1).filter(|&left| left > 0);
    let layers = layers.ok_or_else(|| format!("it has more than {MOST_LAYERS} layers"))?;
    let closed = rest.strip_suffix(')').ok_or("`)` is missing")?;
    let mut inside = closed;
    let target = parse(&mut inside, layers)?;
    *rest = inside;
    Ok(Some(Box::new(target)))
}

fn options(rest: &mut &str) -> Result<Options, String> {
    let mut options = Options::new();
    if take(rest, ']') {
        return Ok(options);
    }
    loop {
        let key = word(rest, |c| !matches!(c, ',' | ']' | '=' | '"' | '[')).trim().to_string();
        if key.is_empty() {
            return Err("an option has no key".into());
        }
        let value = if take(rest, '=') { value(rest)? } else { String::new() };
        if options.insert(key.clone(), value).is_some() {
            return Err(format!("option `{key}` appears twice"));
        }
        if take(rest, ']') {
            return Ok(options);
        }
        if !take(rest, ',') {
            return Err("`]` is missing".into());
        }
    }
}

fn value(rest: &mut &str) -> Result<String, String> {
    if !take(rest, '"') {
        return Ok(word(rest, |c| !matches!(c, ',' | ']' | '"')));
    }
    quoted(rest)
}

/// The rest of a quoted value, after its first quote.
pub(crate) fn quoted(rest: &mut &str) -> Result<String, String> {
    let mut value = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                *rest = &rest[at + 1..];
                return Ok(value);
            }
            '\\' => match chars.next() {
                Some((_, next)) => value.push(next),
                None => break,
            },
            _ => value.push(c),
        }
    }
    Err("a quote is not closed".into())
}

/// Takes `c` off `rest`, where it is first.
pub(crate) fn take(rest: &mut &str, c: char) -> bool {
    match rest.strip_prefix(c) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

/// Takes the characters off `rest` that `keep` holds for.
pub(crate) fn word(rest: &mut &str, keep: impl Fn(char) -> bool) -> String {
    let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
    let (head, tail) = rest.split_at(end);
    *rest = tail;
    head.to_string()
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, options, inner, kernel) = match self {
            Target::Dir(path) => return write!(f, "dir:{}", path.display()),
            Target::Made { name, options, inner, kernel } => (name, options, inner, kernel),
        };
        f.write_str(name)?;
        for (i, (key, value)) in options.iter().enumerate() {
            f.write_str(if i == 0 { "[" } else { "," })?;
            f.write_str(key)?;
            if value.contains([',', ']', '"', '\\']) {
                write!(f, "={}", in_quotes(value))?;
            } else if !value.is_empty() {
                write!(f, "={value}")?;
            }
        }
        if !options.is_empty() {
            f.write_str("]")?;
        }
        if let Some(inner) = inner {
            write!(f, "({inner})")?;
        }
        match kernel {
            Some(kernel) => write!(f, "@{kernel}"),
            None => Ok(()),
        }
    }
}

/// `value` as [`quoted`] reads it back.
pub(crate) fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

impl TryFrom<String> for Target {
    type Error = TargetError;
    fn try_from(text: String) -> Result<Self, TargetError> {
        text.parse()
    }
}

impl From<Target> for String {
    fn from(target: Target) -> String {
        target.to_string()
    }
}

#[cfg(test)]
pub(crate) mod tests;
