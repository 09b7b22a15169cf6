//! Binds each worker of a case to a NUMA node of this machine, as the KX Nano studies did: worker i to node i modulo
//! their number, with its processors and its memory.

use super::processors;
use crate::messages::with_causes;
use anyhow::{Context, Result, bail, ensure};
use model::{
    result::Note,
    workload::{Job, Numa, NumaNode},
};
use std::{fs, io, path::Path, sync::LazyLock};

/// Folder in which the kernel describes its nodes (Documentation/ABI/stable/sysfs-devices-node).
const NODES: &str = "/sys/devices/system/node";
/// File that lists the nodes whose memory this process may use (proc_pid_status(5)).
const ALLOWED: (&str, &str) = ("/proc/self/status", "Mems_allowed_list:");

/// The fact of a target that states how its workers are bound to nodes.
pub const FACT: &str = "work.numa";

/// Looked up once and not before each case.
static HERE: LazyLock<Result<Vec<Node>>> = LazyLock::new(|| {
    let (file, key) = ALLOWED;
    let status = fs::read_to_string(file).with_context(|| format!("read {file}"))?;
    let allowed = status.lines().find_map(|line| line.strip_prefix(key));
    let cpus = processors::allowed();
    ensure!(!cpus.is_empty(), "the kernel does not tell which processors may be used");
    nodes(Path::new(NODES), &cpus, allowed.unwrap_or_default().trim())
});

/// A node with its processors, first one of every core, then the second ones.
#[derive(Debug)]
struct Node {
    node: NumaNode,
    levels: Vec<Vec<u32>>,
}

/// Binds `jobs`, the workers of a case on this machine, to nodes by `numa`; with a single node they are not bound.
/// Workers pinned to a processor get one of their node.
///
/// # Errors
/// The nodes of this machine cannot be looked up.
pub fn bind(numa: Numa, jobs: &mut [Job], steps: u64) -> Result<()> {
    if numa == Numa::RoundRobin {
        spread(here()?, jobs, steps);
    }
    Ok(())
}

/// Describes the binding, for facts and plans: `round-robin over nodes 0, 1`; `None` if it was not requested.
///
/// # Errors
/// The nodes of this machine cannot be looked up.
pub fn describe(numa: Numa) -> Result<Option<String>> {
    if numa == Numa::None {
        return Ok(None);
    }
    let numbers: Vec<String> = here()?.iter().map(|one| one.node.number.to_string()).collect();
    Ok(Some(match numbers.len() {
        0 | 1 => "not bound: one node is available".into(),
        _ => format!("round-robin over nodes {}", numbers.join(", ")),
    }))
}

/// Note for the reader of a plan or a report; `None` if binding was not requested.
///
/// # Errors
/// The nodes of this machine cannot be looked up.
pub fn note(numa: Numa) -> Result<Option<Note>> {
    if numa == Numa::None {
        return Ok(None);
    }
    let nodes = here()?.iter().map(|one| one.node.number).collect();
    Ok(Some(Note::NumaNodes { numa, nodes }))
}

fn here() -> Result<&'static [Node]> {
    match &*HERE {
        Ok(nodes) => Ok(nodes),
        Err(error) => {
            bail!("cannot look up the NUMA nodes of this machine: {}", with_causes(error))
        }
    }
}

fn spread(nodes: &[Node], jobs: &mut [Job], steps: u64) {
    if nodes.len() < 2 {
        return;
    }
    let of_node: Vec<Vec<u32>> =
        nodes.iter().map(|one| processors::turned(&one.levels, steps)).collect();
    for (worker, job) in jobs.iter_mut().enumerate() {
        let (node, round) = (worker % nodes.len(), worker / nodes.len());
        // Where a node has more workers than processors, its later ones may use all of it.
        job.cpu = job.cpu.and_then(|_| of_node[node].get(round).copied());
        job.node = Some(nodes[node].node.clone());
    }
}

