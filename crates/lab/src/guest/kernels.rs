//! Kernels of this machine that QEMU can boot: an image, and the modules of the same release.

use super::Missing;
use crate::programs::tool;
use model::target::KernelVersion;
use std::{
    cmp::Reverse,
    fs,
    path::{Path, PathBuf},
};

const BOOT: &str = "/boot";
const MODULES: &str = "/lib/modules";

/// A kernel with its modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kernel {
    pub(super) image: PathBuf,
    pub(super) release: String,
}

/// The kernels that are installed, the newest first.
pub(super) fn installed() -> Vec<Kernel> {
    installed_in(Path::new(BOOT), Path::new(MODULES))
}

/// The kernels in `boot` whose modules are in `modules`, and those that are among their modules, each release once.
fn installed_in(boot: &Path, modules: &Path) -> Vec<Kernel> {
    let in_boot = files(boot).into_iter().filter_map(|image| {
        let release = image.file_name()?.to_str()?.strip_prefix("vmlinuz-")?.to_string();
        modules.join(&release).is_dir().then_some(Kernel { image, release })
    });
    let beside_modules = files(modules).into_iter().filter_map(|dir| {
        let (image, release) = (dir.join("vmlinuz"), dir.file_name()?.to_str()?.to_string());
        image.is_file().then_some(Kernel { image, release })
    });
    let mut all: Vec<Kernel> = in_boot.chain(beside_modules).collect();
    // The sort keeps the order of equals, so that an image of /boot is the first of its release.
    all.sort_by_cached_key(|kernel| Reverse(age(&kernel.release)));
    all.dedup_by(|later, earlier| later.release == earlier.release);
    all
}

fn files(dir: &Path) -> Vec<PathBuf> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Numbers of a version, whether it is final, numbers of its build, and its name, by length first.
type Age = (Vec<u64>, bool, Vec<u64>, Reverse<(usize, String)>);

/// A key by which releases are in their order: 6.12 comes after 6.1, a release after its candidates. Of two flavours of
/// one release the one with the shorter name counts as the newer one.
fn age(release: &str) -> Age {
    let (version, build) = release.split_once(['-', '+', '_']).unwrap_or((release, ""));
    let is_final = !build.starts_with("rc");
    (numbers(version), is_final, numbers(build), Reverse((release.len(), release.into())))
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}

/// The newest of the installed kernels.
pub(super) fn newest() -> Result<Kernel, Missing> {
    installed().into_iter().next().ok_or_else(none)
}

/// What is missing where no kernel is installed.
pub(super) fn none() -> Missing {
    Missing::new("no kernel with its modules is installed", tool::how_to_install("vmlinuz"))
}

/// The installed kernel `release`.
pub(super) fn of(release: &str) -> Result<Kernel, Missing> {
    let all = installed();
    let releases: Vec<&str> = all.iter().map(|kernel| kernel.release.as_str()).collect();
    let what = format!("kernel {release} is not installed (installed: {})", releases.join(", "));
    let fix = tool::how_to_install("vmlinuz");
    all.iter()
        .find(|kernel| kernel.release == release)
        .cloned()
        .ok_or_else(|| Missing::new(what, fix))
}

/// The first of `releases`, which begin with the newest, that is `version` or begins with it.
pub fn newest_of<'r>(version: &KernelVersion, releases: &'r [String]) -> Option<&'r str> {
    releases.iter().map(String::as_str).find(|release| version.begins(release))
}

/// The kernel that a user names; its modules must be here, and the image tells their version.
pub(super) fn given(image: &Path) -> Result<Kernel, Missing> {
    let bytes = fs::read(image).map_err(|error| {
        Missing::new(format!("{}: {error}", image.display()), "pass an existing kernel to --kernel")
    })?;
    let release = image_version(&bytes).ok_or_else(|| {
        Missing::new(
            format!("{} is not a Linux kernel for x86", image.display()),
            "pass a bzImage to --kernel",
        )
    })?;
    let modules = Path::new(MODULES).join(&release);
    if !modules.is_dir() {
        let what = format!("{} is missing", modules.display());
        return Err(Missing::new(what, format!("install the modules of {}", image.display())));
    }
    Ok(Kernel { image: image.into(), release })
}

