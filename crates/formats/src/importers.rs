//! One file per importer; `lib.rs` registers them.

pub(crate) mod assay_csv;
pub(crate) mod assay_json;
pub(crate) mod bonnie;
pub(crate) mod elbencho;
pub(crate) mod fio;
pub(crate) mod hyperfine;
pub(crate) mod ior;
pub(crate) mod iostat;
pub(crate) mod matrix_csv;
pub(crate) mod mdtest;
pub(crate) mod nano_psv;
pub(crate) mod sysbench;

use crate::known::Known;
use model::TestInfo;

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
