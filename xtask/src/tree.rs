//! The files of the repository, read once, so that every rule is a pure function of them.

use anyhow::Context;
use std::{fs, path::Path};

/// One file.
pub(crate) struct File {
    /// Path from the root of the repository, with `/`.
    pub(crate) path: String,
    /// All of it; empty where it is no text.
    pub(crate) text: String,
}

/// All files.
pub(crate) struct Tree {
    /// In the order of their paths.
    pub(crate) files: Vec<File>,
}

impl Tree {
    /// Reads everything below `root` but `.git` and what `.gitignore` names.
    ///
    /// Walks the disk instead of asking git, so that a source archive can be checked too.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Tree> {
        let mut ignored = vec!["/.git".to_string()];
        if let Ok(text) = fs::read_to_string(root.join(".gitignore")) {
            ignored.extend(text.lines().map(String::from));
        }
        let mut files = Vec::new();
        walk(root, "", &ignored, &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Tree { files })
    }

    /// Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    /// The file at `path`.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

fn walk(dir: &Path, at: &str, ignored: &[String], files: &mut Vec<File>) -> anyhow::Result<()> {
    for entry in fs::read_dir(dir).with_context(|| format!("read {}", dir.display()))? {
        let entry = entry?;
        let path = format!("{at}/{}", entry.file_name().to_string_lossy());
        if ignored.iter().any(|line| ignores(line, &path)) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &path, ignored, files)?;
        } else {
            // Of a picture only that it is there.
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            files.push(File { path: path.trim_start_matches('/').into(), text });
        }
    }
    Ok(())
}

/// The three forms of `.gitignore` lines that the project uses: `/path`, `*.suffix`, `name`.
fn ignores(line: &str, path: &str) -> bool {
    let line = line.trim().trim_end_matches('/');
    if line.is_empty() || line.starts_with('#') {
        false
    } else if let Some(suffix) = line.strip_prefix('*') {
        path.ends_with(suffix)
    } else if line.starts_with('/') {
        path == line
    } else {
        path.rsplit('/').next() == Some(line)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A repository of the given files.
    pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
        let file =
            |(path, text): &(&str, &str)| File { path: (*path).into(), text: (*text).into() };
        Tree { files: files.iter().map(file).collect() }
    }

    #[test]
    fn ignored_files_are_not_read() {
        for (line, path) in [("/target", "/target"), ("*.new", "/a/b.new"), ("name/", "/a/name")] {
            assert!(ignores(line, path), "{line} {path}");
        }
        for (line, path) in
            [("/target", "/a/target"), ("# a", "/a"), ("", "/a"), ("name", "/names")]
        {
            assert!(!ignores(line, path), "{line} {path}");
        }
    }

    #[test]
    fn the_tree_holds_this_file() {
        let tree = Tree::read(&crate::root()).unwrap();
        assert!(tree.file("xtask/src/tree.rs").is_some());
        assert!(tree.files.iter().all(|file| !file.path.starts_with("target/")));
    }
}
