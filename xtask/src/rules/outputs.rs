//! The program writes files for its user by one module, which follows no link of a stranger. What else in it makes,
//! writes, moves or links a file is listed here, with what that is.

use super::line_with;
use crate::{
    problem::Problem,
    tree::{File, Tree},
};

/// The module.
const OUTBOX: &str = "crates/assay/src/outbox";

/// Crates of the programs, and of what makes the bytes of their files.
const CRATES: [&str; 5] = [
    "crates/assay/src/",
    "crates/mpi/src/",
    "crates/report/src/",
    "crates/formats/src/",
    "crates/stats/src/",
];

/// Files that write other things than a file of the user.
const WRITERS: [(&str, &str); 7] = [
    ("crates/assay/src/commands/guest.rs", "files in a guest, shared only with this program"),
    ("crates/assay/src/commands/remake.rs", "an image, as the outbox made it"),
    ("crates/assay/src/images.rs", "the folder of images"),
    ("crates/assay/src/install/build.rs", "the cache folder"),
    ("crates/assay/src/opened.rs", "the folder of the store"),
    ("crates/assay/src/selftest/background_load.rs", "files in the directory of a target"),
    ("crates/assay/src/walk.rs", "folders on the way to an output"),
];

/// How Rust makes, writes, moves or links a file, or makes a folder.
const WRITES: [&str; 21] = [
    ".write(true)",
    ".append(true)",
    ".create(true)",
    "create_new(",
    "File::create",
    "fs::write(",
    "fs::copy(",
    "fs::rename(",
    "fs::hard_link(",
    "symlink(",
    "symlinkat(",
    "linkat(",
    "renameat",
    "create_dir",
    "mkdirat(",
    "OFlags::WRONLY",
    "OFlags::RDWR",
    "OFlags::CREATE",
    "OFlags::TRUNC",
    "NamedTempFile",
    "set_len(",
];

/// Writers other than the module that are not listed, and listed files that write no more.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let is_listed = |file: &File| WRITERS.iter().any(|(path, _)| file.path == *path);
    let of_programs = tree.rust().filter(|f| CRATES.iter().any(|dir| f.path.starts_with(dir)));
    let others = of_programs.filter(|f| !f.path.starts_with(OUTBOX) && !is_listed(f));
    let unlisted = others.filter_map(|file| {
        let what = "writes a file; what is for the user goes through outbox.rs, all else is listed in outputs.rs";
        Some(Problem::line(&file.path, line_with(file, &WRITES)?, what))
    });
    let writes = |path: &str| tree.file(path).is_some_and(|f| line_with(f, &WRITES).is_some());
    let gone = WRITERS.iter().filter(|(path, _)| !writes(path));
    let gone =
        gone.map(|(path, _)| Problem::file(path, "writes no file; remove its line in outputs.rs"));
    unlisted.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn problems(path: &str, text: &str) -> Vec<Problem> {
        let is_about = |problem: &Problem| problem.to_string().starts_with(path);
        check(&tree(&[(path, text)])).into_iter().filter(is_about).collect()
    }

    #[test]
    fn writer_other_than_the_outbox_is_found() {
        for write in [
            "std::fs::write(path, text)?;",
            "File::create(path)?;",
            "File::options().create(true).append(true).open(path)?;",
            "openat(dir, name, OFlags::WRONLY, mode)?;",
            "fs::rename(path, &kept)?;",
        ] {
            assert_eq!(problems("crates/assay/src/commands/x.rs", write).len(), 1, "{write}");
            assert_eq!(problems("crates/mpi/src/x.rs", write).len(), 1, "{write}");
            assert_eq!(problems("crates/lab/src/x.rs", write), [], "{write}");
            assert_eq!(problems("crates/assay/src/outbox/replace.rs", write), [], "{write}");
            assert_eq!(problems(WRITERS[0].0, write), [], "{write}");
            let test = format!("#[cfg(test)]\nmod tests {{\n    {write}\n}}\n");
            assert_eq!(problems("crates/assay/src/x.rs", &test), [], "{write}");
        }
        assert_eq!(problems("crates/assay/src/x.rs", "File::open(path)?;"), []);
    }

    #[test]
    fn a_listed_file_that_writes_no_more_is_found() {
        assert_eq!(problems(WRITERS[0].0, "File::open(path)?;").len(), 1);
    }
}
