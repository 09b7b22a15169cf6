//! Describes the machine by keys and values: enough to judge a figure, nothing that identifies the machine.

use crate::{
    machine::medium,
    mounts,
    programs::{Run, artifacts},
};
use ::fs::{FileSystem, Part, ResolvedTarget};
use disk::{Device, queue::chosen};
use model::result::Environment;
use std::{fs, path::Path};

/// The folder in which the kernel lists the balloons of a virtual machine.
const BALLOONS: &str = "/sys/bus/virtio/drivers/virtio_balloon";
/// The folder in which the kernel lists its NUMA nodes; a kernel without NUMA does not have it.
const NODES: &str = "/sys/devices/system/node";
/// VIRTIO_BALLOON_F_REPORTING of the virtio specification: the bit with which a host takes free memory.
const REPORTING: usize = 5;

/// Collects what can be read; a key is missing where the machine does not report it. `work_dir` is the
/// directory of the backing, or the node of a disk; `tool.PROGRAM` is of those that make `targets`.
pub fn collect_environment(work_dir: &Path, targets: &[ResolvedTarget]) -> Environment {
    let mut found = Environment::default();
    for (key, value) in machine().into_iter().chain(backing(work_dir)) {
        if let Some(value) = value {
            found.0.insert(key.into(), value);
        }
    }
    for part in targets.iter().flat_map(ResolvedTarget::parts) {
        if let (Some(cmd), Some(line)) = (part.fs.version(), version(part.fs)) {
            found.0.insert(format!("tool.{}", cmd.program), line);
        }
    }
    found
}

/// Returns what the tools that make `target` say of their versions, and which modules were built for it and
/// `kernel`, one line each; none for a directory.
pub fn tool_versions(target: &ResolvedTarget, kernel: &str) -> Vec<String> {
    let of_part = |part: &Part| version(part.fs).into_iter().chain(built(part.fs, kernel));
    target.parts().iter().flat_map(of_part).collect()
}

/// The version of the modules of `fs` that were built for `kernel`.
fn built(fs: &dyn FileSystem, kernel: &str) -> Option<String> {
    let name = fs.about().kernel_name?;
    let modules = artifacts::modules(name, kernel)?;
    let version = modules.first()?.parent()?.file_name()?;
    Some(format!("modules of {name} {}", version.to_string_lossy()))
}

/// Returns the version that the tools of `fs` print; `None` when they are missing.
pub(crate) fn version(fs: &dyn FileSystem) -> Option<String> {
    Some(fs.version()?.run().ok()?.first_line()?.to_string())
}

fn machine() -> Vec<(&'static str, Option<String>)> {
    let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
    let meminfo = read("/proc/meminfo").unwrap_or_default();
    let os = read("/etc/os-release").unwrap_or_default();
    let memory = field(&meminfo, "MemTotal").and_then(|text| text.split(' ').next()?.parse().ok());
    let cpus = std::thread::available_parallelism().ok();
    let hypervisor = field(&cpuinfo, "flags").map(|flags| {
        if flags.split(' ').any(|flag| flag == "hypervisor") { "virtual" } else { "none" }.into()
    });
    vec![
        ("kernel.release", read("/proc/sys/kernel/osrelease")),
        ("cpu.model", field(&cpuinfo, "model name")),
        ("cpu.count", cpus.map(|n| n.to_string())),
        ("cpu.governor", read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        ("numa.nodes", numa_nodes(Path::new(NODES))),
        ("memory.bytes", memory.map(|kib: u64| (kib * 1024).to_string())),
        ("os.name", os_name(&os)),
        ("virtualization", hypervisor),
        ("guest.free_page_reporting", free_page_reporting(Path::new(BALLOONS))),
        ("thp", read("/sys/kernel/mm/transparent_hugepage/enabled").as_deref().and_then(chosen)),
    ]
}

/// Counts the NUMA nodes.
fn numa_nodes(nodes: &Path) -> Option<String> {
    let is_node =
        |name: &str| name.strip_prefix("node").is_some_and(|number| number.parse::<u32>().is_ok());
    let names = fs::read_dir(nodes).ok()?.flatten().map(|entry| entry.file_name());
    Some(names.filter(|name| name.to_str().is_some_and(is_node)).count().to_string())
}

/// Returns `on` if this virtual machine gives memory that has been free for some seconds back to its host: the next
/// access, e.g. a write into the page cache, waits until the host provides it again.
fn free_page_reporting(balloons: &Path) -> Option<String> {
    let features = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("features")).ok();
    let mut all = fs::read_dir(balloons).ok()?.flatten().filter_map(features);
    all.any(|bits| bits.as_bytes().get(REPORTING) == Some(&b'1')).then(|| "on".into())
}

