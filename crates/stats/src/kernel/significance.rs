//! Computes the confidence that a verdict needs. It depends on the number of interim looks: a campaign that continues
//! until its verdict is reached has one chance of a false verdict per look.

#[cfg(test)]
mod tests;

/// Least probability of being the best for a candidate that leads, decided or not.
pub const LEADS_P: f64 = 0.90;
/// Least lead over the second for a clear verdict, a ratio.
pub const CLEAR_LEAD: f64 = 1.03;

/// What a verdict is measured by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    /// Level of Holm's procedure over the candidates that the first is compared with.
    pub(crate) alpha: f64,
    /// Nominal confidence of the interval of a score, which then covers 95 % whenever it is looked at.
    pub(crate) confidence: f64,
}

impl Bar {
    /// Of a number of blocks that was fixed beforehand.
    pub(crate) const ONCE: Bar = Bar { alpha: 0.05, confidence: 0.95 };

    /// Of a campaign that ends at the first of this many looks at which nothing is open. The error of 5 % is spent
    /// in equal parts (Pocock, Biometrika 1977): each look has a level of its own, lower than 5 %, and of two
    /// equal candidates one is called best in at most 5 % of campaigns. The interval is that with which the one
    /// ratio of a campaign covers 95 % at its end. Both by the simulation in `bar/tests.rs`: with 5 % at each look
    /// 8 to 20 % would be called best, and an interval of 95 % would cover 88 to 94 %.
    pub(crate) fn of_looks(looks: usize) -> Bar {
        match looks {
            0 => Bar::ONCE,
            1..=2 => Bar { alpha: 0.025, confidence: 0.96 },
            3..=4 => Bar { alpha: 0.0125, confidence: 0.967 },
            _ => Bar { alpha: 0.01, confidence: 0.975 },
        }
    }
}
