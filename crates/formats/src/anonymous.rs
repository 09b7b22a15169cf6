//! Removes from a campaign whatever identifies the machine it was measured on, its network and its users. Each name is
//! replaced by its kind and a number, the same wherever it occurs: `dir:/srv/jane` becomes `dir:/path-1` in the plan,
//! in the label and in every sample of it, so figures, targets and what differs between them stay what they are. What
//! is already so named stays.

mod scan;

use crate::FormatError;
use model::{
    figure::Metric,
    plan::Plan,
    result::{Dataset, Environment},
    target::Target,
};
use scan::{NameKind, is_harmless, scan};
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

/// Last part of the keys of facts whose value is a name, whatever it looks like.
const NAMING_KEYS: [&str; 5] = ["host", "hostname", "serial", "wwn", "machine_id"];

/// Fact with the hosts of a campaign on several, each with its ranks: `node1:2,node2:2`.
const HOSTS: &str = "hosts";

/// The text before a host in keys of facts and in metrics.
const BEFORE_HOST: [&str; 3] = ["host.", Metric::HOST_OPS_PER_S, Metric::HOST_RANKS];

/// `dataset` without names. `words` are names of the host and of users; one that is a file system of the plan or a
/// word of a test is taken for that.
///
/// # Errors
/// The plan cannot be read without them, as one of `words` stands for something else in it.
pub(crate) fn anonymous(dataset: Dataset, words: &[String]) -> Result<Dataset, FormatError> {
    let plan = serde_json::to_value(&dataset.campaign.plan).map_err(failed)?;
    let mut names = Names::given(&dataset, words);
    // Twice, since a name may be in a text before the one that shows it to be a name.
    names.strike_all(dataset.clone(), plan.clone());
    let (mut dataset, plan) = names.strike_all(dataset, plan);
    dataset.campaign.plan = serde_json::from_value::<Plan>(plan).map_err(failed)?;
    Ok(dataset)
}

fn failed(why: serde_json::Error) -> FormatError {
    let why = format!("a name to remove is also a keyword of the plan ({why}); use --identify");
    FormatError::Export { format: "bundle", why }
}

/// Names, each with what it is replaced by.
#[derive(Default)]
struct Names {
    replaced: BTreeMap<String, String>,
    counts: BTreeMap<&'static str, usize>,
    /// Those that cannot be told from what is around them, as a path with blanks; the longest first.
    whole: Vec<String>,
    /// Those that were given; which of them are in the campaign is seen only there.
    words: HashSet<String>,
    /// Hosts of a campaign on several.
    hosts: HashSet<String>,
    /// Targets with a kernel, as `ext4@6.12`, which look like users of a host.
    with_kernel: HashSet<String>,
}

impl Names {
    /// What is known to be a name before any text is looked at.
    fn given(dataset: &Dataset, words: &[String]) -> Names {
        let mut names = Names::default();
        paths(&dataset.campaign.plan)
            .into_iter()
            .for_each(|path| names.add_given(NameKind::Path, path));
        let targets = &dataset.campaign.plan.targets;
        let with_kernel = targets.iter().filter(|target| target.kernel().is_some());
        names.with_kernel = with_kernel.map(ToString::to_string).collect();
        let servers = targets.iter().filter_map(server);
        servers.for_each(|host| names.add_given(NameKind::Host, host));
        for word in of_store(&dataset.campaign.plan) {
            names.add_given(NameKind::Host, word);
        }
        let facts = dataset.targets.iter().map(|target| &target.facts);
        for named in facts.chain([&dataset.campaign.environment]).flat_map(naming) {
            names.add_given(NameKind::Host, named);
        }
        let hosts = dataset.campaign.environment.0.get(HOSTS).map_or("", String::as_str);
        let hosts = hosts.split(',').filter_map(|host| Some(host.rsplit_once(':')?.0.to_string()));
        names.hosts = hosts.collect();
        let taken = taken(dataset);
        let free = words.iter().filter(|word| !taken.contains(word.as_str()));
        names.words = free.filter(|word| word.len() > 1 && !is_harmless(word)).cloned().collect();
        names.words.extend(names.hosts.iter().cloned());
        names.whole.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names
    }

    fn add_given(&mut self, kind: NameKind, name: &str) {
        if name.len() < 2 || is_harmless(name) {
            return;
        }
        self.replacement(kind, name);
        if name.contains(scan::ends_token) {
            self.whole.push(name.into());
        }
    }

