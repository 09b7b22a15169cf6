//! `assay explain app.trace`: what a recorded application does on disk, on one screen, and the tests most similar to
//! it.

mod nearest;

use crate::exit;
use anyhow::Result;
use model::text::Bytes;
use nearest::nearest;
use std::{fmt::Write, fs::File, path::Path};
use trace::{
    call::Op,
    file::Trace,
    header::{Header, Recorder},
    summary::{Durations, Moved, Powers, Summary, Summing},
};

/// Most kinds of calls in the table.
const MOST_KINDS: usize = 10;
/// Parts of the line of what happens over time.
const PARTS: usize = 40;

/// The page of the trace at `path`.
///
/// # Errors
/// It cannot be read, or is not a trace.
pub(super) fn page(path: &str) -> Result<String> {
    let wrong = |why: String| exit::usage(format!("{path}: {why}"));
    let file = File::open(path).map_err(|why| wrong(why.to_string()))?;
    let mut trace = Trace::open(file).map_err(|why| wrong(why.to_string()))?;
    let mut summing = Summing::new(trace.start_entries(), trace.start_handles());
    let (mut calls, mut damaged) = (Vec::new(), None);
    for block in trace.blocks().to_vec() {
        match trace.read(&block, &mut calls) {
            Ok(()) => summing.see(&calls),
            Err(why) => damaged = Some(why.to_string()),
        }
    }
    let summary = summing.end();
    let mut text = head(path, trace.header(), &summary);
    if trace.is_cut() {
        text += "The trace was cut off; this is what it has up to there.\n";
        if let Some(damage) = trace.damage() {
            let _ = writeln!(text, "What follows is damaged: {damage}.");
        }
    }
    if let Some(why) = damaged {
        let _ = writeln!(text, "Calls are missing: {why}.");
    }
    if let Some(end) = trace.end() {
        if end.lost > 0 {
            let _ = writeln!(text, "The recorder lost {} calls.", end.lost);
        }
        let left_out: Vec<String> =
            end.left_out.iter().map(|(why, count)| format!("{count} {why}")).collect();
        if !left_out.is_empty() {
            let _ = writeln!(text, "Left out: {}.", left_out.join(", "));
        }
    }
    text += &body(&summary);
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let near = nearest(&summary);
    let _ = write!(
        text,
        "\nNearest: the tests {}, and the profile {}: {}.\nReplay it: assay run --suite {name} --on ext4,xfs,btrfs\n",
        near.tests.join(", "),
        near.profile,
        near.why
    );
    Ok(text)
}

fn head(path: &str, header: &Header, summary: &Summary) -> String {
    let how = match header.recorder {
        Recorder::BpfTyped | Recorder::BpfPlain => "eBPF",
        Recorder::Strace => "strace",
        Recorder::Made => "a program",
    };
    let systems: Vec<&str> = header.roots.iter().map(|root| root.file_system.as_str()).collect();
    let command = match header.command.is_empty() {
        true => String::new(),
        false => format!("{}\n", model::text::printable_line(&header.command)),
    };
    format!(
        "{path}: {} calls of {} in {}, recorded by {how} on {} ({})\n{command}",
        grouped(summary.calls),
        counted(summary.threads, "thread"),
        time(summary.wall_ns),
        model::text::printable_line(&systems.join(", ")),
        model::text::printable_line(&header.kernel),
    )
}

fn body(summary: &Summary) -> String {
    let mut text = format!("\n{}\n{}", waits(summary), kinds(summary));
    text += "\n                      read                                      write\n";
    let both = |name: &str, of: &dyn Fn(&Moved) -> String| {
        format!("{name:<20}  {:<40}  {}\n", of(&summary.read), of(&summary.written))
    };
    text += &both("data", &|m| format!("{} in {} calls", size(m.bytes), grouped(m.calls)));
    text += &both("call size", &|m| common(&m.lengths));
    text += &both("sequential", &|m| percent(m.sequential_share()));
    text += &both("distinct data", &|m| size(m.pages.count() * 4096));
    text += &both("direct I/O", &|m| percent(ratio(m.direct_bytes, m.bytes)));
    text += &both("over time", &|m| sparkline(&m.over_time.parts(summary.wall_ns, PARTS)));
    let named = summary.named;
    let _ = writeln!(
        text,
        "\nfiles    {}; lengths {}\nnames    {} made, {} removed, {} moved, {} looked up, {} lists\nthreads  {:.2} in a \
         call at a time on average",
        grouped(summary.files()),
        common(&summary.sizes),
        grouped(named.made),
        grouped(named.removed),
        grouped(named.moved),
        grouped(named.looked_up),
        grouped(named.listed),
        summary.parallelism()
    );
    if summary.touched_pages > 0 {
        let touched = size(summary.touched_pages * 4096);
        let _ = writeln!(text, "mapped   {touched} touched for the first time");
    }
    text
}

