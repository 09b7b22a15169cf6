//! The columns of mdtest's table by their heads. Releases print figures of single ranks, of iterations, or of
//! both, with and without a standard deviation, in several orders.

use crate::table::short;

/// What a column has of the iterations, in the order in which they are handed out.
const OF_ITERATIONS: [&str; 4] = ["Max", "Min", "Mean", "StdDev"];

/// The columns of a table.
pub(super) struct Columns {
    /// Where in a row each of [`OF_ITERATIONS`] stands.
    places: [Option<usize>; 4],
    len: usize,
}

/// What releases print that have one kind of figure.
impl Default for Columns {
    fn default() -> Columns {
        Columns { places: [Some(0), Some(1), Some(2), Some(3)], len: 4 }
    }
}

impl Columns {
    /// The columns under `heads`: `per Rank: Max Min Mean per Iteration: Max Min Mean Std Dev`.
    pub(super) fn of(heads: &str) -> Result<Columns, String> {
        let heads = heads.replace("Std Dev", "StdDev");
        let (mut columns, mut of_iterations) = (Columns { places: [None; 4], len: 0 }, true);
        for head in heads.split_whitespace() {
            match head.trim_end_matches(':') {
                "per" => {}
                "Rank" => of_iterations = false,
                "Iteration" => of_iterations = true,
                head => {
                    let known = OF_ITERATIONS.iter().position(|known| *known == head);
                    let known = known.ok_or_else(|| {
                        format!("unknown column `{}`; report this release of mdtest", short(head))
                    })?;
                    if of_iterations && columns.places[known].replace(columns.len).is_some() {
                        return Err(format!("the column `{}` appears twice", short(head)));
                    }
                    columns.len += 1;
                }
            }
        }
        match columns.places[2] {
            Some(_) => Ok(columns),
            None => Err("the table has no mean of the iterations".into()),
        }
    }

    /// Figures of a row.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Greatest, least, mean and standard deviation of the iterations in a row of [`Columns::len`] figures.
    pub(super) fn of_iterations(&self, row: &[f64]) -> [Option<f64>; 4] {
        self.places.map(|place| row.get(place?).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_heads() {
        let row = |heads: &str, row: &[f64]| Columns::of(heads).map(|c| c.of_iterations(row));
        let (some, four) = (Some, [4.0, 1.0, 2.0, 0.5]);
        let plain = row("Max            Min           Mean        Std Dev", &four);
        assert_eq!(plain.unwrap(), [some(4.0), some(1.0), some(2.0), some(0.5)]);
        let seven = [9.0, 2.0, 5.0, 1.5, 7.0, 3.0, 4.8];
        let of_ranks = "per Rank: Max Min Mean Std Dev per Iteration: Max Min Mean";
        assert_eq!(row(of_ranks, &seven).unwrap(), [some(7.0), some(3.0), some(4.8), None]);
        let after = "per Rank: Max Min Mean per Iteration: Max Min Mean Std Dev";
        assert_eq!(row(after, &seven).unwrap(), [some(1.5), some(7.0), some(3.0), some(4.8)]);
        assert!(row("Max Min Median", &four).unwrap_err().contains("`Median`"));
        assert!(row("per Rank: Max Min Mean", &four).is_err());
    }
}
