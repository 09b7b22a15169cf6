//! The reserve that the file system of a `dir:` target keeps: it serves other users and programs, which need free
//! space. No plan uses it, and external programs are ended before they reach it.

use anyhow::{Context, Result};
use model::{target::Target, text::Bytes, workload::Job};
use std::path::Path;

/// Divisor of the size of a file system that gives its reserve.
const SHARE: u64 = 20;

/// Largest reserve.
const MOST: u64 = 4 << 30;

/// A program is ended when the reserve and this share of it are left: it continues to write until that is noticed.
const AHEAD: u64 = 4;

/// Returns the reserve of a file system of `size`.
pub fn of(size: Bytes) -> Bytes {
    Bytes((size.0 / SHARE).min(MOST))
}

/// Returns the reserve of the file system of `dir`, plus a margin for writes until a program has ended, if it is that
/// of one of `targets`; none for a file system made for a target.
///
/// # Errors
/// Its size cannot be determined.
pub fn kept(targets: &[Target], dir: &Path) -> Result<Bytes> {
    let is_target = |target: &Target| matches!(target, Target::Dir(path) if path == dir);
    if !targets.iter().any(is_target) || !dir.is_dir() {
        return Ok(Bytes(0));
    }
    let stat = rustix::fs::statvfs(dir)
        .with_context(|| format!("cannot read the size of {}", dir.display()))?;
    let reserve = of(Bytes(stat.f_blocks.saturating_mul(stat.f_frsize))).0;
    Ok(Bytes(reserve + reserve / AHEAD))
}

/// Sets the reserve of the file system of `target` in `jobs`, which run on it.
///
/// # Errors
/// Its size cannot be determined.
pub fn tell(jobs: &mut [Job], target: &Target) -> Result<()> {
    let Target::Dir(dir) = target else { return Ok(()) };
    let reserve = kept(std::slice::from_ref(target), dir)?;
    jobs.iter_mut().for_each(|job| job.reserve = reserve);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserve_is_a_twentieth_up_to_four_gibibytes() {
        for (size, reserve) in
            [(700 << 20, 35 << 20), (0, 0), (80 << 30, 4 << 30), (1 << 50, 4 << 30)]
        {
            assert_eq!(of(Bytes(size)), Bytes(reserve));
        }
    }

    #[test]
    fn only_measured_directories_have_a_reserve() {
        let dir = tempfile::tempdir().unwrap();
        let targets = [Target::Dir(dir.path().into()), "ext4".parse().unwrap()];
        let stat = rustix::fs::statvfs(dir.path()).unwrap();
        let reserve = of(Bytes(stat.f_blocks * stat.f_frsize)).0;
        let expected = Bytes(reserve + reserve / 4);
        assert_eq!(kept(&targets, dir.path()).unwrap(), expected);
        assert_eq!(kept(&targets[1..], dir.path()).unwrap(), Bytes(0));
        let mut jobs = [crate::tools::tests::job(None, 1)];
        tell(&mut jobs, &targets[1]).unwrap();
        assert_eq!(jobs[0].reserve, Bytes(0));
        tell(&mut jobs, &targets[0]).unwrap();
        assert_eq!(jobs[0].reserve, expected);
    }
}
