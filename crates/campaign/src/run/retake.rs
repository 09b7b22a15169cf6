//! Repeats a case during which other processes used too much of the machine, for all candidates that share it, and
//! keeps the calmest try. The choice depends on the activity of others, never on the result, so that no candidate is
//! favoured. Where others never leave the machine alone, no time is spent on repeats.

use super::case::CaseContext;
use crate::{evidence::contention::Disturbance, machine::quiet::waited};
use anyhow::Result;
use model::{
    plan::Preset,
    result::{Reason, Sample, Validity, known},
};
use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// Waits before the repeats of a case: none at first, as most disturbances are over then, and some later.
const PAUSES: [Duration; 2] = [Duration::ZERO, Duration::from_secs(2)];

/// Cases in a row without a calm try, after which each is measured only once.
const MOST_IN_VAIN: u32 = 3;

/// State of the cases of one target in a campaign; it is the same for all that share the machine with it.
#[derive(Debug, Default)]
pub struct Retakes {
    /// Cases in a row without a calm try.
    in_vain: AtomicU32,
}

/// The samples of a try, and the foreign share of the machine while any candidate ran it, percent.
struct Try {
    samples: Vec<Sample>,
    shared_pct: f64,
}

impl Retakes {
    /// Creates the state of a target in a campaign of `preset`. The preset smoke shows that everything works, and
    /// measures each case once.
    pub fn of(preset: Preset) -> Option<Retakes> {
        (preset != Preset::Smoke).then(Retakes::default)
    }

