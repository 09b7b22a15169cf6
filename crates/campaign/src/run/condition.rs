//! Prepares the state in which a fresh instance starts its first test: as made, aged, or filled. By the seed it is the
//! same for every candidate of a block and differs between blocks, because blocks are the replicates of everything
//! random.

use crate::messages;
use anyhow::{Context, Result};
use lab::{
    ageing::{Aged, Ageing, Layout},
    instance::Instance,
};
use model::{
    plan::Plan,
    random::Rng,
    result::{Environment, Sample, known},
    text::Bytes,
};
use std::sync::atomic::AtomicBool;

/// What was done, for the facts of the target and for every sample taken in it.
#[derive(Debug, Default)]
pub struct Condition {
    facts: Vec<(&'static str, String)>,
    layout_score_before: Option<f64>,
    layout_score: Option<f64>,
    fullness_pct: Option<f64>,
}

impl Condition {
    /// Adds what is known to the facts of a target.
    pub fn describe(&self, facts: &mut Environment) {
        let own = self.facts.iter().map(|(key, value)| (key.to_string(), value.clone()));
        facts.0.extend(own);
    }

    /// Adds what is known to samples; those without a figure stay without.
    pub fn mark(&self, samples: &mut [Sample]) {
        for sample in samples.iter_mut().filter(|sample| sample.has_metrics()) {
            sample.set(known::LAYOUT_SCORE_BEFORE, self.layout_score_before);
            sample.set(known::LAYOUT_SCORE, self.layout_score);
            sample.set(known::FULLNESS_PCT, self.fullness_pct);
        }
    }

    fn fact(&mut self, key: &'static str, value: impl ToString) {
        self.facts.push((key, value.to_string()));
    }

