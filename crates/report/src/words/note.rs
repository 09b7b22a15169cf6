//! Formats the notes of a campaign.

mod compared;
mod course;
mod ended;
mod import;

use model::{
    plan::{ObjectStore, Purge},
    result::{NamedTarget, Note, PART},
    text::Bytes,
    workload::Numa,
};

/// What a reader must know, as a sentence.
pub fn note(note: &Note) -> String {
    match note {
        Note::Said(text) => text.clone(),
        Note::Named { names } => named(names),
        Note::OnDisks { partitions, is_overwritten, purge } => {
            on_disks(*partitions, *is_overwritten, *purge)
        }
        Note::OnImages { is_side_by_side } => on_images(*is_side_by_side),
        Note::OnObjects { store } => on_objects(store),
        Note::UnequalDisks { most, most_disks, fewest, fewest_disks } => {
            unequal_disks((most, *most_disks), (fewest, *fewest_disks))
        }
        Note::SharedDevice { first, second, device } => shared_device([first, second], device),
        Note::DeviceInUse { target } => course::device_in_use(target),
        Note::ProgramsUnconfined {} => UNCONFINED.into(),
        Note::NumaNodes { numa, nodes } => numa_nodes(*numa, nodes),
        Note::Data { kind } => format!("Data: {kind} (a declared variant; the default is random)."),
        Note::HostsDiffer { fact, values } => course::hosts_differ(fact, values),
        Note::Shifted {} => SHIFTED.into(),
        Note::HostsChanged { begun, now } => course::hosts_changed([begun, now]),
        Note::BlocksAdded { blocks, after_blocks } => course::blocks_added(*blocks, *after_blocks),
        Note::SmallImage { target, image_bytes, below_bytes, effect } => {
            small_image(target, [*image_bytes, *below_bytes], effect)
        }
        Note::DiskAfter { disk, temperature_c, media_errors, used_pct, written_bytes } => {
            course::disk_after(*disk, [temperature_c, media_errors, used_pct, written_bytes])
        }
        Note::TuningStage { target } => course::tuning_stage(target),
        Note::Ended(end) => ended::ended(end),
        Note::Dropped { target, after_blocks, leader, tables } => {
            course::dropped(target, *after_blocks, leader, *tables)
        }
        Note::RankedBy { metric } => compared::ranked_by(metric),
        Note::Pooled { campaigns } => compared::pooled(*campaigns),
        Note::SyncsOmitted { rows } => compared::syncs_omitted(*rows),
        Note::OtherProcesses { tests, a_procs, b_procs } => {
            compared::other_processes(*tests, *a_procs, *b_procs)
        }
        Note::CampaignsDiffer { side, facts } => compared::campaigns_differ(*side, facts),
        Note::OfSide { side, note: own } => {
            format!("{}: {}", compared::letter(*side), self::note(own))
        }
        Note::Unfinished {} => import::UNFINISHED.into(),
        Note::TablesOnly {} => import::TABLES_ONLY.into(),
        Note::RepeatsAreBlocks {} => import::REPEATS_ARE_BLOCKS.into(),
        Note::CaseRepeats {} => import::CASE_REPEATS.into(),
        Note::JobRepeats {} => import::JOB_REPEATS.into(),
        Note::Copied(copied) => import::copied(copied),
        Note::NotRead { tool, files } => import::not_read(tool, files),
        Note::LeftOut { why } => format!("Left out: {why}."),
        Note::OtherEdition(other) => import::other_edition(other),
    }
}

const UNCONFINED: &str =
    "External programs ran unconfined, with all rights of the user who started the campaign.";

const SHIFTED: &str = "Shifted: tests read data written by another host (--shift), except tests \
                       that write what they read or run external programs.";

fn on_objects(store: &ObjectStore) -> String {
    format!(
        "Objects are in {store}, region {}; each target used its own prefix, which was deleted \
         with it.",
        store.region
    )
}

fn unequal_disks(
    (most, most_disks): (&str, usize),
    (fewest, fewest_disks): (&str, usize),
) -> String {
    format!(
        "{most} has {most_disks} disks and {fewest} has {fewest_disks}, so their ratio also \
         reflects the hardware; to choose among file systems, compare {most} with others on \
         {most_disks} disks"
    )
}

fn shared_device([first, second]: [&str; 2], device: &str) -> String {
    format!(
        "{first} and {second} share a device ({device}) and its counters: candidates are measured \
         in turn."
    )
}

fn small_image(target: &str, [image_bytes, below_bytes]: [u64; 2], effect: &str) -> String {
    format!(
        "{target} is on an image of {}; below {} {effect}, so its results do not apply to a large \
         volume. Use `--image-size {}GiB` for those.",
        Bytes(image_bytes),
        Bytes(below_bytes),
        below_bytes.div_ceil(1 << 30)
    )
}

fn named(names: &[NamedTarget]) -> String {
    let each = names.iter().map(|NamedTarget { name, target }| format!("{name} is {target}"));
    format!("{}.", Vec::from_iter(each).join("; "))
}

fn on_disks(partitions: Option<u32>, is_overwritten: bool, purge: Purge) -> String {
    let state = if is_overwritten {
        "overwritten twice before the first mkfs"
    } else {
        "not overwritten first"
    };
    let place = match partitions {
        None => "in turn on the same disks,".into(),
        Some(parts) => format!(
            "each on one of {parts} equal partitions of the same disks, rotating from block to \
             block (facts {PART}.block.N),"
        ),
    };
    format!(
        "On disks: the file systems are created {place} {state}; purge before each \
         mkfs: {purge} (both ends are always zeroed)."
    )
}

fn on_images(is_side_by_side: bool) -> String {
    let how = match is_side_by_side {
        true => "side by side, one measured at a time, on images that rotate from block to block",
        false => "in turn on the same images",
    };
    format!("Loop-backed, {how}: compares candidates on this machine, not with a device.")
}

fn numa_nodes(numa: Numa, nodes: &[u32]) -> String {
    let numbers: Vec<String> = nodes.iter().map(u32::to_string).collect();
    let how = match numbers.len() {
        0 | 1 => "not bound: one node is available".into(),
        _ => format!("round-robin over nodes {}", numbers.join(", ")),
    };
    format!("Workers and NUMA nodes of this machine (--numa {numa}): {how}.")
}
