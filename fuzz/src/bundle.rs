//! Bundles whose hash is right, so that damage reaches what reads their lines.

use super::shown::assert_shown;
use formats::{ImportOptions, export, import};
use model::text::is_unprintable;

/// The lines of a bundle behind its first: what is read is shown without harm, and names can be left out of it.
pub fn bundle(bytes: &[u8]) -> bool {
    let packed =
        export::packed(bytes, true).unwrap_or_else(|why| panic!("it is not packed: {why}"));
    let read = |packed| import(&[("x.assay.gz".into(), packed)], None, &ImportOptions::default());
    let data = match read(packed) {
        Ok(data) => data,
        Err(why) => {
            assert!(!why.to_string().contains(is_unprintable), "{why:?}");
            return false;
        }
    };
    assert_shown(&data);
    if let Ok(mut files) = export::bundle(&data, false, &["db7".into()]) {
        let back = read(files.remove(0).1).unwrap_or_else(|why| panic!("not read back: {why}"));
        assert_eq!(back.samples.len(), data.samples.len());
    }
    true
}
