//! Result of a check, and the table of all checks.

/// A check with what was measured.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckOutcome {
    /// A figure.
    Figure {
        /// What was imposed.
        imposed: f64,
        /// What the tool says.
        measured: f64,
        /// Unit of both.
        unit: &'static str,
        /// What may be missed, a share of what was imposed.
        limit: f64,
    },
    /// Differences found where there are none.
    Marks {
        /// Ratios with an interval.
        cells: usize,
        /// Those whose interval excludes 1.
        marked: usize,
        /// As many may be, by chance.
        most: usize,
        /// Whether turning the signs of blocks brings the two as far apart in more than 5 % of the ways.
        by_chance: bool,
    },
    /// Equal targets, while all became slower.
    Drift {
        /// What the last block had over the first, less 1, by what was imposed.
        imposed: f64,
        /// The same as the tool found it.
        measured: f64,
        /// Whether one of the equal targets was called best, or an interval set them apart.
        winner: bool,
    },
    /// Samples that are proven to be durable.
    Proofs {
        /// Samples.
        samples: usize,
        /// Those of which durability was judged.
        judged: usize,
        /// Those of which it is proven.
        proven: usize,
        /// Whether all should be, or none.
        all: bool,
    },
    /// Work of others.
    Seen {
        /// What it was.
        imposed: &'static str,
        /// Share that the tool says others had, %.
        found_pct: f64,
        /// A sample is contended above it, %.
        limit_pct: f64,
    },
}

impl CheckOutcome {
    /// Whether it came back.
    pub fn passes(&self) -> bool {
        match *self {
            CheckOutcome::Figure { limit, .. } => self.error().abs() <= limit,
            CheckOutcome::Marks { cells, marked, most, by_chance } => {
                cells > 0 && marked <= most && by_chance
            }
            // A drift of which less than half was seen is none that could mislead.
            CheckOutcome::Drift { imposed, measured, winner } => {
                !winner && measured < imposed / 2.0
            }
            CheckOutcome::Proofs { samples, judged, proven, all } => {
                samples > 0 && judged == samples && proven == if all { samples } else { 0 }
            }
            CheckOutcome::Seen { found_pct, limit_pct, .. } => found_pct > limit_pct,
        }
    }

    /// Measured over imposed, less 1.
    fn error(&self) -> f64 {
        match *self {
            CheckOutcome::Figure { imposed, measured, .. } => measured / imposed - 1.0,
            _ => 0.0,
        }
    }

    /// Columns of the table: imposed, measured, error, limit.
    fn columns(&self) -> [String; 4] {
        match *self {
            CheckOutcome::Figure { imposed, measured, unit, limit } => [
                format!("{imposed:.2} {unit}"),
                format!("{measured:.2} {unit}"),
                format!("{:+.2} %", self.error() * 100.0),
                format!("{:.0} %", limit * 100.0),
            ],
            CheckOutcome::Drift { imposed, measured, winner } => [
                format!("{:+.0} %", imposed * 100.0),
                format!(
                    "{:+.0} %, {}",
                    measured * 100.0,
                    if winner { "a winner" } else { "no winner" }
                ),
                String::new(),
                "no winner".into(),
            ],
            CheckOutcome::Marks { cells, marked, most, .. } => [
                "no difference".into(),
                format!("{marked} of {cells} differ"),
                String::new(),
                format!("{most} by chance"),
            ],
            CheckOutcome::Proofs { samples, proven, all, .. } => [
                if all { "durable" } else { "not durable" }.into(),
                format!("{proven} of {samples} proven"),
                String::new(),
                if all { "all" } else { "none" }.into(),
            ],
            CheckOutcome::Seen { imposed, found_pct, limit_pct } => [
                imposed.into(),
                format!("{found_pct:.0} % foreign"),
                String::new(),
                format!("above {limit_pct:.0} %"),
            ],
        }
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// It was measured.
    Checked(String, CheckOutcome),
    /// It could not be imposed here, and why.
    Skipped(String, String),
    /// There was no measurement, and why.
    Failed(String, String),
}

impl Line {
    /// Whether something is wrong.
    pub fn is_bad(&self) -> bool {
        match self {
            Line::Checked(_, outcome) => !outcome.passes(),
            Line::Skipped(..) => false,
            Line::Failed(..) => true,
        }
    }

