//! The importers, one file and one word in the registry each.

use crate::{Importer, base_name, known::Known};
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
    bundle, assay_json, assay_csv, nano_psv, matrix_csv, io500, mdtest, ior, sysbench, elbencho, bonnie,
    hyperfine, iostat, iostat_text, yabs, iozone, ioping, dbench, fio_log, fio, dd,
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

/// What assay writes itself, and tables that people make for it.
const MADE_FOR_ASSAY: [&str; 5] = ["bundle", "json", "csv", "nano-psv", "matrix-csv"];

/// Whether files of the importer called `name` are written for assay.
pub(crate) fn is_made_for_assay(name: &str) -> bool {
    MADE_FOR_ASSAY.contains(&name)
}

/// Whether a text that begins so is of a tool, or of the one that is called `format`.
pub(crate) fn know_tool(head: &[u8], file: &str, format: Option<&str>) -> bool {
    let format = format.map(by_alias);
    let asked = |name: &str| format.map_or(!is_made_for_assay(name), |format| format == name);
    let mut tools = ALL.iter().filter(|importer| asked(importer.name()));
    tools.any(|importer| importer.sniff(head, base_name(file)))
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
