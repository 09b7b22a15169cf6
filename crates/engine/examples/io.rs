//! One timed part on one file, as a line of JSON: what `bench/random_read` compares with other tools.
//!
//! ```text
//! io FILE [engine=sync] [block=4096] [depth=1] [batch=1] [direct=no] [sqpoll=no] [advise=random]
//!         [order=uniform|permuted|sequential] [read=100] [seconds=1] [rate=OPS_PER_S] [seed=1]
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)] // A program of its own.

use engine::{
    clock::now_ns,
    cpu::CpuTime,
    data::Pattern,
    io::{
        Access, Done, EngineOptions, Latencies, Offsets, Order, Pace, Prepared, Until, Work, open,
    },
    progress::{Counters, Progress},
};
use model::workload::DataKind;
use std::{error::Error, path::PathBuf, process::ExitCode};

struct Arguments {
    path: PathBuf,
    options: EngineOptions,
    block_bytes: u32,
    order: Order,
    read_percent: u8,
    seconds: f64,
    ops_per_s: Option<f64>,
    seed: u64,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| measure(&arguments)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("io: {error}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let mut a = Arguments {
        path: words.next().ok_or("name a file; see the head of the source for the rest")?.into(),
        options: EngineOptions::default(),
        block_bytes: 4096,
        order: Order::Uniform,
        read_percent: 100,
        seconds: 1.0,
        ops_per_s: None,
        seed: 1,
    };
    for word in words {
        let (key, value) = word.split_once('=').ok_or(format!("`{word}` is not KEY=VALUE"))?;
        match key {
            "engine" => a.options.kind = value.parse()?,
            "depth" => a.options.depth = value.parse()?,
            "batch" => a.options.batch = value.parse()?,
            "direct" => a.options.direct = value == "yes",
            "sqpoll" => a.options.sqpoll = value == "yes",
            "advise" => a.options.advise = Some(value.parse()?),
            "delay_ns" => a.options.delay_ns = value.parse()?,
            "block" => a.block_bytes = value.parse()?,
            "order" => a.order = order(value)?,
            "read" => a.read_percent = value.parse()?,
            "seconds" => a.seconds = value.parse()?,
            "rate" => a.ops_per_s = Some(value.parse()?),
            "seed" => a.seed = value.parse()?,
            _ => return Err(format!("no option `{key}`; see the head of the source").into()),
        }
    }
    Ok(a)
}

fn order(word: &str) -> Result<Order, String> {
    match word {
        "sequential" => Ok(Order::Sequential),
        "uniform" => Ok(Order::Uniform),
        "permuted" => Ok(Order::Permuted),
        _ => Err(format!("no order `{word}`; use sequential, uniform or permuted")),
    }
}

fn measure(a: &Arguments) -> Result<String, Box<dyn Error>> {
    let writes = a.read_percent < 100;
    let files = [open(&a.path, writes, a.options.direct)?];
    let content = Pattern::new(&DataKind::Random, a.seed, 0, 512);
    let mut prepared =
        Prepared::new(&a.options, &files, a.block_bytes, writes.then_some(&content))?;
    let pace = a.ops_per_s.map_or(Pace::Closed, |ops_per_s| Pace::Fixed {
        ops_per_s,
        first_ns: now_ns() + 1_000_000,
    });
    let mut latencies = Latencies::new(pace.latency_kind())?;
    let counters = Counters::default();
    let mut ops = Offsets::new(&Access {
        files: 1,
        file_bytes: files[0].metadata()?.len(),
        block_bytes: a.block_bytes,
        blocks: None,
        order: a.order,
        read_percent: a.read_percent,
        passes: None,
        seed: a.seed,
    });
    let work = Work {
        ops: &mut ops,
        pace,
        until: Until::Nanoseconds((a.seconds * 1e9) as u64),
        progress: Progress::new(&counters),
    };
    let before = CpuTime::now();
    let done = prepared.run(work, &mut latencies)?;
    Ok(line(&done, CpuTime::now().since(before), &latencies))
}

fn line(done: &Done, cpu: CpuTime, latencies: &Latencies) -> String {
    let ops = done.ops_read + done.ops_written;
    let elapsed_s = done.elapsed_ns as f64 / 1e9;
    let cpu_ns_per_op = (cpu.user_s + cpu.sys_s) * 1e9 / ops.max(1) as f64;
    let histograms = latencies.histograms();
    let quantiles: Vec<String> = histograms
        .iter()
        .map(|h| {
            let at = |q| h.quantile_ns(q).unwrap_or(0);
            format!(
                r#""{}": {{"count": {}, "p50_ns": {}, "p99_ns": {}, "max_ns": {}}}"#,
                h.op,
                h.count(),
                at(0.5),
                at(0.99),
                at(1.0)
            )
        })
        .collect();
    format!(
        r#"{{"ops": {ops}, "elapsed_s": {elapsed_s}, "iops": {}, "cpu_ns_per_op": {cpu_ns_per_op}, {}}}"#,
        ops as f64 / elapsed_s,
        quantiles.join(", ")
    )
}
