//! A campaign of several classes: one of them decides, and what the others measured is listed as ruled out,
//! where a requirement says so, or not comparable.

use super::{Advice, Advised, Counsel, Eligibility, objection::Objection, vetoes::Rules};
use crate::description::{class::classes::Class, durability};
use model::plan::LabKind;
use std::{cmp::Reverse, collections::BTreeSet};

/// The class that decides, of those that are ranked: the host where it measured two targets or more, else the
/// one that measured most; of two the preferred.
pub(crate) fn decisive<'a>(classes: &'a [Class<'a>]) -> Option<&'a Class<'a>> {
    let ranked = || classes.iter().filter(|class| class.is_ranked);
    let host = ranked().find(|c| c.lab == LabKind::Host && measured(c).len() > 1);
    host.or_else(|| ranked().min_by_key(|c| Reverse(measured(c).len())))
}

/// Labels with a sample.
fn measured<'a>(class: &'a Class<'_>) -> BTreeSet<&'a str> {
    class.dataset.samples.iter().map(|s| s.case.target.as_str()).collect()
}

/// Lists the targets that only other classes than `decisive` measured after the candidates, and says of a single
/// candidate whether the others are ruled out.
pub(super) fn list(
    advice: &mut Advice,
    classes: &[Class<'_>],
    decisive: &Class<'_>,
    rules: &Rules<'_>,
) {
    let own = measured(decisive);
    let is_other = |class: &&Class<'_>| {
        class.lab != decisive.lab || !class.durability.is_like(&decisive.durability)
    };
    let mut others = Vec::new();
    for class in classes.iter().filter(is_other) {
        let not_here = measured(class).into_iter().filter(|label| !own.contains(label));
        others.extend(not_here.map(|label| {
            listed(label, class, decisive, rules.judge(&class.dataset, label).vetoes)
        }));
    }
    let all_out = others.iter().all(|other| other.standing == Eligibility::RuledOut);
    if advice.counsel == Counsel::NoChoice && !others.is_empty() && all_out {
        advice.counsel = Counsel::OnlyOne;
        advice.leaders = advice.candidates.iter().take(1).map(|c| c.target.clone()).collect();
    }
    advice.candidates.extend(others);
}

fn listed(label: &str, class: &Class<'_>, decisive: &Class<'_>, vetoes: Vec<Objection>) -> Advised {
    let standing =
        if vetoes.is_empty() { Eligibility::NotComparable } else { Eligibility::RuledOut };
    let lab = (class.lab != decisive.lab).then_some(Objection::OtherLab(class.lab));
    let own = durability(&class.dataset, label);
    let is_other = !own.is_kept() && !own.is_like(&decisive.durability);
    let promise = is_other.then_some(Objection::OtherPromise(own));
    Advised {
        target: label.into(),
        standing,
        objections: vetoes.into_iter().chain(lab).chain(promise).collect(),
        ratio: None,
        p_best: None,
        ranks: None,
        expected_regret: None,
        regret_95: None,
        mix_s: None,
        preferred: Vec::new(),
    }
}
