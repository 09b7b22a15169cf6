//! hyperfine's CSV, versions 1 and 2: a row for each command with the mean, the shortest and the longest of
//! its runs.

use super::{Command, metrics, validity};
use crate::{
    FormatError,
    documents::case,
    gate::{Figures, Times},
    table::{Row, Table},
    text::check_end,
};
use model::{
    figure::{Better, Metric},
    result::{Sample, Validity},
    workload::TestInfo,
};

/// Whether a file that begins so is hyperfine's CSV.
pub(super) fn sniff(head: &str) -> bool {
    head.starts_with("command,mean,stddev,") || head.starts_with("command,time_wall_clock_unit,")
}

/// The mean of a command.
pub(super) struct Mean {
    pub(super) seconds: f64,
    pub(super) metrics: Vec<Metric>,
    pub(super) validity: Validity,
}

impl Mean {
    /// It as a sample of `test`.
    pub(super) fn of(self, test: &TestInfo, position: u32, target: &str) -> Sample {
        Sample::bare(0, position, case(test, target), self.metrics)
            .lasting(self.seconds)
            .judged(self.validity)
    }
}

/// Each command of the file with its mean.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Vec<(Command, Mean)>, FormatError> {
    check_end(file, bytes)?;
    let table = Table::read(file, bytes, b',')?;
    table.rows.iter().map(|row| Ok((command(&table, row)?, mean(&table, row)?))).collect()
}

fn command(table: &Table<'_>, row: &Row) -> Result<Command, FormatError> {
    let parameters = table.header.iter().filter_map(|column| {
        let name = column.strip_prefix("parameter_")?;
        Some(table.text(row, column).map(|value| (name.to_owned(), value.into())))
    });
    let parameters = Some(parameters.collect::<Result<_, _>>()?);
    Ok(Command { command: table.text(row, "command")?.into(), parameters, ..Command::default() })
}

fn mean(table: &Table<'_>, row: &Row) -> Result<Mean, FormatError> {
    let is_second = table.column("time_wall_clock_unit").is_some();
    let (prefix, unit_s) = match is_second {
        true => ("time_wall_clock_", unit_s(table, row)?),
        false => ("", 1.0),
    };
    let of = |name: &str| -> Result<f64, FormatError> {
        let column = format!("{prefix}{name}");
        let value = table.number(row, &column)?;
        if value < 0.0 { Err(table.bad(row, &column, "is negative")) } else { Ok(value * unit_s) }
    };
    let (mean, min, max) = (of("mean")?, of("min")?, of("max")?);
    let times = Times { min: Some(min), mean: Some(mean), max: Some(max), ..Times::default() };
    let told = Figures { what: "wall_s", times: Some(&times), ..Figures::default() };
    let validity = match told.judge() {
        Ok(()) => validity(None, mean),
        Err(why) => Validity::Invalid(why.into()),
    };
    let optional = |name: &str| table.optional::<f64>(row, name);
    let (user, system) =
        if is_second { (None, None) } else { (optional("user")?, optional("system")?) };
    let mut metrics = metrics([Some(mean), user, system, None]);
    let lower = |name, value| Metric::new(name, value, "s", Better::Lower);
    metrics.extend([lower("wall_min_s", min), lower("wall_max_s", max)]);
    Ok(Mean { seconds: mean, metrics, validity })
}

/// Seconds in the unit of a row of version 2.
fn unit_s(table: &Table<'_>, row: &Row) -> Result<f64, FormatError> {
    const COLUMN: &str = "time_wall_clock_unit";
    match table.text(row, COLUMN)? {
        "s" => Ok(1.0),
        "ms" => Ok(1e-3),
        "µs" | "us" => Ok(1e-6),
        "ns" => Ok(1e-9),
        "min" => Ok(60.0),
        "h" => Ok(3600.0),
        _ => Err(table.bad(row, COLUMN, "is not a known unit of time")),
    }
}
