//! Amounts over the time of a recording of any length, in steps that become longer with it.

/// Steps that there are at most.
const STEPS: usize = 120;
/// The first length of a step, nanoseconds.
const FIRST_NS: u64 = 1 << 20;

/// Amounts over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverTime {
    step_ns: u64,
    amounts: Vec<u64>,
}

impl Default for OverTime {
    fn default() -> OverTime {
        OverTime { step_ns: FIRST_NS, amounts: Vec::new() }
    }
}

impl OverTime {
    /// Adds `amount` at `at_ns` after the start.
    pub fn add(&mut self, at_ns: u64, amount: u64) {
        while at_ns / self.step_ns >= STEPS as u64 {
            let pairs = self.amounts.chunks(2).map(|pair| pair.iter().sum());
            self.amounts = pairs.collect();
            self.step_ns = self.step_ns.saturating_mul(2);
        }
        let step = (at_ns / self.step_ns) as usize;
        if step >= self.amounts.len() {
            self.amounts.resize(step + 1, 0);
        }
        self.amounts[step] = self.amounts[step].saturating_add(amount);
    }

    /// The amounts of `count` equal parts of the first `wall_ns`.
    pub fn parts(&self, wall_ns: u64, count: usize) -> Vec<u64> {
        let mut parts = vec![0_u64; count];
        for (amount, step) in self.amounts.iter().zip(0_u64..) {
            let at = u128::from(step) * u128::from(self.step_ns) + u128::from(self.step_ns) / 2;
            let part = at * count as u128 / u128::from(wall_ns.max(1));
            if let Some(part) = parts.get_mut((part as usize).min(count.saturating_sub(1))) {
                *part = part.saturating_add(*amount);
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_steps_become_longer() {
        let mut over_time = OverTime::default();
        (0..10_000).for_each(|n| over_time.add(n * 1_000_000, 1));
        let parts = over_time.parts(10_000_000_000, 10);
        assert_eq!(parts.iter().sum::<u64>(), 10_000);
        assert!(parts.iter().all(|part| (800..1200).contains(part)), "{parts:?}");
        over_time.add(u64::MAX, 1);
        assert_eq!(over_time.parts(0, 1), [10_001]);
    }
}
