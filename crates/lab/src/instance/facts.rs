//! Collects the facts of an instance from the mount table and its own tools: effective options, geometry, versions, the
//! commands that were run, and whether it keeps what is synced to it.

use super::{Instance, in_effect};
use crate::{
    error::LabError,
    mounts::{self, kinds},
    programs::Run,
    stack::{self, MadePart},
};
use disk::Disk;
use fs::{Cmd, Layer};
use model::result::Environment;
use std::path::Path;

/// Properties of a data set of ZFS that this program did not make, as its own geometry has them.
const ZFS_PROPERTIES: &str = "sync,compression,checksum,encryption";

/// Facts by their keys, as tools print them.
type Properties = Vec<(String, String)>;

impl Instance<'_> {
    pub(super) fn gather_facts(&self) -> Result<Environment, LabError> {
        let mut facts = Environment::default();
        let mut put = |key: String, value: String| facts.0.insert(key, value);
        let root = self.root.canonicalize().map_err(LabError::io("find", &self.root))?;
        if let Some(mount) = mounts::holding(&root)? {
            let source = mount.source.display().to_string();
            put("fs.kind".into(), kinds::name(&mount.kind, &source));
            put("mount.fstype".into(), mount.kind);
            put("mount.options".into(), mount.options);
            put("mount.source".into(), source);
        }
        let (layers, own) = self.layers()?;
        for layer in layers.iter().filter(|_| layers.len() > 1) {
            let options = layer.mounted.as_ref().map(|options| options.join(","));
            options.map(|options| put(format!("mount.{}.options", layer.name), options));
        }
        let joined = |texts: Vec<String>, separator: &str| {
            (!texts.is_empty()).then(|| texts.join(separator))
        };
        let commands = |of: fn(&MadePart) -> Vec<Cmd>| {
            let all = self.stack.parts().iter().flat_map(of);
            joined(all.map(|cmd| cmd.to_string()).collect(), "; ")
        };
        let versions = self.stack.parts().iter();
        let versions =
            versions.filter_map(|p| crate::machine::environment::version(p.fs())).collect();
        let losses: Vec<String> = layers.iter().filter_map(Layer::loss).collect();
        let losses = losses.into_iter().chain(self.disks.iter().find_map(in_memory)).collect();
        let differing = self.differing()?;
        let own = own.into_iter().map(|(key, value)| (key, Some(value))).chain([
            (model::result::NOT_AS_ASKED.into(), joined(differing, "; ")),
            ("mkfs.command".into(), commands(MadePart::mkfs)),
            ("mount.command".into(), commands(MadePart::mount)),
            (model::result::BY_HAND.into(), self.by_hand().and_then(|all| joined(all, "; "))),
            ("mkfs.version".into(), joined(versions, "; ")),
            (model::result::NOT_DURABLE.into(), joined(losses, "; ")),
        ]);
        for (key, value) in own {
            value.map(|value| put(key, value));
        }
        self.user().map(|user| put("work.user".into(), user.uid.to_string()));
        for (key, value) in self.disks.first().map(Disk::facts).unwrap_or_default() {
            put(key.into(), value);
        }
        Ok(facts)
    }

    /// How it is made on a disk of one's own; `None` where it has several parts.
    fn by_hand(&self) -> Option<Vec<String>> {
        let [part] = self.stack.parts() else { return None };
        let commands = fs::by_hand(part.fs(), &part.part.options)?;
        Some(commands.iter().map(Cmd::to_string).collect())
    }

    /// The mount options that are not in effect as asked, with the name of the part where there are several.
    fn differing(&self) -> Result<Vec<String>, LabError> {
        let parts = self.stack.parts();
        let mut all = Vec::new();
        for part in parts {
            all.extend(in_effect::differences(part)?.into_iter().map(|clause| match parts.len() {
                1 => clause,
                _ => format!("{}: {clause}", part.fs().about().name),
            }));
        }
        Ok(all)
    }

    /// Its layers as they are mounted, and what their tools say of them as facts: with the name of the layer
    /// where there are several.
    fn layers(&self) -> Result<(Vec<Layer>, Properties), LabError> {
        let parts = self.stack.parts();
        if parts.is_empty() {
            return directory(&self.root);
        }
        let (mut layers, mut facts) = (Vec::new(), Vec::new());
        for part in parts {
            let geometry = stack::geometry(part);
            layers.push(part.layer(&geometry)?);
            facts.extend(geometry.into_iter().map(|(key, value)| match parts.len() {
                1 => (format!("geometry.{key}"), value),
                _ => (format!("geometry.{}.{key}", part.fs().about().name), value),
            }));
        }
        Ok((layers, facts))
    }
}

/// Returns what the plain directory `root` is on.
fn directory(root: &Path) -> Result<(Vec<Layer>, Properties), LabError> {
    let root = root.canonicalize().map_err(LabError::io("find", root))?;
    let Some(mount) = mounts::holding(&root)? else { return Ok((Vec::new(), Vec::new())) };
    let own: Properties = match mount.kind.as_str() {
        "zfs" => properties(&mount.source),
        _ => Vec::new(),
    };
    let name = mount.kind.strip_prefix("fuse.").unwrap_or(&mount.kind);
    let layer = Layer::written(name, &model::target::Options::new())
        .with_properties(own.iter().map(|(key, value)| (&**key, &**value)))
        .mounted(&mount.options);
    let facts = own.into_iter().map(|(key, value)| (format!("geometry.{key}"), value)).collect();
    Ok((vec![layer], facts))
}

/// Returns what `zfs get` prints of the data set; nothing if it cannot be run.
fn properties(dataset: &Path) -> Properties {
    let get = ["get", "-H", "-p", "-o", "property,value", ZFS_PROPERTIES];
    let output = Cmd::new("zfs").args(get).arg(dataset).run();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    pairs.map(|(property, value)| (property.into(), value.into())).collect()
}

/// Returns why nothing on `disk` outlives the power, when it is an image in memory.
fn in_memory(disk: &Disk) -> Option<String> {
    let path = disk.image()?.path.canonicalize().ok()?;
    let mount = mounts::holding(&path).ok()??;
    kinds::is_memory(&mount.kind).then(|| format!("the disk image is in memory ({})", mount.kind))
}
