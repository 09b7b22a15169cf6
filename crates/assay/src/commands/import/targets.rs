//! `--target NAME` and `--target NAME=FILES`: which files are about which target.

use anyhow::{Context, Result, bail};
use formats::ImportOptions;
use model::text::printable_line;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Most names that a pattern is held against.
const MOST_NAMES: usize = 100_000;

/// What `--target` said.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// The one target of all files.
    one: Option<String>,
    /// Files with the target of each, in the order given.
    files: Vec<PathBuf>,
    of_files: BTreeMap<String, String>,
}

/// Reads all of the arguments.
///
/// # Errors
/// When a name stands for several targets, a pattern for no file, or a file is of two targets.
pub(super) fn read(arguments: &[String]) -> Result<Targets> {
    let mut targets = Targets::default();
    for argument in arguments {
        match split(argument) {
            (name, None) => targets.name(name)?,
            (name, Some(pattern)) => targets.files_of(name, pattern)?,
        }
    }
    if let (Some(one), false) = (&targets.one, targets.of_files.is_empty()) {
        bail!(
            "--target {} has no files, but another --target does; write --target {0}=FILES",
            printable_line(one)
        );
    }
    Ok(targets)
}

impl Targets {
    /// The files of all targets.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter()
    }

    /// How to import these and `others`, which were given without a target.
    ///
    /// # Errors
    /// When there are both.
    pub(super) fn options(self, others: &[PathBuf], created: String) -> Result<ImportOptions> {
        match others.first() {
            Some(other) if !self.of_files.is_empty() => bail!(
                "{} belongs to no target; assign it, e.g. --target NAME={0}",
                printable_line(&other.display().to_string())
            ),
            _ => Ok(ImportOptions { target: self.one, created, targets: self.of_files }),
        }
    }

    fn name(&mut self, name: &str) -> Result<()> {
        let parts = at_depth_0(name, ',').count();
        if parts > 0 {
            let first = name.split(',').next().unwrap_or_default();
            bail!(
                "--target {} would combine {} into one target; give each its files, e.g. --target \
                 {}='*.json'",
                printable_line(name),
                parts + 1,
                printable_line(first)
            );
        }
        match self.one.replace(name.into()) {
            Some(other) => bail!(
                "the files cannot belong to both {} and {}; give each its files, e.g. --target \
                 {0}='*.json'",
                printable_line(&other),
                printable_line(name)
            ),
            None => Ok(()),
        }
    }

    fn files_of(&mut self, name: &str, pattern: &str) -> Result<()> {
        let mut found = Vec::new();
        for path in matches(pattern)? {
            match path.is_dir() {
                true => found.extend(super::files_in(&path)?),
                false => found.push(path),
            }
        }
        if found.is_empty() {
            bail!("no file matches {} (--target {name})", printable_line(pattern));
        }
        for path in found {
            let file = path.display().to_string();
            if let Some(other) = self.of_files.insert(file.clone(), name.into()) {
                bail!(
                    "{} is given for both target {other} and target \
                       {name}",
                    printable_line(&file)
                );
            }
            self.files.push(path);
        }
        Ok(())
    }
}

/// A target and, behind the first `=` outside of brackets, its files.
fn split(argument: &str) -> (&str, Option<&str>) {
    match at_depth_0(argument, '=').next() {
        Some(at) => (&argument[..at], Some(&argument[at + 1..])),
        None => (argument, None),
    }
}

/// Where `wanted` is outside of brackets.
fn at_depth_0(text: &str, wanted: char) -> impl Iterator<Item = usize> {
    let mut depth = 0_u32;
    text.char_indices().filter_map(move |(at, c)| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (c == wanted && depth == 0).then_some(at)
    })
}

/// The files that a pattern names, by name: `*` and `?` are in the last part of the path alone, and a file of
/// that very name is always meant.
fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let path = Path::new(pattern);
    let has_wildcard = pattern.contains(['*', '?']);
    if path.symlink_metadata().is_ok() || !has_wildcard {
        return Ok(vec![path.to_owned()]);
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    let cannot = || format!("cannot read {}", folder.display());
    let mut found = Vec::new();
    for (number, entry) in fs::read_dir(folder).with_context(cannot)?.enumerate() {
        let entry = entry.with_context(cannot)?;
        if number >= MOST_NAMES {
            bail!(
                "{} contains more than {MOST_NAMES} names; list the files \
                   explicitly",
                folder.display()
            );
        }
        // Links are left out: who made the folder would choose what is read.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let entry_name = entry.file_name();
        if is_file && entry_name.to_str().is_some_and(|entry| fits(name, entry)) {
            found.push(parent.map_or_else(|| entry_name.clone().into(), |p| p.join(&entry_name)));
        }
    }
    found.sort();
    Ok(found)
}

/// Whether `name` is one that `pattern` stands for. Goes back to the last `*` alone, so that no pattern takes
/// longer than the product of both lengths.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut place, mut star) = (0, 0, None);
    while place < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(&c) if c == '?' || c == name[place] => (at, place) = (at + 1, place + 1),
            _ => match star {
                Some((star_at, taken)) => {
                    star = Some((star_at, taken + 1));
                    (at, place) = (star_at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_at_the_first_equals_sign_outside_of_brackets() {
        assert_eq!(split("alpha=a-*.json"), ("alpha", Some("a-*.json")));
        assert_eq!(split("zfs[recordsize=16k]"), ("zfs[recordsize=16k]", None));
        assert_eq!(
            split("zfs[recordsize=16k]=z=1.json"),
            ("zfs[recordsize=16k]", Some("z=1.json"))
        );
    }

    #[test]
    fn one_name_is_one_target() {
        let told = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|a| (*a).into()).collect();
            read(&arguments).unwrap_err().to_string()
        };
        assert!(told(&["alpha,beta"]).contains("would combine 2"));
        assert!(told(&["alpha", "beta"]).contains("cannot belong to both alpha and beta"));
        assert!(told(&["alpha=/nonexistent/a-*.json"]).contains("cannot read /nonexistent"));
        let one = read(&["ext4[noatime,mkfs.O=bigalloc]".into()]).unwrap();
        assert_eq!(one.one.as_deref(), Some("ext4[noatime,mkfs.O=bigalloc]"));
    }

    #[test]
    fn patterns_stand_for_names() {
        for (pattern, name, is) in [
            ("a-*.json", "a-1.json", true),
            ("a-*.json", "b-1.json", false),
            ("*", "", true),
            ("a?c*", "abcd", true),
            ("a?c", "ac", false),
            ("*a*b", "xaxbxb", true),
            ("*a*b", "xaxbx", false),
        ] {
            assert_eq!(fits(pattern, name), is, "{pattern} {name}");
        }
    }
}
