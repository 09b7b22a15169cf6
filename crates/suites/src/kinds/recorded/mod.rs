//! The kind `recorded`: a trace of an application is replayed on a recording disk, and checked in the states that a
//! power failure may leave on a disk with a volatile cache. Its syncs are its contract: each that returned must hold,
//! as POSIX and Linux define it.

mod files;
mod names;
mod translate;
mod tree;

use super::{
    Kind, settings,
    trace::source::{self, each_block},
};
use crate::{
    CrashWork, CutOff, FaultWork, TestError,
    lab_test::{LabTest, lab_test},
    states,
};
use model::{
    target::Knob,
    workload::{AssetName, Job},
};
use serde::Deserialize;
use trace::file::Named;
use translate::{Translated, Translation};

pub(super) static KIND: Kind = Kind {
    name: "recorded",
    about: "a recorded application cut off by a power failure; every state that its disk may be \
            left in is mounted and held against the syncs that had returned.",
    knobs: &KNOBS,
    make: |head, table| {
        let settings: Settings = settings(table, &KNOBS)?;
        states::check_states(settings.states)?;
        states::check_atomic(settings.atomic_bytes)?;
        let Settings { states, check_every, atomic_bytes, ref trace } = settings;
        Ok(lab_test(
            head,
            LabTest {
                kind: &KIND,
                name: format!("crash: {trace}"),
                testtype: "crash",
                metric: states::METRIC,
                work: FaultWork::Crash(CrashWork {
                    contract: trace.as_str().into(),
                    rounds: 1,
                    states,
                    check_every,
                    atomic_bytes,
                }),
                fixed_s: states::seconds(states, check_every, STATE_S),
                does: settings.does(),
                read_it: READ_IT,
                programs: &[],
                assets: vec![trace.clone()],
                cut_off: Some(Box::new(move |job, _| settings.cut_off(job))),
            },
        ))
    },
};

static KNOBS: [Knob; 4] = [
    Knob::new("trace", "", "", "name of the asset, a trace made by `assay record`"),
    states::STATES,
    states::CHECK_EVERY,
    states::ATOMIC_BYTES,
];

/// Seconds for a state, with mount and unmount, on a slow machine.
const STATE_S: f64 = 0.03;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    trace: AssetName,
    states: u64,
    check_every: u64,
    atomic_bytes: u64,
}

impl Settings {
    /// The trace of `job` as a workload.
    fn translated(&self, job: &Job) -> Result<Translated, TestError> {
        let path = source::path(job, &self.trace)?;
        let mut trace = source::open(path)?;
        let broken = |why: String| source::broken(path, &why);
        let (paths, entries) = (trace.paths().clone(), trace.start_entries().to_vec());
        let handles = trace.start_handles().to_vec();
        let named = Named { paths: &paths, entries: &entries, handles: &handles };
        let mut translation = Translation::new(named);
        each_block(&mut trace, &mut |calls| calls.iter().for_each(|call| translation.add(call)))
            .map_err(broken)?;
        let translated = translation.done(self.trace.as_str());
        if translated.syncs == 0 {
            let why = "no call of it has made anything durable, so nothing is promised";
            return Err(broken(why.into()));
        }
        Ok(translated)
    }

    fn does(&self) -> String {
        let Settings { states, check_every, atomic_bytes, trace } = self;
        format!(
            "The file system is made with the target's options on a disk of 300 MiB (more where it \
             needs more) in memory, below whose loop device a layer records each request. The \
             changes that the trace `{trace}` made of files and names are made again, one after \
             the other, with data that can be recognised, up to 1500 of them. Each fsync, \
             fdatasync, sync, msync and write by O_SYNC or O_DSYNC that had returned when the \
             power went holds: what POSIX and Linux say of it must be there. What came later may \
             be there, in part, or not at all.\n\n\
             - Each write takes 0.5 ms longer, as a disk as fast as memory hides orders of events \
             that a real one shows.\n\
             - From the record {states} distinct states are made: cut at a flush, with any of the \
             writes since the flush before, whole or torn at {atomic_bytes} bytes.\n\
             - Each state is mounted, read whole, held against the syncs, and unmounted. {}\n\
             - Offsets and lengths are rounded to 8 bytes. Calls of several threads are made one \
             after the other, as they began. Of stores to a mapping the first to each page is \
             made. A file is cut at 8 MiB, and clones, stores through links and exchanges of names \
             are left out.",
            states::checker(*check_every)
        )
    }

    fn cut_off(&self, job: &Job) -> Result<CutOff, TestError> {
        let Translated { mut workload, left_out, is_cut, .. } = self.translated(job)?;
        if is_cut {
            workload.name += ", its beginning";
        }
        if left_out > 0 {
            workload.name += &format!(", without {left_out} calls");
        }
        Ok(CutOff::Workload(workload))
    }
}

const READ_IT: &str = "States with harm, of those tried, are in the section After faults. Harm \
                       here is the file system's: it follows from syncs that had returned, \
                       whatever the application makes of it. Whether the application itself \
                       recovers is not seen. None of 200 means less than 1.5 % of such states, \
                       with 95 % probability. How fast the mount recovers is shown and enters no \
                       score.";

#[cfg(test)]
mod tests;
