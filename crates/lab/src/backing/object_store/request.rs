//! Requests to an object store, sent by curl, which knows the certificates and proxies of the machine. URLs are passed
//! on standard input, because a signed URL grants access; none is ever on a command line.

use super::sign::{self, Keys};
use crate::programs::tool;
use disk::program;
use fs::Endpoint;
use std::{
    io::Write,
    path::Path,
    process::{Output, Stdio},
    time::SystemTime,
};

/// Longest time of a request, seconds, and of one of many that are sent together.
const PATIENCE_S: u32 = 60;
/// Separates the answers in what curl prints; no answer of a store holds a control character.
const END: char = '\u{1e}';

/// One request, for the bucket or an object in it.
pub(super) struct Request {
    method: &'static str,
    /// Empty for the bucket.
    pub(super) key: String,
    query: Vec<(String, String)>,
}

/// Answer of the store.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The HTTP status code.
    pub(super) status: u16,
    pub(super) body: String,
}

impl Request {
    fn new(method: &'static str, key: &str, query: &[(&str, &str)]) -> Request {
        let query = query.iter().map(|(key, value)| (key.to_string(), value.to_string()));
        Request { method, key: key.into(), query: query.collect() }
    }

    /// Returns a request to the bucket itself, e.g. for a listing.
    pub(super) fn get(query: &[(&str, &str)]) -> Request {
        Request::new("GET", "", query)
    }

    /// An empty object.
    pub(super) fn put(key: &str) -> Request {
        Request::new("PUT", key, &[])
    }

    pub(super) fn delete(key: &str, query: &[(&str, &str)]) -> Request {
        Request::new("DELETE", key, query)
    }

    /// Its lines in what curl reads.
    fn lines(&self, keys: &Keys, place: &Endpoint, now: SystemTime) -> String {
        let slash = if self.key.is_empty() { "" } else { "/" };
        let path = format!("/{}{slash}{}", place.bucket, self.key);
        let url = sign::address(keys, place, (self.method, &path, &self.query), now);
        let data = if self.method == "PUT" { "data = \"\"\n" } else { "" };
        format!(
            "url = \"{url}\"\nrequest = \"{}\"\n{data}silent\ngloboff\npath-as-is\nmax-time = {PATIENCE_S}\n\
             write-out = \"\\n%{{http_code}}{END}\"\n",
            self.method
        )
    }
}

impl Answer {
    /// The answer, where its status is one of `good`.
    pub(super) fn expect(self, good: &[u16]) -> Result<Answer, String> {
        if good.contains(&self.status) {
            return Ok(self);
        }
        let code = values(&self.body, "Code").into_iter().next();
        Err(format!(
            "it answered {}{}",
            self.status,
            code.map_or_else(String::new, |c| format!(" {c}"))
        ))
    }

    /// One of what curl printed.
    fn read(text: &str) -> Option<Answer> {
        let (body, status) = text.rsplit_once('\n')?;
        Some(Answer {
            status: status.parse().ok().filter(|status| *status > 0)?,
            body: body.into(),
        })
    }
}

/// Sends `requests` one after the other. Returns an answer to each.
///
/// # Errors
/// There are no keys or no curl, or the store cannot be reached.
pub(super) fn send(place: &Endpoint, requests: &[Request]) -> Result<Vec<Answer>, String> {
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let keys = Keys::of_user().ok_or("no keys for it")?;
    let now = SystemTime::now();
    let all: Vec<String> = requests.iter().map(|one| one.lines(&keys, place, now)).collect();
    let output = curl(&all.join("next\n"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Option<Vec<Answer>> = text.split_terminator(END).map(Answer::read).collect();
    answers.filter(|answers| answers.len() == requests.len()).ok_or_else(|| unreached(&output))
}

fn curl(config: &str) -> Result<Output, String> {
    let path =
        tool::find_program("curl").ok_or("`curl` is not installed; install the package curl")?;
    let failed = |error: std::io::Error| format!("cannot run curl: {error}");
    // Not what a file of the user's makes of it.
    let mut command = program::command(Path::new(&path));
    command.args(["--disable", "--config", "-", "--show-error"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let input = child.stdin.take();
    let config = config.to_string();
    // Beside the reading: many requests are more than a pipe holds.
    let writer =
        std::thread::spawn(move || input.map(|mut input| input.write_all(config.as_bytes())));
    let output = child.wait_with_output().map_err(failed);
    // Of a curl that ended early its answers tell.
    let _ = writer.join();
    output
}

fn unreached(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or(
        "curl printed no \
                                                            reason",
    );
    format!("cannot reach it: {}", said.trim())
}

/// Returns the content of the elements `name` of an answer, which have no children.
pub(super) fn values(xml: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let after = xml.split(open.as_str()).skip(1);
    after.filter_map(|rest| rest.split_once(close.as_str())).map(|(text, _)| plain(text)).collect()
}

/// The text of an element (Extensible Markup Language 1.0, "References").
fn plain(text: &str) -> String {
    let mut parts = text.split('&');
    let mut whole = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.split_once(';').and_then(|(name, rest)| Some((character(name)?, rest))) {
            Some((character, rest)) => {
                whole.push(character);
                whole.push_str(rest);
            }
            None => {
                whole.push('&');
                whole.push_str(part);
            }
        }
    }
    whole
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_a_listing() {
        let xml = "<R><Name>b</Name><Contents><Key>a/b&amp;c&#xfc;&#33;</Key><Size>1</Size></Contents>\
                   <Contents><Key>a/&x;d</Key></Contents><KeyCount>2</KeyCount></R>";
        assert_eq!(values(xml, "Key"), ["a/b&cü!", "a/&x;d"]);
        assert!(values(xml, "UploadId").is_empty());
    }

    #[test]
    fn an_answer_tells_its_status_and_the_reason_of_the_store() {
        let read = |text: &str| Answer::read(text);
        assert_eq!(read("<a>\n</a>\n200").unwrap().body, "<a>\n</a>");
        assert_eq!(read("\n000"), None);
        let denied = read("<Error><Code>AccessDenied</Code></Error>\n403").unwrap();
        assert_eq!(denied.expect(&[200]).unwrap_err(), "it answered 403 AccessDenied");
    }
}
