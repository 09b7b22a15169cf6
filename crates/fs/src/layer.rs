//! Layers of a target, with the options in force, and which of them break fsync durability. The mount table takes
//! precedence over the request: a kernel drops options that it no longer supports, and sets others itself.

use crate::{
    ALL, About, mounted,
    mounted::{Durability, UNFLUSHED},
    options::{MKFS, OTHER},
};
use model::{
    result::{Environment, TargetRecord},
    target::{Options, Target},
};

/// Options that give up what was synced on whatever file system knows them, and why. Those of one are with it.
const CARELESS: &[(&str, &str)] = &[
    ("nobarrier", UNFLUSHED),
    ("barrier=0", UNFLUSHED),
    ("barrier=off", UNFLUSHED),
    ("barrier=none", UNFLUSHED),
    ("sync=disabled", "sync=disabled answers a sync at once"),
];
/// One layer of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// File system or part, e.g. `ext4`.
    pub name: String,
    /// Options as they were written, `key` or `key=value`.
    pub written: Vec<String>,
    /// The arguments of mkfs, each part separately.
    pub made: Vec<String>,
    /// Options that the mount table showed; `None` if it was not read.
    pub mounted: Option<Vec<String>>,
    /// Properties that its own tools showed, `key=value`, and its features.
    pub properties: Vec<String>,
}

impl Layer {
    /// The layer `name` with the `options` of a target.
    pub fn written(name: &str, options: &Options) -> Layer {
        let (made, written): (Vec<_>, Vec<_>) =
            options.iter().partition(|(key, _)| key.starts_with(MKFS));
        Layer {
            name: name.into(),
            written: written.into_iter().map(|(key, value)| word(key, value)).collect(),
            made: made.into_iter().flat_map(|(key, value)| parts(key, value)).collect(),
            ..Layer::default()
        }
    }

    /// The same with the options of its mount, as the mount table has them.
    pub fn mounted(self, options: &str) -> Layer {
        Layer { mounted: Some(options.split(',').map(Into::into).collect()), ..self }
    }

    /// The same with what its tools said of it.
    pub fn with_properties<'a>(mut self, all: impl Iterator<Item = (&'a str, &'a str)>) -> Layer {
        for (key, value) in all {
            match key {
                "features" => self.properties.extend(value.split_whitespace().map(Into::into)),
                _ => self.properties.push(format!("{key}={value}")),
            }
        }
        self
    }

    /// Returns true if `option` is in force: `compress` also as `compress=zstd:3`.
    pub fn has(&self, option: &str) -> bool {
        let is = |word: &str| {
            word.strip_prefix(option)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ':']))
        };
        let seen = self.mounted.iter().flatten().chain(&self.properties);
        seen.map(String::as_str).any(is)
            || self.written.iter().any(|word| is(word) && self.counts(word))
            || self.made.iter().any(|word| is(word) && !self.is_shown(word))
    }

    /// Returns true if a property shows the same as `word`.
    fn is_shown(&self, word: &str) -> bool {
        let key = |word: &str| word.split('=').next().map(str::to_string);
        self.properties.iter().any(|seen| key(seen) == key(word))
    }

    /// Returns true if the written options say more than the mount table.
    fn counts(&self, word: &str) -> bool {
        let is_unseen = self.about().is_some_and(|about| about.is_unseen_in_mounts);
        let asked = self.mounted.is_some() && !is_unseen;
        !asked && !self.is_shown(word)
    }

    /// Why it may lose with the power what it synced, with its name; `None` where nothing says so.
    pub fn loss(&self) -> Option<String> {
        let about = self.about();
        // The type of what a directory is on may be of one that no target makes.
        let other = || mounted(&self.name).map(|mounted| mounted.durability);
        if let Some(Durability::Loses(why)) = about.map(|a| a.mounted.durability).or_else(other) {
            return Some(format!("{}: {why}", self.name));
        }
        let own = about.map_or(&[][..], |about| about.careless);
        let (_, why) = CARELESS.iter().chain(own).find(|(option, _)| self.has(option))?;
        Some(format!("{}: {why}", self.name))
    }

    /// Returns its properties; `None` if no target makes it.
    fn about(&self) -> Option<&'static About> {
        ALL.iter().map(|fs| fs.about()).find(|about| about.name == self.name)
    }
}

