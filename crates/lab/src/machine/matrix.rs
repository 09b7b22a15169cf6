//! Lists which target can be made in which lab of this machine, and what to install for the others. It judges by the
//! lists of kernels and the programs that are installed, and mounts nothing.

use crate::{
    guest::{self, Missing, Venue},
    machine::{
        modules::ModuleTree,
        needs::{BUILT, Need, Supply, needs},
        probe::{self, Availability},
    },
    programs::artifacts,
};
use fs::{self as registry, FileSystem, ResolvedTarget};
use model::{plan::LabKind, target::Target};
use std::{
    cmp::Reverse,
    path::{Path, PathBuf},
};

/// Folder of the modules of a kernel of User-Mode Linux.
const UML_MODULES: &str = "/usr/lib/uml/modules";
/// Folder of the modules of other kernels.
const MODULES: &str = "/lib/modules";
/// Placeholder for every export of a server that is named.
const EXPORT: &str = "nfs[server=HOST:/path]";

/// A row for each target, a column for each kind of lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The labs, the preferred first.
    pub columns: Vec<Column>,
    /// The targets.
    pub rows: Vec<Row>,
}

/// A kind of lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Which.
    pub kind: LabKind,
    /// Its description, or what is missing for it.
    pub lab: Result<Venue, Missing>,
}

/// A target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The target without options.
    pub target: String,
    /// One for each column.
    pub cells: Vec<Cell>,
}

/// A target in a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// All is there.
    Ready,
    /// This is missing, what hinders most first.
    Needs(Vec<Need>),
    /// This lab cannot do it.
    Never,
    /// This machine has no such lab.
    NoLab,
}

/// Something to do, and what it makes possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Install {
    /// The remedy.
    pub fix: String,
    /// Targets that no lab can make and that need this, and perhaps another thing of the list.
    pub targets: Vec<String>,
}

/// A lab and what it has.
struct Offer<'a> {
    column: Column,
    /// `None` where the machine has no such lab.
    supply: Option<Supply<'a>>,
}

/// The matrix of this machine. Looking for KVM may take ten seconds.
pub fn matrix() -> Matrix {
    let mut offers = vec![Offer {
        column: Column { kind: LabKind::Host, lab: Ok(guest::host()) },
        supply: Some(probe::supply()),
    }];
    offers.extend(guest::available(None).into_iter().map(|(kind, found)| of_guest(kind, found)));
    let wanted = registry::ALL.iter().map(|fs| Wanted::named(*fs));
    let export = EXPORT.parse().ok().map(|export| Wanted::of(&export));
    Matrix::of(&offers, wanted.chain(export).collect())
}

fn of_guest(kind: LabKind, found: Result<Venue, Missing>) -> Offer<'static> {
    let supply = found.as_ref().ok().map(|venue| {
        let (tree, kernel) = (ModuleTree::read(&modules_dir(venue)), venue.kernel.clone());
        let builds = if kind == LabKind::Uml { &[] } else { BUILT };
        let built =
            move |name: &str| builds.contains(&name) && artifacts::modules(name, &kernel).is_some();
        Supply {
            kernel: Box::new(move |name| tree.has(name) || built(name)),
            installed: Box::new(|tool| {
                probe::is_installed(tool) && guest::unseen(tool.program).is_none()
            }),
            unseen: Box::new(|tool| guest::unseen(tool.program)),
            builds,
            root: true,
            network: false,
            loop_devices: None,
        }
    });
    Offer { column: Column { kind, lab: found }, supply }
}

/// All that a guest of `venue` lacks for `target`, by the lists of its kernel and the installed programs, and what to
/// do.
pub fn guest_lacks(target: &ResolvedTarget, venue: &Venue) -> Option<String> {
    match cell(&Wanted::of(target), &of_guest(venue.kind, Ok(venue.clone()))) {
        Cell::Needs(needs) => said(&needs),
        Cell::Ready | Cell::Never | Cell::NoLab => None,
    }
}

/// The programs that `target` needs and that are on this machine where no guest sees them, and what to do.
pub fn unseen_by_guests(target: &ResolvedTarget) -> Option<String> {
    let tools = target.parts().iter().flat_map(|part| part.fs.about().tools);
    let unseen =
        tools.filter_map(|tool| Some(Need::Unseen(tool.program, guest::unseen(tool.program)?)));
    said(&unseen.collect::<Vec<_>>())
}

fn said(needs: &[Need]) -> Option<String> {
    match probe::judged(needs) {
        Availability::Missing { what, fix } => Some(format!("{what}; {fix}")),
        Availability::Ready => None,
    }
}

fn modules_dir(venue: &Venue) -> PathBuf {
    let all = if venue.kind == LabKind::Uml { UML_MODULES } else { MODULES };
    Path::new(all).join(&venue.kernel)
}

