//! Names the benchmarks of a file. Each result of a file is a benchmark of its own, also where the commands are equal:
//! they may differ in `--prepare` or `--setup`, which hyperfine does not write down.

use super::Command;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The names of the benchmarks of a file, in their order.
pub(super) struct Names {
    pub(super) names: Vec<String>,
    /// Some have only their number to be told apart by.
    pub(super) numbered: bool,
}

/// Names `commands`: as the user did, or by the command; where several have one name, with their parameters; and
/// where these are equal too, numbered from the second on.
pub(super) fn of(commands: &[Command]) -> Names {
    let called = |command: &Command| {
        let name = command.name.as_deref().filter(|name| !name.is_empty());
        name.unwrap_or(&command.command).to_owned()
    };
    let plain: Vec<String> = commands.iter().map(called).collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    plain.iter().for_each(|name| *count.entry(name).or_default() += 1);
    let with_parameters = |(command, name): (&Command, &String)| match count[name.as_str()] {
        1 => name.clone(),
        _ => format!("{name}{}", parameters(command)),
    };
    let names: Vec<String> = commands.iter().zip(&plain).map(with_parameters).collect();
    let mut free = Free { taken: names.iter().cloned().collect(), ..Free::default() };
    let numbered: Vec<String> = names.iter().map(|name| free.name(name)).collect();
    Names { numbered: numbered != names, names: numbered }
}

/// ` [size=4, threads=2]`, or nothing.
fn parameters(command: &Command) -> String {
    let one = |(name, value): (&String, &Value)| match value {
        Value::String(value) => format!("{name}={value}"),
        value => format!("{name}={value}"),
    };
    let all: Vec<String> = command.parameters.iter().flatten().map(one).collect();
    if all.is_empty() { String::new() } else { format!(" [{}]", all.join(", ")) }
}

/// Gives each name once.
#[derive(Default)]
struct Free {
    taken: HashSet<String>,
    /// How often a name was asked for.
    asked: HashMap<String, usize>,
}

impl Free {
    /// `name` the first time, then `name #2` and so on.
    fn name(&mut self, name: &str) -> String {
        let asked = self.asked.entry(name.to_owned()).or_default();
        loop {
            *asked += 1;
            if *asked == 1 {
                return name.to_owned();
            }
            let numbered = format!("{name} #{asked}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}
