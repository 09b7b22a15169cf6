//! Paths of the store with every campaign, and of the state with the undo journal, mount points and loop images.

use crate::walk;
use anyhow::{Context, Result};
use rustix::process::geteuid;
use std::{
    env,
    path::{Path, PathBuf},
};

/// Where root keeps them.
const ROOT: &str = "/var/lib/assay";

/// True when the effective user is root.
pub fn is_root() -> bool {
    geteuid().is_root()
}

/// Where the store is, with no link in its path: `--store`, else `ASSAY_STORE`, else `/var/lib/assay/assay.db` for root
/// and the XDG data folder for others.
///
/// # Errors
/// Another user could have made a link on the way.
pub fn store(argument: Option<&Path>) -> Result<PathBuf> {
    let named = argument
        .map(Path::to_path_buf)
        .or_else(|| env::var_os("ASSAY_STORE").map(PathBuf::from))
        .unwrap_or_else(|| base("XDG_DATA_HOME", ".local/share").join("assay.db"));
    walk::real(&named).with_context(|| format!("cannot use the store {}", named.display()))
}

/// The state: `--state`, else `ASSAY_STATE`, else `/var/lib/assay/state` for root and the XDG state
/// folder for others. No other user may enter it, unlike root's store next to it, which all may read.
///
/// # Errors
/// Another user could have made a link on the way.
pub fn state(argument: Option<&Path>) -> Result<PathBuf> {
    let named = argument
        .map(Path::to_path_buf)
        .or_else(|| env::var_os("ASSAY_STATE").map(PathBuf::from))
        .unwrap_or_else(default_state);
    let cannot = || format!("cannot use the state folder {}", named.display());
    // The folder itself is never a link: the code that opens it ensures that.
    let named = std::path::absolute(&named).with_context(cannot)?;
    match (named.parent(), named.file_name()) {
        (Some(above), Some(name)) => Ok(walk::real(above).with_context(cannot)?.join(name)),
        _ => Ok(named),
    }
}

fn default_state() -> PathBuf {
    if is_root() { Path::new(ROOT).join("state") } else { base("XDG_STATE_HOME", ".local/state") }
}

fn base(variable: &str, below_home: &str) -> PathBuf {
    if is_root() {
        return ROOT.into();
    }
    let home = || PathBuf::from(env::var_os("HOME").unwrap_or_else(|| ".".into())).join(below_home);
    env::var_os(variable).map_or_else(home, PathBuf::from).join("assay")
}