fn backing(work_dir: &Path) -> Vec<(&'static str, Option<String>)> {
    let disk = Device::of_node(work_dir);
    let dir = work_dir.canonicalize().ok().filter(|_| disk.is_none());
    let mount = dir.as_ref().and_then(|dir| mounts::holding(dir).ok().flatten());
    let device = disk.or_else(|| Device::under(dir.as_ref()?).ok().flatten());
    let attribute = |name: &str| device.and_then(|device| device.attribute(name));
    vec![
        ("backing.fstype", mount.as_ref().map(|mount| mount.kind.clone())),
        ("backing.options", mount.map(|mount| mount.options)),
        ("backing.disk", device.map(|_| medium(work_dir))),
        ("backing.device.model", attribute("device/model")),
        ("backing.device.scheduler", attribute("queue/scheduler").as_deref().and_then(chosen)),
        ("backing.device.rotational", attribute("queue/rotational")),
        ("backing.device.read_ahead_kb", attribute("queue/read_ahead_kb")),
    ]
}

fn read(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_string();
    (!text.is_empty()).then_some(text)
}

/// Value of the first line `key : value`.
fn field(text: &str, key: &str) -> Option<String> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_string())
}

fn os_name(os_release: &str) -> Option<String> {
    let line = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read() {
        assert_eq!(field("a\t: 1\nmodel name\t: X Y\n", "model name").as_deref(), Some("X Y"));
        assert_eq!(os_name("ID=x\nPRETTY_NAME=\"A B\"\n").as_deref(), Some("A B"));
    }

    #[test]
    fn a_balloon_that_reports_free_memory_is_a_fact() {
        let drivers = tempfile::tempdir().unwrap();
        let told = |features: &str| {
            fs::create_dir_all(drivers.path().join("virtio0")).unwrap();
            fs::write(drivers.path().join("virtio0/features"), features).unwrap();
            free_page_reporting(drivers.path())
        };
        assert_eq!(free_page_reporting(drivers.path()), None);
        assert_eq!(told("01100000"), None);
        assert_eq!(told("01100100").as_deref(), Some("on"));
        assert_eq!(free_page_reporting(Path::new("/nowhere")), None);
    }

    /// The programs are asked in each campaign; a user's home is none of their business.
    #[test]
    fn asking_for_versions_leaves_nothing_at_home() {
        let home = tempfile::tempdir().unwrap();
        let mut asked = 0;
        for fs in ::fs::ALL {
            let Some(cmd) = fs.version() else { continue };
            let cmd = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"]
                .iter()
                .fold(cmd.env("HOME", home.path().display().to_string()), |cmd, name| {
                    cmd.env(name, home.path().join(name).display().to_string())
                });
            asked += usize::from(cmd.run().is_ok());
            let left = fs::read_dir(home.path()).unwrap().count();
            assert_eq!(left, 0, "{}: {}", fs.about().name, cmd);
        }
        assert!(asked > 0, "no program is installed");
    }

    #[test]
    fn environment_has_the_kernel_and_no_host_name() {
        let found = collect_environment(Path::new("/"), &[]);
        assert!(found.0.contains_key("kernel.release") && found.0.contains_key("backing.fstype"));
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
        assert!(found.0.values().all(|value| value != name.trim()));
    }

    #[test]
    fn tools_that_make_no_target_are_not_listed() {
        let targets = ["ext4", "dir:/tmp"].map(|text| text.parse().unwrap());
        let found = collect_environment(Path::new("/"), &targets);
        let tools: Vec<&String> = found.0.keys().filter(|key| key.starts_with("tool.")).collect();
        let is_here =
            ::fs::ALL.iter().any(|fs| fs.about().name == "ext4" && version(*fs).is_some());
        assert_eq!(tools, if is_here { vec!["tool.mkfs.ext4"] } else { vec![] });
    }
}
