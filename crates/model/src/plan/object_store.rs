//! The user's own object store, written as `https://HOST[:PORT]/BUCKET[/PREFIX]`. The keys for it are in the
//! environment, and never here.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The default region of a store.
pub const USUAL_REGION: &str = "us-east-1";

/// Where objects of targets lie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectStore {
    /// Scheme, host and port, without a slash at the end.
    pub url: String,
    /// Its bucket, which is there.
    pub bucket: String,
    /// Where in the bucket our own prefixes are made; empty for its top.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// What it calls its region.
    pub region: String,
}

impl ObjectStore {
    /// Host and port, by which targets name it.
    pub fn host(&self) -> &str {
        self.url.split_once("://").map_or(&self.url, |(_, host)| host)
    }
}

impl FromStr for ObjectStore {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<ObjectStore, &'static str> {
        let (scheme, rest) = text.split_once("://").ok_or(FORM)?;
        let (host, path) = rest.split_once('/').ok_or(FORM)?;
        let (bucket, prefix) = path.trim_end_matches('/').split_once('/').unwrap_or((path, ""));
        let bucket = bucket.trim_end_matches('/');
        if !matches!(scheme, "http" | "https") || !is_host(host) {
            return Err(if host.contains('@') { NO_KEYS } else { FORM });
        }
        if !is_bucket(bucket) || !(prefix.is_empty() || prefix.split('/').all(is_segment)) {
            return Err(FORM);
        }
        Ok(ObjectStore {
            url: format!("{scheme}://{host}"),
            bucket: bucket.into(),
            prefix: prefix.into(),
            region: USUAL_REGION.into(),
        })
    }
}

const FORM: &str = "expected an endpoint with a bucket, e.g. \
                    https://s3.eu-west-1.amazonaws.com/BUCKET or \
                    http://10.0.0.7:9000/BUCKET/PREFIX, of letters, digits and `-._`";
const NO_KEYS: &str = "the endpoint must not contain keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the \
     environment";

fn is_host(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-.:[]".contains(c))
}

/// Whether `text` is a name of a bucket (Amazon S3 User Guide, "General purpose bucket naming rules", and the older
/// ones that had capitals).
fn is_bucket(text: &str) -> bool {
    (3..=63).contains(&text.len()) && is_segment(text)
}

/// Whether `text` may be between slashes: nothing that a program or a signature would read otherwise.
fn is_segment(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    !text.is_empty() && !text.starts_with(['-', '.']) && text.chars().all(plain)
}

impl fmt::Display for ObjectStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.url, self.bucket)?;
        if self.prefix.is_empty() { Ok(()) } else { write!(f, "/{}", self.prefix) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_names_a_bucket_and_perhaps_a_place_in_it() {
        for text in [
            "https://s3.eu-west-1.amazonaws.com/my-bucket",
            "http://store.example:9000/bucket/benchmarks/fs",
            "http://[::1]:9000/bucket",
        ] {
            assert_eq!(text.parse::<ObjectStore>().unwrap().to_string(), text);
        }
        let store: ObjectStore = "http://h:1/bucket/a/".parse().unwrap();
        assert_eq!((store.host(), &*store.bucket, &*store.prefix), ("h:1", "bucket", "a"));
        assert_eq!("http://h/bucket/".parse::<ObjectStore>().unwrap().bucket, "bucket");
    }

    #[test]
    fn what_could_be_read_otherwise_is_refused() {
        for text in [
            "s3.amazonaws.com/bucket",
            "https://s3.amazonaws.com",
            "https:///bucket",
            "ftp://h/bucket",
            "http://h/b",
            "http://h/bucket/../x",
            "http://h/bucket//x",
            "http://h/-bucket",
            "http://h/bucket?x=1",
            "http://h\"/bucket",
            "http://h/bucket/a b",
        ] {
            assert_eq!(text.parse::<ObjectStore>(), Err(FORM), "{text}");
        }
        assert_eq!("https://key:secret@h/bucket".parse::<ObjectStore>(), Err(NO_KEYS));
    }
}
