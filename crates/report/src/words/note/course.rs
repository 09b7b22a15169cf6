//! Formats notes on the course of a campaign.

use crate::names;
use model::result::HostsWith;

/// What stands for the hosts of a campaign without MPI.
const ONE_MACHINE: &str = "one machine, without MPI";

pub(super) fn device_in_use(target: &str) -> String {
    format!(
        "Other programs used the device of {target}: later blocks measure the candidates in turn."
    )
}

pub(super) fn hosts_differ(fact: &str, values: &[HostsWith]) -> String {
    let value = |HostsWith { value, hosts }: &HostsWith| {
        format!("{} on {}", value.as_deref().unwrap_or("unknown"), hosts.join(", "))
    };
    let values: Vec<String> = values.iter().map(value).collect();
    format!("the hosts differ in {fact}: {}", values.join("; "))
}

pub(super) fn hosts_changed(hosts: [&Option<String>; 2]) -> String {
    let [begun, now] = hosts.map(|hosts| hosts.as_deref().unwrap_or(ONE_MACHINE));
    format!("the hosts changed: started on {begun}, resumed on {now}")
}

pub(super) fn blocks_added(blocks: u32, after_blocks: u32) -> String {
    let were = if blocks == 1 { "block was" } else { "blocks were" };
    format!(
        "{blocks} more {were} added after looking at the results of {after_blocks}. Each look is \
         another chance of a false positive, so a difference whose interval barely excludes 1 is \
         weaker evidence than it appears."
    )
}

/// `figures` are temperature, errors of the medium, endurance used and bytes written.
pub(super) fn disk_after(disk: u32, figures: [&Option<i64>; 4]) -> String {
    let names = ["temperature_c", "media_errors", "used_pct", "written_bytes"];
    let known = names.iter().zip(figures);
    let known = known.filter_map(|(name, n)| n.map(|n| format!("{name} {n}")));
    format!("Disk {disk} after the last test: {}.", Vec::from_iter(known).join(", "))
}

pub(super) fn tuning_stage(target: &str) -> String {
    format!("One stage of a search for better options of {target}. Only a confirmation decides.")
}

pub(super) fn dropped(target: &str, after_blocks: u32, leader: &str, tables: usize) -> String {
    let tables = match tables {
        1 => "the one table".into(),
        2 => "both tables".into(),
        n => format!("all {n} tables"),
    };
    format!(
        "{target} was dropped after {}: it is behind {leader} overall and in {tables}, by Holm's \
         procedure.",
        names::blocks(after_blocks as usize)
    )
}
