//! Places the parts of a target on one another.

use crate::{Endpoint, Inner, Part, Site};
use std::path::PathBuf;

/// The sites of `parts`, from the bottom to the top, on `disks` of `bytes`: each on what the one below it offers, and
/// with the store of the user's own that is `outside`. `place` gives the name, the directory and the scratch of the
/// part with this number.
pub fn sites(
    parts: &[Part],
    disks: &[PathBuf],
    (bytes, outside): (u64, Option<&Endpoint>),
    place: impl Fn(usize, &Part) -> (String, PathBuf, PathBuf),
) -> Vec<Site> {
    let mut disks = disks.to_vec();
    let (mut below, mut store) = (None, None);
    let mut sites = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let (name, dir, scratch) = place(number, part);
        let (disks_here, outside) = (std::mem::take(&mut disks), outside.cloned());
        let free_nbd = FIRST_NBD.into();
        let site =
            Site { disks: disks_here, bytes, below, store, outside, dir, name, scratch, free_nbd };
        disks = part.fs.offers(&site);
        store = part.fs.store(&site, &part.options);
        below = match part.fs.about().inner {
            Inner::Above => None,
            Inner::Store => site.below.clone(),
            Inner::None | Inner::Below => Some(site.dir.clone()),
        };
        sites.push(site);
    }
    sites
}

/// The network block device named in a dry run; the free one is known only when it is attached.
const FIRST_NBD: &str = "/dev/nbd0";
