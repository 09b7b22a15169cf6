//! Suites written in TOML: a list of `[[test]]` tables, each of a kind that this program knows.
//!
//! ```toml
//! name = "mine"
//! about = "One sentence."
//! procs = [1]                      # process counts when none are asked for
//! presets.smoke = ["mine.*.4k"]    # tests of a preset; without it, all
//! assets = ["keys.csv"]            # files next to this one, as `{asset:keys.csv}` in commands
//!
//! [defaults.io]                    # for every test of the kind `io`
//! size = "1G"
//!
//! [[test]]
//! kind = "io"
//! id = "mine.{rw}.{block}"         # one test for each combination of `for`
//! for.rw = ["rndrd", "rndwr"]
//! for.block = ["4k", "64k"]
//! ```

mod expand;

use crate::{
    Estimate, Suite, Test,
    kinds::{self, Head},
    suite::Presets,
};
use model::{
    target::Options,
    text::{Bytes, Name, NameKind, line_at, printable_line},
    workload::{AssetName, GridCell, Group, Job},
};
use serde::Deserialize;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashSet},
};
use toml::{Table, Value};

/// A declaration that makes no suite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {why}")]
pub struct DeclarationError {
    /// The file, with the line where that is known.
    pub file: String,
    /// The reason and the remedy.
    pub why: String,
}

impl DeclarationError {
    pub(crate) fn new(file: &str, why: impl ToString) -> DeclarationError {
        DeclarationError { file: file.into(), why: why.to_string() }
    }
}

/// A file of declarations as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    about: String,
    #[serde(default)]
    procs: Vec<u32>,
    #[serde(default)]
    assets: Vec<AssetName>,
    #[serde(default)]
    presets: Presets,
    #[serde(default)]
    defaults: BTreeMap<String, Table>,
    test: Vec<Table>,
}

/// The suite that `text` declares, with `knobs` set in every test whose kind knows them.
pub(crate) fn suite(
    file: &str,
    text: Cow<'static, str>,
    knobs: &Options,
) -> Result<Suite, DeclarationError> {
    let declared: File = toml::from_str(&text).map_err(|error| syntax(file, &text, &error))?;
    check_name(file, &declared.name)?;
    check_knobs(file, &declared, knobs)?;
    let (mut tests, mut pages) = (Vec::new(), Vec::new());
    for table in &declared.test {
        let first = tests.len();
        let tables = expand::expand(table).map_err(|why| DeclarationError::new(file, why))?;
        if first + tables.len() > expand::MOST {
            let why = format!("it declares more than {} tests; use several suites", expand::MOST);
            return Err(DeclarationError::new(file, why));
        }
        for table in tables {
            tests.push(leaked(file, with_defaults(&declared, table, knobs))?);
        }
        pages.extend(tests[first..].iter().take(1).flat_map(|t| t.infos()).map(|info| info.id));
    }
    check_ids(file, &declared.name, &tests)?;
    check_assets(file, &declared, &tests)?;
    Ok(Suite {
        name: declared.name.into(),
        about: declared.about.into(),
        knobs: &[],
        tests: tests.into(),
        procs: declared.procs,
        presets: declared.presets,
        pages,
        assets: declared.assets,
        text: Some(text),
    })
}

/// The one test that `text` declares: what `Test::declaration` gave.
pub(crate) fn test(text: &str) -> Result<&'static dyn Test, DeclarationError> {
    let table = text.parse::<Table>().map_err(|error| syntax("declaration", text, &error))?;
    leaked("declaration", table)
}

fn syntax(file: &str, text: &str, error: &toml::de::Error) -> DeclarationError {
    let line = line_at(text, error.span());
    DeclarationError::new(&format!("{file}:{line}"), error.message().replace('\n', " "))
}