/// `key` or `key=value`.
fn word(key: &str, value: &str) -> String {
    let key = key.strip_prefix(OTHER).unwrap_or(key);
    if value.is_empty() { key.to_string() } else { format!("{key}={value}") }
}

/// The flag of mkfs, and the parts of its value.
fn parts(key: &str, value: &str) -> Vec<String> {
    std::iter::once(word(key, value)).chain(value.split(',').map(Into::into)).collect()
}

/// The layers of `record` as written, from the one that is named first, with what its facts say of them. A text that
/// is no target, as a label of another tool may be, is read as a name and its options: `zfs sync=disabled`.
pub fn layers(record: &TargetRecord) -> Vec<Layer> {
    let mut layers = match record.target.parse::<Target>() {
        Ok(target) => of_target(&target, &record.facts),
        Err(_) => vec![loosely(&record.target)],
    };
    let several = layers.len() > 1;
    layers.iter_mut().for_each(|layer| look(layer, &record.facts, several));
    layers
}

fn of_target(target: &Target, facts: &Environment) -> Vec<Layer> {
    match target {
        // Of a directory it is known what it is on.
        Target::Dir(_) => {
            let kind = facts.0.get("mount.fstype").map_or("dir", String::as_str);
            vec![Layer::written(kind.strip_prefix("fuse.").unwrap_or(kind), &Options::new())]
        }
        Target::Made { name, options, inner, .. } => {
            let below = inner.iter().flat_map(|inner| of_target(inner, facts));
            std::iter::once(Layer::written(name, options)).chain(below).collect()
        }
    }
}

fn loosely(text: &str) -> Layer {
    let part = |c: char| c.is_whitespace() || "()[]{},;+|\"".contains(c);
    let mut words = text.split(part).filter(|word| !word.is_empty()).map(str::to_lowercase);
    Layer { name: words.next().unwrap_or_default(), written: words.collect(), ..Layer::default() }
}

