//! Programs that the lab runs: where they are, and which package brings one that is missing.

use crate::artifacts;
use disk::program;
use std::{fs as files, path::PathBuf};

/// A program and the packages that bring it; no distribution has a package of one that assay builds
/// itself, and both names are empty then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Name of the program.
    pub program: &'static str,
    /// Package of Debian and Ubuntu.
    pub debian: &'static str,
    /// Package of RHEL and Fedora.
    pub rhel: &'static str,
}

/// What every made file system needs.
pub(crate) const BASE: &[Tool] = &[
    Tool { program: "mount", debian: "mount", rhel: "util-linux" },
    Tool { program: "umount", debian: "mount", rhel: "util-linux" },
    Tool { program: "losetup", debian: "mount", rhel: "util-linux" },
];

/// What guests are booted with.
const GUEST: &[Tool] = &[
    Tool { program: "qemu-system-x86_64", debian: "qemu-system-x86", rhel: "qemu-kvm" },
    Tool { program: "busybox", debian: "busybox-static", rhel: "busybox" },
    Tool { program: "modprobe", debian: "kmod", rhel: "kmod" },
    Tool { program: "unshare", debian: "util-linux", rhel: "util-linux" },
    Tool { program: "setpriv", debian: "util-linux", rhel: "util-linux" },
    Tool { program: "insmod", debian: "kmod", rhel: "kmod" },
    Tool { program: "pivot_root", debian: "util-linux", rhel: "util-linux" },
    Tool { program: "chroot", debian: "coreutils", rhel: "coreutils" },
    Tool { program: "ip", debian: "iproute2", rhel: "iproute" },
    Tool { program: "vmlinuz", debian: "linux-image-amd64", rhel: "kernel" },
];

/// Full path of `program`, or `None` when it is not installed.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    program::find(program, artifacts::bin_dirs())
}

/// The sentence that tells how to get `program`, which is no file system's.
pub(crate) fn how_to_install(program: &str) -> String {
    match tool(program) {
        Some(tool) => tool.install(),
        None => "install it or add its directory to PATH".into(),
    }
}

/// The tool that is called `program`, which is no file system's.
fn tool(program: &str) -> Option<&'static Tool> {
    BASE.iter().chain(GUEST).find(|tool| tool.program == program)
}

/// The package of Debian that brings `program`, which is no file system's.
#[cfg(test)]
pub(crate) fn package(program: &str) -> Option<&'static str> {
    tool(program).map(|tool| tool.debian)
}

/// Which of `programs` are not installed, and how to get all of them; `None` when all are there.
pub(crate) fn lacking(programs: &[&str]) -> Option<(String, String)> {
    lacking_of(programs, &|program| find_program(program).is_some())
}

/// The same, of what `is_there` says.
fn lacking_of(programs: &[&str], is_there: &dyn Fn(&str) -> bool) -> Option<(String, String)> {
    let missing: Vec<&str> =
        programs.iter().copied().filter(|program| !is_there(program)).collect();
    let known = missing.iter().filter_map(|program| tool(program));
    let mut ways = ways_to_install(known);
    let unknown = missing.iter().find(|program| tool(program).is_none());
    ways.extend(unknown.map(|program| how_to_install(program)));
    let names: Vec<String> = missing.iter().map(|program| format!("`{program}`")).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty())
        .then(|| (format!("{} {are} not installed", names.join(", ")), ways.join(", ")))
}

impl Tool {
    /// The command for this machine, with both package names where its family is not known.
    pub fn install(&self) -> String {
        ways_to_install([self]).join(", ")
    }
}

/// The commands for this machine that bring all of `tools`: one for the packages, and one for each that assay
/// builds itself.
pub(crate) fn ways_to_install<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> Vec<String> {
    let os_release = files::read_to_string("/etc/os-release").unwrap_or_default();
    ways_on(Family::of(&os_release), tools)
}

fn ways_on<'t>(family: Option<Family>, tools: impl IntoIterator<Item = &'t Tool>) -> Vec<String> {
    let (built, packaged): (Vec<&Tool>, Vec<&Tool>) =
        tools.into_iter().partition(|tool| tool.debian.is_empty());
    let packages = |of: fn(&Tool) -> &'static str| {
        let mut names: Vec<&str> = Vec::new();
        for name in packaged.iter().map(|tool| of(tool)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(" ")
    };
    let (debian, rhel) = (packages(|tool| tool.debian), packages(|tool| tool.rhel));
    let command = match family {
        Some(Family::Debian) => format!("run `apt-get install {debian}`"),
        Some(Family::Rhel) => format!("run `dnf install {rhel}`"),
        None => format!("install {debian} (Debian) or {rhel} (RHEL)"),
    };
    let builds = built.iter().map(|t| format!("run `assay doctor --install {}`, once", t.program));
    (!packaged.is_empty()).then_some(command).into_iter().chain(builds).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Debian,
    Rhel,
}

impl Family {
    /// Judges by ID and ID_LIKE of os-release(5).
    fn of(os_release: &str) -> Option<Family> {
        let ids = os_release
            .lines()
            .filter_map(|line| line.strip_prefix("ID=").or(line.strip_prefix("ID_LIKE=")))
            .flat_map(|value| value.trim_matches('"').split_whitespace());
        ids.filter_map(|id| match id {
            "debian" | "ubuntu" => Some(Family::Debian),
            "rhel" | "fedora" | "centos" => Some(Family::Rhel),
            _ => None,
        })
        .next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_told_by_os_release() {
        assert_eq!(Family::of("NAME=\"x\"\nID=debian\n"), Some(Family::Debian));
        let rocky = "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n";
        assert_eq!(Family::of(rocky), Some(Family::Rhel));
        assert_eq!(Family::of("ID=void\n"), None);
    }

    #[test]
    fn one_command_brings_all_packages_once() {
        let built = Tool { program: "zerofs", debian: "", rhel: "" };
        let tools = GUEST.iter().filter(|t| ["modprobe", "insmod", "ip"].contains(&t.program));
        let tools: Vec<&Tool> = tools.chain([&built]).collect();
        let ways = |family| ways_on(family, tools.iter().copied());
        let build = "run `assay doctor --install zerofs`, once";
        assert_eq!(ways(Some(Family::Debian)), ["run `apt-get install kmod iproute2`", build]);
        assert_eq!(ways(Some(Family::Rhel)), ["run `dnf install kmod iproute`", build]);
        assert_eq!(ways(None), ["install kmod iproute2 (Debian) or kmod iproute (RHEL)", build]);
        assert_eq!(ways_on(None, [&built]), [build]);
    }

    #[test]
    fn packages_are_found_for_what_every_lab_needs() {
        assert!(how_to_install("qemu-system-x86_64").contains("qemu"));
        assert!(how_to_install("nonesuch").contains("PATH"));
        assert!(find_program("sh").is_some());
        assert_eq!(find_program("no-such-program-here"), None);
    }

    #[test]
    fn all_that_is_missing_is_named_at_once_and_each_way_once() {
        let is_there = |program: &str| program == "mount";
        let all = ["insmod", "modprobe", "mount", "busybox"];
        let (what, fix) = lacking_of(&all, &is_there).unwrap();
        assert_eq!(what, "`insmod`, `modprobe`, `busybox` are not installed");
        assert_eq!(
            (fix.matches("kmod").count() == 1, fix.contains("busybox")),
            (true, true),
            "{fix}"
        );
        let (what, _) = lacking_of(&["mount", "insmod"], &is_there).unwrap();
        assert_eq!(what, "`insmod` is not installed");
        assert_eq!(lacking_of(&["mount"], &is_there), None);
    }
}
