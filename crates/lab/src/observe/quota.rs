//! Reads how long the CPU quota of this process's control groups, such as the limit of a container, held its threads
//! back. Sources: Documentation/admin-guide/cgroup-v2.rst and Documentation/scheduler/sched-bwc.rst of Linux.

use crate::{
    backing::throttle::own_group,
    mounts::{self, Mount},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

const OWN_GROUPS: &str = "/proc/self/cgroup";

/// The `cpu.stat` of each group whose quota binds this process, looked up once.
static FILES: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let own = fs::read_to_string(OWN_GROUPS).unwrap_or_default();
    files(&mounts::all().unwrap_or_default(), &own)
});

/// Time for which threads were ready and a quota did not let them run, of all processors together, nanoseconds; `None`
/// where no group has a quota.
pub(super) fn held_back_ns() -> Option<u64> {
    sum(&FILES)
}

/// The `cpu.stat` files of the process's own group and of the groups above it that are visible here.
fn files(mounts: &[Mount], own: &str) -> Vec<PathBuf> {
    let is_v1 = |m: &&Mount| m.kind == "cgroup" && m.options.split(',').any(|o| o == "cpu");
    let found = match mounts.iter().find(is_v1) {
        Some(mount) => Some((mount, "cpu")),
        None => mounts.iter().find(|m| m.kind == "cgroup2").map(|mount| (mount, "")),
    };
    let Some((mount, controller)) = found else { return Vec::new() };
    let root = &mount.mount_point;
    let group = own_group(own, controller).trim_start_matches('/');
    // In a container the path of the group may not be visible; its root is the group then.
    let home = Some(root.join(group)).filter(|home| home.is_dir()).unwrap_or(root.clone());
    let groups = home.ancestors().take_while(|group| group.starts_with(root));
    groups.map(|group| group.join("cpu.stat")).filter(|file| file.is_file()).collect()
}

fn sum(files: &[PathBuf]) -> Option<u64> {
    files.iter().filter_map(|file| of_file(file)).reduce(|sum, one| sum.saturating_add(one))
}

/// Of one group; `None` without a quota.
fn of_file(file: &Path) -> Option<u64> {
    of_text(&fs::read_to_string(file).ok()?)
}

/// `throttled_time` is of version 1, in nanoseconds, `throttled_usec` of version 2.
fn of_text(text: &str) -> Option<u64> {
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))?;
        line.trim().parse::<u64>().ok()
    };
    // Without a quota no period passes.
    value("nr_periods").filter(|periods| *periods > 0)?;
    value("throttled_time").or_else(|| value("throttled_usec").map(|us| us.saturating_mul(1000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mounts::mount;

    #[test]
    fn both_versions_count_the_time() {
        let v1 = "nr_periods 20\nnr_throttled 7\nthrottled_time 350000000\n";
        assert_eq!(of_text(v1), Some(350_000_000));
        let v2 = "usage_usec 5\nnr_periods 20\nnr_throttled 7\nthrottled_usec 350000\n";
        assert_eq!(of_text(v2), Some(350_000_000));
        assert_eq!(of_text("nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"), None);
        assert_eq!(of_text("usage_usec 5\n"), None);
    }

    #[test]
    fn a_quota_binds_the_groups_below_it() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("pod/one");
        fs::create_dir_all(&home).unwrap();
        let stat = |group: &Path, us: u64| {
            let text = format!("nr_periods 9\nnr_throttled 3\nthrottled_usec {us}\n");
            fs::write(group.join("cpu.stat"), text).unwrap();
        };
        stat(&home, 20);
        stat(&root.path().join("pod"), 300);
        fs::write(root.path().join("cpu.stat"), "usage_usec 5\n").unwrap();
        let mounts = [mount("cgroup2", root.path(), "rw")];
        let found = files(&mounts, "0::/pod/one\n");
        assert_eq!((found.len(), sum(&found)), (3, Some(320_000)));
        // As a container without a name space of its own shows it.
        assert_eq!(files(&mounts, "0::/not/here\n"), [root.path().join("cpu.stat")]);
        let mounts = [
            mount("cgroup2", Path::new("/"), "rw"),
            mount("cgroup", root.path(), "rw,cpu,cpuacct"),
        ];
        assert_eq!(
            files(&mounts, "4:cpu,cpuacct:/pod\n0::/\n")[0],
            root.path().join("pod/cpu.stat")
        );
        assert_eq!(sum(&files(&[], "0::/\n")), None);
    }
}
