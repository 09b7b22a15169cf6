//! The modules of a crate form no circle: in each folder, what one module (with all below it) imports of
//! another leads one way, so that it can be read, and moved, without the others. A module and those above it
//! are one room, in which imports may go both ways; a re-export is followed to where the thing is.

mod imports;

use super::{is_test_file, without_tests};
use crate::{
    lexer,
    problem::Problem,
    tree::{File, Tree},
};
use imports::{Import, imports};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    slice::from_ref,
};

/// More re-exports than this lead nowhere.
const DEPTH: usize = 8;

/// Names from the root of the crate on.
pub(super) type Module = Vec<String>;

/// The circles of all crates.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let circles = crates(tree).into_values().flat_map(|one| one.circles());
    circles.map(|circle| circle.problem()).collect()
}

/// Modules of one folder each of which leads to each other.
struct Circle {
    folder: String,
    modules: Vec<String>,
    /// A shortest way round: who imports whom, and where.
    arrows: Vec<String>,
}

impl Circle {
    fn problem(&self) -> Problem {
        let (modules, arrows) = (self.modules.join(", "), self.arrows.join(", "));
        Problem::file(&self.folder, format!("{modules} form a circle; cut {arrows}"))
    }
}

/// The sources of one crate.
pub(super) struct Crate {
    /// As `crates/stats/src`.
    pub(super) folder: String,
    pub(super) modules: BTreeMap<Module, Source>,
}

pub(super) struct Source {
    pub(super) path: String,
    /// Without comments, literals and tests.
    pub(super) code: String,
    imports: Vec<Import>,
}

/// Each crate by its folder.
pub(super) fn crates(tree: &Tree) -> BTreeMap<String, Crate> {
    let mut all: BTreeMap<String, Crate> = BTreeMap::new();
    for file in tree.rust().filter(|file| !is_test_file(&file.path)) {
        let Some((folder, name)) = file.path.split_once("/src/") else { continue };
        let empty = || Crate { folder: format!("{folder}/src"), modules: BTreeMap::new() };
        let of = all.entry(folder.into()).or_insert_with(empty);
        of.modules.insert(module(name), Source::of(file));
    }
    all
}

/// The module whose file is called `name`, below `src`.
fn module(name: &str) -> Module {
    let mut parts: Module = name.trim_end_matches(".rs").split('/').map(String::from).collect();
    let is_root = parts.len() == 1 && ["lib", "main"].contains(&&*parts[0]);
    if is_root || parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

impl Source {
    fn of(file: &File) -> Source {
        let code = lexer::code(&file.text);
        let code = without_tests(&code).to_string();
        Source { path: file.path.clone(), imports: imports(&code), code }
    }

    fn defines(&self, name: &str) -> bool {
        let is_kind = |kind: &&str| self.code.contains(&format!("{kind} {name}"));
        ["fn", "struct", "enum", "trait", "const", "static", "type"].iter().any(is_kind)
    }
}

impl Crate {
    /// For each folder, by whom whom of its modules is imported, and where.
    pub(super) fn arrows(&self) -> BTreeMap<Module, BTreeMap<(String, String), String>> {
        let mut all: BTreeMap<Module, BTreeMap<_, _>> = BTreeMap::new();
        for (from, source) in &self.modules {
            for import in &source.imports {
                let Some(to) = self.resolve(from, &import.path, DEPTH) else { continue };
                let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                let (Some(a), Some(b)) = (from.get(common), to.get(common)) else { continue };
                let place = || format!("{a} -> {b} ({}:{})", source.path, import.line);
                let folder = all.entry(from[..common].to_vec()).or_default();
                folder.entry((a.clone(), b.clone())).or_insert_with(place);
            }
        }
        all
    }

    /// The module that `path`, as written in `from`, leads to; `None` outside the crate.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Module> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Module::new(),
            "self" => from.to_vec(),
            "super" => from.split_last()?.1.to_vec(),
            child => self.child(from, child)?,
        };
        while let Some((step, after)) = rest.split_first() {
            let next = match step.as_str() {
                "super" => at.split_last().map(|(_, above)| above.to_vec()),
                step => self.child(&at, step),
            };
            let Some(next) = next else { break };
            (at, rest) = (next, after);
        }
        match rest.first() {
            Some(name) if depth > 0 => Some(self.home(&at, name, depth - 1)),
            _ => Some(at),
        }
    }

    fn child(&self, of: &[String], name: &str) -> Option<Module> {
        let child = [of, &[name.to_string()]].concat();
        self.modules.keys().any(|known| known.starts_with(&child)).then_some(child)
    }

    /// Where `name`, which `module` has, is defined.
    fn home(&self, module: &[String], name: &str, depth: usize) -> Module {
        let Some(source) = self.modules.get(module) else { return module.to_vec() };
        let mut uses = source.imports.iter().filter(|import| import.is_use);
        let by_name = uses.clone().find(|import| import.name == name);
        let named = by_name.and_then(|import| self.resolve(module, &import.path, depth));
        let of_all = || {
            uses.find_map(|import| {
                let (last, path) = import.path.split_last()?;
                let all = (last == "*").then(|| self.resolve(module, path, depth))??;
                self.modules.get(&all)?.defines(name).then_some(all)
            })
        };
        named.or_else(of_all).unwrap_or_else(|| module.to_vec())
    }

    fn circles(&self) -> Vec<Circle> {
        let arrows = self.arrows();
        let folder =
            |module: &Module| [from_ref(&self.folder), module.as_slice()].concat().join("/");
        arrows.iter().flat_map(|(at, arrows)| circles(&folder(at), arrows)).collect()
    }
}

