//! Decides whether a target keeps synced data: the only place that does. Targets that do not keep it are never scored
//! with those that do, because their rates are for another guarantee: see [`classes`](super::classes).

use crate::description::sample::{
    after_faults::{AfterCrash, CrashLoss, after_crash},
    full::{FullLoss, full_loss},
    proof::{self, Doubt},
    snapshots::{SnapshotLoss, snapshot_loss},
};
use fs::Layer;
use model::{
    plan::LabKind,
    result::{Dataset, NOT_DURABLE, TargetRecord},
};
use serde::Serialize;

/// Fact of a target: whether its lab was shown to write through to the disk, `shown` or not.
const LAB_DURABLE: &str = "lab.durable";

/// What is known of the promise of a sync. The order is the one in which targets are preferred and shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case", tag = "synced", content = "why")]
pub enum Durability {
    /// What was synced is kept.
    #[default]
    Keeps,
    /// Not observed to be, for this reason.
    NotProven(String),
    /// It may be lost with the power, for this reason.
    Loses(String),
}

impl Durability {
    /// Whether it is [`Durability::Keeps`].
    pub fn is_kept(&self) -> bool {
        *self == Durability::Keeps
    }

    /// Whether the two are of one kind, whatever the reasons: only then may targets be compared.
    pub fn is_like(&self, other: &Durability) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// The word used in files.
    pub fn as_str(&self) -> &'static str {
        match self {
            Durability::Keeps => "keeps",
            Durability::NotProven(_) => "not-proven",
            Durability::Loses(_) => "loses",
        }
    }

    /// In a few words, for headings and tables; `None` where there is nothing to say.
    pub fn words(&self) -> Option<&'static str> {
        match self {
            Durability::Keeps => None,
            Durability::NotProven(_) => Some("durability not proven"),
            Durability::Loses(_) => Some("may lose synced data"),
        }
    }

    /// What follows the name of a target of which it is true, with the reason: "may lose with the power what
    /// it synced (tmpfs: all of it is in memory)"; `None` where there is nothing to say.
    pub fn predicate(&self) -> Option<String> {
        self.said_of("is", "it")
    }

    /// The same with the verb and the pronoun of one or of several.
    pub fn said_of(&self, are: &str, they: &str) -> Option<String> {
        match self {
            Durability::Keeps => None,
            Durability::NotProven(why) => {
                Some(format!("{are} not proven to keep what {they} synced ({why})"))
            }
            Durability::Loses(why) => Some(format!("may lose synced data on power loss ({why})")),
        }
    }
}

/// Whether the target of `dataset` called `label` keeps what was synced to it: what was lost after a crash that was
/// tried, on a full disk, or with snapshots counts most, then what its lab found after the mount, then what its layers
/// are and their options in force; of what was imported these are the options that its label carries. What promises to
/// keep it has to have shown it in most of its samples that synced.
pub fn durability(dataset: &Dataset, label: &str) -> Durability {
    if let AfterCrash::Lost(loss) = after_crash(dataset, label) {
        return Durability::Loses(seen(&loss));
    }
    if let Some(FullLoss { name, lost, tries }) = full_loss(dataset, label) {
        return Durability::Loses(format!(
            "measured: {lost} of {tries} full disks lost what was acknowledged, without a power \
             failure, {name}"
        ));
    }
    if let Some(loss) = snapshot_loss(dataset, label) {
        return Durability::Loses(with_snapshots(&loss));
    }
    let record = dataset.targets.iter().find(|record| record.label == label);
    match record.map_or(Durability::Keeps, of_record) {
        Durability::Keeps => {
            let doubt = proof::doubt(dataset, label).filter(Doubt::is_general);
            doubt.map_or(Durability::Keeps, |doubt| Durability::NotProven(doubt.why))
        }
        other => other,
    }
}

fn seen(loss: &CrashLoss) -> String {
    let CrashLoss { name, states, tried } = loss;
    format!(
        "measured: {states} of {tried} states after a power failure lost what was acknowledged, {name}"
    )
}

fn with_snapshots(loss: &SnapshotLoss) -> String {
    let SnapshotLoss { name, lost, tried, is_after_crash } = loss;
    let (of, when) = match is_after_crash {
        true => ("states", "after a power failure"),
        false => ("tries", "with snapshots"),
    };
    format!("measured: {lost} of {tried} {of} {when} lost what was acknowledged, {name}")
}

fn of_record(record: &TargetRecord) -> Durability {
    let losses: Vec<String> = fs::layers(record).iter().filter_map(Layer::loss).collect();
    if let Some(why) = record.facts.0.get(NOT_DURABLE) {
        Durability::Loses(why.clone())
    } else if !losses.is_empty() {
        Durability::Loses(losses.join("; "))
    } else if !is_shown(record) {
        let why =
            format!("measured {}, whose fsync is not proven to reach the disk", record.lab.place());
        Durability::NotProven(why)
    } else {
        Durability::Keeps
    }
}

/// Whether the lab writes through to the disk: User-Mode Linux does not unless a fact says so, the others do
/// unless a fact denies it.
fn is_shown(record: &TargetRecord) -> bool {
    match record.facts.0.get(LAB_DURABLE) {
        Some(word) => word == "shown",
        None => record.lab != LabKind::Uml,
    }
}

/// Targets that do not surely keep what they synced, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubtful {
    /// What is known of it; never [`Durability::Keeps`].
    pub durability: Durability,
    /// Labels.
    pub targets: Vec<String>,
}

/// Which of the targets called `labels` do not surely keep what they synced, those of one reason together.
pub fn doubtful<'a>(dataset: &Dataset, labels: impl Iterator<Item = &'a str>) -> Vec<Doubtful> {
    let mut groups: Vec<Doubtful> = Vec::new();
    for label in labels {
        let own = durability(dataset, label);
        match groups.iter_mut().find(|known| known.durability == own) {
            Some(known) => known.targets.push(label.into()),
            None => groups.push(Doubtful { durability: own, targets: vec![label.into()] }),
        }
    }
    groups.retain(|group| !group.durability.is_kept());
    groups
}
