//! Words the notes of a campaign.

mod ended;
mod import;

use crate::names;
use model::{
    plan::Purge,
    result::{HostsWith, Name, Note, PART, Side},
    text::Bytes,
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
        Note::OnObjects { store } => format!(
            "Objects are in {store}, region {}; each target used its own prefix, which was \
             deleted with it.",
            store.region
        ),
        Note::UnequalDisks { most, most_disks, fewest, fewest_disks } => format!(
            "{most} has {most_disks} disks and {fewest} has {fewest_disks}, so their ratio also \
             reflects the hardware; to choose among file systems, compare {most} with others on \
             {most_disks} disks"
        ),
        Note::SharedDevice { first, second, device } => format!(
            "{first} and {second} share a device ({device}) and its counters: candidates are \
             measured in turn."
        ),
        Note::DeviceInUse { target } => format!(
            "Other programs used the device of {target}: later blocks measure the candidates in \
             turn."
        ),
        Note::ProgramsUnconfined {} => {
            "External programs ran unconfined, with all rights of the user who started the \
             campaign."
                .into()
        }
        Note::NumaNodes { numa, nodes } => format!(
            "Workers and NUMA nodes of this machine (--numa {numa}): {}.",
            numa_nodes(nodes)
        ),
        Note::Data { kind } => format!("Data: {kind} (a declared variant; the default is random)."),
        Note::HostsDiffer { fact, values } => {
            let values: Vec<String> = values.iter().map(hosts_with).collect();
            format!("the hosts differ in {fact}: {}", values.join("; "))
        }
        Note::Shifted {} => {
            "Shifted: tests read data written by another host (--shift), except tests that write \
             what they read or run external programs."
                .into()
        }
        Note::HostsChanged { begun, now } => {
            let [begun, now] = [begun, now].map(|hosts| hosts.as_deref().unwrap_or(ONE_MACHINE));
            format!("the hosts changed: started on {begun}, resumed on {now}")
        }
        Note::BlocksAdded { blocks, after_blocks } => format!(
            "{blocks} more {} added after looking at the results of {after_blocks}. Each \
             look is another chance of a false positive, so a difference whose interval barely \
             excludes 1 is weaker evidence than it appears.",
            if *blocks == 1 { "block was" } else { "blocks were" }
        ),
        Note::SmallImage { target, image_bytes, below_bytes, effect } => format!(
            "{target} is on an image of {}; below {} {effect}, so its results do not apply to a \
             large volume. Use `--image-size {}GiB` for those.",
            Bytes(*image_bytes),
            Bytes(*below_bytes),
            below_bytes.div_ceil(1 << 30)
        ),
        Note::DiskAfter { disk, temperature_c, media_errors, used_pct, written_bytes } => {
            let figures = [
                ("temperature_c", temperature_c),
                ("media_errors", media_errors),
                ("used_pct", used_pct),
                ("written_bytes", written_bytes),
            ];
            let figures = figures.iter().filter_map(|(key, n)| n.map(|n| format!("{key} {n}")));
            format!("Disk {disk} after the last test: {}.", Vec::from_iter(figures).join(", "))
        }
        Note::TuningStage { target } => format!(
            "One stage of a search for better options of {target}. Only a confirmation decides."
        ),
        Note::Ended(end) => ended::ended(end),
        Note::Dropped { target, after_blocks, leader, tables } => {
            let tables = match tables {
                1 => "the one table".into(),
                2 => "both tables".into(),
                n => format!("all {n} tables"),
            };
            format!(
                "{target} was dropped after {}: it is behind {leader} overall and in \
                 {tables}, by Holm's procedure.",
                names::blocks(*after_blocks as usize)
            )
        }
        Note::RankedBy { metric } => {
            format!("Ranked by {metric} instead of each test's own metric.")
        }
        Note::Pooled { campaigns } => format!(
            "{campaigns} campaigns of identical machines pooled: each is one block, and its own \
             blocks are repeats of one value."
        ),
        Note::SyncsOmitted { rows } => format!(
            "{rows} {} that ends a durable write {} omitted: the durable rate of the write \
             includes it.",
            if *rows == 1 { "row of a sync" } else { "rows of a sync" },
            if *rows == 1 { "is" } else { "are" }
        ),
        Note::OtherProcesses { tests, a_procs, b_procs } => format!(
            "{tests} tests ran with another number of processes in B, e.g. {b_procs} for {a_procs} \
             in A; they are listed under those of A, and the difference is part of their ratios."
        ),
        Note::CampaignsDiffer { side, facts } => {
            format!("The campaigns of {} differ in {}.", letter(*side), facts.join(", "))
        }
        Note::OfSide { side, note: of_side } => {
            format!("{}: {}", letter(*side), self::note(of_side))
        }
        Note::Unfinished {} => {
            "Imported before it was finished: the results are incomplete.".into()
        }
        Note::TablesOnly {} => {
            "Imported from tables only: plan, scale, seed and environment are unknown.".into()
        }
        Note::RepeatsAreBlocks {} => {
            "Repeats of a case are blocks, in the order of the files given for each target: \
             intervals are valid if the runs were independent, each on a fresh instance."
                .into()
        }
        Note::CaseRepeats {} => {
            "Several runs of a case are in one block: the files do not say whether each used a \
             fresh instance, so their spread is not an interval."
                .into()
        }
        Note::JobRepeats {} => {
            "Several runs of one job are repeats on one instance, all in block 0: they are not \
             replicates on fresh file systems, and their spread is smaller."
                .into()
        }
        Note::Copied(copied) => import::copied(copied),
        Note::NotRead { tool, files } => {
            format!("Not read, because not output of {tool}: {}.", files.join(", "))
        }
        Note::LeftOut { why } => format!("Left out: {why}."),
        Note::OtherEdition(other) => import::other_edition(other),
    }
}

/// What stands for the hosts of a campaign without MPI.
const ONE_MACHINE: &str = "one machine, without MPI";

fn letter(side: Side) -> char {
    match side {
        Side::A => 'A',
        Side::B => 'B',
    }
}

fn named(names: &[Name]) -> String {
    let each = names.iter().map(|Name { name, target }| format!("{name} is {target}"));
    format!("{}.", Vec::from_iter(each).join("; "))
}

fn on_disks(partitions: Option<u32>, is_overwritten: bool, purge: Purge) -> String {
    let state =
        if is_overwritten { "overwritten twice before the first mkfs" } else { "as it was" };
    let place = match partitions {
        None => "in turn on the same disks,".into(),
        Some(parts) => format!(
            "each on one of {parts} equal partitions of the same disks, rotating from block to \
             block (facts {PART}.block.N),"
        ),
    };
    format!(
        "On disks: the file systems are {place} {state}, and emptied before each mkfs (purge: \
         {purge}; both ends are always zeroed)."
    )
}

fn on_images(is_side_by_side: bool) -> String {
    let how = match is_side_by_side {
        true => "side by side, one measured at a time, on images that rotate from block to block",
        false => "in turn on the same images",
    };
    format!("Loop-backed, {how}: compares candidates on this machine, not with a device.")
}

fn numa_nodes(nodes: &[u32]) -> String {
    if nodes.len() < 2 {
        return "not bound: one node that may be used".into();
    }
    let numbers: Vec<String> = nodes.iter().map(u32::to_string).collect();
    format!("round-robin over nodes {}", numbers.join(", "))
}

fn hosts_with(HostsWith { value, hosts }: &HostsWith) -> String {
    format!("{} on {}", value.as_deref().unwrap_or("unknown"), hosts.join(", "))
}
