//! The list of rules, and the test by which `cargo test` enforces them.

use crate::{
    problem::Problem,
    rules::{
        arrows, comments, cycles, dependencies, functions, links, orphans, outputs, prints,
        raw_disks, registries, rooms, safety, threats, truth, untested, wording, words,
    },
    tree::Tree,
};

const RULES: &[fn(&Tree) -> Vec<Problem>] = &[
    arrows::check,
    comments::check,
    cycles::check,
    dependencies::check,
    functions::check,
    links::check,
    orphans::check,
    outputs::check,
    prints::check,
    raw_disks::check,
    registries::check,
    rooms::check,
    safety::check,
    threats::check,
    truth::check,
    untested::check,
    wording::check,
    words::check,
];

/// Every problem of the repository, rule by rule.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    RULES.iter().flat_map(|rule| rule(tree)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let problems = check(&Tree::read(&crate::root()).unwrap());
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
    }

    #[test]
    fn a_problem_names_its_line() {
        assert_eq!(Problem::line("a.rs", 7, "why").to_string(), "a.rs:7: why");
        assert_eq!(Problem::file("a.rs", "why").to_string(), "a.rs: why");
    }
}