/// What the application waits for.
fn waits(summary: &Summary) -> String {
    let share = |ns: u64| percent(ratio(ns, summary.thread_lives_ns));
    let calls = share(summary.in_calls_ns());
    let syncs = &summary.syncs;
    if syncs.count() == 0 {
        return format!(
            "It spends {calls} of its threads' time in file-system calls, and never syncs."
        );
    }
    let each = summary.bytes_before_syncs / syncs.count();
    format!(
        "It spends {calls} of its threads' time in file-system calls, {} in {} syncs: {} each (99 %: {}), with {} written \
         before each.",
        share(syncs.total_ns()),
        grouped(syncs.count()),
        mean(syncs),
        time(syncs.quantile_ns(0.99)),
        size(each)
    )
}

fn kinds(summary: &Summary) -> String {
    let mut kinds: Vec<(&Op, &trace::summary::OfOp)> =
        Op::ALL.iter().filter_map(|op| Some((op, summary.of_op.get(*op as usize)?))).collect();
    kinds.retain(|(_, of)| of.calls > 0);
    kinds.sort_by_key(|(_, of)| std::cmp::Reverse(of.durations.total_ns()));
    let mut text = format!(
        "\n{:<16} {:>12} {:>10} {:>10} {:>10} {:>10} {:>12}\n",
        "call", "calls", "failed", "time", "mean", "99 %", "data"
    );
    for (op, of) in kinds.iter().take(MOST_KINDS) {
        let _ = writeln!(
            text,
            "{:<16} {:>12} {:>10} {:>10} {:>10} {:>10} {:>12}",
            op.name(),
            grouped(of.calls),
            dash(of.failed, grouped),
            time(of.durations.total_ns()),
            mean(&of.durations),
            time(of.durations.quantile_ns(0.99)),
            dash(of.bytes, size)
        );
    }
    let more = kinds.len().saturating_sub(MOST_KINDS);
    if more > 0 {
        let rest: u64 = kinds[MOST_KINDS..].iter().map(|(_, of)| of.calls).sum();
        let _ =
            writeln!(text, "and {}, {} calls", counted(more as u64, "more kind"), grouped(rest));
    }
    text
}

fn mean(durations: &Durations) -> String {
    time(durations.total_ns() / durations.count().max(1))
}

/// The most common ranges of lengths, with their shares.
fn common(powers: &Powers) -> String {
    let all: u64 = powers.0.iter().sum();
    let mut bins: Vec<(usize, u64)> = powers.0.iter().copied().enumerate().collect();
    bins.retain(|(_, count)| *count > 0);
    bins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let word = |(power, count): &(usize, u64)| {
        let from = if *power == 0 { "0".into() } else { binary(1 << power) };
        let to = 1_u64.checked_shl(*power as u32 + 1).map_or_else(String::new, binary);
        format!("{from}-{to} {}", percent(ratio(*count, all)))
    };
    let words: Vec<String> = bins.iter().take(3).map(word).collect();
    if words.is_empty() { "-".into() } else { words.join(", ") }
}

fn binary(bytes: u64) -> String {
    Bytes(bytes).short()
}

fn dash(value: u64, word: impl Fn(u64) -> String) -> String {
    if value == 0 { "-".into() } else { word(value) }
}

fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn ratio(value: u64, by: u64) -> f64 {
    if by == 0 { 0.0 } else { value as f64 / by as f64 }
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        pct if pct >= 10.0 || pct == 0.0 => format!("{pct:.0} %"),
        pct => format!("{pct:.1} %"),
    }
}

/// Digits in groups of three.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(" ")
}

fn size(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || value >= 99.95 { 0 } else { 1 };
    format!("{value:.digits$} {}", units[unit])
}

fn time(ns: u64) -> String {
    match ns as f64 {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

fn sparkline(parts: &[u64]) -> String {
    let bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = parts.iter().copied().max().unwrap_or(0);
    let bar = |part: &u64| match *part {
        0 => ' ',
        part => bars[(part as u128 * 7 / u128::from(most.max(1))) as usize],
    };
    parts.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!([grouped(7), grouped(1234567)], ["7", "1 234 567"]);
        assert_eq!([size(999), size(4096), size(1_048_576)], ["999 B", "4.1 kB", "1.0 MB"]);
        assert_eq!([time(5), time(1500), time(2_000_000_000)], ["5 ns", "1.5 us", "2.00 s"]);
        assert_eq!(sparkline(&[0, 1, 8]), " ▁█");
        assert_eq!([percent(0.5), percent(0.012), percent(0.0)], ["50 %", "1.2 %", "0 %"]);
    }
}
