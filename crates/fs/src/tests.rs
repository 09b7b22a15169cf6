//! Helpers of the golden tests of file systems: the commands of a target, at sites that do not exist.

mod complete;

use crate::{Endpoint, Part, ResolvedTarget, Site, sites};
use std::path::PathBuf;

/// Size of a device, bytes.
const BYTES: u64 = 1 << 30;

/// What `target` runs to be made and mounted at `/m`.
pub(crate) fn commands(target: &str) -> Vec<String> {
    commands_in(target, None)
}

/// The same with the object store of the user's own that is `outside`.
pub(crate) fn commands_in(target: &str, outside: Option<&Endpoint>) -> Vec<String> {
    let (parts, sites) = placed(target, outside);
    let made = parts.iter().zip(&sites).flat_map(|(part, site)| {
        let mkfs = part.fs.mkfs(site, &part.options);
        mkfs.into_iter().chain(part.fs.mount(site, &part.options))
    });
    made.map(|cmd| cmd.to_string()).collect()
}

/// The parts of `target` and where each is.
pub(crate) fn placed(target: &str, outside: Option<&Endpoint>) -> (Vec<Part>, Vec<Site>) {
    let target: ResolvedTarget = target.parse().unwrap();
    let parts = target.parts();
    assert!(!parts.is_empty(), "{target} is a directory");
    let names = ["N", "M", "L", "K", "J"];
    let disks: Vec<PathBuf> =
        names[..target.disks()].iter().map(|name| format!("/dev/loop{name}").into()).collect();
    let sites = sites(parts, &disks, (BYTES, outside), |number, _| {
        let dir =
            if number + 1 == parts.len() { "/m".into() } else { format!("/m{number}").into() };
        (format!("assay-{number}"), dir, format!("SCRATCH{number}").into())
    });
    (parts.to_vec(), sites)
}
