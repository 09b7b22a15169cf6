//! A campaign of several labs: one of them decides, and what the others measured is listed as not
//! comparable.

use super::{Advice, Advised, Standing};
use crate::classes::Class;
use model::LabKind;
use std::{cmp::Reverse, collections::BTreeSet};

/// The class that decides: the host where it measured two targets or more, else the one that measured
/// most; of two the preferred.
pub(super) fn decisive<'a>(classes: &'a [Class<'a>]) -> Option<&'a Class<'a>> {
    let host = classes.iter().find(|c| c.lab == LabKind::Host && measured(c).len() > 1);
    host.or_else(|| classes.iter().min_by_key(|c| Reverse(measured(c).len())))
}

/// Labels with a sample.
fn measured<'a>(class: &'a Class<'_>) -> BTreeSet<&'a str> {
    class.dataset.samples.iter().map(|s| s.case.target.as_str()).collect()
}

/// Lists the targets that only other labs than `decisive` measured after the candidates.
pub(super) fn list(advice: &mut Advice, classes: &[Class<'_>], decisive: LabKind) {
    let own: BTreeSet<&str> =
        classes.iter().filter(|c| c.lab == decisive).flat_map(measured).collect();
    for class in classes.iter().filter(|c| c.lab != decisive) {
        let others = measured(class).into_iter().filter(|label| !own.contains(label));
        advice.candidates.extend(others.map(|label| not_comparable(label, class.lab)));
    }
}

fn not_comparable(label: &str, lab: LabKind) -> Advised {
    Advised {
        target: label.into(),
        standing: Standing::NotComparable,
        reasons: vec![format!("measured {}", lab.place())],
        ratio: None,
        p_best: None,
        ranks: None,
        expected_regret: None,
        regret_95: None,
        mix_s: None,
        preferred: Vec::new(),
    }
}
