//! Every text within a note, for what checks or changes the texts of a dataset.

use super::{
    Copied, EndCause, Ended, HostsWith, LastLook, Mending, NamedTarget, Note, OtherEdition,
};
use super::{Standing, WideRatio};
use crate::plan::ObjectStore;

impl Note {
    /// Its texts. Each field is named here, so that a new one is not forgotten.
    pub(crate) fn texts(&mut self) -> Vec<&mut String> {
        match self {
            Note::Said(text) => vec![text],
            Note::Named { names } => names.iter_mut().flat_map(of_name).collect(),
            Note::OnObjects { store: ObjectStore { url, bucket, prefix, region } } => {
                vec![url, bucket, prefix, region]
            }
            Note::UnequalDisks { most, most_disks: _, fewest, fewest_disks: _ } => {
                vec![most, fewest]
            }
            Note::SharedDevice { first, second, device } => vec![first, second, device],
            Note::DeviceInUse { target } | Note::TuningStage { target } => vec![target],
            Note::HostsDiffer { fact, values } => {
                [fact].into_iter().chain(values.iter_mut().flat_map(of_value)).collect()
            }
            Note::HostsChanged { begun, now } => begun.iter_mut().chain(now).collect(),
            Note::SmallImage { target, image_bytes: _, below_bytes: _, effect } => {
                vec![target, effect]
            }
            Note::Ended(ended) => of_end(ended),
            Note::Dropped { target, after_blocks: _, leader, tables: _ } => vec![target, leader],
            Note::RankedBy { metric } => vec![metric],
            Note::CampaignsDiffer { side: _, facts } => facts.iter_mut().collect(),
            Note::OfSide { side: _, note } => note.texts(),
            Note::Copied(Copied { mending, files, more_files: _ }) => {
                of_mending(mending).into_iter().chain(files).collect()
            }
            Note::NotRead { tool, files } => [tool].into_iter().chain(files).collect(),
            Note::LeftOut { why } => vec![why],
            Note::OtherEdition(other) => {
                let OtherEdition {
                    title,
                    id,
                    ratios: _,
                    baseline,
                    reversed: _,
                    median_factor: _,
                    most_factor: _,
                } = other;
                vec![title, id, baseline]
            }
            Note::OnDisks { partitions: _, is_overwritten: _, purge: _ }
            | Note::OnImages { is_side_by_side: _ }
            | Note::ProgramsUnconfined {}
            | Note::NumaNodes { numa: _, nodes: _ }
            | Note::Data { kind: _ }
            | Note::Shifted {}
            | Note::BlocksAdded { blocks: _, after_blocks: _ }
            | Note::DiskAfter {
                disk: _,
                temperature_c: _,
                media_errors: _,
                used_pct: _,
                written_bytes: _,
            }
            | Note::Pooled { campaigns: _ }
            | Note::SyncsOmitted { rows: _ }
            | Note::OtherProcesses { tests: _, a_procs: _, b_procs: _ }
            | Note::Unfinished {}
            | Note::TablesOnly {}
            | Note::RepeatsAreBlocks {}
            | Note::CaseRepeats {}
            | Note::JobRepeats {} => Vec::new(),
        }
    }
}

fn of_end(Ended { after_blocks: _, cause, seen, band_pct: _ }: &mut Ended) -> Vec<&mut String> {
    match cause {
        EndCause::Enough
        | EndCause::Most
        | EndCause::Budget { budget_s: _, used_s: _, block_s: _ } => {}
    }
    match seen {
        LastLook::Ratios { ratios: _, widest } => widest.iter_mut().flat_map(of_ratio).collect(),
        LastLook::Verdicts { verdicts, ratios: _ } => {
            verdicts.iter_mut().flat_map(of_one).collect()
        }
    }
}

fn of_ratio(ratio: &mut WideRatio) -> [&mut String; 2] {
    let WideRatio { test, procs: _, target, half_width_pct: _ } = ratio;
    [test, target]
}

fn of_value(HostsWith { value, hosts }: &mut HostsWith) -> impl Iterator<Item = &mut String> {
    value.iter_mut().chain(hosts)
}

fn of_name(NamedTarget { name, target }: &mut NamedTarget) -> [&mut String; 2] {
    [name, target]
}

fn of_one(standing: &mut Standing) -> Vec<&mut String> {
    match standing {
        Standing::Decided(best) => vec![best],
        Standing::Same(leaders) => leaders.iter_mut().collect(),
        Standing::Open => Vec::new(),
    }
}

fn of_mending(mending: &mut Mending) -> Option<&mut String> {
    match mending {
        Mending::Prefix(text) | Mending::Stray(text) | Mending::Nested(text) => Some(text),
        Mending::Wide
        | Mending::Characters
        | Mending::QuotedPrintable
        | Mending::Stamp
        | Mending::Indent(_)
        | Mending::Trailing
        | Mending::Wrapped(_)
        | Mending::Preamble(_) => None,
    }
}
