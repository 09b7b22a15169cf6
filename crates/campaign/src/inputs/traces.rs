//! A recorded trace as a suite: the file `app.trace` is a suite of one test, which replays it.

use std::{fs, io::Read, path::Path};
use suites::DeclarationError;

/// What a suite is called if nothing is left of the name of its file.
const NAMELESS: &str = "trace";

/// Whether `name` names a trace: by its end, or, as `--out` takes any name, by what the file begins with.
pub(super) fn is_trace(name: &str) -> bool {
    name.ends_with(".trace") || begins_as_trace(name)
}

/// Whether the regular file `name` begins as traces do, of any version.
fn begins_as_trace(name: &str) -> bool {
    let magic = suites::traces::MAGIC;
    // Opening what is not a file may block.
    if !fs::metadata(name).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let read =
        fs::File::open(name).and_then(|file| file.take(magic.len() as u64).read_to_end(&mut head));
    read.is_ok() && head == magic
}

/// The declaration of the suite that replays the trace `file`. Its one asset is the trace.
///
/// # Errors
/// The name of the file cannot be that of an asset.
pub(super) fn declaration(file: &str) -> Result<String, DeclarationError> {
    let own = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
    let own = own.parse::<model::workload::AssetName>().map_err(|why| DeclarationError {
        file: file.into(),
        why: format!("{why}; rename the file"),
    })?;
    let asset = toml::Value::from(own.as_str());
    let name = suite_name(own.as_str());
    Ok(format!(
        "name = \"{name}\"\nabout = \"A recorded application, replayed.\"\nprocs = [1]\nassets = [{asset}]\n\n\
         [[test]]\nkind = \"trace\"\nid = \"{name}.replay\"\ntrace = {asset}\n"
    ))
}

/// The name of a suite after that of a file.
fn suite_name(file: &str) -> String {
    let stem = file.strip_suffix(".trace").unwrap_or(file).to_lowercase();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let name: String = stem.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { NAMELESS.into() } else { name.chars().take(40).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::target::Options;

    #[test]
    fn trace_becomes_a_suite_of_one_test() {
        for (file, id) in [
            ("app.trace", "app.replay"),
            ("/data/My App (2).trace", "my-app--2.replay"),
            ("…….trace", "trace.replay"),
            ("it's \"x\".trace", "it-s--x.replay"),
        ] {
            let text = declaration(file).unwrap();
            let suite = suites::from_text(file, &text, &Options::new()).unwrap();
            assert_eq!(suite.ids().collect::<Vec<_>>(), [id]);
            let own = Path::new(file).file_name().unwrap().to_str().unwrap();
            assert_eq!(suite.assets[0].as_str(), own);
        }
        assert!(declaration("a{b}.trace").unwrap_err().to_string().contains("rename the file"));
    }

    #[test]
    fn a_trace_is_known_by_its_first_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        fs::write(path("tr.assay"), b"assaytr\x01 and so on").unwrap();
        fs::write(path("text"), b"assay").unwrap();
        assert!(is_trace(&path("tr.assay")) && is_trace(&path("none.trace")));
        assert!(!is_trace(&path("text")) && !is_trace(&path("none")) && !is_trace(&path("")));
    }

    #[test]
    fn pace_and_window_are_knobs() {
        let text = declaration("app.trace").unwrap();
        let knobs = |key: &str, value: &str| Options::from([(key.into(), value.into())]);
        assert!(suites::from_text("app.trace", &text, &knobs("pace", "2x")).is_ok());
        assert!(suites::from_text("app.trace", &text, &knobs("window", "60s..120s")).is_ok());
        assert!(suites::from_text("app.trace", &text, &knobs("pace", "3x")).is_err());
    }
}
