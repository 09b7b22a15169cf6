//! elbencho's JSON: one object in a line for each phase, every value a text.

use super::{MIX_NOTE, Phase, Reads, place};
use crate::{
    FormatError,
    gate::Print,
    gather::Gather,
    text::{Line, lines},
};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Entry {
    phase_type: String,
    #[serde(default)]
    label: String,
    config: BTreeMap<String, String>,
    #[serde(default)]
    first_done: Done,
    last_done: Done,
}

#[derive(Default, Deserialize)]
struct Done {
    elapsed_time_ms: Option<String>,
    #[serde(rename = "entries/s")]
    entries_per_s: Option<String>,
    iops: Option<String>,
    #[serde(rename = "bytes/s")]
    bytes_per_s: Option<String>,
    entries: Option<String>,
    #[serde(rename = "cpu%")]
    cpu_percent: Option<String>,
    #[serde(default)]
    latency: Latencies,
    #[serde(default)]
    rwmix_read: ReadMix,
}

/// What was read while the other figures were written.
#[derive(Default, Deserialize)]
struct ReadMix {
    #[serde(rename = "entries/s")]
    entries_per_s: Option<String>,
    iops: Option<String>,
    #[serde(rename = "bytes/s")]
    bytes_per_s: Option<String>,
}

#[derive(Default, Deserialize)]
struct Latencies {
    #[serde(default)]
    entries: Latency,
    #[serde(rename = "IO", default)]
    block: Latency,
}

#[derive(Default, Deserialize)]
struct Latency {
    #[serde(flatten)]
    times: Times,
    #[serde(default)]
    rwmix_read: Times,
}

#[derive(Default, Deserialize)]
struct Times {
    min_us: Option<String>,
    avg_us: Option<String>,
    max_us: Option<String>,
}

/// Whether a file that begins so is elbencho's JSON.
pub(super) fn sniff(head: &str) -> bool {
    head.starts_with("{\"phase_type\":")
}

/// Adds every line of the file.
pub(super) fn read(file: &str, bytes: &[u8], gather: &mut Gather<'_>) -> Result<(), FormatError> {
    for line in lines(file, bytes) {
        if line.text.trim().is_empty() {
            continue;
        }
        let entry: Entry = serde_json::from_str(&line.text)
            .map_err(|why| line.bad(format!("not a phase of elbencho: {why}")))?;
        let of = |key: &str| entry.config.get(key).map(String::as_str).unwrap_or_default();
        let phase = phase(&line, &entry)?;
        gather.version(of("version"));
        gather.fact(file, phase.label.as_deref(), "command", of("command"));
        if phase.is_mix() {
            gather.note(MIX_NOTE);
        }
        let run_start = gather.run_start();
        gather.add(file, line.number, phase.reading())?;
        gather.end_run(file, run_start, Print::of(line.text.as_bytes()));
    }
    Ok(())
}

/// Keys of the configuration that say what was done.
const WORK: [&str; 7] =
    ["path_type", "dirs", "files", "file_size", "block_size", "direct_io", "io_depth"];

fn phase(line: &Line<'_>, entry: &Entry) -> Result<Phase, FormatError> {
    let of = |key: &str| entry.config.get(key).map(String::as_str).unwrap_or_default();
    let number = |what: &str, text: &Option<String>| {
        text.as_deref().map(|text| line.number(what, text)).transpose()
    };
    let latency = |times: &Times| {
        let of = |text| number("a latency", text);
        Ok([of(&times.min_us)?, of(&times.avg_us)?, of(&times.max_us)?])
    };
    let rate = |bytes: &Option<String>| -> Result<Option<f64>, FormatError> {
        Ok(number("bytes/s", bytes)?.map(|bytes| bytes / 1e6))
    };
    let last = &entry.last_done;
    let (times, reads) = (&last.latency, &last.rwmix_read);
    let milliseconds = |done: &Done| number("elapsed_time_ms", &done.elapsed_time_ms);
    Ok(Phase {
        operation: entry.phase_type.clone(),
        random: of("random_offsets") == "true",
        hosts: line.count("hosts", of("hosts"))?,
        threads: line.count("threads", of("threads"))?,
        first_s: milliseconds(&entry.first_done)?.map(|ms| ms / 1e3),
        last_s: milliseconds(last)?.map(|ms| ms / 1e3),
        entries_per_s: number("entries/s", &last.entries_per_s)?,
        iops: number("iops", &last.iops)?,
        rate: rate(&last.bytes_per_s)?,
        cpu_percent: number("cpu%", &last.cpu_percent)?,
        entries: last.entries.as_deref().and_then(|n| n.parse().ok()).unwrap_or(0),
        entry_us: latency(&times.entries.times)?,
        block_us: latency(&times.block.times)?,
        reads: Reads {
            entries_per_s: number("entries/s", &reads.entries_per_s)?,
            iops: number("iops", &reads.iops)?,
            rate: rate(&reads.bytes_per_s)?,
            entry_us: latency(&times.entries.rwmix_read)?,
            block_us: latency(&times.block.rwmix_read)?,
        },
        work: WORK.map(|key| format!("{key} {}", of(key))).join("; "),
        place: place(of("command")),
        label: (!entry.label.is_empty()).then(|| entry.label.clone()),
    })
}