    fn columns(&self) -> [String; 6] {
        let reason = |name: &String, why: String| {
            let [a, b, c, d] = [(); 4].map(|()| String::new());
            [name.clone(), a, b, c, d, why]
        };
        match self {
            Line::Skipped(name, why) => reason(name, format!("skipped: {why}")),
            Line::Failed(name, why) => reason(name, format!("failed: {why}")),
            Line::Checked(name, outcome) => {
                let [imposed, measured, error, limit] = outcome.columns();
                let word = if outcome.passes() { "pass" } else { "fail" };
                [name.clone(), imposed, measured, error, limit, word.into()]
            }
        }
    }
}

/// The table of `lines`, columns padded to their widest.
pub fn table(lines: &[Line]) -> String {
    let head = ["check", "imposed", "measured", "error", "limit", "result"].map(String::from);
    let rows: Vec<[String; 6]> =
        std::iter::once(head).chain(lines.iter().map(Line::columns)).collect();
    report::columns(&rows, &[1, 2, 3, 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(measured: f64) -> CheckOutcome {
        CheckOutcome::Figure { imposed: 500.0, measured, unit: "IOPS", limit: 0.01 }
    }

    #[test]
    fn a_figure_passes_within_its_limit_on_both_sides() {
        assert!(figure(504.9).passes() && figure(495.1).passes());
        assert!(!figure(505.1).passes() && !figure(494.9).passes());
        assert!(!figure(f64::NAN).passes());
    }

    #[test]
    fn marks_pass_up_to_chance_and_not_without_cells() {
        let marks =
            |cells, marked, by_chance| CheckOutcome::Marks { cells, marked, most: 2, by_chance };
        assert!(marks(12, 2, true).passes() && !marks(12, 3, true).passes());
        assert!(!marks(12, 2, false).passes() && !marks(0, 0, true).passes());
    }

    #[test]
    fn drift_passes_only_without_a_winner_and_if_it_was_seen() {
        let drift = |measured, winner| CheckOutcome::Drift { imposed: -0.4, measured, winner };
        assert!(drift(-0.35, false).passes() && !drift(-0.35, true).passes());
        assert!(!drift(-0.1, false).passes() && !drift(f64::NAN, false).passes());
    }

    #[test]
    fn proofs_are_of_all_samples_or_of_none() {
        let proofs = |judged, proven, all| CheckOutcome::Proofs { samples: 2, judged, proven, all };
        assert!(proofs(2, 2, true).passes() && proofs(2, 0, false).passes());
        assert!(!proofs(2, 1, true).passes() && !proofs(2, 1, false).passes());
        assert!(!proofs(0, 0, false).passes(), "nothing was checked");
    }

    #[test]
    fn work_of_others_passes_where_it_makes_a_sample_contended() {
        let seen =
            |found_pct| CheckOutcome::Seen { imposed: "a writer", found_pct, limit_pct: 10.0 };
        assert!(seen(10.1).passes() && !seen(10.0).passes() && !seen(f64::NAN).passes());
    }

    #[test]
    fn the_table_says_what_was_found_and_what_was_not() {
        let lines = [
            Line::Checked("cap.read.500".into(), figure(502.0)),
            Line::Skipped("delay.fuse.p50".into(), "mounting needs root".into()),
        ];
        let expected = "\
check               imposed     measured    error  limit  result
cap.read.500    500.00 IOPS  502.00 IOPS  +0.40 %    1 %  pass
delay.fuse.p50                                            skipped: mounting needs root
";
        assert_eq!(table(&lines), expected);
        assert!(lines.iter().all(|line| !line.is_bad()));
        assert!(Line::Failed("x".into(), "why".into()).is_bad());
    }
}
