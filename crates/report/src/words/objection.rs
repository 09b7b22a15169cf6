//! Formats objections to a target: the text after its name and its rank.

use stats::{
    advice::{Basis, FloorFinding, Objection, Shortfall},
    description::processes,
    kernel::Ratio,
};

/// The reason, without a full stop.
pub fn objection(objection: &Objection) -> String {
    match objection {
        Objection::Unmet { wanted, fact, shortfall } => {
            let state = match shortfall {
                Shortfall::Value => fact.value.to_string(),
                Shortfall::With(option) => format!("not with {option}"),
                Shortfall::Without(options) => format!("not without {}", options.join(" or ")),
            };
            format!(
                "{wanted} is required; {}: {state} ({}; {}; as of {})",
                fact.feature, fact.scope, fact.source, fact.as_of
            )
        }
        Objection::Limited { wanted, fact } => {
            let but = fact.but.as_deref().unwrap_or_default();
            format!("{wanted} is required; {}: {but} ({})", fact.feature, fact.source)
        }
        Objection::Unknown(features) => {
            format!("support for {} is unknown", features.join(", "))
        }
        Objection::Durability(durability) => {
            format!("durable is required; it {}", durability.predicate().unwrap_or_default())
        }
        Objection::NotCompressed { share, data } => format!(
            "compression is required; measured: files occupied {share:.2} of their size, with {data} data"
        ),
        Objection::Floor { test, procs, finding } => {
            format!("floor {test}, {}: {}", processes(*procs), floor(finding))
        }
        Objection::OtherLab(lab) => format!("measured {}", lab.place()),
        Objection::OtherPromise(durability) => {
            format!("not ranked: it {}", durability.predicate().unwrap_or_default())
        }
    }
}

fn floor(finding: &FloorFinding) -> String {
    match finding {
        FloorFinding::NoSample => "no valid sample".into(),
        FloorFinding::Short => "its timed part is too short".into(),
        FloorFinding::Behind { best, ratio, basis, limit } => {
            let times = |ratio: f64| format!("{ratio:.2}");
            let point = format!("{}x behind {best}", times(ratio.point));
            format!("{}, {limit}x allowed", with_basis(&point, ratio, *basis, times))
        }
        FloorFinding::NoLatency(limit) => format!("no {} to compare", limit.quantile().as_str()),
        FloorFinding::Latency { ratio, basis, limit } => {
            let ms = |share: f64| format!("{:.3}", share * limit.us / 1e3);
            let point = format!("{} is {} ms", limit.quantile().as_str(), ms(ratio.point));
            format!("{}, {limit} allowed", with_basis(&point, ratio, *basis, ms))
        }
    }
}

/// `point` with its interval, whose ends are written by `end`, or with why it has none that tells something.
fn with_basis(point: &str, ratio: &Ratio, basis: Basis, end: impl Fn(f64) -> String) -> String {
    match (basis, ratio.span(end)) {
        (Basis::Interval, Some(span)) => format!("{point} ({span})"),
        (Basis::TwoBlocks, _) => format!("{point} (two blocks, too few to be sure)"),
        _ => format!("{point} (one run)"),
    }
}
