//! Whole files to start from: every fixture and what the exporters write.

use formats::{NamedBytes, export, importer_names, published, recognised};
use model::result::Dataset;
use std::path::Path;

/// Files that are read together.
pub(crate) struct Group {
    pub(crate) files: Vec<NamedBytes>,
    /// Who recognises them.
    pub(crate) importer: &'static str,
    /// They are an example of what is refused.
    pub(crate) refused: bool,
}

/// Parts of the names of fixtures that no importer accepts, for they hold no result.
pub(crate) const REFUSED: [&str; 4] = ["error", "badopt", "prepare", "refused"];

/// Whether the fixture `name` holds no result.
pub(crate) fn is_refused(name: &str) -> bool {
    REFUSED.iter().any(|part| name.contains(part))
}

/// Every fixture with its name, in order.
pub(crate) fn fixtures() -> Vec<NamedBytes> {
    // So named that it is found from the crate of the fuzz targets as well.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let folder =
        above.map(|dir| dir.join("crates/formats/tests/fixtures")).find(|dir| dir.is_dir());
    let folder = folder.unwrap();
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// Every group that an importer recognises.
pub(crate) fn groups() -> Vec<Group> {
    let mut groups = Vec::new();
    for (name, bytes) in fixtures() {
        let refused = is_refused(&name);
        groups.extend(group(vec![(name, bytes)], refused));
    }
    for data in published().unwrap().iter().filter(|data| data.samples.len() < 300) {
        let bundle = |data: &Dataset| export::bundle(data, false, &[]);
        for export in [export::csv, export::json, bundle] {
            groups.extend(group(export(data).unwrap(), false));
        }
        // That layout has a place for the rates of the original suite alone.
        let nano = data.campaign.id.contains("nano");
        groups.extend(group(export::psv(data).unwrap(), !nano));
    }
    let matrix =
        "fs,pattern,block_bytes,threads,iops\next4,seqrd,512,1,10\nxfs,rndwr,1048576,8,1.5\n";
    groups.extend(group(vec![("matrix.csv".into(), matrix.into())], false));
    let idle = |name| groups.iter().all(|group: &Group| group.importer != name);
    for importer in importer_names() {
        assert!(!idle(importer), "{importer} has no file to start from");
    }
    groups
}

/// The group, when some importer recognises a file of it.
fn group(files: Vec<NamedBytes>, refused: bool) -> Option<Group> {
    let importer = recognised(&files)?;
    Some(Group { files, importer, refused })
}
