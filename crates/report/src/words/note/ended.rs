//! Formats the reason why a campaign ended.

use crate::names;
use model::result::{EndCause, Ended, LastLook, Ratios, Standing, WideRatio};
use stats::description::{list, processes};
use std::time::Duration;

/// Why, in a sentence or two.
pub(super) fn ended(Ended { after_blocks, cause, seen, band_pct }: &Ended) -> String {
    let after = format!("Ended after {}", names::blocks(*after_blocks as usize));
    let seen = look(seen, *band_pct);
    match cause {
        EndCause::Enough => format!("{after}: {seen}"),
        EndCause::Most => format!("{after}, the maximum: {seen}"),
        EndCause::Budget { budget_s, used_s, block_s } => format!(
            "{after}: another block does not fit the budget of {} ({} used, up to {} per block). \
             At that point, {seen}",
            duration(*budget_s),
            duration(*used_s),
            duration(*block_s)
        ),
    }
}

/// As the progress of a campaign has it, e.g. `9m 1s`.
fn duration(seconds: u64) -> String {
    humantime::format_duration(Duration::from_secs(seconds.max(1))).to_string()
}

/// What was seen, as the rest of a sentence.
fn look(seen: &LastLook, band_pct: f64) -> String {
    match seen {
        LastLook::Ratios { ratios: Ratios { all: 0, .. }, .. } => {
            "more blocks would not narrow any ratio.".into()
        }
        LastLook::Ratios { ratios, widest } => {
            let widest = widest.as_ref().map(width).unwrap_or_default();
            format!("{}.{widest}", resolved(ratios, band_pct))
        }
        LastLook::Verdicts { verdicts, .. } if verdicts.is_empty() => {
            "more blocks would not decide a verdict.".into()
        }
        LastLook::Verdicts { verdicts, ratios } => {
            let all: Vec<String> = verdicts.iter().map(|own| standing(own, band_pct)).collect();
            format!("{}; {}.", all.join("; "), resolved(ratios, band_pct))
        }
    }
}

fn standing(standing: &Standing, band_pct: f64) -> String {
    match standing {
        Standing::Decided(best) => format!("the verdict is reached ({best})"),
        Standing::Same(leaders) => {
            let leaders = list(leaders.iter().map(String::as_str));
            format!("{leaders} are the same within {band_pct:.0} %")
        }
        Standing::Open => "the verdict is undecided".into(),
    }
}

fn resolved(Ratios { resolved, all }: &Ratios, band_pct: f64) -> String {
    format!("{resolved} of {all} ratios over the baseline are decided or known to {band_pct:.0} %")
}

fn width(WideRatio { test, procs, target, half_width_pct }: &WideRatio) -> String {
    let width = match half_width_pct {
        Some(half) if *half < 100.0 => format!("known to {half:.0} %"),
        Some(half) if *half < 900.0 => format!("known to a factor of {:.1}", 1.0 + half / 100.0),
        Some(_) => "not known to a factor of 10".into(),
        None => "which has no interval".into(),
    };
    let processes = processes(*procs);
    format!(" The widest of the others is {test} with {processes} on {target}, {width}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_interval_is_a_factor_and_no_large_percentage() {
        let of = |half| {
            width(&WideRatio {
                test: "read".into(),
                procs: 1,
                target: "xfs".into(),
                half_width_pct: Some(half),
            })
        };
        assert!(of(99.0).ends_with("on xfs, known to 99 %."), "{}", of(99.0));
        assert!(of(150.0).ends_with("on xfs, known to a factor of 2.5."), "{}", of(150.0));
        assert!(of(5_188_253.0).ends_with("on xfs, not known to a factor of 10."));
    }
}
