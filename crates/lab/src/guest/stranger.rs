//! Chooses an unused user of this machine for each guest, so that it can touch neither what other guests left nor other
//! processes of a shared user.

use crate::error::LabError;
use rustix::fs::{FileType, Gid, Mode, OFlags, Uid, fchown, fstat};
use std::{
    collections::HashSet,
    fs,
    hash::{BuildHasher, RandomState},
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// Range of the users: above what distributions, containers and directory services assign.
const FIRST: u32 = 2_000_000_000;
const COUNT: u32 = 100_000_000;

/// A user that has no name and no process, in this process's namespace.
///
/// # Errors
/// The namespace has no room for one.
pub(super) fn new() -> Result<u32, LabError> {
    let path = Path::new("/proc/self/uid_map");
    let map = fs::read_to_string(path).map_err(LabError::io("read", path))?;
    let none = || LabError::io("find a user for a guest in", path)(io::ErrorKind::NotFound.into());
    let (first, count) = range(&map).ok_or_else(none)?;
    let taken = taken();
    let start = RandomState::new().hash_one(std::process::id()) % u64::from(count);
    let all = (0..u64::from(count)).map(|n| first + ((start + n) % u64::from(count)) as u32);
    all.take(taken.len() + 1).find(|uid| !taken.contains(uid)).ok_or_else(none)
}

/// First and number of the users to choose from. Where a user namespace does not know the usual ones, they
/// are the upper half of those that it knows most of.
fn range(map: &str) -> Option<(u32, u32)> {
    let lines = map.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().ok());
        let (first, _, count) = (numbers.next()??, numbers.next()??, numbers.next()??);
        Some((first, count))
    });
    let (first, count) = lines.max_by_key(|(_, count)| *count)?;
    if first <= u64::from(FIRST) && first + count >= u64::from(FIRST) + u64::from(COUNT) {
        return Some((FIRST, COUNT));
    }
    let half = count / 2;
    let first = u32::try_from(first + count - half).ok()?;
    (half > 0).then_some((first, u32::try_from(half).ok()?))
}

/// Users with a name or a process.
fn taken() -> HashSet<u32> {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = passwd.lines().filter_map(|line| line.split(':').nth(2)?.parse().ok());
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let statuses =
        processes.filter_map(|entry| fs::read_to_string(entry.path().join("status")).ok());
    let running = statuses.flat_map(|status| users(&status).unwrap_or_default());
    named.chain(running).collect()
}

/// The users of a process: real, effective, saved, of the file system.
fn users(status: &str) -> Option<Vec<u32>> {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    Some(line.split_whitespace().filter_map(|uid| uid.parse().ok()).collect())
}

/// Files and directories that belong to a guest as long as it runs; taken back when dropped.
#[derive(Debug, Default)]
pub(super) struct HandedOver(Vec<(OwnedFd, Uid, Gid)>);

impl HandedOver {
    /// Gives `paths`, which are files and directories and no links, to `user`.
    pub(super) fn to(user: u32, paths: &[&PathBuf]) -> Result<HandedOver, LabError> {
        let mut handed = HandedOver::default();
        for path in paths {
            handed.add(user, path).map_err(LabError::io("hand over", path))?;
        }
        Ok(handed)
    }

    fn add(&mut self, user: u32, path: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::open(path, flags, Mode::empty())?;
        let stat = fstat(&file)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if !matches!(kind, FileType::RegularFile | FileType::Directory) {
            return Err(io::Error::other("it is neither a file nor a directory"));
        }
        fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(user)))?;
        self.0.push((file, Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid)));
        Ok(())
    }
}

impl Drop for HandedOver {
    fn drop(&mut self) {
        for (file, uid, gid) in &self.0 {
            // What stays the guest's is removed all the same; no other process is that user.
            let _ = fchown(file, Some(*uid), Some(*gid));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    #[test]
    fn users_come_from_the_upper_end() {
        assert_eq!(range("         0          0 4294967295\n"), Some((FIRST, COUNT)));
        assert_eq!(range("0 1000 1\n1 100000 65536\n"), Some((32769, 32768)));
        assert_eq!(range("0 1000 1\n"), None);
        assert_eq!(range("junk"), None);
    }

    #[test]
    fn strangers_are_unused_users_and_differ() {
        let [one, two] = [(); 2].map(|()| new().unwrap());
        assert_ne!(one, two);
        assert!(!taken().contains(&one) && taken().contains(&0));
        assert_eq!(users("Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t9\n"), Some(vec![1, 2, 3, 4]));
    }

    #[test]
    fn files_handed_over_are_taken_back_and_links_are_not() {
        if !rustix::process::geteuid().is_root() {
            return needs::skip(needs::Need::Root, "handing over needs root");
        }
        let dir = tempfile::tempdir().unwrap();
        let (disk, link) = (dir.path().join("disk"), dir.path().join("link"));
        fs::write(&disk, "x").unwrap();
        symlink(&disk, &link).unwrap();
        let owner = || fs::metadata(&disk).unwrap().uid();
        let handed = HandedOver::to(FIRST, &[&disk]).unwrap();
        assert_eq!(owner(), FIRST);
        drop(handed);
        assert_eq!(owner(), 0);
        assert!(HandedOver::to(FIRST, &[&disk, &link]).is_err());
        assert_eq!(owner(), 0);
    }
}