fn check_name(file: &str, name: &str) -> Result<(), DeclarationError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(plain) {
        return Ok(());
    }
    let why = format!(
        "the suite name `{name}` may only contain lower-case letters, digits, - and \
                       _"
    );
    Err(DeclarationError::new(file, why))
}

/// Every knob must be known to the kind of some test; a typing error would else do nothing.
fn check_knobs(file: &str, declared: &File, knobs: &Options) -> Result<(), DeclarationError> {
    let kind_of = |table: &Table| table.get("kind").and_then(Value::as_str).map(str::to_owned);
    let used: Vec<_> =
        declared.test.iter().filter_map(kind_of).filter_map(|name| kinds::find(&name)).collect();
    for key in knobs.keys() {
        if !used.iter().any(|kind| kind.knows(key)) {
            let mut known: Vec<_> =
                used.iter().flat_map(|kind| kind.knobs).map(|knob| knob.name).collect();
            known.sort_unstable();
            known.dedup();
            let known = known.join(", ");
            let why = format!(
                "no test of suite {} has the setting `{key}` (settings: \
                               {known})",
                declared.name
            );
            return Err(DeclarationError::new(file, why));
        }
    }
    Ok(())
}

fn with_defaults(declared: &File, table: Table, knobs: &Options) -> Table {
    let name = table.get("kind").and_then(Value::as_str).unwrap_or_default().to_string();
    let mut whole = declared.defaults.get(&name).cloned().unwrap_or_default();
    whole.extend(table);
    whole.insert("suite".into(), declared.name.clone().into());
    if let Some(kind) = kinds::find(&name) {
        let set = knobs.iter().filter(|(key, _)| kind.knows(key));
        whole.extend(set.map(|(key, text)| (key.clone(), value(text))));
    }
    whole
}

/// A knob's text as TOML would read it, else as text.
fn value(text: &str) -> Value {
    let parsed = format!("v = {text}").parse::<Table>().ok();
    parsed.and_then(|mut table| table.remove("v")).unwrap_or_else(|| text.into())
}

fn leaked(file: &str, table: Table) -> Result<&'static dyn Test, DeclarationError> {
    let id = table.get("id").and_then(Value::as_str).unwrap_or("(without id)");
    let id = format!("{:.80}", printable_line(id));
    let test =
        make(table).map_err(|why| DeclarationError::new(file, format!("test {id}: {why}")))?;
    Ok(Box::leak(test))
}

/// The most that one worker may move, occupy or do in a test at the largest scale: what plans add up
/// then stays a number, and no one waits for more.
const MOST_BYTES: Bytes = Bytes(1 << 50);
const MOST_OPS: u64 = 1 << 50;
/// The longest that a test may run at the largest scale, seconds: a month.
const MOST_S: f64 = 30.0 * 86_400.0;
const LARGEST_SCALE: f64 = 4.0;

/// Refuses a test that would move more than can be.
fn bounded(test: Box<dyn Test>, id: &str) -> Result<Box<dyn Test>, String> {
    let job = Job { scale: LARGEST_SCALE, memory: Bytes(1 << 30), ..Job::of(id, "/") };
    let Estimate { write_bytes, read_bytes, ops, disk_bytes, scratch_bytes, fixed_s } =
        test.estimate(&job);
    let space = test.space(&job).into_iter().map(|(_, bytes)| bytes).fold(0, u64::saturating_add);
    let bytes = [write_bytes, read_bytes, disk_bytes, scratch_bytes, space].into_iter().max();
    match () {
        () if bytes > Some(MOST_BYTES.0) => Err(format!(
            "at scale {LARGEST_SCALE} a worker would transfer or occupy more than {MOST_BYTES}; \
             use smaller sizes or counts"
        )),
        () if ops > MOST_OPS => Err(format!(
            "at scale {LARGEST_SCALE} a worker would run more than {MOST_OPS} operations; use \
             smaller counts"
        )),
        () if !(0.0..=MOST_S).contains(&fixed_s) => {
            Err(format!("at scale {LARGEST_SCALE} it would run for more than a month"))
        }
        () => Ok(test),
    }
}

