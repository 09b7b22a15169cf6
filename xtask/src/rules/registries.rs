//! Every file takes part: a module that its parent does not name is dead, and a file system,
//! importer or section that its registry does not name would silently be missing from the program.

use crate::{lexer, tidy::Problem, tree::Tree};

/// Files below `crates/*/src` that their parent module does not name.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.rust()
        .filter(|file| file.path.starts_with("crates/") && file.path.contains("/src/"))
        .filter_map(|file| {
            let (name, parents) = module(&file.path)?;
            let parent = parents.iter().find_map(|path| tree.file(path));
            let named = parent.is_some_and(|p| lexer::has_word(&lexer::code(&p.text), name));
            (!named).then(|| Problem::file(&file.path, complaint(name, &parents)))
        })
        .collect()
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
