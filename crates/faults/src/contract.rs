//! Contracts: what must be there after a crash, given what was acknowledged, and what else may be.
//!
//! A contract follows from the operations alone. A sync that has returned holds: fsync(2) of a file persists its data
//! and size, and, as Linux file systems do, the name by which it was made; fsync of a directory its names; syncfs all.
//! Whatever came later may be there in full, in part, or not at all, each change independently: data word by word,
//! sizes in between, each name with anything that it led to since. A durable file must be found under one of its names
//! as long as removal of the last one has not begun. This allows more than any one file system does, so a violation is
//! wrong on all of them.

mod file;
mod found;
mod lives;
mod promises;
mod renames;
#[cfg(test)]
mod tests;

pub use found::{Entry, Finding, Observed};

use crate::{
    ideal::{Change, Ideal, Impossible, Kind, Node, is_below, parent},
    workload::{Operation, Workload},
};
use file::FileRule;
use lives::Lives;
use model::result::Harm;
use promises::Promises;
use renames::Rename;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// A mark that the workload does not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownMark(pub u64);

impl fmt::Display for UnknownMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the workload sets no mark {}", self.0)
    }
}

impl std::error::Error for UnknownMark {}

/// The contract of a workload.
#[derive(Clone, Debug)]
pub struct Contract {
    workload: Workload,
    ideal: Ideal,
    lives: Lives,
}

impl Contract {
    /// That of `workload`.
    ///
    /// # Errors
    /// It cannot be performed.
    pub fn new(workload: Workload) -> Result<Contract, Impossible> {
        let ideal = Ideal::new(&workload)?;
        let lives = Lives::new(&ideal);
        Ok(Contract { workload, ideal, lives })
    }

    /// What is to be performed.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// What it does where nothing fails.
    pub fn ideal(&self) -> &Ideal {
        &self.ideal
    }

    /// What must hold after a crash, when the mark `acknowledged` was the last one that was set.
    ///
    /// # Errors
    /// The workload does not set it.
    pub fn expect(&self, acknowledged: Option<u64>) -> Result<Expected<'_>, UnknownMark> {
        let operations = &self.workload.operations;
        let place = |mark| operations.iter().position(|own| *own == Operation::Mark(mark));
        let done = match acknowledged {
            None => self.workload.prepared,
            Some(mark) => place(mark).ok_or(UnknownMark(mark))? + 1,
        };
        // The next mark was not set, so nothing behind it has begun.
        let is_mark = |own: &Operation| matches!(own, Operation::Mark(_));
        let left = operations[done..].iter().position(is_mark);
        let begun = left.map_or(operations.len(), |left| done + left);
        Ok(Expected::new(self, done, begun))
    }
}

/// What must hold at one point of a workload.
#[derive(Clone, Debug)]
pub struct Expected<'a> {
    ideal: &'a Ideal,
    lives: &'a Lives,
    promises: Promises,
    /// Operations that may have begun.
    begun: usize,
    /// What each name may lead to: nodes, or nothing.
    names: BTreeMap<String, BTreeSet<Option<Node>>>,
    /// What each file may hold.
    files: BTreeMap<Node, FileRule>,
    /// Of names that lead to whole files: these.
    whole: BTreeMap<&'a str, Vec<FileRule>>,
}