/// Returns the nodes below `root` that have some of `cpus`, and `allowed` memory; none for a kernel without NUMA.
fn nodes(root: &Path, cpus: &[u32], allowed: &str) -> Result<Vec<Node>> {
    let with_memory = match fs::read_to_string(root.join("has_memory")) {
        Ok(text) => list(&text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("read {}", root.display())),
    };
    let allowed = list(allowed)?;
    let mut found = Vec::new();
    for number in with_memory.into_iter().filter(|node| allowed.contains(node)) {
        let path = root.join(format!("node{number}/cpulist"));
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let mut own = list(&text)?;
        own.retain(|cpu| cpus.contains(cpu));
        if !own.is_empty() {
            let levels = processors::by_thread(&own);
            found.push(Node { node: NumaNode { number, cpus: own }, levels });
        }
    }
    Ok(found)
}

/// Parses a list of the kernel, e.g. `0-3,8`.
fn list(text: &str) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number =
            |text: &str| text.parse::<u32>().with_context(|| format!("`{part}` in a list"));
        numbers.extend(number(first)?..=number(last)?);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A description of two nodes with processors and one without.
    fn two_nodes() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("has_memory", "0-2\n");
        write("node0/cpulist", "0-1,4\n");
        write("node1/cpulist", "2-3\n");
        write("node2/cpulist", "\n");
        dir
    }

    fn found(cpus: &[u32], allowed: &str) -> Vec<(u32, Vec<u32>)> {
        let nodes = nodes(two_nodes().path(), cpus, allowed).unwrap();
        nodes.into_iter().map(|one| (one.node.number, one.node.cpus)).collect()
    }

    #[test]
    fn nodes_need_allowed_processors_and_memory() {
        assert_eq!(found(&[0, 1, 2, 3, 4], "0-2"), [(0, vec![0, 1, 4]), (1, vec![2, 3])]);
        assert_eq!(found(&[1, 2], "0-2"), [(0, vec![1]), (1, vec![2])]);
        assert_eq!(found(&[0, 1], "0-2"), [(0, vec![0, 1])]);
        assert_eq!(found(&[0, 1, 2, 3], "1"), [(1, vec![2, 3])]);
        let none = tempfile::tempdir().unwrap();
        assert!(nodes(none.path(), &[0], "0").unwrap().is_empty());
        let dir = two_nodes();
        fs::remove_file(dir.path().join("node1/cpulist")).unwrap();
        assert!(nodes(dir.path(), &[0], "0-2").is_err(), "what cannot be read is an error");
    }

    fn jobs(count: u32, cpu: Option<u32>) -> Vec<Job> {
        let job: Job = serde_json::from_value(serde_json::json!({
            "test": "columnar.read.float.large", "mode": "run", "dir": "/w0", "worker": 0, "workers": count,
            "threads": 1, "scale": 1.0, "seed": 7, "data": "random", "memory": 1 << 30, "knobs": {},
        }))
        .unwrap();
        vec![Job { cpu, ..job }; count as usize]
    }

    #[test]
    fn workers_rotate_over_nodes_and_use_their_processors() {
        let dir = two_nodes();
        let nodes = nodes(dir.path(), &[0, 1, 2, 3, 4], "0-2").unwrap();
        let bound = |count, cpu| {
            let mut jobs = jobs(count, cpu);
            spread(&nodes, &mut jobs, 0);
            let of = |job: &Job| (job.node.clone().unwrap().number, job.cpu);
            jobs.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(bound(3, None), [(0, None), (1, None), (0, None)]);
        let own = bound(6, Some(0));
        for (node, cpu) in &own[..4] {
            assert!(nodes[*node as usize].node.cpus.contains(&cpu.unwrap()), "{own:?}");
        }
        assert!(own[4].1.is_some() && own[5] == (1, None), "node 1 has two processors: {own:?}");
        let mut alone = jobs(2, None);
        spread(&nodes[..1], &mut alone, 0);
        assert!(alone.iter().all(|job| job.node.is_none()));
    }

    #[test]
    fn nodes_of_this_machine_are_found() {
        assert_eq!(describe(Numa::None).unwrap(), None);
        let words = describe(Numa::RoundRobin).unwrap().unwrap();
        let expected = match here().unwrap().len() {
            0 | 1 => "not bound: one node",
            _ => "round-robin over nodes 0",
        };
        assert!(words.starts_with(expected), "{words}");
    }
}
