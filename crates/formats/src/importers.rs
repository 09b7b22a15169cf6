//! The importers: one file, one `mod` line and one line of [`ALL`] each.

pub(crate) mod assay_csv;
pub(crate) mod assay_json;
pub(crate) mod bonnie;
pub(crate) mod bundle;
pub(crate) mod dbench;
pub(crate) mod dd;
pub(crate) mod elbencho;
pub(crate) mod fio;
pub(crate) mod fio_log;
pub(crate) mod fs_mark;
pub(crate) mod hyperfine;
pub(crate) mod io500;
pub(crate) mod ioping;
pub(crate) mod ior;
pub(crate) mod iostat;
pub(crate) mod iostat_text;
pub(crate) mod iozone;
pub(crate) mod matrix_csv;
pub(crate) mod mdtest;
pub(crate) mod nano_psv;
pub(crate) mod sysbench;
pub(crate) mod yabs;

use crate::{Importer, base_name, known::Known};
use model::workload::TestInfo;

/// Every importer, the most particular first.
pub(crate) static ALL: &[&dyn Importer] = &[
    &bundle::Importer,
    &assay_json::Importer,
    &assay_csv::Importer,
    &nano_psv::Importer,
    &matrix_csv::Importer,
    &io500::Importer,
    &mdtest::Importer,
    &ior::Importer,
    &sysbench::Importer,
    &elbencho::Importer,
    &bonnie::Importer,
    &hyperfine::Importer,
    &iostat::Importer,
    &iostat_text::Importer,
    &yabs::Importer,
    &iozone::Importer,
    &ioping::Importer,
    &fs_mark::Importer,
    &dbench::Importer,
    &fio_log::Importer,
    &fio::Importer,
    &dd::Importer,
];

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

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/import.md");

    #[test]
    fn each_has_a_row_in_the_page_of_imports() {
        let is_told = |name: &str| {
            PAGE.lines().any(|line| line.starts_with("| ") && line.contains(&format!("`{name}`")))
        };
        let untold: Vec<&str> =
            ALL.iter().map(|importer| importer.name()).filter(|name| !is_told(name)).collect();
        assert!(untold.is_empty(), "not in docs/import.md: {untold:?}");
    }
}
