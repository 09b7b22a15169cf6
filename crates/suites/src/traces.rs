//! The suite `traces`: recordings of real programs, built into assay, to try a replay without a recording of one's own.
//! It runs only if requested by name, and is not part of any list of suites that run together.

use crate::{Suite, declare};
use model::target::Options;
use std::{borrow::Cow, sync::LazyLock};

/// Its name.
pub const NAME: &str = "traces";
/// What a file of a trace begins with, of any version.
pub const MAGIC: &[u8] = trace::file::MAGIC.split_at(7).0;

/// The suites that use recordings that ship: the other one cuts them off.
const SUITES: [&str; 2] = [NAME, "faults"];

macro_rules! shipped {
    ($($file:literal),* $(,)?) => {
        /// The traces, by the names of its assets.
        const TRACES: &[(&str, &[u8])] =
            &[$(($file, include_bytes!(concat!("traces/", $file)))),*];
    };
}

shipped!(
    "sqlite-rollback.trace",
    "sqlite-wal.trace",
    "git-clone.trace",
    "maildir.trace",
    "tar.trace",
);

pub(crate) static SUITE: LazyLock<Suite> = LazyLock::new(|| {
    let text = Cow::Borrowed(include_str!("traces/traces.toml"));
    // A test reads it.
    declare::suite("traces.toml", text, &Options::new()).unwrap_or_else(|error| panic!("{error}"))
});

/// The suite.
pub fn suite() -> &'static Suite {
    &SUITE
}

/// The content of the asset `name` of the suite called `suite`; `None` where that is a file of the user.
pub fn asset(suite: &str, name: &str) -> Option<&'static [u8]> {
    let ships = SUITES.contains(&suite);
    let found = TRACES.iter().find(|(own, _)| ships && *own == name);
    found.map(|(_, bytes)| *bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use trace::file::Trace;

    #[test]
    fn every_trace_that_ships_is_whole_small_and_without_names() {
        let suite = suite();
        assert_eq!((suite.name.as_ref(), suite.assets.len()), (NAME, TRACES.len()));
        for name in &suite.assets {
            let bytes = asset(NAME, name.as_str()).unwrap();
            assert!(bytes.len() < 64 << 10, "{name}");
            let trace = Trace::open(Cursor::new(bytes)).unwrap();
            assert!(trace.header().anonymous && !trace.is_cut(), "{name}");
            assert_eq!((trace.end().unwrap().lost, trace.header().command.as_str()), (0, ""));
            assert_eq!(trace.calls(), trace.end().unwrap().calls);
        }
        assert!(asset("mine", suite.assets[0].as_str()).is_none());
    }
}