fn circles(folder: &str, arrows: &BTreeMap<(String, String), String>) -> Vec<Circle> {
    let names: BTreeSet<&String> = arrows.keys().map(|(from, _)| from).collect();
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        names.iter().map(|name| (*name, reached(name, arrows))).collect();
    let circle = |name: &&String| -> Vec<String> {
        let is_mutual =
            |other: &&&String| reach[*name].contains(**other) && reach[**other].contains(*name);
        names.iter().filter(is_mutual).map(|name| name.to_string()).collect()
    };
    let all: BTreeSet<Vec<String>> = names.iter().map(circle).filter(|c| c.len() > 1).collect();
    let told = |modules: Vec<String>| {
        let arrows = shortest(&modules, arrows);
        Circle { folder: folder.into(), modules, arrows }
    };
    all.into_iter().map(told).collect()
}

/// The arrows of a shortest way round among `modules`.
fn shortest(modules: &[String], arrows: &BTreeMap<(String, String), String>) -> Vec<String> {
    let round = |start: &String| {
        let mut ways = VecDeque::from([(start, Vec::new())]);
        let mut seen = BTreeSet::new();
        while let Some((at, way)) = ways.pop_front() {
            for ((_, to), place) in arrows.iter().filter(|((from, _), _)| from == at) {
                let way = [way.as_slice(), from_ref(place)].concat();
                if to == start {
                    return way;
                }
                if seen.insert(to) {
                    ways.push_back((to, way));
                }
            }
        }
        Vec::new()
    };
    modules.iter().map(round).min_by_key(Vec::len).unwrap_or_default()
}

/// What `from` leads to, in any number of steps.
fn reached<'a>(from: &str, arrows: &'a BTreeMap<(String, String), String>) -> BTreeSet<&'a String> {
    let next = |name: &str| {
        let own: Vec<&String> = arrows.keys().filter(|(a, _)| a == name).map(|(_, b)| b).collect();
        own
    };
    let (mut seen, mut open) = (BTreeSet::new(), next(from));
    while let Some(name) = open.pop() {
        if seen.insert(name) {
            open.extend(next(name));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        check(&tree(files)).iter().map(Problem::to_string).collect()
    }

    const LIB: (&str, &str) = ("crates/x/src/lib.rs", "mod a;\nmod b;\npub use b::Thing;\n");

    #[test]
    fn a_circle_is_found_through_re_exports() {
        let files = [
            LIB,
            ("crates/x/src/a.rs", "use crate::Thing;\n"),
            ("crates/x/src/b/mod.rs", "mod inner;\npub struct Thing;\n"),
            ("crates/x/src/b/inner.rs", "fn f() { crate::a::g() }\n"),
        ];
        let told = "crates/x/src: a, b form a circle; cut a -> b (crates/x/src/a.rs:1), \
                    b -> a (crates/x/src/b/inner.rs:1)";
        assert_eq!(found(&files), [told]);
    }

    #[test]
    fn one_way_parents_and_tests_are_no_circle() {
        let files = [
            LIB,
            ("crates/x/src/a.rs", "use super::b::{self, inner::*};\n"),
            ("crates/x/src/b/mod.rs", "mod inner;\nuse inner::X;\npub struct Thing;\n"),
            (
                "crates/x/src/b/inner.rs",
                "use super::Thing;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n",
            ),
            ("crates/x/src/b/tests.rs", "use crate::a;\n"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }
}
