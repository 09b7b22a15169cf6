//! Did anything become worse by more than somebody is willing to accept? The gate of a continuous
//! integration, in one sentence.

use super::{Comparison, Difference, PREFIXES, Pair};
use crate::{Ratio, Verdict, sentence::processes, verdict::judge};

/// What a gate found.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate<'a> {
    /// The cells that became worse by more than the limit, the largest first.
    pub regressions: Vec<&'a Difference>,
    /// What was found, naming the largest.
    pub sentence: String,
    /// True when no ratio has an interval, so that nothing can fail.
    pub is_blind: bool,
}

impl Comparison {
    /// Cells of B whose decided ratio over the same target of A is below 1/(1 + `limit`), `limit`
    /// being a share, and holds among all ratios of B over A (Holm): with sixty cells, one of two equal
    /// campaigns would else fail again and again. What is unclear is no regression. `None` when A and B
    /// share no target.
    ///
    /// A `limit` below the band that the comparison was made with would miss what that band calls
    /// the same: compare with a band of at most `limit`.
    pub fn gate(&self, limit: f64) -> Option<Gate<'_>> {
        let pairs: Vec<&Pair> = self.pairs.iter().filter(|p| is_same(&p.a, &p.b)).collect();
        if pairs.is_empty() {
            return None;
        }
        let worse = |d: &&Difference| d.holm && judge(&d.ratio, limit) == Verdict::Worse;
        let own = self.differences.iter().filter(|d| is_same(&d.a, &d.b));
        let regressions: Vec<&Difference> = own.filter(worse).collect();
        let sentence = match regressions.first() {
            Some(largest) => failed(largest, &regressions, limit),
            None => passed(&pairs, limit) + &self.not_judged(),
        };
        let is_blind = pairs.iter().all(|p| p.ratio.is_none_or(|ratio| ratio.low.is_none()));
        Some(Gate { regressions, sentence, is_blind })
    }

    /// What else the campaigns have in common, as the rest of a sentence.
    fn not_judged(&self) -> String {
        self.apart.as_ref().map_or_else(String::new, |apart| {
            let labels: Vec<&str> = apart.columns.iter().map(|p| p.target.as_str()).collect();
            let why = match apart.is_of_one_lab() {
                true => "they do not keep alike what they synced",
                false => "measured in different labs",
            };
            format!("; not judged, because {why}: {}", labels.join(", "))
        })
    }
}

/// Whether the labels are of one target in either campaign.
fn is_same(a: &str, b: &str) -> bool {
    a.strip_prefix(PREFIXES[0]) == b.strip_prefix(PREFIXES[1])
}

fn failed(largest: &Difference, all: &[&Difference], limit: f64) -> String {
    let Difference { a, b, name, procs, ratio, .. } = largest;
    format!(
        "regression beyond {}: {name}, {}: {b} is {:.2}x {a} ({}); cells worse by that much: {}",
        percent(limit),
        processes(*procs),
        ratio.point,
        interval(ratio),
        all.len(),
    )
}

fn passed(pairs: &[&Pair], limit: f64) -> String {
    let all: usize = pairs.iter().map(|p| p.counts.total()).sum();
    let unclear: usize = pairs.iter().map(|p| p.counts.unclear).sum();
    let busy = match pairs.iter().map(|p| p.contended).sum::<usize>() {
        0 => String::new(),
        n => format!(", {n} of them because the machine was busy with other work"),
    };
    format!(
        "no regression beyond {}: of {all} ratios of B over A on the same target none is certainly worse \
         by more; {unclear} {} unclear{busy}",
        percent(limit),
        if unclear == 1 { "is" } else { "are" },
    )
}

fn interval(ratio: &Ratio) -> String {
    ratio.span_of_decimals().map_or_else(|| "no interval".into(), |span| format!("95 % CI {span}"))
}

/// As many digits as the limit has: 5 %, 2.5 %.
fn percent(share: f64) -> String {
    format!("{} %", (1e6 * share).round() / 1e4)
}
