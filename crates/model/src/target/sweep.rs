//! A sweep as text: one file system with several values for some of its options, e.g.
//! `ext4[commit=5,60;data=ordered,journal]`. In the grammar of a target semicolons separate the options, because commas
//! separate their values:
//!
//! ```text
//! swept  = sweep [ "@" version ]
//! sweep  = name [ "[" option { ";" option } "]" ] [ "(" sweep ")" ]
//! option = key [ "=" value { "," value } ]
//! value  = text | '"' quoted '"'
//! ```
//!
//! The version is that of the kernel of all variants, and may follow the first name as in a target. A sweep has at most
//! as many layers and bytes as a target. Which names and values exist is known to the
//! lab, which makes the variants.

use crate::{
    target::{
        KernelVersion, Target,
        parse::{
            OF_ALL_LAYERS, excerpt, in_quotes, inner, kernel_at_end, kernel_here, name, one_kernel,
            quoted, take, whole, word,
        },
    },
    text::did_you_mean,
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// How the values of several options are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SweepMode {
    /// Every value of each option with every value of the others.
    #[default]
    Grid,
    /// Every value alone, the other options left out.
    OneAtATime,
}

impl SweepMode {
    /// The word used in arguments and plan files.
    pub fn as_str(self) -> &'static str {
        match self {
            SweepMode::Grid => "grid",
            SweepMode::OneAtATime => "one-at-a-time",
        }
    }
}

impl FromStr for SweepMode {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [SweepMode::Grid, SweepMode::OneAtATime]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| {
                let meant = did_you_mean(text, ["grid", "one-at-a-time"]);
                format!("unknown sweep mode `{text}`{meant}; expected grid or one-at-a-time")
            })
    }
}

/// A target with several values for some options, layer by layer like the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Swept {
    /// Registered name of the file system.
    pub name: String,
    /// Options in the order written, each with its values; an option without a value has one, empty.
    pub options: Vec<(String, Vec<String>)>,
    /// What it is on.
    pub inner: Option<Box<Swept>>,
    /// The kernel of all variants; of the outermost layer alone.
    pub kernel: Option<KernelVersion>,
}

/// One sweep of a plan. `variants` and `left_out` are filled in before the plan is stored, so that
/// later readers need not know the options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// What is swept.
    pub on: Swept,
    /// How values are put together.
    #[serde(default)]
    pub mode: SweepMode,
    /// The default, which carries no option, and the variants that are measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Target>,
    /// Variants that cannot be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// A variant that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The variant.
    pub variant: Target,
    /// Why it cannot be.
    pub why: String,
}

impl Sweep {
    /// A sweep whose variants are not known yet.
    pub fn new(on: Swept, mode: SweepMode) -> Sweep {
        Sweep { on, mode, variants: Vec::new(), left_out: Vec::new() }
    }
}

/// A text that is not a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepError {
    text: String,
    why: String,
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a sweep: {}; expected e.g. xfs[agcount=4,16,64] or \
             ext4[commit=5,60;data=ordered,journal]",
            self.text, self.why
        )
    }
}

impl std::error::Error for SweepError {}

impl FromStr for Swept {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let fail = |why: String| SweepError { text: excerpt(text), why: excerpt(&why) };
        let swept = whole(text, swept).map_err(fail)?;
        match swept.count_options() {
            0 => Err(fail("it names no option".into())),
            _ => Ok(swept),
        }
    }
}

impl Swept {
    fn count_options(&self) -> usize {
        self.options.len() + self.inner.as_ref().map_or(0, |inner| inner.count_options())
    }
}

/// A sweep with its kernel, if it has one.
fn swept(rest: &mut &str, layers: usize) -> Result<Swept, String> {
    let last = kernel_at_end(rest)?;
    let swept = parse(rest, layers)?;
    Ok(Swept { kernel: one_kernel(swept.kernel, last)?, ..swept })
}

fn parse(rest: &mut &str, layers: usize) -> Result<Swept, String> {
    if rest.starts_with("dir:") {
        return Err("a directory has no options".into());
    }
    let name = name(rest)?;
    let kernel = kernel_here(rest)?;
    let options = if take(rest, '[') { options(rest)? } else { Vec::new() };
    let inner = inner(rest, layers, parse)?;
    let is_below = inner.as_ref().is_some_and(|inner| inner.kernel.is_some());
    if is_below || rest.starts_with('@') {
        return Err(OF_ALL_LAYERS.into());
    }
    Ok(Swept { name, options, inner, kernel })
}

fn options(rest: &mut &str) -> Result<Vec<(String, Vec<String>)>, String> {
    let mut options: Vec<(String, Vec<String>)> = Vec::new();
    loop {
        let key = word(rest, |c| !matches!(c, ',' | ';' | ']' | '=' | '"' | '['));
        let key = key.trim().to_string();
        if key.is_empty() {
            return Err("an option has no key".into());
        }
        if options.iter().any(|(earlier, _)| *earlier == key) {
            return Err(format!("option `{key}` appears twice; list all of its values at once"));
        }
        let values = if take(rest, '=') { values(&key, rest)? } else { vec![String::new()] };
        options.push((key, values));
        if take(rest, ']') {
            return Ok(options);
        }
        if !take(rest, ';') {
            let separators = "`]` is missing; options are separated by `;`, values by `,`";
            return Err(separators.into());
        }
    }
}

