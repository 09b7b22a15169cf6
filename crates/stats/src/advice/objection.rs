//! Objections to a target, and caveats before choosing it: data, formatted by the report.

use crate::{description::Durability, kernel::Ratio};
use model::{
    figure::LatencyLimit,
    plan::LabKind,
    target::{Fact, Requirement},
    workload::DataKind,
};

/// One thing that speaks against a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Objection {
    /// A fact of one of its layers does not meet a requirement.
    Unmet {
        /// What is required.
        wanted: Requirement,
        /// The fact.
        fact: Fact,
        /// In what it falls short.
        shortfall: Shortfall,
    },
    /// A fact meets a requirement, with the limitation `fact.but`.
    Limited {
        /// What is required.
        wanted: Requirement,
        /// The fact.
        fact: Fact,
    },
    /// No fact speaks of these requirements.
    Unknown(Vec<String>),
    /// It is required to keep what was synced, and this is what is known of that.
    Durability(Durability),
    /// It is required to compress, and does not.
    NotCompressed {
        /// Bytes that files took over bytes that were written to them.
        share: f64,
        /// What was written.
        data: DataKind,
    },
    /// A floor of the profile is broken, may be broken, or cannot be judged.
    Floor {
        /// Stable id of the test.
        test: String,
        /// Worker processes.
        procs: u32,
        /// What was found.
        finding: FloorFinding,
    },
    /// It was measured in this lab, and the candidates in another.
    OtherLab(LabKind),
    /// It is not ranked: this is what it promises of a sync, and the candidates promise something else.
    OtherPromise(Durability),
}

/// Why a fact does not meet a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// Its value is too little.
    Value,
    /// It does not hold with this option, which is in force.
    With(String),
    /// It holds only with one of these options, and none is in force.
    Without(Vec<String>),
}

/// What a floor found in one cell.
#[derive(Clone, Debug, PartialEq)]
pub enum FloorFinding {
    /// There is no valid sample.
    NoSample,
    /// The timed part is too short to tell.
    Short,
    /// It is behind the best.
    Behind {
        /// Label of the best.
        best: String,
        /// The best over it.
        ratio: Ratio,
        /// What may be said of the ratio.
        basis: Basis,
        /// The most that the ratio may be.
        limit: f64,
    },
    /// No sample tells the latency that the floor limits.
    NoLatency(LatencyLimit),
    /// Its latency against the limit.
    Latency {
        /// The latency over the limit.
        ratio: Ratio,
        /// What may be said of the ratio.
        basis: Basis,
        /// The limit.
        limit: LatencyLimit,
    },
}

/// On what a figure of a floor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Blocks enough that its interval tells something.
    Interval,
    /// Two blocks, whose interval is so wide that it tells nothing.
    TwoBlocks,
    /// One run.
    OneRun,
}
