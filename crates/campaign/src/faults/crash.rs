//! Simulates a power cut: performs a workload on a recording disk, draws states that the disk may be left in, and
//! checks each against the contract.

use super::{
    FaultsError,
    examine::{Examination, Examined},
    recorded_target::{LOG_BYTES, RecordedTarget},
    work::{Asked, Performance, Work},
};
use ::faults::{
    content::Content,
    log::{Event, Log},
    recording::Recording,
    states::{self, Draw, Drawn, Epochs, draw},
};
use model::result::{CrashStates, FaultOnDisk, Spread};
use std::{sync::atomic::AtomicBool, time::Duration};

/// The result of one workload.
#[derive(Clone, Debug)]
pub struct Crashed {
    /// What was found.
    pub after: CrashStates,
    /// What its states with harm can be made again from; `None` where there are none.
    pub recording: Option<Recording>,
}

impl RecordedTarget<'_> {
    /// Performs `work` once, and looks at states until there are as many as asked for, or `stop` is set.
    ///
    /// # Errors
    /// The file system cannot be mounted, or the work fails, without any fault.
    pub fn crash(
        &mut self,
        work: Work<'_>,
        asked: &Asked,
        stop: &AtomicBool,
    ) -> Result<Crashed, FaultsError> {
        let dir = format!("work{}", self.begin()?);
        let log = self.record(&dir, work, asked)?;
        let log = match asked.fault {
            FaultOnDisk::Crash => log,
            FaultOnDisk::CrashOfEarlyDisk => without_flushes(&log),
        };
        let base = self.disk.base().unwrap_or_default();
        let epochs = Epochs::new(&log)?;
        let (seed, limit, atomic_bytes) = (asked.seed, asked.states, asked.atomic_bytes);
        let drawn = draw(&epochs, Draw { seed, limit, atomic_bytes });
        let examination = Examination {
            work,
            asked,
            dir: &dir,
            at: &self.at,
            base: &base,
            epochs: &epochs,
            states: &drawn.states,
        };
        let examined = examination.on(&mut self.test_disks, stop)?;
        let after = merged(work, asked, &drawn, examined);
        let last = after.found.values().map(|found| states::epoch_of(found.example)).max();
        let recording =
            last.map(|epoch| Recording { work: dir.clone(), base, log: log.until_epoch(epoch) });
        Ok(Crashed { after, recording })
    }

    /// Performs `work` in the directory `dir`, and returns what the disk was asked meanwhile.
    fn record(&self, dir: &str, work: Work<'_>, asked: &Asked) -> Result<Log, FaultsError> {
        let mounted = self.mount()?;
        let log = work.at_root(&mounted, &self.at, |root| {
            let root = root.join(dir);
            let content = Content::new(asked.seed);
            let mut performance = Performance::prepare(work, content, &root)?;
            self.disk.slow_writes(asked.slow_writes);
            self.disk.record(LOG_BYTES);
            let done = performance.run(&|mark| self.disk.mark(mark));
            // What is written while it is unmounted is of no crash.
            let log = self.disk.recorded();
            self.disk.slow_writes(Duration::ZERO);
            done?;
            Ok(log?)
        });
        self.unmount(mounted)?;
        log
    }
}

/// The log of a disk that acknowledges flushes before doing them: the flushes have no effect.
fn without_flushes(log: &Log) -> Log {
    let mut early = Log::new(LOG_BYTES);
    for event in log.events() {
        match event {
            Event::Flush => {}
            // It had room for as much before.
            Event::Write { offset, data } => {
                let _ = early.write(*offset, log.data(data));
            }
            Event::Discard { .. } | Event::Mark(_) => early.push(event.clone()),
        }
    }
    early
}

/// Sums up `examined`, in the order in which the states were drawn.
fn merged(work: Work<'_>, asked: &Asked, drawn: &Drawn, examined: Vec<Examined>) -> CrashStates {
    let tried = examined.len() as u64;
    let mut after = CrashStates {
        tried,
        is_complete: drawn.is_complete && tried == drawn.states.len() as u64,
        recovery: Spread::of(examined.iter().filter_map(|one| one.mount_ns).collect()),
        checked: examined.iter().map(|one| u64::from(one.is_checked)).sum(),
        ..CrashStates::none(asked.fault, &work.name(), asked.seed)
    };
    for one in examined {
        after.harmed += u64::from(!one.harm.is_empty());
        for (harm, detail) in one.harm {
            after.note(harm, one.state, || detail);
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::test_disk::TestDisk;
    use ::faults::{contract::Contract, workload::named};
    use lab::{recording::RecordingDisk, setup::Lab};
    use needs::{Need, skip};

    /// The states of one record, examined on one disk and on three.
    #[test]
    fn findings_do_not_depend_on_the_number_of_disks() {
        if let Some(why) = RecordingDisk::missing() {
            return skip(Need::Root, why);
        }
        for (name, disks) in [("ext4[nobarrier]", 3), ("xfs", 3), ("btrfs", 1)] {
            let target = ::fs::resolve(&name.parse().unwrap()).unwrap();
            if !matches!(
                lab::machine::available(target.parts()[0].fs),
                lab::machine::Availability::Ready
            ) {
                skip(Need::file_system(name), name);
                continue;
            }
            let state = tempfile::tempdir().unwrap();
            let lab = Lab::open(state.path(), "looking").unwrap();
            let mut recorded = RecordedTarget::make_with(&lab, &target, 3).unwrap();
            assert_eq!(recorded.test_disks.len(), disks, "{name}");
            let contract = Contract::new(named("append", 8).unwrap()).unwrap();
            let work = Work::Contract(&contract);
            let asked = Asked {
                seed: 5,
                states: 60,
                atomic_bytes: 4096,
                slow_writes: Duration::ZERO,
                fault: FaultOnDisk::Crash,
                check_every: 0,
            };
            let log = recorded.record("work0", work, &asked).unwrap();
            let base = recorded.disk.base().unwrap();
            let epochs = Epochs::new(&log).unwrap();
            let drawn = draw(&epochs, Draw { seed: 5, limit: 60, atomic_bytes: 4096 });
            let (states, at) = (&drawn.states, recorded.at.clone());
            let examination = Examination {
                asked: &asked,
                work,
                dir: "work0",
                at: &at,
                base: &base,
                epochs: &epochs,
                states,
            };
            let stop = AtomicBool::new(false);
            let seen = |test_disks: &mut Vec<TestDisk>| -> Vec<(u64, Vec<_>)> {
                let examined = examination.on(test_disks, &stop).unwrap();
                examined.into_iter().map(|one| (one.state, one.harm)).collect()
            };
            let by_three = seen(&mut recorded.test_disks);
            let mut one: Vec<TestDisk> = recorded.test_disks.drain(..1).collect();
            assert_eq!(by_three, seen(&mut one), "{name}");
            let numbers: Vec<u64> = by_three.iter().map(|(number, _)| *number).collect();
            let expected: Vec<u64> = states.iter().map(|state| state.number).collect();
            assert_eq!(numbers, expected, "{name}");
            let harmed = by_three.iter().any(|(_, harm)| !harm.is_empty());
            assert_eq!(harmed, name.contains("nobarrier"), "{name}");
            drop((one, recorded));
            lab.close().unwrap();
        }
    }
}
