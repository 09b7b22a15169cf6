//! The importers, one file and one word in the registry each.

use crate::{Importer, known::Known};
use model::TestInfo;

/// Declares each importer's file and lists it.
macro_rules! registry {
    ($($importer:ident),* $(,)?) => {
        $(pub(crate) mod $importer;)*

        /// Every importer, the most particular first.
        pub(crate) static ALL: &[&dyn Importer] = &[$(&$importer::Importer),*];
    };
}

registry! {
    bundle, assay_json, assay_csv, nano_psv, matrix_csv, mdtest, ior, sysbench, elbencho, bonnie,
    hyperfine, iostat, fio,
}

/// Names that people know formats by, with the importer that reads them.
const ALIASES: [(&str, &str); 6] = [
    ("fio-json", "fio"),
    ("fio-json+", "fio"),
    ("fio-terse", "fio"),
    ("fio-normal", "fio"),
    ("bonnie", "bonnie++"),
    ("sysstat", "iostat"),
];

/// The importer that is called `name`, or known as that.
pub(crate) fn by_alias(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name)
}

/// Every test that `tool` can give, as its importer names them: `bonnie++`, `elbencho`, `ior`,
/// `mdtest` or `sysbench`. Empty for a tool whose tests are not fixed, or that is not known.
pub fn tool_tests(tool: &str) -> Vec<TestInfo> {
    let (suite, known): (&str, &[Known]) = match tool {
        "bonnie++" => (bonnie::SUITE, &bonnie::TESTS),
        "elbencho" => (elbencho::SUITE, &elbencho::TESTS),
        "ior" => (ior::SUITE, &ior::TESTS),
        "mdtest" => (mdtest::SUITE, &mdtest::TESTS),
        "sysbench" => (sysbench::SUITE, &sysbench::TESTS),
        _ => return Vec::new(),
    };
    known.iter().map(|test| test.info(suite)).collect()
}