/// Adds what was seen of `layer` after the mount; with its name in the facts where there are several.
fn look(layer: &mut Layer, facts: &Environment, several: bool) {
    let fact = |key: &str| facts.0.get(key);
    let named = several.then(|| fact(&format!("mount.{}.options", layer.name))).flatten();
    let is_upmost = !several || fact("mount.fstype").is_some_and(|kind| *kind == layer.name);
    let options = named.or_else(|| fact("mount.options").filter(|_| is_upmost));
    let prefix = if several { format!("geometry.{}.", layer.name) } else { "geometry.".into() };
    let known = |(key, value): (&'_ String, &'_ String)| {
        Some((key.strip_prefix(&prefix)?.to_string(), value.clone()))
    };
    let properties: Vec<(String, String)> = facts.0.iter().filter_map(known).collect();
    let own = std::mem::take(layer);
    let own = own.with_properties(properties.iter().map(|(key, value)| (&**key, &**value)));
    *layer = match options {
        Some(options) => own.mounted(options),
        None => own,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{plan::LabKind, result::TargetState};

    fn record(target: &str, facts: &[(&str, &str)]) -> TargetRecord {
        TargetRecord {
            label: target.into(),
            target: target.into(),
            lab: LabKind::Host,
            state: TargetState::Ok,
            facts: Environment(facts.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()),
        }
    }

    fn losses(target: &str, facts: &[(&str, &str)]) -> Vec<String> {
        layers(&record(target, facts)).iter().filter_map(Layer::loss).collect()
    }

    #[test]
    fn what_was_written_tells_which_layers_lose() {
        let losing = [
            ("ext4[barrier=0]", "ext4"),
            ("ext4[nobarrier]", "ext4"),
            ("btrfs[o.nobarrier]", "btrfs"),
            ("nilfs2[nobarrier]", "nilfs2"),
            ("xfs[nobarrier]", "xfs"),
            ("f2fs[fsync_mode=nobarrier]", "f2fs"),
            ("f2fs[checkpoint=disable:20%]", "f2fs"),
            ("zfs[sync=disabled]", "zfs"),
            ("zfs[mkfs.O=\"atime=off,sync=disabled\"]", "zfs"),
            ("zfs sync=disabled (lz4)", "zfs"),
            ("tmpfs", "tmpfs"),
            ("nfs(tmpfs)", "tmpfs"),
            ("nfs[export=async](ext4)", "nfs"),
            ("nfs[async](ext4)", "nfs"),
            ("crypt(ext4[barrier=0])", "ext4"),
            ("overlay[volatile](xfs)", "overlay"),
            ("zerofs-nbd(ext4)", "zerofs-nbd"),
        ];
        for (target, layer) in losing {
            let found = losses(target, &[]);
            assert!(
                found.len() == 1 && found[0].starts_with(&format!("{layer}: ")),
                "{target}: {found:?}"
            );
        }
        for target in [
            "ext4",
            "ext4[barrier=1]",
            "zfs[sync=standard]",
            "nfs(xfs)",
            "nfs[sync](xfs)",
            "nfs[server=h:/a]",
            "xfs[async]",
            "dir:/a",
        ] {
            assert!(losses(target, &[]).is_empty(), "{target}");
        }
    }

    #[test]
    fn what_was_seen_counts_more() {
        let mounted = |options| [("mount.fstype", "xfs"), ("mount.options", options)];
        // A kernel that knows the option no more flushes.
        assert!(losses("xfs[nobarrier]", &mounted("rw,noquota")).is_empty());
        assert_eq!(losses("xfs", &mounted("rw,nobarrier")).len(), 1);
        assert_eq!(losses("crypt(xfs[nobarrier])", &mounted("rw")).len(), 0);
        // A property is inherited, or set explicitly.
        let property = |value| [("mount.options", "rw,xattr"), ("geometry.sync", value)];
        assert_eq!(losses("zfs", &property("disabled")).len(), 1);
        assert_eq!(losses("zfs[sync=disabled]", &property("standard")).len(), 0);
        assert_eq!(losses("zfs[sync=disabled]", &property("")[..1]).len(), 1, "not asked");
        let below = [
            ("mount.options", "rw"),
            ("mount.fstype", "nfs4"),
            ("mount.ext4.options", "rw,nobarrier"),
        ];
        assert_eq!(losses("nfs(ext4)", &below).len(), 1);
        assert_eq!(losses("nfs[async](ext4)", &below).len(), 2);
        assert_eq!(
            losses("dir:/a", &[("mount.fstype", "tmpfs"), ("mount.options", "rw")]).len(),
            1
        );
        assert_eq!(
            losses("dir:/a", &[("mount.fstype", "ext4"), ("mount.options", "rw,nobarrier")]).len(),
            1
        );
    }

    #[test]
    fn an_option_is_in_force_with_any_value() {
        let layer = Layer::written("btrfs", &Options::from([("compress".into(), "zstd:3".into())]));
        assert!(layer.has("compress") && layer.has("compress=zstd") && !layer.has("comp"));
        let seen = layer.clone().mounted("rw,compress=lzo");
        assert!(seen.has("compress=lzo") && !seen.has("compress=zstd"));
        let made = Options::from([("mkfs.O".into(), "encrypt,casefold".into())]);
        let made = Layer::written("ext4", &made).mounted("rw");
        assert!(made.has("encrypt") && made.has("casefold"), "what mkfs was given stays");
        let features = layer.with_properties([("features", "has_journal encrypt")].into_iter());
        assert!(features.has("encrypt"));
    }
}
