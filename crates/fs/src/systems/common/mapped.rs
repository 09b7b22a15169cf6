//! Mappings of the device mapper over the disks of a layer, one over each.

use crate::Site;
use std::path::{Path, PathBuf};

/// The mappings of `site`: the name of each, and the disk that it is over. Of several, the mapper is given names like
/// those of the volumes of a group, which [`crate::Remains::Mapping`] finds by the name of the site.
pub(crate) fn mappings(site: &Site) -> impl Iterator<Item = (String, &Path)> {
    let name = move |number: usize| match site.disks.len() {
        1 => site.name.clone(),
        _ => format!("{}-{number}", site.name.replace('-', "--")),
    };
    site.disks.iter().enumerate().map(move |(number, disk)| (name(number), disk.as_path()))
}

/// The nodes of the mappings.
pub(crate) fn nodes(site: &Site) -> Vec<PathBuf> {
    mappings(site).map(|(name, _)| Path::new("/dev/mapper").join(name)).collect()
}

/// The name of the first of them, to ask for its geometry.
pub(crate) fn first(site: &Site) -> String {
    mappings(site).map(|(name, _)| name).next().unwrap_or_default()
}
