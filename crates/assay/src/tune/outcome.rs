//! Formats the result of a search, with one table. Ratios come from the confirmation only.

use super::{bench::stage_name, variant::Variant};
use model::target::Target;
use stats::tuning::{Confirmation, Ending, Finalist, SearchOutcome, StageKind};
use std::{collections::BTreeSet, fmt::Write};

/// What the text is about.
pub struct Search<'a> {
    /// What was varied.
    pub default: &'a Target,
    /// Half-width of the practical band, a share.
    pub band: f64,
    /// The campaigns.
    pub ran: &'a [(StageKind, String)],
    /// Candidates that failed in one of them.
    pub failed: &'a BTreeSet<String>,
}

impl Search<'_> {
    /// The whole text for the terminal.
    pub fn text(&self, outcome: &SearchOutcome<Variant>) -> String {
        let mut text = String::new();
        if let Ending::Confirmed(confirmation) = &outcome.ending {
            text += &self.table(confirmation, &outcome.last);
            text += &remarks(confirmation, &outcome.last);
            text.push('\n');
        }
        text += &self.sentence(outcome);
        text += "\n\n";
        if outcome.untried > 0 {
            let _ = writeln!(
                text,
                "Not tried, out of time: {}. Use a longer --budget to try more.",
                many(outcome.untried, "variant")
            );
        }
        for label in self.failed {
            let _ = writeln!(text, "Failed, so not fully compared: {label}; the reports say why.");
        }
        text += &self.campaigns();
        text
    }

    fn table(&self, confirmation: &Confirmation, variants: &[Variant]) -> String {
        let mut rows =
            vec![["default", "variant", "ratio", "95 % CI", "comparison"].map(String::from)];
        for finalist in &confirmation.finalists {
            rows.push([
                self.default.to_string(),
                variants[finalist.variant].target.to_string(),
                format!("{:.2}", finalist.ratio.point),
                interval(finalist),
                word(finalist),
            ]);
        }
        format!(
            "Confirmation over {} and {}, each group of tests weighted equally\n\n{}",
            many(confirmation.blocks, "block"),
            many(confirmation.cells, "cell"),
            report::columns(&rows, &[])
        )
    }

    /// What to do.
    fn sentence(&self, outcome: &SearchOutcome<Variant>) -> String {
        let default = self.default;
        match &outcome.ending {
            Ending::Confirmed(Confirmation { finalists, chosen: Some(at), blocks, .. }) => {
                let best = &finalists[*at];
                format!(
                    "Use {} for this work on this machine: {:.2}x {default} (95 % interval {}, {blocks} blocks).",
                    outcome.last[best.variant].target,
                    best.ratio.point,
                    interval(best)
                )
            }
            Ending::Confirmed(Confirmation { finalists, .. }) => format!(
                "Keep the default, {default}: none of the {} is significantly better by more than \
                 {:.0} %.",
                many(finalists.len(), "finalist"),
                self.band * 100.0
            ),
            Ending::NothingPromising => {
                format!("Keep the default, {default}: no variant scored above it.")
            }
            Ending::NotConfirmed => format!(
                "Keep the default, {default}: {} scored above it, but no time was left to confirm \
                 one; use a longer --budget.",
                many(outcome.last.len(), "variant")
            ),
            Ending::NoTime { .. } => format!("Nothing was measured; keep the default, {default}."),
        }
    }

    fn campaigns(&self) -> String {
        let mut text = String::from("Campaigns, for `assay report ID`:\n");
        for (kind, id) in self.ran {
            let _ = writeln!(text, "  {:<13} {id}", stage_name(*kind));
        }
        text += "Screening and halving only select variants; their ratios are picked from many \
                 and exaggerate.\n";
        text
    }
}

