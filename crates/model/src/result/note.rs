//! Notes that a reader of a campaign needs in addition to its figures, as data. The crate `report` formats each.

mod copied;
mod ended;
mod file_form;
mod texts;

pub use copied::{Copied, Mending};
pub use ended::{EndCause, Ended, LastLook, Ratios, Standing, WideRatio};

use crate::{
    plan::{ObjectStore, Purge},
    workload::{DataKind, Numa},
};
use serde::{Deserialize, Serialize};

/// A caveat of the source, the backing or the course of a campaign. In files, words from elsewhere are a string and
/// every other note is an object with one key, its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum Note {
    /// Words from elsewhere: of a study, an imported file, a kernel or a tool, or of an assay that kept notes as text.
    #[serde(skip)]
    Said(String),
    /// Candidates have names of the user.
    Named {
        /// Each name with its target, in the order of names.
        names: Vec<NamedTarget>,
    },
    /// The file systems are on whole disks or on partitions of them.
    OnDisks {
        /// Equal partitions, between which candidates rotate; `None` where they have the same disks in turn.
        partitions: Option<u32>,
        /// The disks were overwritten twice before the first mkfs.
        is_overwritten: bool,
        /// How the disks were emptied before each mkfs.
        purge: Purge,
    },
    /// The file systems are on loop images.
    OnImages {
        /// Candidates exist at the same time.
        is_side_by_side: bool,
    },
    /// Objects of candidates are in a store.
    OnObjects {
        /// The store.
        store: ObjectStore,
    },
    /// A candidate has more disks than another.
    UnequalDisks {
        /// Label of the candidate with the most disks.
        most: String,
        /// Its disks.
        most_disks: usize,
        /// Label of the candidate with the fewest.
        fewest: String,
        /// Its disks.
        fewest_disks: usize,
    },
    /// Two candidates use one device, so that all candidates run in turn.
    SharedDevice {
        /// Label of one of them.
        first: String,
        /// Label of the other.
        second: String,
        /// Name of the device.
        device: String,
    },
    /// Other programs used the device of a directory, so that candidates run in turn from then on.
    DeviceInUse {
        /// Label of the directory's candidate.
        target: String,
    },
    /// External programs ran with all rights of the user.
    ProgramsUnconfined {},
    /// Workers were to be bound to NUMA nodes.
    NumaNodes {
        /// What was asked for.
        numa: Numa,
        /// The nodes; with fewer than two nothing is bound.
        nodes: Vec<u32>,
    },
    /// The files have other data than random.
    Data {
        /// Which.
        kind: DataKind,
    },
    /// The hosts of a campaign differ in a fact.
    HostsDiffer {
        /// Key of the fact.
        fact: String,
        /// Each value, in order, with its hosts.
        values: Vec<HostsWith>,
    },
    /// Workers read what another host wrote.
    Shifted {},
    /// The campaign was resumed on other hosts; `None` is one machine without MPI.
    HostsChanged {
        /// The hosts that it was started on, each with its ranks.
        begun: Option<String>,
        /// Those that it was resumed on.
        now: Option<String>,
    },
    /// Blocks were added by a user who had seen results.
    BlocksAdded {
        /// Number of blocks added.
        blocks: u32,
        /// Number of blocks that were there.
        after_blocks: u32,
    },
    /// A target behaves differently on its image than on a large volume.
    SmallImage {
        /// Label of the target.
        target: String,
        /// Size of the image.
        image_bytes: u64,
        /// Size below which it does.
        below_bytes: u64,
        /// How it behaves, as a clause.
        effect: String,
    },
    /// The state of a disk after the last test; figures that it does not report are absent.
    DiskAfter {
        /// Its number in the plan, from 1.
        disk: u32,
        /// Temperature, degrees Celsius.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        temperature_c: Option<i64>,
        /// Errors of its medium.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_errors: Option<i64>,
        /// Share of its endurance that is used up, per cent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used_pct: Option<i64>,
        /// Bytes written to it since it was made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        written_bytes: Option<i64>,
    },
    /// The campaign is a stage of a search for better options.
    TuningStage {
        /// The target whose options are varied.
        target: String,
    },
    /// Why the campaign ended.
    Ended(Ended),
    /// A candidate was decidedly behind and got no more blocks.
    Dropped {
        /// Its label.
        target: String,
        /// Blocks that it has.
        after_blocks: u32,
        /// Label of the candidate that leads.
        leader: String,
        /// Tables in which it is behind: all of them.
        tables: usize,
    },
    /// Tests rank by a metric other than their own.
    RankedBy {
        /// Name of the metric.
        metric: String,
    },
    /// Campaigns of identical machines are evaluated as one.
    Pooled {
        /// Their number.
        campaigns: usize,
    },
    /// Rows of syncs are not compared, as durable rates include them.
    SyncsOmitted {
        /// Their number.
        rows: usize,
    },
    /// Tests that are compared ran with another number of processes.
    OtherProcesses {
        /// Number of tests.
        tests: usize,
        /// Processes of the first of them in A.
        a_procs: u32,
        /// Its processes in B.
        b_procs: u32,
    },
    /// The campaigns of one side of a comparison differ.
    CampaignsDiffer {
        /// The side.
        side: Side,
        /// The facts in which they do.
        facts: Vec<String>,
    },
    /// A note of one side of a comparison.
    OfSide {
        /// The side.
        side: Side,
        /// What is said of it.
        note: Box<Note>,
    },
    /// The campaign was imported before it was finished.
    Unfinished {},
    /// Only tables of samples were imported.
    TablesOnly {},
    /// Repeats of a case are blocks.
    RepeatsAreBlocks {},
    /// Repeats of a case are in one block.
    CaseRepeats {},
    /// Repeats of a job of fio are in one block.
    JobRepeats {},
    /// Copied text was mended before it was read.
    Copied(Copied),
    /// Files were not read, as the tool did not write them.
    NotRead {
        /// Name of the tool.
        tool: String,
        /// The files.
        files: Vec<String>,
    },
    /// A file has no result.
    LeftOut {
        /// The file, and why.
        why: String,
    },
    /// A study was printed in another edition as well.
    OtherEdition(OtherEdition),
}

impl Note {
    /// Words from elsewhere; `None` of a note that assay made.
    pub fn said(&self) -> Option<&str> {
        match self {
            Note::Said(text) => Some(text),
            _ => None,
        }
    }
}

/// The name of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedTarget {
    /// As the user wrote it.
    pub name: String,
    /// The target, as text.
    pub target: String,
}

/// Hosts for which a fact has the same value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostsWith {
    /// The value, of memory in whole GiB; `None` where it is unknown.
    pub value: Option<String>,
    /// Names of the hosts.
    pub hosts: Vec<String>,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// How far another edition of a study is from this one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherEdition {
    /// Title of the other.
    pub title: String,
    /// Its id.
    pub id: String,
    /// Ratios that both have.
    pub ratios: usize,
    /// The target that they are over.
    pub baseline: String,
    /// Ratios that are beyond 5 % on one side in one edition and on the other side in the other.
    pub reversed: usize,
    /// Factor by which half of the ratios differ or more.
    pub median_factor: f64,
    /// The largest factor.
    pub most_factor: f64,
}
