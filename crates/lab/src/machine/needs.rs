//! Lists what a file system needs of a lab and does not find there. It is pure: [`Supply`] says what a lab has.

use crate::programs::tool;
use fs::{FileSystem, Tool};
use std::{fmt, path::PathBuf};

/// Something that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// A part of the kernel, by the name of its module or file system.
    Kernel(String),
    /// A part of the kernel that `assay doctor --install` builds.
    Build(String),
    /// A program.
    Program(Tool),
    /// A program that is on this machine where no guest sees it.
    Unseen(&'static str, PathBuf),
    /// The rights of root.
    Root,
    /// Loop devices.
    LoopDevices,
    /// A network that leads out of the lab.
    Network,
}

/// Modules that `assay doctor --install` builds for guests of QEMU.
pub(crate) const BUILT: &[&str] = &["zfs"];

/// Returns the path of a program.
type PlaceOf<'a> = dyn Fn(&Tool) -> Option<PathBuf> + 'a;

/// Supply of a lab: kernel, programs, rights.
pub(crate) struct Supply<'a> {
    /// Returns true if its kernel has a module or file system of this name.
    pub(crate) kernel: Box<dyn Fn(&str) -> bool + 'a>,
    /// Returns true if a program is installed.
    pub(crate) installed: Box<dyn Fn(&Tool) -> bool + 'a>,
    /// Returns the path of a program that this machine has but the lab cannot see.
    pub(crate) unseen: Box<PlaceOf<'a>>,
    /// Modules that can be built for its kernel.
    pub(crate) builds: &'a [&'a str],
    /// Whether assay is root in it.
    pub(crate) root: bool,
    /// Whether its network reaches other machines.
    pub(crate) network: bool,
    /// Whether loop devices are available; `None` if its disks are not loop devices.
    pub(crate) loop_devices: Option<bool>,
}

impl Need {
    /// Returns what is missing, for a sentence.
    pub fn what(&self) -> String {
        match self {
            Need::Kernel(name) | Need::Build(name) => format!("the kernel has no {name}"),
            Need::Program(tool) => format!("`{}` is not installed", tool.program),
            Need::Unseen(program, path) => {
                format!("`{program}` is {}, which is not visible in guests", path.display())
            }
            Need::Root => "root".into(),
            Need::LoopDevices => "loop devices".into(),
            Need::Network => "guests have no network, but the object store is remote".into(),
        }
    }

    /// Returns what to do about it.
    pub fn fix(&self) -> String {
        match self {
            Need::Kernel(names) => {
                let boot = format!(
                    "boot a kernel with {names}, or install the module package of this one"
                );
                let built =
                    BUILT.iter().find(|built| names.split(", ").any(|name| name == **built));
                match built {
                    Some(name) => format!(
                        "run `assay doctor --install {name}` once for QEMU guests, or {boot}"
                    ),
                    None => boot,
                }
            }
            Need::Build(name) => format!("run `assay doctor --install {name}` once"),
            Need::Program(tool) => tool::install(tool),
            Need::Unseen(..) => "install it in /usr/local/bin, readable by all users".into(),
            Need::Root => "run assay with sudo".into(),
            Need::LoopDevices => "run `modprobe loop`".into(),
            Need::Network => "omit --s3-endpoint to use a server in the guest".into(),
        }
    }

    /// Returns true if [`Need::fix`] installs something that is then available.
    pub(crate) fn is_installable(&self) -> bool {
        match self {
            Need::Kernel(name) => BUILT.contains(&&**name),
            Need::Program(_) | Need::Build(_) => true,
            Need::Unseen(..) | Need::Root | Need::LoopDevices | Need::Network => false,
        }
    }
}

/// In two words, for a table.
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Kernel(name) => write!(f, "no module {name}"),
            Need::Build(name) => write!(f, "{name} not built"),
            Need::Program(tool) => write!(f, "no {}", tool.program),
            Need::Unseen(program, _) => write!(f, "{program} not visible"),
            Need::Root => f.write_str("not root"),
            Need::LoopDevices => f.write_str("no loop devices"),
            Need::Network => f.write_str("no network"),
        }
    }
}

