//! Brings the cache into the state that a test asks for, and says how much of what it reads is resident.

use super::{CaseContext, untimed};
use crate::run::hosts;
use anyhow::Result;
use lab::page_cache::{Coldness, Residency};
use model::workload::{CacheNeed, Job, JobMode};
use std::path::PathBuf;
use suites::Test;
use workers::PoolError;

/// What is known of the cache just before the release.
pub(super) struct CacheBefore {
    /// How much of what will be read is resident, where that can be told.
    pub(super) residency: Option<Residency>,
    /// Whether this target is in memory, and so never cold.
    pub(super) is_in_memory: bool,
    /// Median folio of files that were made hot, bytes, where that can be told.
    pub(super) folio_bytes: Option<u64>,
}

/// Brings the cache into the state that `test` asks for and looks at what came of it.
pub(super) fn establish_cache(
    test: &dyn Test,
    jobs: &mut [Job],
    context: &CaseContext<'_>,
) -> Result<Result<CacheBefore, PoolError>> {
    if test.cache() == CacheNeed::Cold {
        // Asked for before, as a test may have to look into directories for them, which makes these hot.
        let files = files_of_each(test, jobs);
        let cold = context.instance.make_cold_for(&files_here(&files, context))?;
        let is_in_memory = cold.coldness == Coldness::Impossible;
        let residency = hosts::together(cold.residency, elsewhere(&files, context, true)?);
        return Ok(Ok(CacheBefore { residency, is_in_memory, folio_bytes: None }));
    }
    context.instance.invalidate_cold();
    context.instance.rebuild_again()?;
    // Filling may have left writes and deletes on their way.
    context.instance.quiesce()?;
    match test.cache() {
        CacheNeed::Hot => warm(test, jobs, context),
        _ => Ok(Ok(CacheBefore { residency: None, is_in_memory: false, folio_bytes: None })),
    }
}

/// Reads what the test will read, once more if another process evicted a part of it meanwhile.
fn warm(
    test: &dyn Test,
    jobs: &mut [Job],
    context: &CaseContext<'_>,
) -> Result<Result<CacheBefore, PoolError>> {
    let mut residency = None;
    for _ in 0..2 {
        if let Err(error) = untimed(JobMode::Warm, jobs, context) {
            return Ok(Err(error));
        }
        // Read twice without a look where a look shows nothing.
        if context.instance.has_own_cache() {
            continue;
        }
        residency = resident(test, jobs, context)?;
        if residency.is_none_or(|r| r.resident_bytes == r.total_bytes) {
            break;
        }
    }
    let folio_bytes = folios(test, jobs, context)?;
    Ok(Ok(CacheBefore { residency, is_in_memory: false, folio_bytes }))
}

/// Files of a test that are looked at again or for their folios: more would take as long as the test.
const MOST_FILES: usize = 1024;

/// The median folio of the files of `test` on this host, all of which are resident; `None` where it cannot be told.
fn folios(test: &dyn Test, jobs: &[Job], context: &CaseContext<'_>) -> Result<Option<u64>> {
    let files = files_here(&files_of_each(test, jobs), context);
    let is_told = !context.instance.has_own_cache() && (1..=MOST_FILES).contains(&files.len());
    Ok(if is_told { context.instance.folio_bytes(&files)? } else { None })
}

/// Share of the files of a cold `test` on this host that is in the page cache now, after it, percent: what it read, or
/// what read-ahead left where it kept nothing.
pub(super) fn resident_after(
    test: &dyn Test,
    jobs: &[Job],
    context: &CaseContext<'_>,
) -> Result<Option<f64>> {
    let files = files_here(&files_of_each(test, jobs), context);
    if test.cache() != CacheNeed::Cold || !(1..=MOST_FILES).contains(&files.len()) {
        return Ok(None);
    }
    Ok(context.instance.residency(&files)?.share().map(|share| 100.0 * share))
}

/// What each of the workers of `test` will read.
fn files_of_each(test: &dyn Test, jobs: &[Job]) -> Vec<Vec<PathBuf>> {
    jobs.iter().map(|job| test.files(job)).collect()
}

/// Those of `files` that are read on this host.
fn files_here(files: &[Vec<PathBuf>], context: &CaseContext<'_>) -> Vec<PathBuf> {
    let workers = files.len() as u32;
    let own = (0..).zip(files).filter(|(worker, _)| context.hosts.is_here(*worker, workers));
    own.flat_map(|(_, files)| files.iter().cloned()).collect()
}

/// How much of the others is resident on their hosts, after it was made cold if so asked.
fn elsewhere(
    files: &[Vec<PathBuf>],
    context: &CaseContext<'_>,
    cold: bool,
) -> Result<Option<Residency>> {
    context.hosts.look(context.instance.root(), files, cold)
}

/// How much of the files of `test` is resident; `None` when it reads none.
fn resident(test: &dyn Test, jobs: &[Job], context: &CaseContext<'_>) -> Result<Option<Residency>> {
    let files = files_of_each(test, jobs);
    let own = files_here(&files, context);
    let here = if own.is_empty() { None } else { Some(context.instance.residency(&own)?) };
    Ok(hosts::together(here, elsewhere(&files, context, false)?))
}
