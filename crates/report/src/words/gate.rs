//! Formats the result of the CI gate in one sentence.

use stats::{
    comparison::{AskedCell, Blindness, Finding, Gate, Incomparable, Loss, Power},
    description::processes,
    kernel::Ratio,
};

/// Instead of a size, where a loss of any size would have gone undetected.
const NO_LOSS: &str = "no loss, of any size,";

/// What `gate` found, naming the largest, and what could have been.
pub fn gate(gate: &Gate) -> String {
    let (limit, what) = (gate.limit, &gate.finding);
    let what = match what {
        Finding::Look => look(),
        Finding::Regressed { largest, all } => failed(largest, *all, limit),
        Finding::NotFound { widest, why, blind, all } => {
            not_found(widest, *why, (*blind, *all), limit)
        }
        Finding::Lacking { cell, all } => lacking(cell, *all),
        Finding::Doubtful(one) => doubtful(one, limit),
        Finding::Passed { all } => passed(*all, limit),
    };
    let power = gate.power.as_ref().map_or_else(String::new, |found| format!("; {}", power(found)));
    what + &power + &not_judged(gate)
}

/// The losses that would have been found with 80 % power, of the worst mean, half of the cells and the worst.
pub fn power(Power { mean, cells, half, worst }: &Power) -> String {
    let first = |log: f64| loss(log).map_or(NO_LOSS.into(), |size| format!("a loss {size}"));
    let next = |log: f64| loss(log).map_or(NO_LOSS.into(), |size| format!("one {size}"));
    let all = match (mean, cells) {
        (None, 1) => first(*worst),
        (None, _) => {
            format!("{} in half of the cells and {} in the worst", first(*half), next(*worst))
        }
        (Some(mean), 1) => {
            format!("{} in the mean of all tests and {} in the cell", first(*mean), next(*worst))
        }
        (Some(mean), _) => format!(
            "{} in the mean of all tests, {} in half of the cells and {} in the worst",
            first(*mean),
            next(*half),
            next(*worst)
        ),
    };
    format!("{all} would have been found with 80 % power")
}

/// What else A has, as the rest of a sentence.
fn not_judged(gate: &Gate) -> String {
    let not_evaluated = |incomparable: &Incomparable| {
        let labels: Vec<&str> = incomparable.columns.iter().map(|p| p.target.as_str()).collect();
        let why = match incomparable.is_of_one_lab() {
            true => "their durability guarantees differ",
            false => "measured in different labs",
        };
        format!("; not evaluated, because {why}: {}", labels.join(", "))
    };
    let is_said = matches!(gate.finding, Finding::Lacking { .. });
    let missing = match gate.missing {
        n if n > 0 && !is_said => {
            Some(format!("; not evaluated, because B has no counterpart: {n} of A's cells"))
        }
        _ => None,
    };
    missing.into_iter().chain(gate.incomparable.as_ref().map(not_evaluated)).collect()
}

fn name(cell: Option<&AskedCell>) -> String {
    match cell {
        None => "the mean of all tests".into(),
        Some(AskedCell { name, procs, .. }) => format!("{name}, {}", processes(*procs)),
    }
}

/// The name of it, and the ratio with its interval.
fn sentence(Loss { a, b, cell, ratio }: &Loss) -> String {
    let text =
        ratio.map_or_else(String::new, |r| format!("{:.2}x {a} ({})", r.point, interval(&r)));
    format!("{}: {b} is {text}", name(cell.as_ref()))
}

fn look() -> String {
    "inconclusive: with one campaign per side, intervals do not cover the variation between runs; \
     measure each side at least twice, better three times, and compare A1,A2,A3 B1,B2,B3"
        .into()
}

fn failed(largest: &Loss, all: usize, limit: f64) -> String {
    format!(
        "regression beyond {}: {}; ratios beyond the limit: {all}",
        percent(limit),
        sentence(largest)
    )
}

fn not_found(widest: &Loss, why: Blindness, (blind, all): (usize, usize), limit: f64) -> String {
    let why = match why {
        Blindness::Contended => "where other processes competed for CPU or disk".to_string(),
        Blindness::NoSample => "where a side has no valid sample".to_string(),
        Blindness::OneValue => {
            "where a side has a single value; measure it in at least two campaigns".to_string()
        }
        Blindness::Width(width) => match loss(width) {
            Some(size) => format!(
                "where only a loss {size} would have been detected; to detect smaller ones, use \
                 more campaigns or fewer tests (--tests)"
            ),
            None => "where no loss, of any size, would have been detected; use more campaigns or \
                     fewer tests (--tests)"
                .to_string(),
        },
    };
    format!(
        "no significant regression, but a loss of {} would have gone undetected in {blind} of \
         {all}, e.g. in {} of {}, {why}",
        percent(limit),
        name(widest.cell.as_ref()),
        widest.b
    )
}

fn lacking(cell: &AskedCell, all: usize) -> String {
    let more = match all - 1 {
        0 => String::new(),
        n => format!(" and {n} more cells of A"),
    };
    format!(
        "no significant regression, but B has no row of {}{more}: measure them in B, or exclude \
         them from both (--tests)",
        name(Some(cell))
    )
}

fn doubtful(one: &Loss, limit: f64) -> String {
    format!(
        "worse, but inconclusive whether beyond {}: {}; run more campaigns",
        percent(limit),
        sentence(one)
    )
}

fn passed(all: usize, limit: f64) -> String {
    format!(
        "no regression beyond {}: none of {all} {} of B over A on the same target is \
         significantly worse by more",
        percent(limit),
        if all == 1 { "ratio" } else { "means and ratios" }
    )
}

fn interval(ratio: &Ratio) -> String {
    ratio.span_of_decimals().map_or_else(|| "no interval".into(), |span| format!("95 % CI {span}"))
}

/// As many digits as the limit has: 5 %, 2.5 %.
fn percent(share: f64) -> String {
    format!("{} %", (1e6 * share).round() / 1e4)
}

/// The size of a loss on the scale of limits, two digits: `of 5.0 %`; from the double on, where a share would say that
/// more was lost than there is, `by a factor of 8.3`. `None` where none would be found.
fn loss(log: f64) -> Option<String> {
    match log.exp() {
        factor if !factor.is_finite() || factor >= 100.0 => None,
        factor if factor >= 10.0 => Some(format!("by a factor of {factor:.0}")),
        factor if factor >= 2.0 => Some(format!("by a factor of {factor:.1}")),
        factor if factor >= 1.1 => Some(format!("of {:.0} %", 100.0 * (factor - 1.0))),
        factor => Some(format!("of {:.1} %", 100.0 * (factor - 1.0))),
    }
}
