//! Probes what this machine supports, and names the next step for the rest.

use crate::{
    machine::needs::{Need, Supply, needs},
    page_cache::{drop_caches, residency},
    programs::{Run, tool},
};
use ::fs::{Cmd, FileSystem, ResolvedTarget, Tool};
use std::{fs, path::Path};

/// The availability of a file system on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// All is there.
    Ready,
    /// Something is missing.
    Missing {
        /// What, in a few words.
        what: String,
        /// The remedy.
        fix: String,
    },
}

/// State of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Everything is in place.
    Ok,
    /// assay works without it, with less.
    Limited,
    /// Not there.
    Missing,
}

/// One line of `assay doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoctorLine {
    /// The thing.
    pub what: String,
    /// Its state.
    pub finding: Finding,
    /// Why, or what follows from it.
    pub detail: String,
    /// The remedy; empty if none is needed.
    pub fix: String,
}

/// Returns the availability of `fs` on this machine: rights, kernel, programs, loop devices.
pub fn available(fs: &dyn FileSystem) -> Availability {
    judged(&needs(fs, &supply()))
}

/// Returns the programs that `target` lacks on this machine, if it lacks nothing else.
pub fn missing_programs(target: &ResolvedTarget) -> Option<Vec<Tool>> {
    let supply = supply();
    let parts = target.parts();
    let needs: Vec<Need> = parts.iter().flat_map(|part| needs(part.fs, &supply)).collect();
    programs_alone(&needs)
}

fn programs_alone(needs: &[Need]) -> Option<Vec<Tool>> {
    let program = |need: &Need| if let Need::Program(tool) = need { Some(*tool) } else { None };
    needs.iter().map(program).collect::<Option<Vec<Tool>>>().filter(|all| !all.is_empty())
}

/// Says that `tools` are not installed, and the command of this machine that installs them.
pub fn not_installed(tools: &[Tool]) -> String {
    let mut programs: Vec<&str> = Vec::new();
    for Tool { program, .. } in tools {
        if !programs.contains(program) {
            programs.push(program);
        }
    }
    format!("{}; {}", tool::not_installed(&programs), tool::ways_to_install(tools).join(", "))
}

/// Reports all of `needs` at once, so that no user learns of them one by one; what the kernel lacks in one part.
pub(crate) fn judged(needs: &[Need]) -> Availability {
    let mut modules: Vec<&str> = Vec::new();
    let mut all: Vec<Need> = Vec::new();
    for need in needs {
        match need {
            Need::Kernel(name) if modules.contains(&&**name) => {}
            Need::Kernel(name) => modules.push(name),
            other => all.push(other.clone()),
        }
    }
    if !modules.is_empty() {
        all.insert(0, Need::Kernel(modules.join(", ")));
    }
    if all.is_empty() {
        return Availability::Ready;
    }
    let what = all.iter().map(Need::what).collect::<Vec<_>>().join(", ");
    Availability::Missing { what, fix: fixes(&all).join(", ") }
}

/// Returns what to do about all of `needs`, with one command for the packages.
fn fixes(needs: &[Need]) -> Vec<String> {
    let tool = |need: &'_ Need| if let Need::Program(tool) = need { Some(*tool) } else { None };
    let tools: Vec<Tool> = needs.iter().filter_map(tool).collect();
    let others = needs.iter().filter(|need| tool(need).is_none()).map(Need::fix);
    others.chain(tool::ways_to_install(&tools)).collect()
}

/// Returns what this machine itself has, without a guest.
pub(crate) fn supply() -> Supply<'static> {
    Supply {
        kernel: Box::new(kernel_has),
        installed: Box::new(is_installed),
        unseen: Box::new(|_| None),
        builds: &[],
        root: disk::is_root(),
        network: true,
        loop_devices: Some(has_loop()),
    }
}

/// Returns true if a program exists.
pub(crate) fn is_installed(tool: &Tool) -> bool {
    tool::find_program(tool.program).is_some()
}