/// `1 variant`, `3 variants`.
fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A line for each thing to know about a finalist before it is used.
fn remarks(confirmation: &Confirmation, variants: &[Variant]) -> String {
    let mut text = String::new();
    for finalist in &confirmation.finalists {
        let variant = &variants[finalist.variant];
        for risk in variant.risks() {
            let _ = writeln!(text, "UNSAFE {}: {risk}.", variant.target);
        }
        if variant.trials.len() > 1 {
            let n = variant.trials.len();
            let _ = writeln!(
                text,
                "{}: {n} settings changed together; their separate effects are unknown.",
                variant.target
            );
        }
        if let Some(loss) = &finalist.largest_loss {
            let _ = writeln!(
                text,
                "{}: loses most on {} at {}, {:.2}x.",
                variant.target,
                loss.name,
                match loss.procs {
                    1 => "1 process".to_string(),
                    n => format!("{n} processes"),
                },
                loss.ratio.point
            );
        }
    }
    text
}

fn interval(finalist: &Finalist) -> String {
    finalist.ratio.span(|end| format!("{end:.2}")).unwrap_or_else(|| "-".into())
}

/// The verdict, with what Holm's procedure says of it.
fn word(finalist: &Finalist) -> String {
    let holm = if finalist.holm { ", significant after Holm's correction" } else { "" };
    format!("{}{holm}", finalist.comparison)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::variant::{Wanted, field};
    use stats::{description::Comparison, kernel::Ratio};

    fn finalist(variant: usize, point: f64, verdict: Comparison) -> Finalist {
        let ratio =
            Ratio { point, low: Some(point - 0.04), high: Some(point + 0.05), p: Some(0.001) };
        Finalist {
            variant,
            ratio,
            comparison: verdict,
            holm: verdict == Comparison::Better,
            largest_loss: None,
        }
    }

    fn text(target: &str, ending: Ending) -> String {
        let default: Target = target.parse().unwrap();
        let wanted = Wanted { only: vec!["data".into(), "commit".into()], risky: true };
        let last = field(&default, &wanted).unwrap();
        let ran = [(StageKind::Screening, "a".into()), (StageKind::Confirmation, "b".into())];
        let failed = BTreeSet::from(["ext4[commit=60]".to_string()]);
        let search = Search { default: &default, band: 0.05, ran: &ran, failed: &failed };
        search.text(&SearchOutcome { untried: 0, last, ending })
    }

    fn confirmed(chosen: Option<usize>, words: [Comparison; 2]) -> Ending {
        let finalists = vec![finalist(1, 1.2, words[0]), finalist(0, 1.0, words[1])];
        Ending::Confirmed(Confirmation { finalists, chosen, blocks: 8, cells: 4 })
    }

    #[test]
    fn winner_is_shown_with_its_interval_and_its_sacrifices() {
        let text = text("ext4", confirmed(Some(0), [Comparison::Better, Comparison::Unclear]));
        let table = "default  variant               ratio  95 % CI    comparison\n\
                     ext4     ext4[data=writeback]  1.20   1.16-1.25  better, significant after \
                     Holm's correction\n\
                     ext4     ext4[data=journal]    1.00   0.96-1.05  unclear\n";
        assert!(text.contains(table), "{text}");
        let verdict = "Use ext4[data=writeback] for this work on this machine: 1.20x ext4 \
                    (95 % interval 1.16-1.25, 8 blocks).";
        assert!(text.contains(verdict), "{text}");
        assert!(text.contains("UNSAFE ext4[data=writeback]: after a crash"), "{text}");
        assert!(
            text.contains("confirmation  b") && text.contains("compared: ext4[commit=60];"),
            "{text}"
        );
    }

    #[test]
    fn every_other_ending_keeps_the_default() {
        let endings = [
            confirmed(None, [Comparison::Unclear, Comparison::Worse]),
            Ending::NothingPromising,
            Ending::NotConfirmed,
        ];
        for ending in endings {
            let text = text("ext4", ending);
            assert!(text.contains("Keep the default, ext4: "), "{text}");
        }
    }
}
