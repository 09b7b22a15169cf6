//! Addresses that carry their own permission: Signature Version 4 in the query (Amazon S3 API Reference,
//! "Authenticating Requests: Using Query Parameters"), with the host as the only signed header. The secret key makes
//! the signature and is sent nowhere.

use crate::programs::keys;
use fs::{Endpoint, Secret};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::time::SystemTime;

/// Time that an address is valid for, seconds.
const GOOD_S: &str = "900";

/// Keys of the account that asks.
pub(super) struct Keys {
    access: String,
    secret: String,
    token: Option<String>,
}

impl Keys {
    /// Returns the keys of the user; `None` if the environment has none.
    pub(super) fn of_user() -> Option<Keys> {
        Some(Keys {
            access: keys::value(Secret::UsersAccessKey)?,
            secret: keys::value(Secret::UsersSecretKey)?,
            token: keys::value(Secret::UsersToken),
        })
    }
}

/// The address of `path` at `place` with `query`, whose words are as they are, for one `method` from `now` on.
pub(super) fn address(
    keys: &Keys,
    place: &Endpoint,
    (method, path, query): (&str, &str, &[(String, String)]),
    now: SystemTime,
) -> String {
    let now = humantime::format_rfc3339_seconds(now).to_string().replace(['-', ':'], "");
    let host = place.url.split_once("://").map_or(&*place.url, |(_, host)| host);
    let (path, query) = (encoded(path, "/"), signed_query(keys, place, query, (&now, GOOD_S)));
    let signature = signature(keys, place, (method, host, &path, &query), &now);
    format!("{}{path}?{query}&X-Amz-Signature={signature}", place.url)
}

fn signed_query(
    keys: &Keys,
    place: &Endpoint,
    query: &[(String, String)],
    (now, good_s): (&str, &str),
) -> String {
    let own = |key: &str, value: &str| (key.to_string(), value.to_string());
    let credential = format!("{}/{}", keys.access, scope(place, now));
    let mut all = query.to_vec();
    all.extend([
        own("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
        own("X-Amz-Credential", &credential),
        own("X-Amz-Date", now),
        own("X-Amz-Expires", good_s),
        own("X-Amz-SignedHeaders", "host"),
    ]);
    all.extend(keys.token.iter().map(|token| own("X-Amz-Security-Token", token)));
    let pair = |(key, value): &(String, String)| (encoded(key, ""), encoded(value, ""));
    let mut all: Vec<(String, String)> = all.iter().map(pair).collect();
    all.sort();
    all.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
}

fn scope(place: &Endpoint, now: &str) -> String {
    format!("{}/{}/s3/aws4_request", &now[..8], place.region)
}

fn signature(
    keys: &Keys,
    place: &Endpoint,
    (method, host, path, query): (&str, &str, &str, &str),
    now: &str,
) -> String {
    let request = format!("{method}\n{path}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD");
    let scope = scope(place, now);
    let request = hex(&Sha256::digest(request.as_bytes()));
    let text = format!("AWS4-HMAC-SHA256\n{now}\n{scope}\n{request}");
    let first = format!("AWS4{}", keys.secret).into_bytes();
    let key = scope.split('/').fold(first, |key, word| mac(&key, word));
    hex(&mac(&key, &text))
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    // A key of any length will do.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `text` as an address has it; `kept` is not encoded either, in addition to what never is.
fn encoded(text: &str, kept: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let of = |byte: u8| match plain(byte) || kept.as_bytes().contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str) -> Endpoint {
        Endpoint { url: url.into(), ..Endpoint::here(1, "b", "us-east-1") }
    }

    fn keys(token: Option<&str>) -> Keys {
        Keys {
            access: "AKIAIOSFODNN7EXAMPLE".into(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            token: token.map(String::from),
        }
    }

    #[test]
    fn a_signature_is_that_of_the_reference() {
        // The example of the page named above, which is good for a day.
        let place = place("https://examplebucket.s3.amazonaws.com");
        let now = "20130524T000000Z";
        let query = signed_query(&keys(None), &place, &[], (now, "86400"));
        let host = "examplebucket.s3.amazonaws.com";
        assert_eq!(
            signature(&keys(None), &place, ("GET", host, "/test.txt", &query), now),
            "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        );
    }

    #[test]
    fn an_address_names_the_object_and_the_session_and_not_the_secret() {
        let query = [("prefix".to_string(), "a/b c".to_string())];
        let of = |token| {
            let what = ("GET", "/b/a b/ü", &query[..]);
            address(&keys(token), &place("http://h:1"), what, SystemTime::UNIX_EPOCH)
        };
        let plain = of(None);
        assert!(plain.starts_with("http://h:1/b/a%20b/%C3%BC?X-Amz-Algorithm="), "{plain}");
        assert!(plain.contains("&prefix=a%2Fb%20c&X-Amz-Signature="), "{plain}");
        assert!(plain.contains("X-Amz-Date=19700101T000000Z"), "{plain}");
        assert!(!plain.contains("wJalr") && !plain.contains("Token"), "{plain}");
        assert!(of(Some("t/1")).contains("&X-Amz-Security-Token=t%2F1&"));
    }
}
