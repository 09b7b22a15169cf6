//! Finds the programs that the lab runs, and the packages of those that are missing.

use crate::{error::LabError, programs::artifacts};
use disk::program;
use fs::{ALL, Family, Tool};
use model::target::KernelVersion;
use std::{fs as files, path::PathBuf};

/// Programs that every file system needs to be made.
pub(crate) const BASE: &[Tool] = &[
    Tool::new("mount", ["mount", "util-linux", "util-linux", "util-linux"]),
    Tool::new("umount", ["mount", "util-linux", "util-linux", "util-linux"]),
    Tool::new("losetup", ["mount", "util-linux", "util-linux", "util-linux"]),
];

/// Programs that boot guests.
const GUEST: &[Tool] = &[
    Tool::new("qemu-system-x86_64", ["qemu-system-x86", "qemu-kvm", "qemu-x86", "qemu-system-x86"]),
    Tool::new("busybox", ["busybox-static", "busybox", "busybox-static", "busybox"]),
    Tool::new("modprobe", ["kmod"; 4]),
    Tool::new("unshare", ["util-linux"; 4]),
    Tool::new("setpriv", ["util-linux"; 4]),
    Tool::new("insmod", ["kmod"; 4]),
    Tool::new("pivot_root", ["util-linux"; 4]),
    Tool::new("chroot", ["coreutils"; 4]),
    Tool::new("ip", ["iproute2", "iproute", "iproute2", "iproute2"]),
    Tool::new("vmlinuz", ["linux-image-amd64", "kernel", "kernel-default", "linux"]),
];

/// Full path of `program`, or `None` when it is not installed.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    program::find(program, artifacts::bin_dirs())
}

/// Returns true if `program` is on this machine.
pub fn is_installed(program: &str) -> bool {
    find_program(program).is_some()
}

/// The sentence that says how to get `program`, which belongs to no file system.
pub(crate) fn how_to_install(program: &str) -> String {
    match tool(program) {
        Some(tool) => install(tool),
        None => "install it or add its directory to PATH".into(),
    }
}

/// The sentence that says how to get a kernel that begins with `version`, with its modules.
pub fn how_to_install_kernel(version: &KernelVersion) -> String {
    let os_release = files::read_to_string("/etc/os-release").unwrap_or_default();
    kernel_on(Family::of(&os_release), version)
}

fn kernel_on(family: Option<Family>, version: &KernelVersion) -> String {
    match family {
        Some(Family::Debian) => format!(
            "`apt-cache search linux-image-{version}` lists packages; install one with \
             `apt-get install linux-image-...`"
        ),
        Some(Family::Rhel) => format!("install it with `dnf install 'kernel-{version}*'`"),
        Some(Family::Suse | Family::Arch) | None => {
            format!("install a kernel {version} with its modules")
        }
    }
}

/// The tool called `program`, which belongs to no file system.
fn tool(program: &str) -> Option<&'static Tool> {
    BASE.iter().chain(GUEST).find(|tool| tool.program == program)
}

/// The Debian package of `program`, which belongs to no file system.
#[cfg(test)]
pub(crate) fn package(program: &str) -> Option<&'static str> {
    tool(program).map(|tool| tool.package(Family::Debian))
}

/// Returns which of `programs` are not installed, and how to get all of them; `None` when all are there.
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
    (!missing.is_empty()).then(|| (not_installed(&missing), ways.join(", ")))
}

/// That `programs` are not installed.
pub(crate) fn not_installed(programs: &[&str]) -> String {
    let names: Vec<String> = programs.iter().map(|program| format!("`{program}`")).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    format!("{} {are} not installed", names.join(", "))
}

/// The command for this machine that brings `tool`, with the names of all packages where its family is not known.
pub fn install(tool: &Tool) -> String {
    ways_to_install([tool]).join(", ")
}

/// The commands for this machine that bring all of `tools`: one for the packages, and one for each that assay
/// builds itself.
pub(crate) fn ways_to_install<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> Vec<String> {
    let os_release = files::read_to_string("/etc/os-release").unwrap_or_default();
    ways_on(Family::of(&os_release), tools)
}

fn ways_on<'t>(family: Option<Family>, tools: impl IntoIterator<Item = &'t Tool>) -> Vec<String> {
    let (built, packaged): (Vec<&Tool>, Vec<&Tool>) =
        tools.into_iter().partition(|tool| !tool.is_packaged());
    let packages = match (packaged.is_empty(), family) {
        (true, _) => Vec::new(),
        (false, Some(family)) => on_family(family, &packaged),
        (false, None) => vec![on_any(&packaged)],
    };
    let builds = built.iter().map(|t| format!("run `assay doctor --install {}` once", t.program));
    packages.into_iter().chain(builds).collect()
}

