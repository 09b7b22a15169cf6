//! Counts and lists of names, as messages and labels have them.

use model::text::counted;

/// `1 process`, `64 processes`.
pub fn processes(procs: u32) -> String {
    counted(procs, "process", "processes")
}

/// `a, b and c`.
pub fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
