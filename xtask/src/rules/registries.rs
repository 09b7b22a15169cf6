//! Every file takes part: a module that its parent does not name is dead, and a file system,
//! importer or section that its registry does not name would silently be missing from the program.

use crate::{lexer, problem::Problem, tree::Tree};

/// Folders whose files are registered: what no list of the crate names would compile and yet be missing.
const REGISTERED: [&str; 3] =
    ["crates/formats/src/importers/", "crates/report/src/sections/", "crates/suites/src/kinds/"];

/// Folder of the suites that ship as declarations, and the file whose `shipped!` lists them.
const DECLARED: (&str, &str) = ("crates/suites/src/declared/", "crates/suites/src/shipped.rs");

/// Where users find the suites that ship.
const TABLE: &str = "README.md";

/// Files below `crates/*/src` that their parent module or their registry does not name.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .filter(|file| file.path.starts_with("crates/") && file.path.contains("/src/"))
        .filter_map(|file| {
            let (name, parents) = module(&file.path)?;
            let what =
                unnamed(tree, name, &parents).or_else(|| unregistered(tree, &file.path, name))?;
            Some(Problem::file(&file.path, what))
        })
        .chain(unshipped(tree))
        .collect()
}

/// Declarations that would not ship, or that users would not find.
fn unshipped(tree: &Tree) -> impl Iterator<Item = Problem> {
    let (folder, list) = DECLARED;
    let text_of = |path| tree.file(path).map_or("", |file| file.text.as_str());
    let (listed, table) = (text_of(list), text_of(TABLE));
    let declared = tree.files.iter().filter(move |file| file.path.starts_with(folder));
    declared.flat_map(move |file| {
        let name = &file.path[folder.len()..];
        let row = format!("\n| {} ", name.trim_end_matches(".toml"));
        let places = [
            (
                listed.contains(&format!("\"{name}\"")),
                format!("\"{name}\" is not in `shipped!` of {list}; add its line"),
            ),
            (table.contains(&row), format!("{name} has no row in the table of suites of {TABLE}")),
        ];
        let missing = places.into_iter().filter(|(is_there, _)| !is_there);
        missing.map(|(_, what)| Problem::file(&file.path, what))
    })
}

fn unnamed(tree: &Tree, name: &str, parents: &[String]) -> Option<String> {
    let parent = parents.iter().find_map(|path| tree.file(path));
    let named = parent.is_some_and(|p| lexer::has_word(&lexer::code(&p.text), name));
    (!named).then(|| complaint(name, parents))
}

fn unregistered(tree: &Tree, path: &str, name: &str) -> Option<String> {
    let folder = REGISTERED.iter().find(|folder| path.starts_with(*folder))?;
    let below = &path[folder.len()..];
    let direct = name != "tests"
        && [format!("{name}.rs"), format!("{name}/mod.rs")].iter().any(|p| p == below);
    let source = &folder[..folder.find("/src/")? + 5];
    let mut files = tree.rust().filter(|file| file.path.starts_with(source));
    // Text is searched first: all files of a crate are lexed for each module otherwise.
    let mut is_listed = || {
        files.any(|file| {
            file.text.contains(name)
                && registered(&on_one_line(&file.text)).any(|list| lexer::has_word(list, name))
        })
    };
    (direct && !is_listed()).then(|| format!("`{name}` is in no list of {source}; add its line"))
}

/// The code of a file, in which rustfmt may have put the start of a list on a line of its own.
fn on_one_line(text: &str) -> String {
    lexer::code(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What each constant list in `code` names, and each use of the macro `registry!`.
fn registered(code: &str) -> impl Iterator<Item = &str> {
    let lists = [("registry!", &[')', '}'][..]), ("= &[", &[']'])];
    lists.into_iter().flat_map(move |(start, ends)| {
        let uses = code.match_indices(start).map(|(at, start)| &code[at + start.len()..]);
        uses.map(move |rest| &rest[..rest.find(ends).unwrap_or(rest.len())])
    })
}

fn complaint(name: &str, parents: &[String]) -> String {
    format!("`{name}` is not named in {}; add its line or delete the file", parents.join(" or "))
}

/// Name of the module that a file holds, and where its parent may lie; `None` for a crate root.
fn module(path: &str) -> Option<(&str, Vec<String>)> {
    let (mut dir, file) = path.rsplit_once('/')?;
    let mut name = file.strip_suffix(".rs")?;
    if name == "mod" {
        (dir, name) = dir.rsplit_once('/')?;
    }
    if dir.ends_with("/src") {
        let root = ["lib", "main"].contains(&name);
        return (!root).then(|| (name, vec![format!("{dir}/lib.rs"), format!("{dir}/main.rs")]));
    }
    Some((name, vec![format!("{dir}/mod.rs"), format!("{dir}.rs")]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    #[test]
    fn a_file_that_is_not_listed_is_found() {
        let listed = tree(&[
            ("crates/lab/src/lib.rs", "mod fs;"),
            ("crates/lab/src/fs/mod.rs", "registry! { ext4, xfs }"),
            ("crates/lab/src/fs/ext4.rs", ""),
            ("crates/lab/src/fs/jfs.rs", ""),
        ]);
        let found = check(&listed);
        let what = "`jfs` is not named in crates/lab/src/fs/mod.rs or crates/lab/src/fs.rs; add its line or delete the file";
        assert_eq!(found, [Problem::file("crates/lab/src/fs/jfs.rs", what)]);
    }

    #[test]
    fn a_module_that_is_not_registered_is_found() {
        let files = |registry: &str| {
            tree(&[
                ("crates/formats/src/lib.rs", registry),
                ("crates/formats/src/importers.rs", "mod csv;\nmod psv;"),
                ("crates/formats/src/importers/csv.rs", ""),
                ("crates/formats/src/importers/psv.rs", ""),
            ])
        };
        for (both, one) in [
            ("registry!(csv, psv);", "registry!(csv);"),
            ("static ALL: &[&dyn I] = &[&csv::I, &psv::I];", "static ALL: &[&dyn I] = &[&csv::I];"),
        ] {
            assert_eq!(check(&files(&format!("mod importers; {both}"))), []);
            let found = check(&files(&format!("mod importers; {one}\nuse importers::psv;")));
            let what = "`psv` is in no list of crates/formats/src/; add its line";
            assert_eq!(found, [Problem::file("crates/formats/src/importers/psv.rs", what)]);
        }
    }

    #[test]
    fn a_declaration_that_does_not_ship_is_found() {
        let files = |list, table| {
            tree(&[
                (DECLARED.1, list),
                (TABLE, table),
                ("crates/suites/src/lib.rs", "mod shipped;"),
                ("crates/suites/src/declared/mine.toml", ""),
            ])
        };
        let (list, row) = ("shipped!(\"mine.toml\");", "|---|---|\n| mine | what it does |\n");
        assert_eq!(check(&files(list, row)), []);
        assert_eq!(check(&files("shipped!();", row)).len(), 1);
        assert_eq!(check(&files(list, "")).len(), 1);
    }

    #[test]
    fn a_name_in_a_comment_lists_nothing() {
        let files = [("crates/a/src/lib.rs", "// mod b;"), ("crates/a/src/b.rs", "")];
        assert_eq!(check(&tree(&files)).len(), 1);
    }

    #[test]
    fn both_places_of_a_parent_are_known() {
        let files = [
            ("crates/a/src/main.rs", "mod b;"),
            ("crates/a/src/b.rs", "mod c;"),
            ("crates/a/src/b/c.rs", ""),
        ];
        assert_eq!(check(&tree(&files)), []);
    }
}
