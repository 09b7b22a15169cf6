//! The rooms of a crate are ordered, and each uses only those before it: a reader of one has read what it needs.

use super::cycles::{Crate, Module, crates};
use crate::{problem::Problem, tree::Tree};
use std::collections::{BTreeMap, BTreeSet};

/// All modules of a folder, the first ones first.
type Rooms = [(&'static str, &'static [&'static str])];

const ROOMS: &Rooms = &[
    (
        "crates/model/src",
        &["text", "random", "figure", "target", "workload", "plan", "result", "strategies"],
    ),
    (
        "crates/lab/src",
        &[
            "error",
            "btrfs",
            "programs",
            "mounts",
            "ownership",
            "page_cache",
            "backing",
            "guest",
            "ageing",
            "cleanup",
            "machine",
            "stack",
            "observe",
            "plan",
            "setup",
            "instance",
            "fuse",
            "recording",
        ],
    ),
    (
        "crates/campaign/src",
        &[
            "messages",
            "tools",
            "inputs",
            "machine",
            "evidence",
            "faults",
            "stages",
            "sizes",
            "run",
            "guests",
            "pipeline",
            "scheduling",
            "testing",
        ],
    ),
    (
        "crates/stats/src",
        &["kernel", "description", "comparison", "verdict", "advice", "tuning", "evaluation"],
    ),
    (
        "crates/stats/src/description",
        &[
            "error",
            "settings",
            "names",
            "seed",
            "looks",
            "equivalence",
            "sample",
            "class",
            "cell",
            "score",
            "table",
            "check",
            "figure",
        ],
    ),
];

/// Rooms with the crates that they know nothing of.
const CLOSED: &Rooms = &[("crates/stats/src/kernel", &["model", "fs"])];

/// Arrows from one room to a later one, and modules that have no place.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    check_by(tree, ROOMS, CLOSED)
}

fn check_by(tree: &Tree, rooms: &Rooms, closed: &Rooms) -> Vec<Problem> {
    let crates = crates(tree);
    let of_crate = |one: &Crate| -> Vec<Problem> {
        let own = rooms.iter().flat_map(|(folder, order)| in_folder(one, folder, order));
        own.chain(closed.iter().flat_map(|(room, names)| knows(one, room, names))).collect()
    };
    crates.values().flat_map(of_crate).collect()
}

/// The problems of the rooms of `folder`, if it is one of `one`.
fn in_folder(one: &Crate, folder: &str, order: &[&str]) -> Vec<Problem> {
    let Some(at) = place(one, folder) else { return Vec::new() };
    let inner = one.modules.keys().filter(|module| module.starts_with(&at));
    let names: BTreeSet<&String> = inner.filter_map(|module| module.get(at.len())).collect();
    let unplaced = names.iter().filter(|name| !order.contains(&name.as_str()));
    let unplaced = unplaced.map(|name| format!("{name} has no place in xtask/src/rules/rooms.rs"));
    let gone = order.iter().filter(|name| !names.iter().any(|known| known == *name));
    let gone = gone.map(|name| format!("{name} is in xtask/src/rules/rooms.rs, and not here"));
    let arrows = one.arrows().remove(&at).unwrap_or_default();
    let wrong = backward(&arrows, order);
    let wrong = wrong.map(|place| format!("{place} leads to a later room; turn it"));
    unplaced.chain(gone).chain(wrong).map(|what| Problem::file(folder, what)).collect()
}

/// The arrows that lead to a room that comes later in `order`.
fn backward<'a>(
    arrows: &'a BTreeMap<(String, String), String>,
    order: &'a [&str],
) -> impl Iterator<Item = &'a String> {
    let rank = |name: &String| order.iter().position(|room| room == name);
    let is_backward = move |(from, to): &(String, String)| rank(from) < rank(to);
    arrows.iter().filter(move |(arrow, _)| is_backward(arrow)).map(|(_, place)| place)
}

/// The files of `room`, if it is one of `one`, that name one of `crates`.
fn knows(one: &Crate, room: &str, crates: &[&str]) -> Vec<Problem> {
    let Some(at) = place(one, room) else { return Vec::new() };
    let inner = one.modules.iter().filter(|(module, _)| module.starts_with(&at));
    let named = inner.flat_map(|(_, source)| {
        let own = crates.iter().filter(|name| names_crate(&source.code, name));
        own.map(|name| Problem::file(&source.path, format!("{room} may not know `{name}`")))
    });
    named.collect()
}

/// Whether `code` has a path that starts at the crate called `name`.
fn names_crate(code: &str, name: &str) -> bool {
    let begins = |at: usize| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
    };
    code.match_indices(&format!("{name}::")).any(|(at, _)| begins(at))
}

/// The module of `one` that `folder` holds.
fn place(one: &Crate, folder: &str) -> Option<Module> {
    let rest = folder.strip_prefix(&one.folder)?;
    let is_inside = rest.is_empty() || rest.starts_with('/');
    is_inside.then(|| rest.split('/').filter(|part| !part.is_empty()).map(String::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const ORDER: &Rooms =
        &[("crates/x/src", &["low", "high"]), ("crates/x/src/high", &["one", "two"])];
    const NO_MODEL: &Rooms = &[("crates/x/src/low", &["model"])];

    const LIB: (&str, &str) = ("crates/x/src/lib.rs", "mod low;\nmod high;\n");
    const HIGH: (&str, &str) = ("crates/x/src/high.rs", "mod one;\nmod two;\n");

    fn found(low: &str, one: &str, two: &str) -> Vec<String> {
        let files = [
            LIB,
            HIGH,
            ("crates/x/src/low.rs", low),
            ("crates/x/src/high/one.rs", one),
            ("crates/x/src/high/two.rs", two),
        ];
        told(&files)
    }

    fn told(files: &[(&str, &str)]) -> Vec<String> {
        let problems = check_by(&tree(files), ORDER, NO_MODEL);
        problems.iter().map(Problem::to_string).collect()
    }

    #[test]
    fn an_arrow_to_a_later_room_is_found() {
        assert_eq!(found("", "use crate::low::A;\n", "use super::one::B;\n"), [""; 0]);
        let up = "crates/x/src: low -> high (crates/x/src/low.rs:1) leads to a later room; turn it";
        assert_eq!(found("use crate::high::one::B;\n", "", ""), [up]);
        let on = "crates/x/src/high: one -> two (crates/x/src/high/one.rs:1) leads to a later \
                  room; turn it";
        assert_eq!(found("", "use super::two::C;\n", ""), [on]);
    }

    #[test]
    fn a_closed_room_names_no_crate_it_may_not_know() {
        let low = "crates/x/src/low.rs: crates/x/src/low may not know `model`";
        assert_eq!(found("fn f(order: model::plan::Order) {}\n", "", ""), [low]);
        assert_eq!(found("use data_model::Order;\n", "use model::plan::Order;\n", ""), [""; 0]);
    }

    #[test]
    fn every_module_has_a_place_and_every_place_a_module() {
        let files = [LIB, ("crates/x/src/low.rs", ""), ("crates/x/src/side.rs", "")];
        let told = told(&files);
        let place = "xtask/src/rules/rooms.rs";
        assert!(told.contains(&format!("crates/x/src: side has no place in {place}")), "{told:?}");
        assert!(
            told.contains(&format!("crates/x/src: high is in {place}, and not here")),
            "{told:?}"
        );
    }
}
