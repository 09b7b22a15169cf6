//! Files of other tools and of other machines, through every importer, the store, the statistics, all renderers
//! and all exporters.

use super::shown::{assert_shown, scratch};
use formats::{ImportOptions, NamedBytes, import, importer_names};
use model::{result::Dataset, text::is_unprintable};
use store::{Imported, Store};

/// What is before each file of an input, with its name until the end of the line.
const HEAD: &str = "=== ";

/// `files` as one input of [`dataset`] and of [`import`](fn@super::import).
pub fn pack(files: &[NamedBytes]) -> Vec<u8> {
    let file = |(name, bytes): &NamedBytes| {
        let name = name.replace('\n', " ");
        [HEAD.as_bytes(), name.as_bytes(), b"\n", bytes, b"\n"].concat()
    };
    files.iter().flat_map(file).collect()
}

/// The files in `bytes`; what is before the first name is a file, too.
pub(super) fn unpack(bytes: &[u8]) -> Vec<NamedBytes> {
    let mut files: Vec<NamedBytes> = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match (line.strip_prefix(HEAD.as_bytes()), files.last_mut()) {
            (Some(name), _) => {
                files.push((String::from_utf8_lossy(name).trim_end().into(), Vec::new()));
            }
            (None, Some((_, content))) => content.extend_from_slice(line),
            (None, None) => files.push(("file".into(), line.into())),
        }
    }
    // What `pack` put behind each file, of which some know their end.
    for (_, content) in &mut files {
        content.pop_if(|byte| *byte == b'\n');
    }
    files
}

/// Files to import: what is read is stored, and shown without harm.
pub fn dataset(bytes: &[u8]) -> bool {
    let (files, options) = (unpack(bytes), ImportOptions::default());
    let mut accepted = false;
    for importer in importer_names() {
        match import(&files, Some(importer), &options) {
            Ok(data) => {
                assert_shown(&through_store(&data));
                accepted = true;
            }
            Err(why) => assert!(!why.to_string().contains(is_unprintable), "{importer}: {why:?}"),
        }
    }
    accepted
}

/// `data` as it comes back from a new store; its figures are the same.
fn through_store(data: &Dataset) -> Dataset {
    let dir = scratch();
    let path = dir.path().join("store.db");
    let imported = Store::open(&path).and_then(|mut store| store.import(data));
    let Ok(Imported::Stored(id)) = imported else { panic!("it is not stored: {imported:?}") };
    let back = Store::open_read_only(&path).and_then(|store| store.dataset(&id));
    let back = back.unwrap_or_else(|why| panic!("{id} does not come back: {why}"));
    let parts = |data: &Dataset| (data.targets.clone(), data.tests.clone(), data.samples.clone());
    assert_eq!(parts(data), parts(&back));
    back
}
