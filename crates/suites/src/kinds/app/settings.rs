//! Settings of the kind `app`.

use super::material::Material;
use crate::{kinds::scaled, placeholder};
use model::{
    target::Knob,
    text::Bytes,
    workload::{AssetName, CacheNeed},
};
use serde::{Deserialize, Deserializer};
use std::collections::{BTreeMap, BTreeSet};

pub(super) static KNOBS: [Knob; 20] = [
    Knob::new(
        "command",
        "",
        "",
        "timed command: a string for `sh -c`, or a list of them; `{asset:NAME}` in any command is \
         the path of an asset",
    ),
    Knob::new("setup", "", "", "once per instance, untimed"),
    Knob::new("prepare", "", "", "before each run, untimed, and then synced"),
    Knob::new("verify", "", "", "after the timed part; the sample fails unless it exits with 0"),
    Knob::new("cleanup", "", "", "afterwards, in any case, untimed"),
    Knob::new("needs", "", "[]", "required programs; the test is skipped if one is missing"),
    Knob::new("material", "", "[]", "data to generate: tables of kind `tree` or `wheels`"),
    Knob::new("env", "", "{}", "additional environment variables"),
    Knob::new(
        "count",
        "",
        "1",
        "count at scale 1; commands read the scaled number from \
                                 `ASSAY_COUNT`",
    ),
    Knob::new("least", "", "1", "minimum count at any scale"),
    Knob::new("cache", "", "any", "cache state before the command").one_of(&["any", "cold", "hot"]),
    Knob::new(
        "files",
        "",
        "[]",
        "files and directories that must be absent from (cold) or present in (hot) the cache",
    ),
    Knob::new(
        "reads",
        "",
        "[]",
        "those of them that the command reads completely, to verify a cold cache",
    ),
    Knob::new("sync", "", "true", "sync the file system after the command, as a separate phase")
        .one_of(&["true", "false"]),
    Knob::new("rank", "", "wall_s", "metric used for ranking").one_of(&["wall_s", "durable_s"]),
    Knob::new("write", "bytes", "0", "bytes the command writes at scale 1, for estimates"),
    Knob::new(
        "read",
        "bytes",
        "0",
        "bytes the command reads at scale 1, for estimates and to \
                                     verify a cold cache",
    ),
    Knob::new("scratch", "bytes", "0", "temporary disk space while it runs, at scale 1"),
    Knob::new("disk", "", "{}", "path and bytes at scale 1 of what `setup` leaves behind"),
    Knob::new(
        "seconds",
        "s",
        "0",
        "time the command takes at scale 1 regardless of the disk, for estimates",
    ),
];

/// The metric by which tables rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) enum Rank {
    /// The time of the command.
    #[default]
    #[serde(rename = "wall_s")]
    Wall,
    /// The time of command and sync.
    #[serde(rename = "durable_s")]
    Durable,
}

impl Rank {
    pub(super) fn metric(self) -> &'static str {
        match self {
            Rank::Wall => "wall_s",
            Rank::Durable => "durable_s",
        }
    }
}

/// The settings of one test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    #[serde(default, deserialize_with = "texts")]
    pub(super) command: Vec<String>,
    #[serde(default, deserialize_with = "texts")]
    pub(super) setup: Vec<String>,
    #[serde(default, deserialize_with = "texts")]
    pub(super) prepare: Vec<String>,
    #[serde(default, deserialize_with = "texts")]
    pub(super) verify: Vec<String>,
    #[serde(default, deserialize_with = "texts")]
    pub(super) cleanup: Vec<String>,
    pub(super) needs: Vec<String>,
    pub(super) material: Vec<Material>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) count: u64,
    pub(super) least: u64,
    pub(super) cache: CacheNeed,
    pub(super) files: Vec<String>,
    pub(super) reads: Vec<String>,
    pub(super) sync: bool,
    pub(super) rank: Rank,
    pub(super) write: Bytes,
    pub(super) read: Bytes,
    pub(super) scratch: Bytes,
    pub(super) disk: BTreeMap<String, Bytes>,
    pub(super) seconds: f64,
}

impl Settings {
    /// Checks what types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.command.iter().all(|text| text.trim().is_empty()) {
            return Err("it has no `command`".into());
        }
        if self.rank == Rank::Durable && !self.sync {
            return Err("`rank = \"durable_s\"` needs `sync = true`".into());
        }
        if self.cache != CacheNeed::Any && self.files.is_empty() {
            return Err("`cache` needs `files` to check".into());
        }
        if !(self.seconds.is_finite() && self.seconds >= 0.0) {
            return Err("`seconds` must be a number, at least 0".into());
        }
        self.material.iter().try_for_each(Material::check)?;
        self.commands().try_for_each(|text| placeholder::assets(text).map(drop))?;
        let made = self.material.iter().map(Material::path);
        let kept = self.disk.keys().map(String::as_str);
        let listed = self.files.iter().chain(&self.reads).map(String::as_str);
        match made.chain(kept).chain(listed).find(|path| !is_inside(path)) {
            Some(path) => Err(format!("`{path}` must be a path below the directory of the test")),
            None => Ok(()),
        }
    }

    /// The assets that its commands name.
    pub(super) fn assets(&self) -> Vec<AssetName> {
        let named = self.commands().flat_map(|text| placeholder::assets(text).unwrap_or_default());
        let names: BTreeSet<AssetName> = named.collect();
        names.into_iter().collect()
    }

    fn commands(&self) -> impl Iterator<Item = &String> {
        let Settings { command, setup, prepare, verify, cleanup, .. } = self;
        [command, setup, prepare, verify, cleanup].into_iter().flatten()
    }

    /// `count` at `scale`.
    pub(super) fn count(&self, scale: f64) -> u64 {
        scaled(self.count, scale, self.least)
    }
}

/// Returns true if `path` is relative and stays where it is put.
fn is_inside(path: &str) -> bool {
    use std::path::{Component, Path};
    !path.is_empty()
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// One text or a list of them.
fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a string or a list of strings")]
    enum Texts {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Texts::deserialize(from)? {
        Texts::One(text) if text.is_empty() => Vec::new(),
        Texts::One(text) => vec![text],
        Texts::Many(texts) => texts,
    })
}
