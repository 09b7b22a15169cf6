//! A target whose FUSE server uses a processor for each read: that time belongs only to the target.

use super::{Bench, Check, CheckOutcome, trial};
use anyhow::{Context, Result, ensure};
use lab::{
    fuse::{BURN, Lying},
    observe::{Snapshot, Watched},
};
use model::result::{Known, known};

/// The file system that burns, over one that is always there.
const TARGET: &str = "selftest-busy(tmpfs)";
const TEST: &str = "selftest.served";
/// What may be missed, a share. The way of a request and of its answer is the server's work too: 1 to 2 % here,
/// more while others empty the caches of the processor.
const LIMIT: f64 = 0.10;
/// Share of the server's time that may be in the account of the machine for other reasons.
const SLACK: f64 = 0.5;

/// The target.
pub struct Served;

pub static SERVED: Served = Served;

impl Check for Served {
    fn name(&self) -> String {
        "server.fuse".into()
    }

    fn about(&self) -> String {
        format!("CPU time of a FUSE server that burns {} ms per read", BURN.as_millis())
    }

    fn missing(&self) -> Result<Option<String>> {
        Ok(Lying::missing())
    }

    fn run(&self, bench: &Bench<'_>) -> Result<CheckOutcome> {
        let mut plan = trial::plan(TARGET, TEST, 0.0)?;
        // It ends with its reads.
        plan.knobs.clear();
        let before = Snapshot::of(&Watched::default())?;
        let dataset = trial::run("selftest-server.fuse", plan, bench)?;
        let usage = Snapshot::of(&Watched::default())?.since(&before);
        let sample = trial::only_sample(&dataset)?;
        let seen = |line: Known<f64>, name: &str| {
            sample.get(line).with_context(|| format!("the sample has no {name}"))
        };
        let measured = seen(known::SERVER_CPU_S, "server_cpu_s")?;
        let foreign_s = seen(known::FOREIGN_CPU_PCT, "foreign_cpu_pct")? / 100.0
            * sample.figures.seconds
            * f64::from(usage.cpus.max(1));
        // Each second belongs to one process, and counting one twice would exceed the machine's total.
        let had_s = seen(known::MACHINE_CPU_S, "machine_cpu_s")? + usage.steal_s;
        let twice_s = measured + foreign_s - had_s;
        ensure!(
            twice_s < SLACK * measured,
            "{twice_s:.2} s of the server's {measured:.2} s are also counted as foreign"
        );
        let reads = f64::from(u32::try_from(sample.figures.ops).context("too many reads")?);
        let imposed = reads * BURN.as_secs_f64();
        Ok(CheckOutcome::Figure { imposed, measured, unit: "s", limit: LIMIT })
    }
}