fn values(key: &str, rest: &mut &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    loop {
        let value = match take(rest, '"') {
            true => quoted(rest)?,
            false => word(rest, |c| !matches!(c, ',' | ';' | ']' | '"')).trim().to_string(),
        };
        if value.is_empty() {
            return Err(format!("a value of `{key}` is missing"));
        }
        if values.contains(&value) {
            return Err(format!("`{key}={value}` appears twice"));
        }
        values.push(value);
        if !take(rest, ',') {
            return Ok(values);
        }
    }
}

impl fmt::Display for Swept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (key, values)) in self.options.iter().enumerate() {
            f.write_str(if i == 0 { "[" } else { ";" })?;
            f.write_str(key)?;
            for (i, value) in values.iter().filter(|value| !value.is_empty()).enumerate() {
                f.write_str(if i == 0 { "=" } else { "," })?;
                match value.contains([',', ';', ']', '"', '\\']) || value.trim() != value {
                    true => f.write_str(&in_quotes(value))?,
                    false => f.write_str(value)?,
                }
            }
        }
        if !self.options.is_empty() {
            f.write_str("]")?;
        }
        if let Some(inner) = &self.inner {
            write!(f, "({inner})")?;
        }
        match &self.kernel {
            Some(kernel) => write!(f, "@{kernel}"),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for Swept {
    type Error = SweepError;
    fn try_from(text: String) -> Result<Self, SweepError> {
        text.parse()
    }
}

impl From<Swept> for String {
    fn from(swept: Swept) -> String {
        swept.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::parse::tests::version;
    use proptest::prelude::*;

    #[test]
    fn sweeps_are_read_layer_by_layer() {
        for text in [
            "xfs[agcount=4,16,64]",
            "zfs[recordsize=16k,128k,1M;compression=off,lz4]",
            "nfs[nconnect=1,16;export=async](xfs[agcount=4,16])",
            r#"xfs[mkfs.m="crc=0,reflink=0",rmapbt=1;noatime]"#,
            "xfs[agcount=4,16]@6.12",
            "raid1(xfs[agcount=4,16])@6.1.0-18-amd64",
        ] {
            assert_eq!(text.parse::<Swept>().unwrap().to_string(), text);
        }
        let swept: Swept = " raid1(xfs[ agcount = 4, 16 ; noatime ]) ".parse().unwrap();
        assert_eq!(swept.to_string(), "raid1(xfs[agcount=4,16;noatime])");
        let swept: Swept = "xfs@6.12[agcount=4,16]".parse().unwrap();
        assert_eq!(swept.to_string(), "xfs[agcount=4,16]@6.12");
    }

    #[test]
    fn mistakes_are_named() {
        for (text, why) in [
            ("xfs", "it names no option"),
            ("raid1(xfs)", "it names no option"),
            ("dir:/mnt[a=1]", "a directory has no options"),
            ("xfs[]", "an option has no key"),
            ("xfs[a=]", "a value of `a` is missing"),
            ("xfs[a=1,,2]", "a value of `a` is missing"),
            ("xfs[a=1,1]", "`a=1` appears twice"),
            ("xfs[a=1;a=2]", "option `a` appears twice"),
            ("xfs[noatime,a=1]", "options are separated by `;`"),
            ("xfs[a=\"b]", "a quote is not closed"),
            ("raid1(xfs[a=1]", "`)` is missing"),
            ("xfs[a=1]b", "unexpected `b`"),
            ("xfs@6.12", "it names no option"),
            ("xfs@6.12,6.18[a=1]", "unexpected"),
            ("xfs[a=1]@6.12,6.18", "is not a kernel version"),
            ("xfs@6.1[a=1]@6.2", "two kernels"),
            ("raid1(xfs[a=1]@6.2)", "one kernel"),
            ("raid1(xfs@6.2[a=1])", "one kernel"),
        ] {
            assert!(text.parse::<Swept>().unwrap_err().to_string().contains(why), "{text}");
        }
    }

    #[test]
    fn depth_and_length_are_limited() {
        let deep = format!("{}a[b=1]{}", "a(".repeat(100_000), ")".repeat(100_000));
        for text in [deep, "a(".repeat(90_000), format!("a[b={}]", "1".repeat(100_000))] {
            let error = text.parse::<Swept>().unwrap_err().to_string();
            assert!(error.len() < 400 && error.contains("is not a sweep"), "{error}");
        }
    }

    fn swept() -> impl Strategy<Value = Swept> {
        let values = proptest::collection::hash_set("[!-~]([ -~]{0,6}[!-~])?", 1..4);
        let values = prop_oneof![
            Just(vec![String::new()]),
            values.prop_map(|values| values.into_iter().collect::<Vec<_>>()),
        ];
        let options = proptest::collection::hash_map("[a-zA-Z][a-zA-Z0-9._:^-]{0,8}", values, 1..4);
        let layer = ("[a-z][a-z0-9-]{0,8}", options)
            .prop_map(|(name, options)| (name, options.into_iter().collect::<Vec<_>>()));
        (proptest::collection::vec(layer, 1..4), version()).prop_map(|(layers, kernel)| {
            let stack = |inner, (name, options)| {
                Some(Box::new(Swept { name, options, inner, kernel: None }))
            };
            Swept { kernel, ..*layers.into_iter().fold(None, stack).unwrap() }
        })
    }

    proptest! {
        #[test]
        fn every_sweep_survives_text(swept in swept()) {
            prop_assert_eq!(swept.to_string().parse::<Swept>(), Ok(swept));
        }

        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = text.parse::<Swept>();
        }
    }
}
