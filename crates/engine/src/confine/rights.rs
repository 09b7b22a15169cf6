//! Drops the rights of a confined process. Root becomes a user that owns the one directory and nothing else, if the
//! file system has owners; in any case capabilities are dropped permanently, and if the kernel has Landlock, it also
//! forbids writing anywhere else.

use super::ConfineError;
use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    Scope, path_beneath_rules,
};
use model::plan::User;
use rustix::{
    fs::{chown, mkdir, rmdir},
    io::Errno,
    process::{DumpableBehavior, Gid, Resource, Rlimit, Uid, set_dumpable_behavior, setrlimit},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities, set_no_new_privs, set_thread_groups,
        set_thread_res_gid, set_thread_res_uid,
    },
};
use std::path::Path;

/// The user that owns nothing in any distribution.
const NOBODY: User = User { uid: 65534, gid: 65534 };
const ROOT: User = User { uid: 0, gid: 0 };
/// The newest interface of Landlock that is known here; older kernels hold to what they have of it.
const LANDLOCK: ABI = ABI::V6;

/// Drops every right except writing in `dir`. Root becomes `owner`, to whom `dir` belongs, or `nobody`
/// where `dir` can be given to him.
pub(super) fn drop_all(dir: &Path, is_root: bool, owner: Option<User>) -> Result<(), ConfineError> {
    bound_capabilities()?;
    if is_root {
        // For users other than root, io_uring and pinned buffers count against it.
        let _ = setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None });
        set_thread_groups(&[]).map_err(ConfineError::of("drop all groups"))?;
        // Ownership is never changed by a name that another user controls: a link may have taken its place.
        let user = owner.or_else(|| can_belong_to(dir, NOBODY).then_some(NOBODY));
        user.map_or(Ok(()), become_user).map_err(ConfineError::of("change the user"))?;
    }
    renounce().map_err(ConfineError::of("set no_new_privs"))?;
    // Kernels before 4.3 have no ambient set.
    let _ = clear_ambient_capability_set();
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(ConfineError::of("drop capabilities"))?;
    landlock(dir)
}

/// Gives up, as root, all rights but those of `user`, for good and for whatever this process starts. It must
/// have one thread.
///
/// # Errors
/// The kernel refuses a step.
pub fn become_user(user: User) -> Result<(), Errno> {
    let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)?;
    renounce()
}

/// No program gives rights back, and no other process of the same user attaches to this one, and by it to
/// the memory of its pool.
fn renounce() -> Result<(), Errno> {
    set_no_new_privs(true)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}

/// Does `act` with the rights of `user` to files, where one is given.
pub(super) fn as_user<T>(
    user: Option<User>,
    act: impl FnOnce() -> Result<T, ConfineError>,
) -> Result<T, ConfineError> {
    let Some(user) = user else { return act() };
    let failed = || ConfineError::of("act as another user");
    set_thread_res_gid(None, Gid::from_raw(user.gid), None).map_err(failed())?;
    set_thread_res_uid(None, Uid::from_raw(user.uid), None).map_err(failed())?;
    let done = act();
    set_thread_res_uid(None, Uid::ROOT, None).map_err(failed())?;
    set_thread_res_gid(None, Gid::ROOT, None).map_err(failed())?;
    done
}

/// No executed program regains a capability, regardless of the owner of its file.
fn bound_capabilities() -> Result<(), ConfineError> {
    for bit in 0..u64::BITS {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit)) {
            Ok(()) => {}
            // The kernel knows no more of them.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(ConfineError::of("limit the capability bounding set")(error)),
        }
    }
    Ok(())
}

/// Gives `dir` to `user` and tries whether he can then work in it: on FAT, or FUSE for one user, say, he
/// cannot, and `dir` stays with root.
fn can_belong_to(dir: &Path, user: User) -> bool {
    let give = |user: User| {
        chown(dir, Some(Uid::from_raw(user.uid)), Some(Gid::from_raw(user.gid))).is_ok()
    };
    let probe = dir.join(".assay-probe");
    let attempt = || {
        let made = mkdir(&probe, 0o700.into()).and_then(|()| rmdir(&probe));
        made.map_err(ConfineError::of("write in it"))
    };
    let works = give(user) && as_user(Some(user), attempt).is_ok();
    if !works {
        give(ROOT);
    }
    works
}

/// Once more by the kernel's own rules, where it has them: reading anywhere, writing in `dir` and the
/// private places of memory.
fn landlock(dir: &Path) -> Result<(), ConfineError> {
    let failed = |error: landlock::RulesetError| {
        ConfineError::of("restrict itself by Landlock")(std::io::Error::other(error))
    };
    let read = AccessFs::from_read(LANDLOCK);
    let all = AccessFs::from_all(LANDLOCK);
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|ruleset| ruleset.scope(Scope::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.create())
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(["/"], read)))
        .and_then(|ruleset| {
            ruleset.add_rules(path_beneath_rules([dir, Path::new("/tmp"), Path::new("/dev")], all))
        })
        .map_err(failed)?;
    ruleset.restrict_self().map(drop).map_err(failed)
}
