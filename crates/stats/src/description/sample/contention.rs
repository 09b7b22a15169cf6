//! Was the machine busy with something else? If one of two runs shared the CPUs or the disk, their ratio reflects that,
//! and no interval over blocks shows it.

use model::{
    result::{Dataset, Sample, Validity, known},
    text::Bytes,
};
use std::collections::HashMap;

/// Something that a candidate shares with other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shared {
    Cpu,
    Disk,
}

impl Shared {
    const ALL: [Shared; 2] = [Shared::Cpu, Shared::Disk];

    fn name(self) -> &'static str {
        match self {
            Shared::Cpu => "the processors",
            Shared::Disk => "the disk below",
        }
    }

    /// How much of it others had during `sample`, percent.
    fn used_pct(self, sample: &Sample) -> Option<f64> {
        match self {
            Shared::Cpu => sample.get(known::FOREIGN_CPU_PCT),
            Shared::Disk => sample.get(known::FOREIGN_DISK_PCT),
        }
    }
}

/// Share of contended samples of a target above which it is not judged.
const TOLERATED_SHARE: f64 = 0.2;

/// One target in one block at one process count: what ran on one instance, one test after the other.
type Turn<'a> = (u32, &'a str, u32);

/// When the machine was busy with something else.
#[derive(Debug)]
pub struct Contention<'a> {
    limit_pct: f64,
    /// For each of them and turn: in how many samples others had too much of it, and how many say.
    turns: HashMap<(Shared, Turn<'a>), (usize, usize)>,
}

impl<'a> Contention<'a> {
    /// A sample is contended when others had more than `limit_pct` of the processors, or of the disk below
    /// its devices.
    pub fn of(dataset: &'a Dataset, limit_pct: f64) -> Contention<'a> {
        let mut turns = HashMap::new();
        // Those that were taken again say nothing of those that were taken instead.
        let kept = dataset
            .samples
            .iter()
            .filter(|s| !matches!(*s.evidence.validity, Validity::Disturbed(_)));
        for sample in kept {
            for shared in Shared::ALL {
                if let Some(used) = shared.used_pct(sample) {
                    let (contended, telling) =
                        turns.entry((shared, turn(sample))).or_insert((0, 0));
                    *contended += usize::from(used > limit_pct);
                    *telling += 1;
                }
            }
        }
        Contention { limit_pct, turns }
    }

    /// Why `sample` is contended, with what others did; `None` for one that is not. One that was too short
    /// to say is judged by the others of its turn: by what they saw, the machine was not idle in between.
    pub fn why(&self, sample: &Sample) -> Option<String> {
        let reason = |(shared, used): (Shared, Option<f64>)| match (shared, used) {
            (_, None) => of_turn(shared.name()),
            (Shared::Disk, Some(used)) => of_disk(sample, used),
            (Shared::Cpu, Some(used)) => {
                format!("other processes used {used:.0} % of {} meanwhile", shared.name())
            }
        };
        let reasons: Vec<String> = self.too_much(sample).map(reason).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }

    /// What others had too much of during `sample`, with their share, percent, where it says.
    fn too_much(&self, sample: &Sample) -> impl Iterator<Item = (Shared, Option<f64>)> {
        Shared::ALL.into_iter().filter_map(move |shared| match shared.used_pct(sample) {
            Some(used) => (used > self.limit_pct).then_some((shared, Some(used))),
            None => {
                let (contended, all) = self.turns.get(&(shared, turn(sample)))?;
                is_too_much(*contended, *all).then_some((shared, None))
            }
        })
    }

    /// Whether `sample` was.
    pub(crate) fn during(&self, sample: &Sample) -> bool {
        self.too_much(sample).next().is_some()
    }
}

/// `dataset` without the samples that were contended.
pub(crate) fn without(dataset: &Dataset, limit_pct: f64) -> Dataset {
    let contention = Contention::of(dataset, limit_pct);
    let calm = dataset.samples.iter().filter(|sample| !contention.during(sample));
    Dataset {
        campaign: dataset.campaign.clone(),
        targets: dataset.targets.clone(),
        tests: dataset.tests.clone(),
        samples: calm.cloned().collect(),
    }
}

/// The most that others had of anything during `sample`, percent; 0 when nothing says so.
pub fn shared_pct(sample: &Sample) -> f64 {
    Shared::ALL.into_iter().filter_map(|shared| shared.used_pct(sample)).fold(0.0, f64::max)
}

fn of_turn(what: &str) -> String {
    format!("too short to measure; other processes used {what} in the tests before or after it")
}

fn of_disk(sample: &Sample, used: f64) -> String {
    let moved = |bytes: Option<f64>| Bytes(bytes.unwrap_or(0.0) as u64);
    let read = moved(sample.get(known::FOREIGN_READ_BYTES));
    let did = match (read, moved(sample.get(known::FOREIGN_WRITE_BYTES))) {
        (read, Bytes(0)) => format!("read {read} from the disk below"),
        (Bytes(0), written) => format!("wrote {written} to the disk below"),
        (read, written) => format!("wrote {written} to the disk below and read {read} from it"),
    };
    format!("other processes {did} meanwhile, and used it {used:.0} % of the time")
}

fn turn(sample: &Sample) -> Turn<'_> {
    (sample.block, &sample.case.target, sample.case.procs)
}

/// Whether this many of `samples` are more than a fifth.
pub(crate) fn is_too_much(contended: usize, samples: usize) -> bool {
    contended as f64 > TOLERATED_SHARE * samples as f64
}
