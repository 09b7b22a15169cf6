//! Chooses the user in whose name work is done in a directory that is not only root's. The owner could redirect by a
//! link whatever root did there; what is done with the owner's rights, the owner could do as well.

use crate::{error::LabError, mounts::Mount};
use model::plan::User;
use rustix::{
    fs::{Gid, Mode, Stat, Uid},
    process::{getegid, geteuid, getgroups},
    thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid},
};
use std::{fs, io, path::Path, process};

/// The user and group that own nothing.
const NOBODY: u32 = 65534;
const PASSWD: &str = "/etc/passwd";

/// Returns the user whose rights suffice at the end of `way`, from the root directory down, on the mounts `mounts`;
/// `None` when only root can change anything on it.
pub(crate) fn of_way(way: &[Stat], mounts: &[Mount]) -> Option<User> {
    let server = mounts.iter().find_map(fuse_server).map(of_uid);
    server.or_else(|| way.iter().rev().find_map(other_than_root))
}

/// Returns the user other than root who may replace what is in this directory.
fn other_than_root(dir: &Stat) -> Option<User> {
    let mode = Mode::from_raw_mode(dir.st_mode);
    if dir.st_uid != 0 {
        return Some(of_uid(dir.st_uid));
    }
    // There each user changes only what is their own.
    if mode.contains(Mode::SVTX) {
        return None;
    }
    if mode.contains(Mode::WOTH) {
        return Some(User { uid: NOBODY, gid: NOBODY });
    }
    let group = mode.contains(Mode::WGRP) && dir.st_gid != 0;
    group.then_some(User { uid: NOBODY, gid: dir.st_gid })
}

/// The user whose process is the file system, and tells of it what it likes.
fn fuse_server(mount: &Mount) -> Option<u32> {
    let fuse = mount.kind.starts_with("fuse");
    let options = mount.options.split(',').filter(|_| fuse);
    let uid = options.filter_map(|option| option.strip_prefix("user_id=")).next()?;
    uid.parse().ok().filter(|uid| *uid != 0)
}

fn of_uid(uid: u32) -> User {
    let passwd = fs::read_to_string(PASSWD).unwrap_or_default();
    User { uid, gid: primary_group(&passwd, uid).unwrap_or(NOBODY) }
}

/// The group of `uid` in the lines of passwd(5); not that of root, which opens more than the user may.
fn primary_group(passwd: &str, uid: u32) -> Option<u32> {
    let mut users = passwd.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let user = users.find(|fields| fields.get(2).and_then(|n| n.parse().ok()) == Some(uid))?;
    user.get(3)?.parse().ok().filter(|gid| *gid != 0)
}

/// Runs `act` in this thread with the rights of `user`, or with its own if that is `None`.
///
/// # Errors
/// The kernel does not know the user here; else what `act` says.
pub(crate) fn acting<T>(
    user: Option<User>,
    dir: &Path,
    act: impl FnOnce() -> Result<T, LabError>,
) -> Result<T, LabError> {
    let Some(user) = user else { return act() };
    let _rights = Rights::lay_down(user).map_err(LabError::io("work as its owner in", dir))?;
    act()
}

/// Rights of this thread at other times; restored when dropped.
struct Rights {
    uid: Uid,
    gid: Gid,
    groups: Vec<Gid>,
}

impl Rights {
    fn lay_down(user: User) -> io::Result<Rights> {
        let rights = Rights { uid: geteuid(), gid: getegid(), groups: getgroups()? };
        set_thread_groups(&[])?;
        // Both from the effective one alone: the real one is the way back.
        set_thread_res_gid(None, Gid::from_raw(user.gid), None)?;
        set_thread_res_uid(None, Uid::from_raw(user.uid), None)?;
        Ok(rights)
    }

    fn take_up(&self) -> rustix::io::Result<()> {
        set_thread_res_uid(None, self.uid, None)?;
        set_thread_res_gid(None, self.gid, None)?;
        set_thread_groups(&self.groups)
    }
}

impl Drop for Rights {
    fn drop(&mut self) {
        if self.take_up().is_err() {
            // Nothing of the lab can be torn down without its rights; `assay cleanup` can.
            process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown};

    fn dir(uid: u32, gid: u32, mode: u32) -> Stat {
        let mut stat = rustix::fs::stat("/").unwrap();
        (stat.st_uid, stat.st_gid, stat.st_mode) = (uid, gid, 0o040_000 | mode);
        stat
    }

    fn user(way: &[Stat]) -> Option<u32> {
        of_way(way, &[]).map(|user| user.uid)
    }

    #[test]
    fn user_who_can_change_the_path_does_the_work() {
        let root = dir(0, 0, 0o755);
        assert_eq!(user(&[root, dir(0, 0, 0o1777), root]), None, "as /tmp");
        assert_eq!(user(&[root, dir(0, 0, 0o775)]), None, "the group is root's");
        assert_eq!(user(&[root, dir(1_999_999_999, 0, 0o700), root]), Some(1_999_999_999));
        assert_eq!(user(&[root, dir(0, 0, 0o777)]), Some(NOBODY));
        let staff = of_way(&[root, dir(0, 50, 0o2775), root], &[]);
        assert_eq!(staff, Some(User { uid: NOBODY, gid: 50 }));
        let two = [root, dir(1_999_999_998, 0, 0o755), dir(1_999_999_999, 0, 0o755)];
        assert_eq!(user(&two), Some(1_999_999_999), "the owner of the directory itself");
    }

    #[test]
    fn a_file_system_of_a_user_is_not_roots_whatever_it_shows() {
        let mount = |kind: &str, options: &str| Mount {
            number: "0:50".into(),
            mount_point: "/m".into(),
            kind: kind.into(),
            source: "x".into(),
            options: options.into(),
        };
        let of = |mount| of_way(&[dir(0, 0, 0o755)], &[mount]).map(|user| user.uid);
        let options = "rw,nosuid,user_id=1999999999,group_id=5,allow_other";
        assert_eq!(of(mount("fuse.sshfs", options)), Some(1_999_999_999));
        assert_eq!(of(mount("fuse.sshfs", "rw,user_id=0,group_id=0")), None);
        assert_eq!(of(mount("ext4", options)), None);
    }

    #[test]
    fn the_group_is_that_of_the_user_and_never_roots() {
        let passwd = "root:x:0:0::/:/bin/sh\na:x:7:70::/:/bin/sh\nb:x:8:0::/:/bin/sh\n";
        assert_eq!([7, 8, 9].map(|uid| primary_group(passwd, uid)), [Some(70), None, None]);
    }

    #[test]
    fn rights_are_dropped_and_restored() {
        if !geteuid().is_root() {
            return needs::skip(needs::Need::Root, "acting as another user needs root");
        }
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("f"), "x").unwrap();
        chown(top.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        fs::set_permissions(top.path().join("f"), fs::Permissions::from_mode(0o600)).unwrap();
        let nobody = Some(User { uid: NOBODY, gid: NOBODY });
        let read = || {
            let path = top.path().join("f");
            fs::read(&path).map_err(LabError::io("read", &path))
        };
        assert!(acting(nobody, top.path(), read).is_err());
        assert_eq!(read().unwrap(), b"x");
        assert!(acting(None, top.path(), read).is_ok());
        assert!(geteuid().is_root() && getegid().is_root());
    }
}
