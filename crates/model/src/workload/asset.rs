//! Assets: data files that the tests of a suite need, e.g. a recorded trace. The suite names them; a campaign
//! identifies them by their content.

use crate::text::{Bytes, NameKind, printable_line};
use serde::{Deserialize, Serialize};
use std::{
    error::Error,
    fmt,
    path::{Component, Path, PathBuf},
    str::FromStr,
};

/// Longest name, bytes.
const NAME_BYTES: usize = 200;

/// The name of an asset: its path from the folder of its suite, e.g. `data/keys.csv`. It leads nowhere else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AssetName(String);

/// A text that is not the name of an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetNameError {
    name: String,
    why: &'static str,
}

impl fmt::Display for AssetNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, why) = (printable_line(&self.name), self.why);
        write!(
            f,
            "asset `{name}` {why}; name a file below the folder of the suite, e.g. `data/keys.csv`"
        )
    }
}

impl Error for AssetNameError {}

impl AssetName {
    /// The name as a relative path of plain names.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AssetName {
    type Err = AssetNameError;

    fn from_str(text: &str) -> Result<AssetName, AssetNameError> {
        let wrong =
            |why| Err(AssetNameError { name: text.chars().take(NAME_BYTES).collect(), why });
        let parts = text.split('/');
        match () {
            () if text.is_empty() => wrong("is empty"),
            () if text.len() > NAME_BYTES => wrong("is longer than 200 bytes"),
            () if NameKind::Label.fault(text).is_some() => wrong("contains a control character"),
            () if text.contains(['{', '}']) => wrong("contains a brace"),
            () if !parts.into_iter().all(is_plain) => wrong("is not a path of plain names"),
            () => Ok(AssetName(text.into())),
        }
    }
}

/// Whether `part` of a path is the name of a file or folder, neither empty nor `.` nor `..`.
fn is_plain(part: &str) -> bool {
    let mut components = Path::new(part).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(_)), None))
}

impl TryFrom<String> for AssetName {
    type Error = AssetNameError;

    fn try_from(text: String) -> Result<AssetName, AssetNameError> {
        text.parse()
    }
}

impl From<AssetName> for String {
    fn from(name: AssetName) -> String {
        name.0
    }
}

impl fmt::Display for AssetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The SHA-256 of a content, as text 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentHash([u8; 32]);

/// A text that is not a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentHashError;

impl fmt::Display for ContentHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a SHA-256 has 64 hexadecimal digits in lower case")
    }
}

impl Error for ContentHashError {}

impl ContentHash {
    /// The hash with these bytes.
    pub fn of_bytes(bytes: [u8; 32]) -> ContentHash {
        ContentHash(bytes)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for ContentHash {
    type Err = ContentHashError;

    fn from_str(text: &str) -> Result<ContentHash, ContentHashError> {
        let digit = |byte: &u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(ContentHashError),
        };
        let digits = text.as_bytes().iter().map(digit).collect::<Result<Vec<u8>, _>>()?;
        let bytes: Vec<u8> =
            digits.chunks(2).map(|pair| pair.iter().fold(0, |n, d| n << 4 | d)).collect();
        match bytes.try_into() {
            Ok(bytes) if digits.len() == 64 => Ok(ContentHash(bytes)),
            _ => Err(ContentHashError),
        }
    }
}

impl TryFrom<String> for ContentHash {
    type Error = ContentHashError;

    fn try_from(text: String) -> Result<ContentHash, ContentHashError> {
        text.parse()
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> String {
        hash.to_string()
    }
}

/// An asset of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asset {
    /// The suite that needs it, as the plan names it.
    pub suite: String,
    /// Its name in that suite.
    pub name: AssetName,
    /// Its length.
    pub bytes: Bytes,
    /// What it holds.
    pub sha256: ContentHash,
}

/// An asset as a worker finds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssetFile {
    /// Its name in the suite.
    pub name: AssetName,
    /// The file, for reading only.
    pub path: PathBuf,
    /// Its length.
    pub bytes: Bytes,
    /// What it holds, which was checked when the campaign started.
    pub sha256: ContentHash,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn name_stays_below_its_folder() {
        for name in ["trace.bin", "data/keys.csv", "...", "a b/c'd"] {
            assert_eq!(name.parse::<AssetName>().unwrap().as_str(), name);
        }
        let wrong = [
            "",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "./a",
            "a/./b",
            "a//b",
            "a/",
            "a\nb",
            "{a}",
        ];
        for name in wrong {
            let why = name.parse::<AssetName>().unwrap_err().to_string();
            assert!(why.contains("name a file below the folder"), "{why}");
        }
        assert!("x".repeat(201).parse::<AssetName>().is_err());
    }

    #[test]
    fn hash_of_another_form_is_refused() {
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(text.parse::<ContentHash>().unwrap().to_string(), text);
        for wrong in ["", &text[1..], &text.to_uppercase(), &format!("{text}00"), "../../x"] {
            assert!(wrong.parse::<ContentHash>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn every_accepted_name_is_a_relative_path_of_plain_names(text in "[a./{} \u{0}-\u{7f}é]{0,12}") {
            if let Ok(name) = text.parse::<AssetName>() {
                prop_assert!(name.as_path().is_relative());
                let plain = name.as_path().components().all(|c| matches!(c, Component::Normal(_)));
                prop_assert!(plain);
                prop_assert_eq!(Path::new("/f").join(name.as_path()).components().count(),
                    2 + text.split('/').count());
            }
        }

        #[test]
        fn hash_reads_back(bytes: [u8; 32]) {
            let hash = ContentHash::of_bytes(bytes);
            prop_assert_eq!(hash.to_string().parse(), Ok(hash));
        }
    }
}
