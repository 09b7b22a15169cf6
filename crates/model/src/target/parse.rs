//! A target as text: `xfs`, `ext4[noatime,mkfs.O=bigalloc]`, `raid1(ext4)`, `nfs[vers=4.2,nconnect=16](xfs)`,
//! `dir:/mnt/fsx`. One grammar, used for arguments and plan files:
//!
//! ```text
//! target = "dir:" path | name [ "[" option { "," option } "]" ] [ "(" target ")" ]
//! option = key [ "=" ( value | '"' quoted '"' ) ]
//! ```
//!
//! A value with `,`, `]` or `"` is quoted; inside quotes `\"` and `\\` stand for themselves. A target has
//! at most 16 layers and 4160 bytes, all of which can be printed: it is a label and is in reports.

use crate::{
    target::Options,
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
        Target::Made { name: name.into(), options: Options::new(), inner: None }
    }
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        whole(text, parse).map_err(|why| TargetError { text: excerpt(text), why: excerpt(&why) })
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

fn parse(rest: &mut &str, layers: usize) -> Result<Target, String> {
    if let Some(path) = rest.strip_prefix("dir:") {
        *rest = "";
        if path.is_empty() {
            return Err("dir: needs a path".into());
        }
        return Ok(Target::Dir(path.into()));
    }
    let name = name(rest)?;
    let options = if take(rest, '[') { options(rest)? } else { Options::new() };
    let inner = inner(rest, layers, parse)?;
    Ok(Target::Made { name, options, inner })
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
        let (name, options, inner) = match self {
            Target::Dir(path) => return write!(f, "dir:{}", path.display()),
            Target::Made { name, options, inner } => (name, options, inner),
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
        match inner {
            Some(inner) => write!(f, "({inner})"),
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
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_of_the_design_parse() {
        for text in [
            "xfs",
            "ext4[mkfs.O=bigalloc,noatime]",
            "zfs[compression=off,recordsize=16k]",
            "btrfs[compress=zstd:3]",
            "raid1(ext4)",
            "zfs[mirror]",
            "nfs[nconnect=16,vers=4.2](xfs)",
            "dir:/mnt/fsx",
        ] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, why) in [
            ("", "a name is missing"),
            ("ext4[", "an option has no key"),
            ("ext4[a", "`]` is missing"),
            ("ext4[a,a]", "option `a` appears twice"),
            ("ext4]", "unexpected `]`"),
            ("raid1(ext4", "`)` is missing"),
            ("ext4[a=\"b]", "a quote is not closed"),
            ("dir:", "dir: needs a path"),
        ] {
            assert!(text.parse::<Target>().unwrap_err().to_string().contains(why), "{text}");
        }
    }

    #[test]
    fn depth_and_length_are_limited() {
        let nested = |depth: usize| format!("{}a{}", "a(".repeat(depth), ")".repeat(depth));
        let deepest = nested(MOST_LAYERS - 1);
        assert_eq!(deepest.parse::<Target>().unwrap().to_string(), deepest);
        let open = "a(".repeat(90_000);
        for text in [nested(MOST_LAYERS), nested(100_000), open, "x".repeat(100_000)] {
            let error = text.parse::<Target>().unwrap_err().to_string();
            assert!(error.len() < 400 && error.contains("is not a target"), "{error}");
        }
        let error = nested(MOST_LAYERS).parse::<Target>().unwrap_err().to_string();
        assert!(error.contains("more than 16 layers"), "{error}");
    }

    #[test]
    fn what_cannot_be_printed_is_refused() {
        for text in ["dir:/a\nb", "ext4[a=\u{1b}[2J]", "dir:/\u{202e}x", "xfs[\"a\tb\"]"] {
            let error = text.parse::<Target>().unwrap_err().to_string();
            assert!(error.contains("unprintable"), "{error}");
            assert!(!error.contains(is_unprintable), "{error:?}");
        }
        assert_eq!(" xfs\n".parse(), Ok(Target::named("xfs")));
    }

    #[test]
    fn what_is_longer_when_it_is_printed_is_refused_too() {
        for text in
            [format!("ext4[a={}]", "\\".repeat(4000)), format!("xfs[a={}]", "\\".repeat(2100))]
        {
            let error = text.parse::<Target>().map(|_| ()).unwrap_err().to_string();
            assert!(error.contains("the limit is 4160"), "{error}");
            assert!(text.parse::<crate::target::Swept>().is_err());
        }
        let target: Target = format!("ext4[a={}]", "\\".repeat(2000)).parse().unwrap();
        assert_eq!(target.to_string().parse(), Ok(target));
    }

    pub(crate) fn target() -> impl Strategy<Value = Target> {
        let option = ("[a-zA-Z][a-zA-Z0-9._:^-]{0,8}", "[ -~]{0,12}");
        let options = proptest::collection::btree_map(option.0, option.1, 0..4);
        let leaf = prop_oneof![
            "/[ -~]{0,20}".prop_map(|p| Target::Dir(p.trim_end().into())),
            ("[a-z][a-z0-9-]{0,8}", options.clone()).prop_map(|(name, options)| Target::Made {
                name,
                options,
                inner: None
            }),
        ];
        leaf.prop_recursive(3, 8, 1, move |inner| {
            ("[a-z][a-z0-9-]{0,8}", options.clone(), inner).prop_map(|(name, options, inner)| {
                Target::Made { name, options, inner: Some(Box::new(inner)) }
            })
        })
    }

    proptest! {
        #[test]
        fn every_target_survives_text(target in target()) {
            prop_assert_eq!(target.to_string().parse::<Target>(), Ok(target));
        }

        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = text.parse::<Target>();
        }
    }
}
