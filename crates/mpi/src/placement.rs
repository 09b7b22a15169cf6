//! Selects the ranks that work if a case needs fewer than exist, and whose files each reads if hosts are shifted.

use std::{collections::BTreeMap, str::FromStr};

/// What is asked of an allocation besides the arguments of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// How workers are spread over the hosts.
    pub map: Map,
    /// Whether hosts must not read their own data.
    pub shift: bool,
}

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
            other => Err(format!("unknown --map {other}; expected host or core")),
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

/// For each worker, of which `hosts` has the host, those of other hosts that are one, two and three strides further on;
/// each is so for one worker. `None` where a host has more than half of them, so that it had to read its own.
///
/// With the workers in the order of their hosts a stride is as long as the largest host. No stride leads so far that it
/// comes round to the host it began at: on two hosts all three are the same.
pub fn owners(hosts: &[String]) -> Option<Vec<[u32; 3]>> {
    let mut by_host: Vec<usize> = (0..hosts.len()).collect();
    by_host.sort_by_key(|worker| &hosts[*worker]);
    let count = |host: &String| hosts.iter().filter(|other| *other == host).count();
    let stride = hosts.iter().map(count).max()?;
    let farthest = (hosts.len() - stride).max(1);
    let mut owners = vec![[0; 3]; hosts.len()];
    for (place, worker) in by_host.iter().enumerate() {
        let further = |strides: usize| place + (strides * stride).min(farthest);
        owners[*worker] = [1, 2, 3].map(|n| by_host[further(n) % hosts.len()] as u32);
    }
    (stride <= farthest && hosts.len() > 1).then_some(owners)
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
    fn shifted_workers_read_each_other_host_file_once() {
        for names in [
            "a b",
            "a a b b",
            "a b a b",
            "a b c",
            "a a a b b b c c",
            "b a c a d a b c",
            "a b b c c c",
        ] {
            let hosts = hosts(names);
            let owners = owners(&hosts).unwrap();
            for strides in 0..3 {
                let mut taken: Vec<u32> = owners.iter().map(|of| of[strides]).collect();
                let own =
                    taken.iter().zip(&hosts).filter(|(of, host)| hosts[**of as usize] == **host);
                assert_eq!(own.count(), 0, "{names}, {strides}: {taken:?}");
                taken.sort_unstable();
                assert_eq!(taken, (0..hosts.len() as u32).collect::<Vec<_>>(), "{names}");
            }
        }
        // As `mdtest -N 1` on four hosts: stat of the next, read of the one after it, removal of the third.
        assert_eq!(owners(&hosts("a b c d")).unwrap()[0], [1, 2, 3]);
        assert_eq!(owners(&hosts("a a b b")).unwrap(), [[2; 3], [3; 3], [0; 3], [1; 3]]);
    }

    #[test]
    fn a_host_with_more_than_half_of_the_workers_cannot_be_shifted() {
        for names in ["a", "a a", "a a b", "a b a"] {
            assert_eq!(owners(&hosts(names)), None, "{names}");
        }
        assert_eq!(owners(&[]), None);
    }

    #[test]
    fn each_host_has_a_leader_and_numbers_of_its_own() {
        let names = hosts("b a b a c");
        assert_eq!(leaders(&names), [0, 1, 4]);
        assert_eq!(local_numbers(&names), [0, 0, 1, 1, 0]);
    }
}