impl<'a> Expected<'a> {
    fn new(contract: &'a Contract, done: usize, begun: usize) -> Expected<'a> {
        let ideal = &contract.ideal;
        let lives = &contract.lives;
        let promises = Promises::new(&contract.workload, (ideal, lives), done);
        let mut own = Expected {
            ideal,
            lives,
            promises,
            begun,
            names: BTreeMap::new(),
            files: BTreeMap::new(),
            whole: BTreeMap::new(),
        };
        let renames = renames::of(&contract.workload.operations[..begun]);
        let paths: BTreeSet<&String> =
            ideal.trees[..=begun].iter().flat_map(|tree| tree.keys()).collect();
        for path in paths {
            // What was made below a new name may be found by the old one.
            for name in renames::other_names(path, &renames) {
                let led_to = own.led_to(&name, &renames);
                own.names.insert(name, led_to);
            }
        }
        for (node, kind) in ideal.nodes.iter().enumerate() {
            if matches!(kind, Kind::File(_)) {
                let since = own.promises.data.get(&node).copied();
                let parts = own.promises.parts.get(&node).map_or(&[][..], Vec::as_slice);
                own.files.insert(node, FileRule::new(ideal, node, (since, parts), begun));
            }
        }
        for path in &contract.workload.whole {
            let since = own.promises.since(path);
            let first = |node| (since..=begun).find(|at| ideal.trees[*at].get(path) == Some(&node));
            let nodes = own.names.get(&**path).into_iter().flatten().flatten();
            let rule = |node: &Node| {
                first(*node).map(|at| FileRule::new(ideal, *node, (Some(at), &[]), at))
            };
            own.whole.insert(path, nodes.filter_map(rule).collect());
        }
        own
    }

    /// What `path` may lead to: all that it led to since it was last promised, and, below a directory that was renamed
    /// since then, what it led to by the other name.
    fn led_to(&self, path: &str, renames: &[Rename<'_>]) -> BTreeSet<Option<Node>> {
        let since = self.promises.since(path);
        let trees = &self.ideal.trees[since..=self.begun];
        let later: Vec<Rename<'_>> =
            renames.iter().filter(|rename| rename.number >= since).copied().collect();
        let names = renames::other_names(path, &later);
        let led = names.iter().flat_map(|own| trees.iter().map(|tree| tree.get(own).copied()));
        let none = (names.len() > 1).then_some(None);
        led.chain(none).collect()
    }

    /// All that is wrong with what is `observed`; nothing where the contract holds.
    pub fn check(&self, observed: &Observed) -> Vec<Finding> {
        let known = self.names.keys().map(|path| &**path);
        let paths: BTreeSet<&str> =
            known.chain(observed.entries.keys().map(|path| &**path)).collect();
        let is_directory = |path: &str| {
            path.is_empty() || matches!(observed.entries.get(path), Some(Entry::Directory))
        };
        let mut findings = Vec::new();
        for path in paths.into_iter().filter(|path| !path.is_empty()) {
            // What is not there can hold nothing, and is judged itself.
            if is_directory(parent(path)) {
                self.check_name(path, observed.entries.get(path), &mut findings);
            }
        }
        self.check_attributes(observed, &mut findings);
        self.check_links(observed, &mut findings);
        self.check_reached(observed, &mut findings);
        findings
    }

    fn check_name(&self, path: &str, entry: Option<&Entry>, findings: &mut Vec<Finding>) {
        let mut find = |harm, detail: &str| {
            findings.push(Finding { harm, path: path.into(), detail: detail.into() });
        };
        let Some(allowed) = self.names.get(path) else {
            return find(Harm::NameUnknown, "no operation makes it");
        };
        let Some(entry) = entry else {
            if !allowed.contains(&None) {
                find(Harm::NameGone, "it was synced, and is not there");
            }
            return;
        };
        if let Entry::Unreadable(why) = entry {
            return find(Harm::Unreadable, why);
        }
        let nodes: Vec<Node> = allowed.iter().flatten().copied().collect();
        if nodes.is_empty() {
            return find(Harm::NameStays, "its removal was synced, and it is there");
        }
        let kinds = || nodes.iter().map(|node| &self.ideal.nodes[*node]);
        match entry {
            Entry::Directory if kinds().any(|kind| *kind == Kind::Directory) => {}
            Entry::Symlink(target)
                if kinds().any(|kind| matches!(kind, Kind::Symlink(own) if own == target)) => {}
            Entry::Directory | Entry::Symlink(_) | Entry::Unreadable(_) => {
                find(Harm::Kind, "it is of another kind than what was made there");
            }
            Entry::File { size, runs, .. } => self.check_file(path, &nodes, (*size, runs), find),
        }
    }

    /// Only what exceeds the files that a name with a promise may lead to is wrong.
    fn check_file(
        &self,
        path: &str,
        nodes: &[Node],
        (size, runs): (u64, &[crate::content::Run]),
        mut find: impl FnMut(Harm, &str),
    ) {
        let is_own = |node: Node| self.led_before(path, node);
        if let Some(rules) = self.whole.get(path) {
            if !rules.iter().any(|rule| rule.is_exact(size, runs)) {
                let (harm, detail) = file::harm_of_whole(size, runs, &is_own, rules);
                find(harm, &detail);
            }
            return;
        }
        let rules = nodes.iter().filter_map(|node| self.files.get(node));
        let wrong = rules.map(|rule| rule.wrong(size, runs, &is_own));
        // The one that it is most likely: what fits best.
        match wrong.min_by_key(Vec::len) {
            None => find(Harm::Kind, "it is a file, and none was made there"),
            Some(wrong) => wrong.iter().for_each(|(harm, detail)| find(*harm, detail)),
        }
    }

    /// Whether `path` led to `node` at any time.
    fn led_before(&self, path: &str, node: Node) -> bool {
        self.ideal.trees[..=self.begun].iter().any(|tree| tree.get(path) == Some(&node))
    }

    /// The attribute of a file is one that it had since it was synced.
    fn check_attributes(&self, observed: &Observed, findings: &mut Vec<Finding>) {
        for (path, entry) in &observed.entries {
            let Some(allowed) = self.names.get(path.as_str()) else { continue };
            let nodes: Vec<Node> = allowed.iter().flatten().copied().collect();
            if !matches!(entry, Entry::File { .. }) || nodes.is_empty() {
                continue;
            }
            let value = observed.attributes.get(path).map(String::as_str);
            let allows =
                |node: &Node| self.attributes(*node).iter().any(|own| own.as_deref() == value);
            if nodes.iter().any(allows) {
                continue;
            }
            let was_set = |value: &str| {
                let is_it = |change: &Change| match change {
                    Change::Attribute(Some(number)) => number.to_string() == value,
                    _ => false,
                };
                nodes.iter().any(|node| self.ideal.changes(*node, 0..self.begun).any(is_it))
            };
            let (harm, detail) = match value {
                None => (Harm::Lost, "its attribute was synced, and is not there".into()),
                Some(value) if was_set(value) => (Harm::Old, format!("its attribute is {value}")),
                Some(value) => (Harm::Foreign, format!("its attribute is {value}")),
            };
            findings.push(Finding { harm, path: path.clone(), detail });
        }
    }

    /// What the attribute of `node` may be.
    fn attributes(&self, node: Node) -> Vec<Option<String>> {
        let since = self.promises.attributes.get(&node).copied().unwrap_or(0);
        let value = |change: &Change| match change {
            Change::Attribute(value) => Some(value.map(|number| number.to_string())),
            _ => None,
        };
        let durable = self.ideal.changes(node, 0..since).filter_map(value).last().unwrap_or(None);
        let later = self.ideal.changes(node, since..self.begun).filter_map(value);
        later.chain([durable]).collect()
    }

    fn check_links(&self, observed: &Observed, findings: &mut Vec<Finding>) {
        let mut names: BTreeMap<u64, (u64, u64, &str)> = BTreeMap::new();
        for (path, entry) in &observed.entries {
            if let Entry::File { inode, links, .. } = entry {
                names.entry(*inode).or_insert((*links, 0, path)).1 += 1;
            }
        }
        for (links, count, path) in names.into_values().filter(|(links, count, _)| links != count) {
            let detail = format!("it has {count} names, and a count of links of {links}");
            findings.push(Finding { harm: Harm::Links, path: path.into(), detail });
        }
    }

    /// Durable files have to be found by one of their names.
    fn check_reached(&self, observed: &Observed, findings: &mut Vec<Finding>) {
        let is_reported = |path: &str, findings: &[Finding]| {
            let hides = |own: &Finding| {
                matches!(own.harm, Harm::NameGone | Harm::Unreadable | Harm::Kind)
                    && is_below(path, &own.path)
            };
            findings.iter().any(hides)
        };
        for (node, since) in &self.promises.exists {
            let is_named = self.lives.is_named(*node, *since, self.begun);
            let Some(rule) = self.files.get(node).filter(|_| is_named) else { continue };
            // By any name that may lead to it.
            let leads = |(_, allowed): &(&String, &BTreeSet<_>)| allowed.contains(&Some(*node));
            let paths: Vec<&str> =
                self.names.iter().filter(leads).map(|(path, _)| &**path).collect();
            let is_it = |path: &&str| match observed.entries.get(*path) {
                Some(Entry::File { size, runs, .. }) => rule.may_be(*size, runs),
                _ => false,
            };
            let is_found = paths.iter().any(is_it);
            if !is_found && !paths.iter().any(|path| is_reported(path, findings)) {
                let path = paths.last().copied().unwrap_or_default().to_string();
                let detail = "it was synced, and none of its names leads to it".into();
                findings.push(Finding { harm: Harm::Lost, path, detail });
            }
        }
    }
}
