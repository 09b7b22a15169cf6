//! Describes the hosts of an allocation and their differences, because the slowest sets the pace.

use model::result::{Environment, HostsWith, Note};
use std::{collections::BTreeMap, fs, path::Path};

/// Bytes that memory sizes of equal machines may be apart by, and more.
const GIB: u64 = 1 << 30;

/// Facts of this host, with those of the file system of `dir` and of its network cards.
pub fn of_this_host(dir: &Path) -> Environment {
    let mut found = lab::machine::collect_environment(dir, &[]);
    if let Some(cards) = cards(Path::new("/sys/class/net")) {
        found.0.insert("network".into(), cards);
    }
    found
}

/// Network cards that are up, with speed and MTU; speeds are megabits per second.
fn cards(dir: &Path) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(dir).ok()?.flatten() {
        let read = |file: &str| fs::read_to_string(entry.path().join(file)).ok();
        let is_up = read("operstate").is_some_and(|state| state.trim() == "up");
        let name = entry.file_name().to_string_lossy().into_owned();
        let speed = read("speed").filter(|speed| !speed.starts_with('-'));
        let mtu = read("mtu").unwrap_or_default();
        let speed = speed.map_or_else(String::new, |speed| format!(" {} Mbit/s", speed.trim()));
        if is_up && name != "lo" {
            names.push(format!("{name}{speed} mtu {}", mtu.trim()));
        }
    }
    names.sort();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Facts of all hosts as those of one environment, `host.NAME.KEY`, with how many ranks each has.
pub fn facts(hosts: &BTreeMap<String, Environment>, ranks: &[String]) -> Environment {
    let count = |host: &str| ranks.iter().filter(|of| *of == host).count();
    let sizes: Vec<String> = hosts.keys().map(|host| format!("{host}:{}", count(host))).collect();
    let mut facts = Environment::default();
    facts.0.insert("hosts".into(), sizes.join(","));
    for (host, own) in hosts {
        for (key, value) in &own.0 {
            facts.0.insert(format!("host.{host}.{key}"), value.clone());
        }
    }
    facts
}

/// A note for each fact in which `hosts` differ.
pub fn notes(hosts: &BTreeMap<String, Environment>) -> Vec<Note> {
    let mut keys: Vec<&String> = hosts.values().flat_map(|own| own.0.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter().filter_map(|key| note(key, hosts)).collect()
}

fn note(key: &str, hosts: &BTreeMap<String, Environment>) -> Option<Note> {
    // Unknown values come last.
    let mut by_value = BTreeMap::<(bool, Option<String>), Vec<String>>::new();
    for (host, own) in hosts {
        let value = own.0.get(key).map(|value| shown(key, value));
        by_value.entry((value.is_none(), value)).or_default().push(host.clone());
    }
    let differ = by_value.len() > 1;
    let values = by_value.into_iter().map(|((_, value), hosts)| HostsWith { value, hosts });
    differ.then(|| Note::HostsDiffer { fact: key.into(), values: values.collect() })
}

/// Memory in whole GiB: machines of one kind differ by a few pages.
fn shown(key: &str, value: &str) -> String {
    match value.parse::<u64>() {
        Ok(bytes) if key == "memory.bytes" => format!("{} GiB", (bytes + GIB / 2) / GIB),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(kernel: &str, memory: u64) -> Environment {
        let facts = [("kernel.release", kernel.to_string()), ("memory.bytes", memory.to_string())];
        Environment(facts.map(|(key, value)| (key.to_string(), value)).into())
    }

    #[test]
    fn each_difference_names_its_hosts_and_a_few_pages_are_none() {
        let mut hosts = BTreeMap::from([
            ("a".to_string(), host("6.1", 8 << 30)),
            ("b".to_string(), host("6.1", (8 << 30) - 4096)),
        ]);
        assert_eq!(notes(&hosts), []);
        hosts.insert("c".to_string(), host("6.5", 16 << 30));
        hosts.insert("d".to_string(), Environment::default());
        let with = |value: Option<&str>, hosts: &[&str]| HostsWith {
            value: value.map(String::from),
            hosts: hosts.iter().map(ToString::to_string).collect(),
        };
        let differ = |fact: &str, values| Note::HostsDiffer { fact: fact.into(), values };
        let kernels =
            vec![with(Some("6.1"), &["a", "b"]), with(Some("6.5"), &["c"]), with(None, &["d"])];
        let memory = vec![
            with(Some("16 GiB"), &["c"]),
            with(Some("8 GiB"), &["a", "b"]),
            with(None, &["d"]),
        ];
        assert_eq!(
            notes(&hosts),
            [differ("kernel.release", kernels), differ("memory.bytes", memory)]
        );
    }

    #[test]
    fn facts_of_all_are_kept_with_the_ranks_of_each() {
        let hosts =
            BTreeMap::from([("a".to_string(), host("6.1", 1)), ("b".into(), host("6.5", 2))]);
        let ranks = ["a", "b", "a"].map(String::from);
        let facts = facts(&hosts, &ranks);
        assert_eq!(facts.0["hosts"], "a:2,b:1");
        assert_eq!(facts.0["host.b.kernel.release"], "6.5");
    }

    #[test]
    fn this_host_is_described_without_its_mkfs() {
        let facts = of_this_host(Path::new("/"));
        assert!(facts.0.contains_key("kernel.release") && facts.0.contains_key("backing.fstype"));
        assert!(facts.0.keys().all(|key| !key.starts_with("tool.")));
    }
}