impl Matrix {
    fn of(offers: &[Offer<'_>], targets: Vec<Wanted>) -> Matrix {
        let row = |target: &Wanted| Row {
            target: target.name.clone(),
            cells: offers.iter().map(|offer| cell(target, offer)).collect(),
        };
        let directory =
            Row { target: "dir:PATH".into(), cells: offers.iter().map(directory).collect() };
        let rows = targets.iter().map(row).chain([directory]).collect();
        Matrix { columns: offers.iter().map(|offer| offer.column.clone()).collect(), rows }
    }

    /// Returns what to install for the targets that no lab can make, most of them first. For each the preferred lab
    /// counts that lacks nothing else.
    pub fn installs(&self) -> Vec<Install> {
        let mut all: Vec<Install> = Vec::new();
        for row in self.rows.iter().filter(|row| !row.cells.contains(&Cell::Ready)) {
            let lacking = row.cells.iter().find_map(|cell| match cell {
                Cell::Needs(needs) if needs.iter().all(Need::is_installable) => Some(needs),
                _ => None,
            });
            let mut fixes: Vec<String> = lacking.into_iter().flatten().map(Need::fix).collect();
            fixes.dedup();
            for fix in fixes {
                match all.iter_mut().find(|install| install.fix == fix) {
                    Some(install) => install.targets.push(row.target.clone()),
                    None => all.push(Install { fix, targets: vec![row.target.clone()] }),
                }
            }
        }
        all.sort_by_key(|install| Reverse(install.targets.len()));
        all
    }
}

/// A directory is one of this machine; a guest sees it read-only.
fn directory(offer: &Offer<'_>) -> Cell {
    match (&offer.supply, offer.column.kind) {
        (None, _) => Cell::NoLab,
        (_, LabKind::Host) => Cell::Ready,
        _ => Cell::Never,
    }
}

/// A row: what a lab has to have for it.
struct Wanted {
    name: String,
    parts: Vec<&'static dyn FileSystem>,
    is_remote: bool,
}

impl Wanted {
    fn of(target: &ResolvedTarget) -> Wanted {
        Wanted {
            name: target.to_string(),
            parts: target.parts().iter().map(|part| part.fs).collect(),
            is_remote: target.is_remote(),
        }
    }

    /// `fs` with what it takes when nothing is named; alone where it is only a part of a target.
    fn named(fs: &'static dyn FileSystem) -> Wanted {
        let name = fs.about().name;
        match registry::resolve(&Target::named(name)) {
            Ok(target) => Wanted::of(&target),
            Err(_) => Wanted { name: name.into(), parts: vec![fs], is_remote: false },
        }
    }
}

fn cell(target: &Wanted, offer: &Offer<'_>) -> Cell {
    let Some(supply) = &offer.supply else { return Cell::NoLab };
    // A guest has no network.
    if offer.column.kind != LabKind::Host && target.is_remote {
        return Cell::Never;
    }
    let mut all: Vec<Need> = Vec::new();
    for fs in &target.parts {
        let own = needs(*fs, supply);
        let further: Vec<Need> = own.into_iter().filter(|need| !all.contains(need)).collect();
        all.extend(further);
    }
    if all.is_empty() { Cell::Ready } else { Cell::Needs(all) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(kernel: &'static [&str], without: &'static [&str]) -> Supply<'static> {
        Supply {
            kernel: Box::new(|name| kernel.contains(&name)),
            installed: Box::new(|tool| !without.contains(&tool.program)),
            unseen: Box::new(|_| None),
            builds: &["xfs"],
            root: true,
            network: true,
            loop_devices: Some(true),
        }
    }

    fn offer(kind: LabKind, supply: Option<Supply<'static>>) -> Offer<'static> {
        let missing = Missing { what: "no KVM".into(), fix: "buy one".into() };
        let venue = || Venue { kind, ..guest::host() };
        let lab = supply.as_ref().map(|_| venue()).ok_or(missing);
        Offer { column: Column { kind, lab }, supply }
    }

    fn of(offers: &[Offer<'_>]) -> Matrix {
        let targets =
            ["ext4", "xfs", "btrfs", EXPORT].map(|target| Wanted::of(&target.parse().unwrap()));
        Matrix::of(offers, targets.into())
    }

    #[test]
    fn each_lab_lists_what_it_lacks_for_a_target() {
        let matrix = of(&[
            offer(LabKind::Host, Some(supply(&["ext4"], &[]))),
            offer(LabKind::Kvm, None),
            offer(LabKind::Uml, Some(supply(&["ext4", "btrfs"], &["mkfs.btrfs"]))),
        ]);
        let cells = |target: &str| {
            let row = matrix.rows.iter().find(|row| row.target == target).unwrap();
            row.cells.iter().map(|cell| match cell {
                Cell::Needs(needs) => needs[0].to_string(),
                other => format!("{other:?}"),
            })
        };
        assert!(cells("ext4").eq(["Ready", "NoLab", "Ready"]));
        assert!(cells("btrfs").eq(["no module btrfs", "NoLab", "no mkfs.btrfs"]));
        assert!(cells("xfs").eq(["xfs not built", "NoLab", "xfs not built"]));
        assert!(cells("dir:PATH").eq(["Ready", "NoLab", "Never"]));
        assert!(cells(EXPORT).eq(["no module nfs", "NoLab", "Never"]));
    }

    #[test]
    fn programs_to_install_are_for_targets_that_no_lab_can_make() {
        let without: &[&str] = &["mkfs.btrfs", "mkfs.ext4"];
        let host = || offer(LabKind::Host, Some(supply(&["ext4"], without)));
        let uml = || offer(LabKind::Uml, Some(supply(&["btrfs", "ext4"], without)));
        let installs = of(&[host(), uml()]).installs();
        let targets: Vec<_> = installs.iter().map(|install| install.targets.join(", ")).collect();
        assert_eq!(targets, ["ext4", "xfs", "btrfs"], "{installs:?}");
        assert_eq!(installs[1].fix, "run `assay doctor --install xfs` once");
        let ready = offer(LabKind::Tcg, Some(supply(&["btrfs", "ext4", "xfs"], &[])));
        assert!(of(&[host(), uml(), ready]).installs().is_empty());
    }
}