/// One command for the packages, and a line for what has none.
fn on_family(family: Family, tools: &[&Tool]) -> Vec<String> {
    let (without, with): (Vec<&Tool>, Vec<&Tool>) =
        tools.iter().partition(|tool| tool.package(family).is_empty());
    let command = format!("run `{} {}`", family.command(), names(family, &with));
    let none = without.iter().map(|tool| {
        format!(
            "build `{}`, for which {} has no \
                             package",
            tool.program,
            family.name()
        )
    });
    (!with.is_empty()).then_some(command).into_iter().chain(none).collect()
}

/// The packages of every family.
fn on_any(tools: &[&Tool]) -> String {
    let of = |family: Family| format!("{} ({})", names(family, tools), family.name());
    let mut all = Family::ALL.map(of).to_vec();
    // One that has a package for none of them.
    all.retain(|names| !names.starts_with(' '));
    let last = all.pop().unwrap_or_default();
    format!("install {} or {last}", all.join(", "))
}

/// Each package once.
fn names(family: Family, tools: &[&Tool]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in tools.iter().map(|tool| tool.package(family)) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" ")
}

/// `error`, with the package of a file system's program that is missing.
pub(crate) fn explained(error: LabError) -> LabError {
    let LabError::MissingProgram { program, fix } = error else { return error };
    let mut tools = ALL.iter().flat_map(|fs| fs.about().tools);
    let fix = tools.find(|tool| tool.program == program).map_or(fix, install);
    LabError::MissingProgram { program, fix }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_command_brings_all_packages_once() {
        let built = Tool::built("zerofs");
        let tools = GUEST.iter().filter(|t| ["modprobe", "insmod", "ip"].contains(&t.program));
        let tools: Vec<&Tool> = tools.chain([&built]).collect();
        let ways = |family| ways_on(family, tools.iter().copied());
        let build = "run `assay doctor --install zerofs` once";
        assert_eq!(ways(Some(Family::Debian)), ["run `apt-get install kmod iproute2`", build]);
        assert_eq!(ways(Some(Family::Rhel)), ["run `dnf install kmod iproute`", build]);
        assert_eq!(ways(Some(Family::Suse)), ["run `zypper install kmod iproute2`", build]);
        assert_eq!(ways(Some(Family::Arch)), ["run `pacman -S kmod iproute2`", build]);
        let any = "install kmod iproute2 (Debian), kmod iproute (RHEL), kmod iproute2 (SUSE) or kmod iproute2 (Arch)";
        assert_eq!(ways(None), [any, build]);
        let none = Tool::new("zfs-fuse", ["zfs-fuse", "zfs-fuse", "", ""]);
        let arch = "build `zfs-fuse`, for which Arch has no package";
        assert_eq!(ways_on(Some(Family::Arch), [&none]), [arch]);
        assert_eq!(ways_on(None, [&none]), ["install zfs-fuse (Debian) or zfs-fuse (RHEL)"]);
        assert_eq!(ways_on(None, [&built]), [build]);
    }

    #[test]
    fn each_family_says_how_to_install_a_kernel() {
        let version = "6.12".parse().unwrap();
        let said = |family| kernel_on(family, &version);
        let debian = said(Some(Family::Debian));
        assert!(
            debian.contains("apt-get install linux-image-") && debian.contains("linux-image-6.12`"),
            "{debian}"
        );
        assert!(said(Some(Family::Rhel)).contains("`dnf install 'kernel-6.12*'`"));
        assert!(said(None).contains("kernel 6.12 with its modules"));
    }

    #[test]
    fn programs_of_file_systems_have_packages() {
        let fix = |program: &str| {
            let (program, fix) = (program.into(), "look for it".into());
            explained(LabError::MissingProgram { program, fix }).to_string()
        };
        assert!(fix("mkfs.xfs").contains("xfsprogs"));
        assert!(fix("zerofs").ends_with("; run `assay doctor --install zerofs` once"));
        assert_eq!(fix("nonesuch"), "`nonesuch` is not installed; look for it");
    }

    #[test]
    fn programs_of_every_lab_have_packages() {
        assert!(how_to_install("qemu-system-x86_64").contains("qemu"));
        assert!(how_to_install("nonesuch").contains("PATH"));
        assert!(find_program("sh").is_some());
        assert_eq!(find_program("no-such-program-here"), None);
    }

    #[test]
    fn all_missing_programs_are_named_at_once() {
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
