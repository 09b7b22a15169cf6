//! The rights of a confined process: none. Root becomes a user who owns the one directory and nothing
//! else, where that directory can belong to a user; in any case capabilities are given up for good, and
//! where the kernel has Landlock, it too holds that nothing else is written.

use super::ConfineError;
use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    Scope, path_beneath_rules,
};
use rustix::{
    fs::{chown, mkdir, rmdir},
    io::Errno,
    process::{Gid, Resource, Rlimit, Uid, setrlimit},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set, no_new_privs,
        remove_capability_from_bounding_set, set_capabilities, set_no_new_privs, set_thread_groups,
        set_thread_res_gid, set_thread_res_uid,
    },
};
use std::path::Path;

/// The newest interface of Landlock that is known here; older kernels hold to what they have of it.
const LANDLOCK: ABI = ABI::V6;

/// Gives up every right beside writing in `dir`, and becomes `user` where that is given and `dir` can
/// belong to it.
pub(super) fn drop_all(dir: &Path, user: Option<(u32, u32)>) -> Result<(), ConfineError> {
    if let Some((uid, gid)) = user {
        // io_uring and pinned buffers are counted against it for whoever is not root.
        let _ = setrlimit(Resource::Memlock, Rlimit { current: None, maximum: None });
        let (uid, gid) = (Uid::from_raw(uid), Gid::from_raw(gid));
        bound_capabilities()?;
        set_thread_groups(&[]).map_err(ConfineError::of("leave all groups"))?;
        if can_belong_to(dir, uid, gid) {
            set_thread_res_gid(gid, gid, gid).map_err(ConfineError::of("change the group"))?;
            set_thread_res_uid(uid, uid, uid).map_err(ConfineError::of("change the user"))?;
        }
    } else {
        bound_capabilities()?;
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
    landlock(dir)
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
