//! Where assay keeps things: the store with every campaign, and the state with the undo journal,
//! mount points and loop images.

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

/// The store: `--store`, else `ASSAY_STORE`, else `/var/lib/assay/assay.db` for root and the XDG
/// data folder for others.
pub fn store(argument: Option<&Path>) -> PathBuf {
    argument
        .map(Path::to_path_buf)
        .or_else(|| env::var_os("ASSAY_STORE").map(PathBuf::from))
        .unwrap_or_else(|| base("XDG_DATA_HOME", ".local/share").join("assay.db"))
}

/// The state: `--state`, else `ASSAY_STATE`, else `/var/lib/assay/state` for root and the XDG state
/// folder for others. Nobody else may enter it, as everybody may who reads root's store beside it.
pub fn state(argument: Option<&Path>) -> PathBuf {
    argument
        .map(Path::to_path_buf)
        .or_else(|| env::var_os("ASSAY_STATE").map(PathBuf::from))
        .unwrap_or_else(default_state)
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