    /// Keeps the facts of `layout` under `keys`; returns its score.
    fn layout(&mut self, keys: [&'static str; 2], layout: Option<&Layout>) -> Option<f64> {
        let Some(layout) = layout else {
            self.fact(keys[0], "not reported by the file system");
            return None;
        };
        self.fact(keys[1], format!("{} of {}", layout.whole_files, layout.files));
        let score = layout.score()?;
        self.fact(keys[0], format!("{score:.4}"));
        Some(score)
    }

    fn aged(&mut self, cycles: u32, aged: &Aged) {
        self.fact("age.cycles", cycles);
        self.fact("age.written_bytes", aged.written_bytes);
        self.fact("age.fingerprint", format!("{:016x}", aged.fingerprint));
        let before = ["age.layout_score.before", "age.whole_files.before"];
        self.layout_score_before = self.layout(before, aged.fresh.as_ref());
        let after = ["age.layout_score.after", "age.whole_files.after"];
        self.layout_score = self.layout(after, aged.aged.as_ref());
    }

    fn filled(&mut self, share: f64) {
        self.fact("fullness.used_pct", format!("{:.1}", share * 100.0));
        self.fullness_pct = Some(share * 100.0);
    }
}

/// Brings `instance` into the state that `plan` asks for in `block`, and leaves nothing of it in the
/// cache.
pub fn bring_about(
    plan: &Plan,
    (seed, block): (u64, u32),
    instance: &Instance<'_>,
    stop: &AtomicBool,
) -> Result<Condition> {
    let mut condition = Condition::default();
    if plan.age.is_none() && plan.fullness.is_none() {
        return Ok(condition);
    }
    let space = space(instance).context("only a loop image can be aged or filled")?;
    let mut rng = Rng::new(seed ^ (u64::from(block) << 32 | 0xa6e));
    let (age_seed, fill_seed) = (rng.next_u64(), rng.next_u64());
    if let Some(cycles) = plan.age {
        let how = Ageing { space, cycles, seed: age_seed };
        condition.aged(cycles, &lab::ageing::age(&instance.root().join("aged"), &how, stop)?);
        // Gives back what XFS holds behind the ends of files as long as it knows them.
        instance.make_cold()?;
    }
    if let Some(percent) = plan.fullness {
        let dir = instance.root().join("filled");
        condition.filled(lab::ageing::fill(&dir, percent, fill_seed, stop)?);
    }
    instance.make_cold()?;
    instance.quiesce()?;
    Ok(condition)
}

/// Size of the image or disk under `instance`.
fn space(instance: &Instance<'_>) -> Option<Bytes> {
    let facts = &instance.facts().0;
    let bytes = facts.get("image.bytes").or_else(|| facts.get("device.bytes"))?;
    bytes.parse().ok().map(Bytes)
}

/// What ageing and filling write at most on one instance on an image of `image`; 0 when it stays fresh.
pub fn write_bytes(plan: &Plan, image: Bytes) -> u64 {
    let age = plan.age.map(|cycles| Ageing { space: image, cycles, seed: 0 }.write_bytes());
    let full =
        plan.fullness.map(|percent| (u128::from(image.0) * u128::from(percent) / 100) as u64);
    age.unwrap_or_default().saturating_add(full.unwrap_or_default())
}

/// For `assay plan`: what is done to each of `instances` on an image of `image`, and what that writes
/// and takes where the backing writes `bytes_per_s`; empty when they stay fresh.
pub fn lines(plan: &Plan, image: Bytes, instances: u64, bytes_per_s: f64) -> String {
    let bytes = write_bytes(plan, image);
    if bytes == 0 {
        return String::new();
    }
    let time = |instances: u64| messages::duration(bytes as f64 * instances as f64 / bytes_per_s);
    format!(
        "each instance is first {}: at most {} written per instance in about {}, {} in total in \
         about {}, not included above\n",
        plan.condition(),
        Bytes(bytes),
        time(1),
        Bytes(bytes.saturating_mul(instances)),
        time(instances)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        figure::{Better, Metric},
        workload::{CacheState, Case},
    };

    fn sample(metrics: Vec<Metric>) -> Sample {
        let case = Case {
            target: "ext4".into(),
            suite: "s".into(),
            test: "t".into(),
            procs: 1,
            threads: 1,
            cache: CacheState::Any,
        };
        Sample::bare(0, 0, case, metrics)
    }

    #[test]
    fn the_figure_of_a_sample_stays_its_first() {
        let mut condition = Condition::default();
        let layout = Layout { files: 2, whole_files: 1, blocks: 12, pieces: 4 };
        condition.aged(7, &Aged { aged: Some(layout), ..Aged::default() });
        condition.filled(0.8012);
        let mut samples =
            [sample(vec![Metric::new("rate", 1.0, "MB/s", Better::Higher)]), sample(vec![])];
        condition.mark(&mut samples);
        assert_eq!(samples[0].figures.metrics[0].name, "rate");
        assert_eq!(samples[0].get(known::LAYOUT_SCORE), Some(0.8));
        assert!((samples[0].get(known::FULLNESS_PCT).unwrap() - 80.12).abs() < 1e-9);
        assert!(!samples[1].has_metrics());
        let mut facts = Environment::default();
        condition.describe(&mut facts);
        assert_eq!(facts.0["age.whole_files.after"], "1 of 2");
        assert_eq!(facts.0["age.layout_score.before"], "not reported by the file system");
    }

    #[test]
    fn plan_describes_ageing_and_filling() {
        let image = Bytes(1 << 30);
        assert_eq!(lines(&Plan::default(), image, 6, 1e8), "");
        let full = Plan { fullness: Some(95), ..Plan::default() };
        assert!(lines(&full, Bytes(u64::MAX), 6, 1e8).contains("95 % full"));
        let plan = Plan { age: Some(100), fullness: Some(50), ..Plan::default() };
        let each = write_bytes(&plan, image);
        assert!(each > image.0 / 2, "{each}");
        let text = lines(&plan, image, 6, each as f64 / 100.0);
        assert!(
            text.starts_with("each instance is first aged by 100 cycles, 50 % full: "),
            "{text}"
        );
        for seconds in [100.0, 600.0] {
            assert!(text.contains(&format!(" in about {}", messages::duration(seconds))), "{text}");
        }
    }
}
