//! Formats the output of `assay explain TEST`: the test's own text, and the labels of its cells.

use crate::{RandomReads, Test};
use model::{
    result::READ_AHEAD_PCT,
    workload::{CacheNeed, TestInfo},
};

/// The whole page of the test `id`, one of the `infos` of `test`; Markdown.
pub fn explain(test: &dyn Test, id: &str) -> String {
    let page = test.explain(id);
    let labels: Vec<String> = test
        .infos()
        .iter()
        .filter(|info| info.id == id)
        .flat_map(|info| [short(test, info), read_ahead(test)])
        .flatten()
        .collect();
    match labels.is_empty() {
        true => page,
        false => format!("{}\n\n## Labels\n\n{}\n", page.trim_end(), labels.join("\n")),
    }
}

/// Only what has a clock has a floor, and what scores nothing is never marked.
fn short(test: &dyn Test, info: &TestInfo) -> Option<String> {
    (test.is_clocked() && info.group.is_scored()).then(|| {
        "- `short`: the median timed part of a target is below a third of the preset's minimum. \
         The row keeps its ratios, but is excluded from means, scores and verdicts."
            .into()
    })
}

/// Only reads at random places from a cold cache are looked into.
fn read_ahead(test: &dyn Test) -> Option<String> {
    let seen = match test.random_reads().filter(|_| test.cache() == CacheNeed::Cold)? {
        RandomReads::Called => "fewer requests reached the device than reads were issued",
        RandomReads::Mapped => {
            "fewer reads hit a page that was not in memory, or fewer requests reached the device, \
             than reads were issued"
        }
    };
    Some(format!(
        "- `read ahead N %`: nothing was in memory at the start, but N % of the reads found their \
         data there because of read-ahead for other reads: {seen}. Shown above {READ_AHEAD_PCT} \
         %. The figure is valid and scored, but does not measure only the disk."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, suites};

    #[test]
    fn the_labels_stand_where_they_can_be_met() {
        let page = |id: &str| explain(find(id).unwrap(), id);
        assert!(page("columnar.random.4k").contains("- `short`: "));
        assert!(page("columnar.random.4k").contains("fewer reads hit a page"));
        assert!(page("columnar.random.mmap.4k").contains("- `read ahead N %`: "));
        let text = "name = 'x'\nabout = 'y'\n[[test]]\nkind = 'io'\nid = 'x.a'\nrw = 'rndrd'\ncache = 'cold'";
        let called =
            crate::from_text("x.toml", text, &model::target::Options::new()).unwrap().tests[0];
        assert!(
            explain(called, "x.a").contains("for other reads: fewer requests reached the device")
        );
        for hot in ["columnar.rerandom.4k", "columnar.read.int.small", "matrix.rndrd.512.t1"] {
            assert!(
                page(hot).contains("- `short`: ") && !page(hot).contains("read ahead N %"),
                "{hot}"
            );
        }
        // A sync that scores nothing, and figures that follow from knobs and not from a clock.
        for bare in ["columnar.sync.int.small", "null.read"] {
            assert_eq!(page(bare), find(bare).unwrap().explain(bare));
        }
    }

    #[test]
    fn every_page_ends_with_its_labels() {
        for test in suites().iter().flat_map(|suite| suite.tests.iter()) {
            for info in test.infos().iter().filter(|info| info.group.is_scored()) {
                assert!(
                    explain(*test, &info.id).contains("\n## Labels\n\n- `short`: "),
                    "{}",
                    info.id
                );
            }
        }
    }
}
