//! Finds what is built once and kept for every later campaign: kernel modules and programs, in the cache folder that
//! `assay doctor --install` fills.

use std::{
    cmp::Reverse,
    env, fs,
    path::{Path, PathBuf},
};

/// Version of ZeroFS that assay builds and runs: its configuration file changes between versions.
pub const ZEROFS_VERSION: &str = "0.19.1";

/// Version of versitygw that assay builds and runs as its object store.
pub const VERSITYGW_VERSION: &str = "1.8.0";

/// Lists the modules of a folder, one file name a line, in the order in which they are loaded.
const ORDER: &str = "order";

/// The cache folder: `ASSAY_CACHE`, else `/var/cache/assay` for root, else the XDG cache folder. Root's
/// home is closed to others, and a guest runs as another user.
pub fn dir() -> PathBuf {
    if let Some(dir) = env::var_os("ASSAY_CACHE") {
        return dir.into();
    }
    if rustix::process::geteuid().is_root() {
        return "/var/cache/assay".into();
    }
    let home = || PathBuf::from(env::var_os("HOME").unwrap_or_else(|| ".".into())).join(".cache");
    env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("assay")
}

/// Folder of the builds of the module package `package` for `kernel`, one folder a version.
pub fn modules_dir(package: &str, kernel: &str) -> PathBuf {
    dir().join(package).join(kernel)
}

/// Folder of version `version` of `program`; the program itself is in `bin` in it.
pub fn program_dir(program: &str, version: &str) -> PathBuf {
    dir().join(program).join(version)
}

/// The cached modules of `package` for `kernel`, newest version, in the order in which they are loaded;
/// `None` when they were not built.
pub fn modules(package: &str, kernel: &str) -> Option<Vec<PathBuf>> {
    modules_in(&modules_dir(package, kernel))
}

fn modules_in(versions: &Path) -> Option<Vec<PathBuf>> {
    let entries = fs::read_dir(versions).ok()?.flatten();
    let mut built: Vec<(PathBuf, String)> = entries
        .map(|entry| entry.path())
        .filter_map(|dir| fs::read_to_string(dir.join(ORDER)).ok().map(|order| (dir, order)))
        .collect();
    built.sort_by_key(|(dir, _)| Reverse(version_key(dir)));
    let (dir, order) = built.first()?;
    Some(order.lines().filter(|line| !line.is_empty()).map(|name| dir.join(name)).collect())
}

/// The numbers of a version, so that 2.10 comes after 2.9.
fn version_key(dir: &Path) -> Vec<u64> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// Writes the order of `names` in `dir`.
///
/// # Errors
/// The file cannot be written.
pub fn write_order(dir: &Path, names: &[String]) -> std::io::Result<()> {
    fs::write(dir.join(ORDER), names.join("\n") + "\n")
}

/// Returns where cached programs lie, for the search of programs.
pub(crate) fn bin_dirs() -> Vec<PathBuf> {
    let programs = [("zerofs", ZEROFS_VERSION), ("versitygw", VERSITYGW_VERSION)];
    programs.map(|(program, version)| program_dir(program, version).join("bin")).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_complete_build_is_taken_in_its_order() {
        let versions = tempfile::tempdir().unwrap();
        assert_eq!(modules_in(versions.path()), None);
        for version in ["2.9.1", "2.10.0", "2.11.0"] {
            fs::create_dir(versions.path().join(version)).unwrap();
        }
        let newest = versions.path().join("2.10.0");
        write_order(&versions.path().join("2.9.1"), &["old.ko".into()]).unwrap();
        write_order(&newest, &["spl.ko".into(), "zfs.ko".into()]).unwrap();
        let expected = vec![newest.join("spl.ko"), newest.join("zfs.ko")];
        assert_eq!(modules_in(versions.path()), Some(expected), "2.11.0 has no order yet");
    }
}