/// Everything that is missing for `fs`, what hinders most first; nothing for a plain directory.
pub(crate) fn needs(fs: &dyn FileSystem, supply: &Supply<'_>) -> Vec<Need> {
    if fs.about().kernel_name.is_none()
        && fs.about().modules.is_empty()
        && fs.about().tools.is_empty()
    {
        return Vec::new();
    }
    let of_kernel = fs.about().kernel_name.into_iter().chain(fs.about().modules.iter().copied());
    let lacking = of_kernel.filter(|name| !(supply.kernel)(name)).map(|name| {
        let build = supply.builds.contains(&name);
        if build { Need::Build(name.into()) } else { Need::Kernel(name.into()) }
    });
    let with_loop = fs.has_device() && supply.loop_devices.is_some();
    let base = tool::BASE.iter().filter(|tool| with_loop || tool.program != "losetup");
    let programs = base.chain(fs.about().tools).filter(|tool| !(supply.installed)(tool));
    let program = |tool: &Tool| match (supply.unseen)(tool) {
        Some(path) => Need::Unseen(tool.program, path),
        None => Need::Program(*tool),
    };
    let mut all: Vec<Need> = lacking.chain(programs.map(program)).collect();
    all.extend((fs.about().is_outside && !supply.network).then_some(Need::Network));
    all.extend((!supply.root).then_some(Need::Root));
    let no_loop = with_loop && supply.loop_devices == Some(false);
    all.extend(no_loop.then_some(Need::LoopDevices));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use fs::{ResolvedTarget, find};

    fn missing(name: &str, supply: &Supply<'_>) -> Vec<String> {
        needs(find(name).unwrap(), supply).iter().map(Need::to_string).collect()
    }

    #[test]
    fn the_greatest_obstacle_comes_first() {
        let bare = Supply {
            kernel: Box::new(|_| false),
            installed: Box::new(|_| false),
            unseen: Box::new(|_| None),
            builds: &[],
            root: false,
            network: true,
            loop_devices: Some(false),
        };
        let of_xfs = missing("xfs", &bare);
        assert_eq!(&of_xfs[..4], ["no module xfs", "no mount", "no umount", "no losetup"]);
        assert_eq!(&of_xfs[of_xfs.len() - 2..], ["not root", "no loop devices"]);
        assert!(missing("null", &bare).is_empty());
        let built = Supply { builds: &["xfs"], ..bare };
        assert_eq!(missing("xfs", &built)[0], "xfs not built");
        assert!(needs(find("xfs").unwrap(), &built)[0].fix().contains("--install xfs"));
    }

    #[test]
    fn a_program_that_no_guest_sees_is_reported_with_its_path() {
        let guest = Supply {
            kernel: Box::new(|_| true),
            installed: Box::new(|tool| tool.program != "mkfs.xfs"),
            unseen: Box::new(|tool| {
                (tool.program == "mkfs.xfs").then(|| "/opt/bin/mkfs.xfs".into())
            }),
            builds: &[],
            root: true,
            network: false,
            loop_devices: None,
        };
        let needs = needs(find("xfs").unwrap(), &guest);
        assert_eq!(needs[0].to_string(), "mkfs.xfs not visible");
        assert_eq!(
            needs[0].what(),
            "`mkfs.xfs` is /opt/bin/mkfs.xfs, which is not visible in \
                                     guests"
        );
        assert!(needs[0].fix().contains("/usr/local/bin"));
    }

    #[test]
    fn a_lab_without_zfs_names_how_to_build_it() {
        for name in ["zfs", "nfs, zfs"] {
            let fix = Need::Kernel(name.into()).fix();
            assert!(fix.starts_with("run `assay doctor --install zfs` once"), "{fix}");
        }
        assert!(!Need::Kernel("xfs".into()).fix().contains("doctor"));
        assert!(Need::Kernel("zfs".into()).is_installable());
    }

    #[test]
    fn a_guest_needs_no_loop_devices() {
        let guest = Supply {
            kernel: Box::new(|name| name == "ext4"),
            installed: Box::new(|tool| tool.program != "losetup"),
            unseen: Box::new(|_| None),
            builds: &[],
            root: true,
            network: false,
            loop_devices: None,
        };
        assert!(missing("ext4", &guest).is_empty());
        assert_eq!(missing("xfs", &guest), ["no module xfs"]);
        let target: ResolvedTarget = "rclone[store=s3,s3.host=example.org](xfs)".parse().unwrap();
        assert_eq!(needs(target.parts()[1].fs, &guest), [Need::Network]);
        let host = Supply { loop_devices: Some(true), ..guest };
        assert_eq!(missing("ext4", &host), ["no losetup"]);
        assert!(missing("tmpfs", &Supply { kernel: Box::new(|_| true), ..host }).is_empty());
    }
}
