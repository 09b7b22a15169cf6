//! The rights of a confined process: none. Root becomes a user who owns the one directory and nothing
//! else, where that directory can belong to a user; in any case capabilities are given up for good, and
//! where the kernel has Landlock, it too holds that nothing else is written.

use super::ConfineError;
use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    Scope, path_beneath_rules,
};
use model::User;
use rustix::{
    fs::{chown, mkdir, rmdir},
    io::Errno,
    process::{DumpableBehavior, Gid, Resource, Rlimit, Uid, set_dumpable_behavior, setrlimit},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set, no_new_privs,
        remove_capability_from_bounding_set, set_capabilities, set_no_new_privs, set_thread_groups,
        set_thread_res_gid, set_thread_res_uid,
    },
};
use std::path::Path;

/// The newest interface of Landlock that is known here; older kernels hold to what they have of it.
const LANDLOCK: ABI = ABI::V6;

/// Whether the one directory belongs to the user already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gift {
    /// It does.
    Given,
    /// It is root's, and given away where that works.
    Tried,
}

/// Gives up every right beside writing in `dir`, and becomes the user in whose name that is, when this is
/// root.
pub(super) fn drop_all(dir: &Path, user: Option<(User, Gift)>) -> Result<(), ConfineError> {
    bound_capabilities()?;
    if let Some((user, gift)) = user {
        // io_uring and pinned buffers are counted against it for whoever is not root.
        let _ = setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None });
        let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
        set_thread_groups(&[]).map_err(ConfineError::of("leave all groups"))?;
        // Where it belongs to somebody, a link of his may have taken its place.
        if gift == Gift::Given || can_belong_to(dir, uid, gid) {
            set_thread_res_gid(gid, gid, gid).map_err(ConfineError::of("change the group"))?;
            set_thread_res_uid(uid, uid, uid).map_err(ConfineError::of("change the user"))?;
        }
    }
    set_no_new_privs(true).map_err(ConfineError::of("renounce new privileges"))?;
    // Kernels before 4.3 have no ambient set.
    let _ = clear_ambient_capability_set();
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(ConfineError::of("give up capabilities"))?;
    // The programs that it starts are of the same user, and look for nothing in it.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(ConfineError::of("close its memory to others"))?;
    landlock(dir)
}

/// Does `act` with the rights of `user` to files, where one is given.
pub(super) fn as_user<T>(
    user: Option<User>,
    act: impl FnOnce() -> Result<T, ConfineError>,
) -> Result<T, ConfineError> {
    let Some(user) = user else { return act() };
    let failed = || ConfineError::of("work in the name of another user");
    set_thread_res_gid(None, Gid::from_raw(user.gid), None).map_err(failed())?;
    set_thread_res_uid(None, Uid::from_raw(user.uid), None).map_err(failed())?;
    let done = act();
    set_thread_res_uid(None, Uid::ROOT, None).map_err(failed())?;
    set_thread_res_gid(None, Gid::ROOT, None).map_err(failed())?;
    done
}

/// Whether this process has renounced new privileges, as a confined one has.
pub(super) fn is_confined() -> bool {
    no_new_privs().unwrap_or(false)
}

/// No program that is run gets a capability back, whoever owns its file.
fn bound_capabilities() -> Result<(), ConfineError> {
    for bit in 0..u64::BITS {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit)) {
            Ok(()) => {}
            // The kernel knows no more of them.
            Err(Errno::INVAL) => break,
            Err(error) => return Err(ConfineError::of("bound the capabilities")(error)),
        }
    }
    Ok(())
}

/// Gives `dir` to a user and tries whether he can then work in it: on FAT, or FUSE for one user, say,
/// he cannot, and `dir` stays with root.
fn can_belong_to(dir: &Path, uid: Uid, gid: Gid) -> bool {
    if chown(dir, Some(uid), Some(gid)).is_err() {
        return false;
    }
    let probe = dir.join(".assay-probe");
    let works = set_thread_res_gid(None, gid, None).is_ok()
        && set_thread_res_uid(None, uid, None).is_ok()
        && mkdir(&probe, 0o700.into()).is_ok()
        && rmdir(&probe).is_ok();
    let back = set_thread_res_uid(None, Uid::ROOT, None)
        .and_then(|()| set_thread_res_gid(None, Gid::ROOT, None));
    if !works && back.is_ok() {
        let _ = chown(dir, Some(Uid::ROOT), Some(Gid::ROOT));
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
