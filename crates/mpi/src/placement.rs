//! Which ranks work where a case wants fewer than there are.

use std::{collections::BTreeMap, str::FromStr};

/// How workers are spread over the hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Map {
    /// One on each host, then a second on each, and so on.
    #[default]
    Host,
    /// As many on a host as it has ranks, then the next host.
    Core,
}

impl FromStr for Map {
    type Err = String;

    fn from_str(text: &str) -> Result<Map, String> {
        match text {
            "host" => Ok(Map::Host),
            "core" => Ok(Map::Core),
            other => Err(format!("--map {other} is not known; take host or core")),
        }
    }
}

/// Numbers of the ranks in the order in which they get work; `hosts` has that of each rank. Rank 0 is the first,
/// and its host the first of the hosts.
pub fn order(hosts: &[String], map: Map) -> Vec<usize> {
    let mut seen = BTreeMap::<&str, (usize, usize)>::new();
    let mut keys: Vec<(usize, usize, usize)> = Vec::new();
    for (rank, host) in hosts.iter().enumerate() {
        let next = seen.len();
        let (number, ranks) = seen.entry(host).or_insert((next, 0));
        keys.push(match map {
            Map::Host => (*ranks, *number, rank),
            Map::Core => (*number, *ranks, rank),
        });
        *ranks += 1;
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, _, rank)| rank).collect()
}

/// The first rank of each host, in the order of the ranks.
pub fn leaders(hosts: &[String]) -> Vec<usize> {
    let is_first = |rank: &usize| !hosts[..*rank].contains(&hosts[*rank]);
    (0..hosts.len()).filter(is_first).collect()
}

/// How many workers before each one are on its host.
pub fn local_numbers(hosts: &[String]) -> Vec<usize> {
    let before = |at: usize| hosts[..at].iter().filter(|host| **host == hosts[at]).count();
    (0..hosts.len()).map(before).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(names: &str) -> Vec<String> {
        names.split(' ').map(String::from).collect()
    }

    #[test]
    fn few_workers_are_on_as_many_hosts_as_there_are() {
        let names = hosts("a a b b c");
        assert_eq!(order(&names, Map::Host), [0, 2, 4, 1, 3]);
        assert_eq!(order(&names, Map::Core), [0, 1, 2, 3, 4]);
        // As `mpirun --map-by node` numbers them.
        let names = hosts("b a b a");
        assert_eq!(order(&names, Map::Host), [0, 1, 2, 3]);
        assert_eq!(order(&names, Map::Core), [0, 2, 1, 3]);
    }

    #[test]
    fn each_host_has_a_leader_and_numbers_of_its_own() {
        let names = hosts("b a b a c");
        assert_eq!(leaders(&names), [0, 1, 4]);
        assert_eq!(local_numbers(&names), [0, 0, 1, 1, 0]);
    }
}