    /// Runs a case by `once`, and repeats it if others used too much of the machine; `None` when it was stopped. All
    /// samples are kept; only those of the calmest try are valid.
    ///
    /// # Errors
    /// Those of `once`.
    pub fn run(
        &self,
        mut context: CaseContext<'_>,
        once: &mut dyn FnMut(&CaseContext<'_>) -> Result<Option<Vec<Sample>>>,
    ) -> Result<Option<Vec<Sample>>> {
        let mut tries: Vec<Try> = Vec::new();
        loop {
            let Some(mut samples) = once(&context)? else { return Ok(None) };
            // Members that share the machine wait one after the other: each from now, so that all wait once.
            let done = Instant::now();
            let own = Disturbance { largest_pct: shared_pct(&samples), cpu: context.others.take() };
            let all = context.runner.together(own);
            let of_all_pct = all.cpu.pct();
            tell_short(&mut samples, of_all_pct);
            let shared_pct = all.largest_pct.max(of_all_pct.unwrap_or(0.0));
            tries.push(Try { samples, shared_pct });
            let Some(pause) = self.pause(&tries) else { break };
            if !waited(done + pause, context.stop) {
                return Ok(None);
            }
            context.runner = context.runner.again();
        }
        let is_calm = tries.iter().any(|one| !is_disturbed(one.shared_pct));
        match is_calm {
            true => self.in_vain.store(0, Ordering::Relaxed),
            false => _ = self.in_vain.fetch_add(1, Ordering::Relaxed),
        }
        Ok(Some(calmest_of(tries)))
    }

    /// Returns the wait before the case is repeated; `None` when it is not.
    fn pause(&self, tries: &[Try]) -> Option<Duration> {
        let again = tries.last().is_some_and(|one| is_disturbed(one.shared_pct));
        let has_hope = self.in_vain.load(Ordering::Relaxed) < MOST_IN_VAIN;
        PAUSES.get(tries.len() - 1).copied().filter(|_| again && has_hope)
    }
}

/// Returns the largest foreign share of the machine during any of `samples`. An invalid sample is not considered: it is
/// no reason to repeat the case either.
fn shared_pct(samples: &[Sample]) -> f64 {
    if samples.iter().all(|sample| !sample.evidence.validity.is_valid()) {
        return f64::INFINITY;
    }
    samples.iter().map(stats::description::shared_pct).fold(0.0, f64::max)
}

/// Gives samples that are too short to tell what others used of the processors what was used during the parts of all
/// candidates, which took turns in short slices.
fn tell_short(samples: &mut [Sample], of_all_pct: Option<f64>) {
    let is_clocked = |sample: &&mut Sample| sample.get(known::FLOOR_S).is_some();
    for sample in samples.iter_mut().filter(is_clocked) {
        let own_pct = sample.get(known::FOREIGN_CPU_PCT);
        sample.set(known::FOREIGN_CPU_PCT, own_pct.or(of_all_pct));
    }
}

fn is_disturbed(shared_pct: f64) -> bool {
    shared_pct.is_finite()
        && shared_pct > stats::description::Settings::default().contention_limit_pct
}

/// Returns the samples of all tries. Valid ones of all tries but the calmest become disturbed.
fn calmest_of(mut tries: Vec<Try>) -> Vec<Sample> {
    let order = |a: &usize, b: &usize| tries[*a].shared_pct.total_cmp(&tries[*b].shared_pct);
    let calmest = (0..tries.len()).min_by(order);
    for (number, one) in tries.iter_mut().enumerate() {
        if Some(number) != calmest {
            one.samples.iter_mut().for_each(|sample| disturb(sample, one.shared_pct));
        }
    }
    tries.into_iter().flat_map(|one| one.samples).collect()
}

fn disturb(sample: &mut Sample, shared_pct: f64) {
    if sample.evidence.validity.is_valid() {
        let why = Reason::OthersUsed { pct: shared_pct.into() };
        *sample.evidence.validity = Validity::Disturbed(why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::workload::{CacheState, Case};

    fn sample(cpu_pct: f64, disk_pct: f64) -> Sample {
        let case = Case {
            target: "xfs".into(),
            suite: "s".into(),
            test: "t".into(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        let mut sample = Sample::bare(0, 0, case, Vec::new());
        sample.set(known::FOREIGN_CPU_PCT, cpu_pct);
        sample.set(known::FOREIGN_DISK_PCT, disk_pct);
        sample
    }

    fn of(shared_pct: f64) -> Try {
        Try { samples: vec![sample(shared_pct, 0.0)], shared_pct }
    }

    fn pauses(retakes: &Retakes, shares: &[f64]) -> Option<Duration> {
        retakes.pause(&shares.iter().map(|share| of(*share)).collect::<Vec<Try>>())
    }

    #[test]
    fn disturbed_case_is_repeated_until_calm_or_limit() {
        let retakes = Retakes::of(Preset::Quick).unwrap();
        assert_eq!(pauses(&retakes, &[3.0]), None);
        assert_eq!(pauses(&retakes, &[30.0]), Some(PAUSES[0]));
        assert_eq!(pauses(&retakes, &[30.0, 2.0]), None);
        assert_eq!(pauses(&retakes, &[30.0, 20.0]), Some(PAUSES[1]));
        assert_eq!(pauses(&retakes, &[30.0, 20.0, 90.0]), None);
        assert_eq!(pauses(&retakes, &[f64::INFINITY]), None);
        assert_eq!(pauses(&Retakes { in_vain: MOST_IN_VAIN.into() }, &[30.0]), None);
        assert!(Retakes::of(Preset::Smoke).is_none());
    }

    #[test]
    fn calmest_try_is_kept_whatever_it_measured() {
        let samples = calmest_of(vec![of(60.0), of(12.0), of(40.0)]);
        let valid: Vec<bool> =
            samples.iter().map(|sample| sample.evidence.validity.is_valid()).collect();
        assert_eq!(valid, [false, true, false]);
        let why = Reason::OthersUsed { pct: 60.0.into() };
        assert_eq!(samples[0].evidence.validity, Validity::Disturbed(why));
        assert!(calmest_of(vec![of(60.0)])[0].evidence.validity.is_valid());
    }

    #[test]
    fn short_samples_have_the_share_of_all_candidates() {
        let mut samples = [sample(4.0, 0.0), sample(0.0, 0.0), sample(0.0, 0.0)];
        for short in &mut samples[1..] {
            short.set(known::FOREIGN_CPU_PCT, None);
        }
        samples[..2].iter_mut().for_each(|clocked| clocked.set(known::FLOOR_S, 0.01));
        tell_short(&mut samples, Some(30.0));
        let told = samples.each_ref().map(|sample| sample.get(known::FOREIGN_CPU_PCT));
        assert_eq!(told, [Some(4.0), Some(30.0), None]);
    }

    #[test]
    fn largest_foreign_share_of_valid_samples_counts() {
        assert_eq!(shared_pct(&[sample(4.0, 20.0), sample(7.0, 0.0)]), 20.0);
        let invalid = sample(0.0, 0.0).judged(Validity::Invalid(Reason::said("no space")));
        assert_eq!(shared_pct(std::slice::from_ref(&invalid)), f64::INFINITY);
        let tries = vec![of(15.0), Try { samples: vec![invalid], shared_pct: f64::INFINITY }];
        assert!(calmest_of(tries)[0].evidence.validity.is_valid());
    }
}
