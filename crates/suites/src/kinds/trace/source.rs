//! The file of the trace that a test replays.

use crate::TestError;
use model::workload::{AssetName, Job};
use std::{fs::File, path::Path};
use trace::{call::Call, file::Trace};

/// An open trace.
pub(in crate::kinds) type Recorded = Trace<File>;

/// Opens the trace at `path`.
///
/// # Errors
/// It cannot be read, or is not a trace.
pub(in crate::kinds) fn open(path: &Path) -> Result<Recorded, TestError> {
    let file = File::open(path).map_err(TestError::io("open", path))?;
    Trace::open(file).map_err(|why| broken(path, &why.to_string()))
}

/// The path of the asset `name` of `job`.
///
/// # Errors
/// The job does not have it.
pub(in crate::kinds) fn path<'j>(job: &'j Job, name: &AssetName) -> Result<&'j Path, TestError> {
    let asset = job.asset(name);
    let missing = || TestError::Command(format!("the job does not have the trace `{name}`"));
    asset.map(|asset| asset.path.as_path()).ok_or_else(missing)
}

/// The error that the trace at `path` is not as it should be.
pub(in crate::kinds) fn broken(path: &Path, why: &str) -> TestError {
    TestError::Wrong { path: path.into(), why: why.into() }
}

/// Hands the calls of `trace` to `take`, in their order, block by block.
///
/// # Errors
/// A block cannot be read.
pub(in crate::kinds) fn each_block(
    trace: &mut Recorded,
    take: &mut dyn FnMut(&[Call]),
) -> Result<(), String> {
    let mut calls = Vec::new();
    for block in trace.blocks().to_vec() {
        trace.read(&block, &mut calls).map_err(|why| why.to_string())?;
        take(&calls);
    }
    Ok(())
}
