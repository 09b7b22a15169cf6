//! The git installed on this machine: commits, one after the other.

use crate::{Application, TestError, program};
use faults::contract::Finding;
use model::result::Harm;
use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

/// A repository whose commits have numbers.
#[derive(Debug)]
pub(super) struct Git {
    name: &'static str,
    rounds: u64,
    /// `core.fsync`, where it is set.
    fsync: Option<&'static str>,
}

/// Settings for every call: nothing of the machine's, and nothing that continues after the call has returned.
const SETTINGS: [&str; 8] = [
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "user.name=assay",
    "-c",
    "user.email=assay@localhost",
];
/// The time of all commits, so that their hashes depend on their content alone.
const WHEN: &str = "2026-01-01T00:00:00Z";

impl Git {
    pub(super) fn new(name: &'static str, rounds: u64, fsync: Option<&'static str>) -> Git {
        Git { name, rounds, fsync }
    }

    /// Runs git in `root`.
    fn call(&self, root: &Path, args: &[&str]) -> Result<Output, TestError> {
        let mut command = Command::new("git");
        command.env_clear().env("PATH", program::search_path());
        for (key, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_DATE", WHEN),
            ("GIT_COMMITTER_DATE", WHEN),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ] {
            command.env(key, value);
        }
        command.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root)).current_dir(root);
        if let Some(fsync) = self.fsync {
            command.args(["-c", &format!("core.fsync={fsync}")]);
        }
        command.args(SETTINGS).args(args).stdin(Stdio::null());
        command.output().map_err(TestError::io("run git in", root))
    }

    /// Runs git, which has to succeed.
    fn run(&self, root: &Path, args: &[&str]) -> Result<(), TestError> {
        let output = self.call(root, args)?;
        if output.status.success() {
            return Ok(());
        }
        Err(TestError::Program {
            command: format!("git {}", args.join(" ")),
            how: output.status.to_string(),
            last_line: said(&output).pop().unwrap_or_default(),
        })
    }

    /// Commits change `number`, of one file that is there and one that is not.
    fn commit(&self, root: &Path, number: u64) -> Result<(), TestError> {
        let text = |lines: u64| -> String {
            (0..lines).map(|line| format!("line {line} of change {number}\n")).collect()
        };
        let directory = root.join(format!("d{}", number % 4));
        fs::create_dir_all(&directory).map_err(TestError::io("create", &directory))?;
        for (path, lines) in [(root.join("log"), 400), (directory.join(number.to_string()), 40)] {
            fs::write(&path, text(lines)).map_err(TestError::io("write", &path))?;
        }
        self.run(root, &["add", "--all"])?;
        self.run(root, &["commit", "--quiet", "--message", &format!("change {number}")])
    }
}

/// The lines that git wrote, errors last.
fn said(output: &Output) -> Vec<String> {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).lines().map(String::from).collect()
}

/// Why git failed, in a line.
fn why(output: &Output) -> String {
    let lines = said(output);
    let is_reason = |line: &&String| {
        ["error", "fatal", "missing", "broken"].iter().any(|word| line.starts_with(word))
    };
    let mut reasons = lines.iter().filter(is_reason).take(2).cloned().collect::<Vec<_>>();
    if reasons.is_empty() {
        reasons.extend(lines.last().cloned());
    }
    format!("{}: {}", output.status, reasons.join("; "))
}

impl Application for Git {
    fn name(&self) -> &str {
        self.name
    }

    fn prepare(&self, root: &Path) -> Result<(), TestError> {
        self.run(root, &["init", "--quiet", "--template=", "--initial-branch=main"])?;
        self.commit(root, 0)
    }

    fn work(&self, root: &Path, mark: &dyn Fn(u64)) -> Result<(), TestError> {
        for round in 0..self.rounds {
            self.commit(root, round + 1)?;
            mark(round);
        }
        Ok(())
    }

    fn look(&self, root: &Path, acknowledged: Option<u64>) -> Result<Vec<Finding>, TestError> {
        let find = |harm, path: &str, detail: String| Finding { harm, path: path.into(), detail };
        let checked = self.call(root, &["fsck", "--full", "--no-progress", "--no-dangling"])?;
        let mut findings = Vec::new();
        if !checked.status.success() {
            findings.push(find(Harm::Malformed, "git fsck", why(&checked)));
        }
        let head = self.call(root, &["log", "--max-count=1", "--format=%s", "HEAD"])?;
        let subject = String::from_utf8_lossy(&head.stdout);
        let number = subject.trim().strip_prefix("change ");
        let number: Option<u64> = number.and_then(|own| own.parse().ok());
        let begun = acknowledged.map_or(0, |mark| mark + 1) + 1;
        match number.filter(|_| head.status.success()) {
            Some(number) if number <= begun => {}
            Some(number) => {
                let detail = format!("it is change {number}, which was never begun");
                findings.push(find(Harm::Foreign, "HEAD", detail));
            }
            None => findings.push(find(Harm::Malformed, "HEAD", why(&head))),
        }
        Ok(findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use needs::{Need, skip};

    fn harms(git: &Git, root: &Path) -> Vec<Harm> {
        let findings = git.look(root, Some(2)).unwrap();
        findings.into_iter().map(|finding| finding.harm).collect()
    }

    #[test]
    fn a_repository_is_whole_until_an_object_or_the_branch_is_damaged() {
        if program::find("git").is_none() {
            return skip(Need::program("git"), "git is not installed");
        }
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let git = Git::new("git", 3, Some("all"));
        git.prepare(root).unwrap();
        git.work(root, &|_| ()).unwrap();
        assert_eq!(git.look(root, Some(2)).unwrap(), []);
        assert_eq!(git.look(root, Some(1)).unwrap(), [], "the last one may be in flight");
        assert_eq!(git.look(root, Some(0)).unwrap()[0].harm, Harm::Foreign);
        let index = fs::read(root.join(".git/index")).unwrap();
        fs::write(root.join(".git/index"), vec![0; index.len()]).unwrap();
        assert_eq!(harms(&git, root), [Harm::Malformed]);
        fs::write(root.join(".git/index"), index).unwrap();
        let branch = root.join(".git/refs/heads/main");
        let commit = fs::read_to_string(&branch).unwrap();
        let object = root.join(".git/objects").join(&commit[..2]).join(commit[2..].trim());
        fs::remove_file(&object).unwrap();
        fs::write(&object, "").unwrap();
        assert_eq!(harms(&git, root), [Harm::Malformed; 2]);
        fs::write(&branch, "").unwrap();
        assert!(harms(&git, root).contains(&Harm::Malformed));
    }
}