    /// What `name` is replaced by.
    fn replacement(&mut self, kind: NameKind, name: &str) -> String {
        if let Some(replaced) = self.replaced.get(name) {
            return replaced.clone();
        }
        let count = self.counts.entry(kind.prefix()).or_default();
        *count += 1;
        let replaced = format!("{}{count}", kind.prefix());
        self.replaced.insert(name.into(), replaced.clone());
        replaced
    }

    fn strike_all(&mut self, dataset: Dataset, mut plan: Value) -> (Dataset, Value) {
        self.strike_json(&mut plan);
        (dataset.map_texts(&mut |text| self.strike(text)), plan)
    }

    /// Replaces the names in every text and key of `value`.
    fn strike_json(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.strike(text),
            Value::Array(list) => list.iter_mut().for_each(|element| self.strike_json(element)),
            Value::Object(map) => {
                for (key, mut value) in std::mem::take(map) {
                    self.strike_json(&mut value);
                    map.insert(self.strike(&key), value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// `text` with every name replaced.
    fn strike(&mut self, text: &str) -> String {
        if let Some((before, host, after)) = self.host_in(text) {
            let (before, after) = (before.to_string(), after.to_string());
            return [before, self.replacement(NameKind::Host, &host), self.strike(&after)].concat();
        }
        let first = |name: &String| text.find(name.as_str()).map(|at| (at, name.clone()));
        if let Some((at, name)) = self.whole.iter().find_map(first) {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            return [self.strike(before), self.replaced[&name].clone(), self.strike(after)]
                .concat();
        }
        scan(text, &mut |kind, name| match kind {
            NameKind::Word if self.words.contains(name) => Some(self.replacement(kind, name)),
            NameKind::Word => self.replaced.get(name).cloned(),
            NameKind::User if self.is_with_kernel(name) => None,
            _ => Some(self.replacement(kind, name)),
        })
    }
}

impl Names {
    /// Returns true if `token` is a target with its kernel, or the label of its second entry, `ext4@6.12#2`.
    fn is_with_kernel(&self, token: &str) -> bool {
        token.split('#').next().is_some_and(|target| self.with_kernel.contains(target))
    }

    /// `text`, a key or a metric of one host, parted around its name, the longest that fits.
    fn host_in<'t>(&self, text: &'t str) -> Option<(&'t str, String, &'t str)> {
        let rest = BEFORE_HOST.iter().find_map(|before| text.strip_prefix(before))?;
        let ends = |host: &&String| {
            rest.strip_prefix(host.as_str())
                .is_some_and(|more| more.is_empty() || more.starts_with('.'))
        };
        let host = self.hosts.iter().filter(ends).max_by_key(|host| host.len())?;
        let before = &text[..text.len() - rest.len()];
        Some((before, host.clone(), &rest[host.len()..]))
    }
}

/// The paths in `plan`: a blank does not end them.
fn paths(plan: &Plan) -> Vec<&str> {
    let mut paths: Vec<&Path> = plan.targets.iter().filter_map(directory).collect();
    paths.extend(plan.backing.devices.iter().map(|device| device.as_path()));
    paths.extend(plan.backing.dir.as_deref().into_iter().chain(plan.kernel.as_deref()));
    paths.into_iter().filter_map(Path::to_str).collect()
}

/// What the object store of the user's own in `plan` is called.
fn of_store(plan: &Plan) -> Vec<&str> {
    let Some(store) = &plan.backing.object_store else { return Vec::new() };
    let host = store.host();
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    [host, store.bucket.as_str()].into_iter().chain(store.prefix.split('/')).collect()
}

/// The directory at the bottom of `target`.
fn directory(target: &Target) -> Option<&Path> {
    match target {
        Target::Dir(path) => Some(path),
        Target::Made { inner, .. } => directory(inner.as_deref()?),
    }
}

/// The host of whose export `target` is.
fn server(target: &Target) -> Option<&str> {
    let Target::Made { options, .. } = target else { return None };
    Some(options.get("server")?.rsplit_once(":/")?.0)
}

/// The values in `known` that are names.
fn naming(known: &Environment) -> impl Iterator<Item = &str> {
    let is_naming = |key: &str| NAMING_KEYS.contains(&key.rsplit('.').next().unwrap_or(key));
    known.0.iter().filter(move |(key, _)| is_naming(key)).map(|(_, value)| value.as_str())
}

/// Words that stand for something else: file systems of the plan, and words of its tests.
fn taken(dataset: &Dataset) -> HashSet<&str> {
    let mut taken = HashSet::new();
    for target in &dataset.campaign.plan.targets {
        let mut layer = Some(target);
        while let Some(Target::Made { name, inner, .. }) = layer {
            taken.insert(name.as_str());
            layer = inner.as_deref();
        }
    }
    for test in &dataset.tests {
        let texts = [&test.id, &test.suite, &test.name, &test.testtype, &test.metric, &test.unit];
        taken.extend(texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric())));
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn struck(text: &str) -> String {
        let words = ["db7", "jane", "node1", "node1.lan"].map(String::from).into();
        let hosts = ["node1", "node1.lan"].map(String::from).into();
        let mut names = Names { words, hosts, ..Names::default() };
        names.add_given(NameKind::Path, "/mnt/my disk");
        names.strike(text);
        names.strike(text)
    }

    #[test]
    fn names_are_replaced_by_kind_and_number() {
        for (text, expected) in [
            ("mount /dev/loop0 /srv/a/b", "mount /dev/loop0 /path-2"),
            ("dir:/mnt/my disk", "dir:/path-1"),
            ("cannot read /srv/a: gone, /srv/b.", "cannot read /path-2: gone, /path-3."),
            ("nfs[server=files.lan:/x](xfs)", "nfs[server=host-1:/path-2](xfs)"),
            ("from files.lan: files.lan:/x", "from host-1: host-1:/path-2"),
            ("10.1.2.3:/x via fe80::1%eth0", "address-1:/path-2 via address-2"),
            ("10.1.2.3:2049 10.1.2.0/24", "address-1:2049 address-2/24"),
            ("aa:bb:cc:00:11:22", "mac-1"),
            ("UUID=0c4e1e3b-8a49-4d3d-b27f-7e6d5a3f3c11", "UUID=uuid-1"),
            ("db7.example.com and db7, jane's", "host-1 and host-1, host-2's"),
            ("jane@mail.example.com", "user-1"),
            ("on nvme-SAMSUNG_MZQL2_S64GNN0T", "on disk-1"),
            ("/dev/disk/by-id/wwn-0x5000c500a1b2c3d4", "/path-2"),
            ("host.node1.kernel.release", "host.host-1.kernel.release"),
            ("host_ops_per_s.node1.lan", "host_ops_per_s.host-1"),
            ("host_ranks.node1.lan", "host_ranks.host-1"),
            ("node1:2,db7:1", "host-1:2,host-2:1"),
            ("nbd://files.lan:10809/x", "nbd://host-1"),
        ] {
            assert_eq!(struck(text), expected, "{text}");
        }
    }

    #[test]
    fn target_with_kernel_is_not_a_user() {
        let with_kernel = ["ext4@6.12".to_string(), "xfs[noatime]@6.12".to_string()].into();
        let mut names = Names { with_kernel, ..Names::default() };
        for text in ["ext4@6.12", "ext4@6.12#2: mkfs failed", "xfs[noatime]@6.12, ext4@6.12"] {
            assert_eq!(names.strike(text), text);
        }
        assert_eq!(names.strike("jane@6.12 ext4@6.1"), "user-1 user-2");
    }

    #[test]
    fn the_host_of_an_export_is_a_name_however_short() {
        let target: Target = "nfs[server=nas:/srv/jane,vers=3]".parse().unwrap();
        let mut names = Names::default();
        names.add_given(NameKind::Host, server(&target).unwrap());
        assert_eq!(names.strike("nfs[server=nas:/srv/jane]"), "nfs[server=host-1:/path-1]");
        assert_eq!(server(&"nfs[vers=3]".parse().unwrap()), None);
    }

    #[test]
    fn text_that_identifies_nothing_stays() {
        for text in [
            "rw,relatime,subvol=/",
            "0/16 18.779, 1/16 19.675",
            "MB/s and 12:34:56, 2026-01-02T03:04:05Z",
            "/usr/sbin/mkfs.jfs version 1.1.15, 04-Mar-2011",
            "mkfs.xfs -f -d su=64k,sw=2 /dev/md127 /dev/nvme0n1p2",
            "127.0.0.1:/dev/loop1 on localhost, ::1",
            "Linux 6.18.44-fc-v595, LVM 2.03.16(2)",
            "usb-storage, scsi-debug",
            "0.08*500GB+0.005*3000IOPS+0.04*125MB/s",
        ] {
            assert_eq!(struck(text), text);
        }
    }
}
