//! Repository chores, run as `cargo run -p xtask -- tidy`, `... -- test quick` and `... -- notices`.
//!
//! Written in the language of the project, so that a chore needs no tool beyond cargo.

mod lexer;
mod notices;
mod problem;
mod rules;
mod test;
mod tidy;
mod tree;

use anyhow::bail;
use std::{path::PathBuf, process::ExitCode};

fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("tidy") => tidy(),
        Some("test") => test::test(&args[1..]),
        Some("notices") => notices(),
        _ => {
            bail!("name a chore: `cargo run -p xtask -- tidy`, `test quick|labs|all` or `notices`")
        }
    }
}

#[expect(clippy::print_stdout, reason = "a chore answers on the terminal")]
fn notices() -> anyhow::Result<ExitCode> {
    print!("{}", notices::notices()?);
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::print_stdout, reason = "a chore answers on the terminal")]
fn tidy() -> anyhow::Result<ExitCode> {
    let problems = tidy::check(&tree::Tree::read(&root())?);
    for problem in &problems {
        println!("{problem}");
    }
    println!("tidy: {} problems", problems.len());
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The repository, which holds this crate in a folder of its own.
fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