/// Separates what every test says from what its kind reads, and lets the kind make the test.
fn make(mut table: Table) -> Result<Box<dyn Test>, String> {
    let declaration = table.to_string();
    let mut text = |key: &str| match table.remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` must be a string")),
    };
    let kind = text("kind")?.ok_or("it has no `kind`")?;
    let head = Head {
        id: text("id")?.ok_or("it has no `id`")?,
        suite: text("suite")?.ok_or("it has no `suite`")?,
        name: text("name")?,
        about: text("about")?,
        group: text("group")?.map(|word| word.parse::<Group>()).transpose()?,
        testtype: text("testtype")?,
        declaration,
    };
    let kind = kinds::find(&kind).ok_or_else(|| {
        format!("unknown kind `{kind}`; expected one of {}", kinds::names().join(", "))
    })?;
    kind.check(&table)?;
    // Both become parts of paths.
    for name in [&head.id, &head.suite] {
        Name::new(NameKind::Id, name.as_str()).map_err(|why| why.to_string())?;
    }
    let id = head.id.clone();
    let test = (kind.make)(head, table)?;
    // As they are in tables, and in the store.
    for info in test.infos() {
        let grid = info.shape.and_then(|shape| shape.cell).map(|cell| cell.grid);
        let texts = [info.id, info.name, info.testtype, info.metric, info.unit];
        for text in texts.into_iter().chain(grid) {
            Name::new(NameKind::Label, text).map_err(|why| why.to_string())?;
        }
    }
    bounded(test, &id)
}

/// Most assets of a suite.
const MOST_ASSETS: usize = 64;

/// Checks that each asset a test needs is declared once, and that each declared asset is needed, because it is copied
/// and hashed.
fn check_assets(file: &str, declared: &File, tests: &[&dyn Test]) -> Result<(), DeclarationError> {
    let refused = |why: String| Err(DeclarationError::new(file, why));
    let names = &declared.assets;
    if names.len() > MOST_ASSETS {
        return refused(format!("it has {} assets, and the limit is {MOST_ASSETS}", names.len()));
    }
    if let Some((_, name)) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name))
    {
        return refused(format!("`assets` lists `{name}` twice; remove one"));
    }
    let needed: BTreeSet<AssetName> = tests.iter().flat_map(|test| test.assets()).collect();
    if let Some(name) = needed.iter().find(|name| !names.contains(name)) {
        return refused(format!(
            "a test needs the asset `{name}`, which is not declared; add it to `assets`"
        ));
    }
    match names.iter().find(|name| !needed.contains(name)) {
        None => Ok(()),
        Some(name) => refused(format!(
            "no test needs the asset `{name}`; write {{asset:{name}}} in a command, or remove it"
        )),
    }
}

/// Ids are stored for ever and must tell the suite.
fn check_ids(file: &str, suite: &str, tests: &[&dyn Test]) -> Result<(), DeclarationError> {
    let (mut seen, mut cells) = (HashSet::new(), HashSet::new());
    for info in tests.iter().flat_map(|test| test.infos()) {
        if !info.id.starts_with(&format!("{suite}.")) {
            let why =
                format!("the id `{}` must start with the name of the suite and a dot", info.id);
            return Err(DeclarationError::new(file, why));
        }
        if !seen.insert(info.id.clone()) {
            let why = format!("two tests have the id `{}`", info.id);
            return Err(DeclarationError::new(file, why));
        }
        if let Some(cell) = info.shape().cell.filter(|cell| !cells.insert(cell.clone())) {
            let GridCell { grid, block_bytes, threads } = cell;
            let why = format!(
                "two tests occupy the cell of {block_bytes} bytes and {threads} threads in the \
                 grid `{grid}`; give one of them another `grid`"
            );
            return Err(DeclarationError::new(file, why));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