/// The version in the header of a bzImage, by the boot protocol of x86
/// (`Documentation/arch/x86/boot.rst`): a pointer at 0x20e, counted from 0x200.
fn image_version(image: &[u8]) -> Option<String> {
    if image.get(0x202..0x206)? != b"HdrS" {
        return None;
    }
    let at = u16::from_le_bytes([*image.get(0x20e)?, *image.get(0x20f)?]);
    let text = image.get(0x200 + usize::from(at)..)?;
    let end = text.iter().take(256).position(|byte| *byte == b' ' || *byte == 0)?;
    Some(String::from_utf8_lossy(&text[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folders like /boot and /lib/modules, with empty files.
    fn machine(images: &[&str], modules: &[&str], beside: &[&str]) -> Vec<Kernel> {
        let dir = tempfile::tempdir().unwrap();
        let (boot, lib) = (dir.path().join("boot"), dir.path().join("modules"));
        fs::create_dir_all(&boot).unwrap();
        images.iter().for_each(|name| fs::write(boot.join(name), "").unwrap());
        modules.iter().for_each(|name| fs::create_dir_all(lib.join(name)).unwrap());
        beside.iter().for_each(|name| fs::write(lib.join(name).join("vmlinuz"), "").unwrap());
        installed_in(&boot, &lib)
    }

    fn releases(kernels: &[Kernel]) -> Vec<String> {
        kernels.iter().map(|kernel| kernel.release.clone()).collect()
    }

    #[test]
    fn kernels_need_modules_and_the_newest_is_first() {
        let found = machine(
            &[
                "vmlinuz-6.1.0-9-amd64",
                "vmlinuz-6.1.0-18-amd64",
                "vmlinuz-6.18.1",
                "config-6.1.0-9-amd64",
            ],
            &["6.1.0-9-amd64", "6.1.0-18-amd64", "6.12.9", "6.12.48+deb13-amd64", "5.10"],
            &["6.12.9", "6.12.48+deb13-amd64", "6.1.0-9-amd64"],
        );
        assert_eq!(
            releases(&found),
            ["6.12.48+deb13-amd64", "6.12.9", "6.1.0-18-amd64", "6.1.0-9-amd64"]
        );
        assert!(found[1].image.ends_with("modules/6.12.9/vmlinuz"), "{found:?}");
        assert!(found[3].image.ends_with("boot/vmlinuz-6.1.0-9-amd64"), "{found:?}");
        assert!(machine(&[], &[], &[]).is_empty());
    }

    #[test]
    fn newest_that_begins_with_version_is_chosen() {
        let images =
            ["6.1.0-44-rt-amd64", "6.1.0-44-amd64", "6.13.0-rc7", "6.13.0", "6.12.9", "6.12.10"];
        let names = images.map(|name| format!("vmlinuz-{name}"));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = releases(&machine(&names, &images, &[]));
        let chosen = |version: &str| newest_of(&version.parse().unwrap(), &all);
        assert_eq!(chosen("6.12"), Some("6.12.10"));
        assert_eq!(chosen("6.12.9"), Some("6.12.9"));
        assert_eq!(chosen("6.1"), Some("6.1.0-44-amd64"), "of two flavours the plain one");
        assert_eq!(chosen("6.1.0-44-rt"), Some("6.1.0-44-rt-amd64"));
        assert_eq!(chosen("6.13"), Some("6.13.0"), "a release is newer than its candidates");
        assert_eq!(chosen("6.13.0-rc7"), Some("6.13.0-rc7"));
        assert_eq!(chosen("6"), Some("6.13.0"));
        assert_eq!((chosen("6.11"), chosen("6.1.0-4"), chosen("7")), (None, None, None));
    }

    #[test]
    fn a_kernel_tells_its_version() {
        let mut image = vec![0; 0x400];
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x20e..0x210].copy_from_slice(&0x100_u16.to_le_bytes());
        image[0x300..0x316].copy_from_slice(b"6.1.0-56-amd64 (gcc) #");
        assert_eq!(image_version(&image).as_deref(), Some("6.1.0-56-amd64"));
        assert_eq!(image_version(b"not a kernel"), None);
    }

    #[test]
    fn an_installed_kernel_tells_the_version_in_its_name() {
        let Ok(kernel) = newest() else {
            return needs::skip(needs::Need::Qemu, "no kernel is installed");
        };
        assert_eq!(given(&kernel.image).ok(), Some(kernel.clone()));
        assert_eq!(of(&kernel.release).ok(), Some(kernel));
    }

    #[test]
    fn kernel_that_is_not_installed_is_missing() {
        let missing = of("1.0-none").unwrap_err();
        assert!(missing.what.starts_with("kernel 1.0-none is not installed"), "{missing:?}");
        assert!(!missing.fix.is_empty());
    }
}
