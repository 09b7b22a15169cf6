//! The durations of calls: number, sum and quantiles, in bins whose width is a tenth of the duration.

/// Bins of each power of two.
const BINS: usize = 8;

/// Durations of calls.
#[derive(Clone, Debug, Default)]
pub struct Durations {
    bins: Vec<u32>,
    count: u64,
    total_ns: u64,
    longest_ns: u64,
}

impl Durations {
    /// Adds one.
    pub fn add(&mut self, ns: u64) {
        let bin = bin(ns);
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] = self.bins[bin].saturating_add(1);
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(ns);
        self.longest_ns = self.longest_ns.max(ns);
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All together, nanoseconds.
    pub fn total_ns(&self) -> u64 {
        self.total_ns
    }

    /// The longest, nanoseconds.
    pub fn longest_ns(&self) -> u64 {
        self.longest_ns
    }

    /// The duration that a share `q`, 0 to 1, did not exceed, to a tenth, nanoseconds.
    pub fn quantile_ns(&self, q: f64) -> u64 {
        let wanted = (q.clamp(0.0, 1.0) * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bin, count) in self.bins.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted {
                return middle(bin).min(self.longest_ns);
            }
        }
        self.longest_ns
    }
}

fn bin(ns: u64) -> usize {
    let ns = ns.max(BINS as u64);
    let power = ns.ilog2() as usize;
    let within = (ns >> (power - BINS.ilog2() as usize)) as usize - BINS;
    (power - BINS.ilog2() as usize) * BINS + within
}

fn middle(bin: usize) -> u64 {
    let (power, within) = (bin / BINS, bin % BINS);
    let from = ((BINS + within) as u128) << power;
    let width = 1_u128 << power;
    u64::try_from(from + width / 2).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_tenth() {
        let mut durations = Durations::default();
        (1..=10_000).for_each(|ns| durations.add(ns * 100));
        for (q, exact) in [(0.5, 500_000), (0.99, 990_000), (1.0, 1_000_000)] {
            let found = durations.quantile_ns(q);
            assert!(found.abs_diff(exact) <= exact / 10, "{q}: {found}");
        }
        assert_eq!((durations.count(), durations.longest_ns()), (10_000, 1_000_000));
        durations.add(u64::MAX);
        assert_eq!(durations.total_ns(), u64::MAX);
        assert_eq!(Durations::default().quantile_ns(0.5), 0);
    }
}