/// Returns the abilities of this machine besides making file systems, which is in [`matrix`](crate::machine::matrix).
pub fn doctor() -> Vec<DoctorLine> {
    let mut lines = vec![line(
        "root",
        disk::is_root(),
        Finding::Limited,
        "run assay with sudo",
        [
            "file systems can be created and caches dropped",
            "only existing directories can be measured",
        ],
    )];
    lines.push(line(
        "loop devices",
        has_loop(),
        Finding::Limited,
        "run `modprobe loop`",
        ["file systems can be created on images", "no file system can be created on an image"],
    ));
    lines.push(line(
        "drop_caches",
        drop_caches::can_drop(),
        Finding::Limited,
        "run assay with sudo",
        [
            "inodes and dentries can be dropped",
            "in directories only file data can be dropped from \
                                                the cache",
        ],
    ));
    let cachestat = residency::has_cachestat();
    lines.push(line(
        "cachestat",
        cachestat,
        Finding::Limited,
        "use Linux 6.5 or later",
        [
            "residency is read without mapping files",
            "residency is read by mincore, which is slower",
        ],
    ));
    let psi = Path::new("/proc/pressure/io").exists();
    lines.push(line(
        "pressure (PSI)",
        psi,
        Finding::Limited,
        "boot with psi=1",
        ["interference is recorded", "interference is not recorded"],
    ));
    lines
}

/// A line with the detail for yes and for no.
fn line(what: &str, is: bool, otherwise: Finding, fix: &str, detail: [&str; 2]) -> DoctorLine {
    DoctorLine {
        what: what.into(),
        finding: if is { Finding::Ok } else { otherwise },
        detail: detail[usize::from(!is)].into(),
        fix: if is { String::new() } else { fix.into() },
    }
}

fn has_loop() -> bool {
    Path::new("/dev/loop-control").exists()
}

/// Built in or loaded, or a module that would be loaded. A file system, a driver of block devices or a
/// RAID level that is built in shows itself where these are listed.
fn kernel_has(name: &str) -> bool {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    lists(&read("/proc/filesystems"), name)
        || lists(&read("/proc/devices"), name)
        || read("/proc/mdstat").contains(&format!("[{name}]"))
        || Path::new("/sys/module").join(name).exists()
        || Cmd::new("modprobe").args(["-n", "-q", name]).run().is_ok()
}

/// Returns true if a line of a list of /proc ends with `name`.
fn lists(list: &str, name: &str) -> bool {
    list.lines().any(|line| line.split_whitespace().last() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_file_systems_are_listed() {
        let text = "nodev\tproc\n\text4\n";
        assert!(lists(text, "proc") && lists(text, "ext4") && !lists(text, "ext"));
        assert!(kernel_has("proc") && !kernel_has("nonesuchfs"));
    }

    #[test]
    fn the_null_file_system_is_always_ready() {
        assert_eq!(available(::fs::find("null").unwrap()), Availability::Ready);
        let kernel = |name: &str| Need::Kernel(name.into());
        let Availability::Missing { what, fix } =
            judged(&[kernel("nfs"), Need::Root, kernel("nfsd"), kernel("nfs")])
        else {
            panic!("it lacks three")
        };
        assert_eq!(what, "the kernel has no nfs, nfsd, root");
        assert!(
            fix.starts_with("boot a kernel with nfs, nfsd, or ") && fix.contains("sudo"),
            "{fix}"
        );
    }

    #[test]
    fn programs_that_alone_are_missing_get_one_command() {
        let program = |name: &'static str, package| Need::Program(Tool::new(name, [package; 4]));
        let mkfs = program("mkfs.xfs", "xfsprogs");
        let all = [mkfs.clone(), program("mkfs.btrfs", "btrfs-progs"), mkfs.clone()];
        let said = not_installed(&programs_alone(&all).unwrap());
        assert!(said.starts_with("`mkfs.xfs`, `mkfs.btrfs` are not installed; "), "{said}");
        assert!(said.contains("xfsprogs btrfs-progs"), "{said}");
        assert_eq!(programs_alone(&[mkfs, Need::Root]), None);
        assert_eq!(programs_alone(&[]), None);
    }

    #[test]
    fn the_doctor_has_a_fix_for_everything_that_is_not_ok() {
        let lines = doctor();
        assert_eq!(lines.len(), 5);
        assert!(lines.iter().all(|l| (l.finding == Finding::Ok) == l.fix.is_empty()), "{lines:?}");
    }
}
