//! Draws for the numeric kernel from the seeded generator of the model, so that a report made again shows the same
//! probabilities.

use crate::kernel::draw::Uniform;
use model::random::Rng;

impl Uniform for Rng {
    fn unit(&mut self) -> f64 {
        Rng::unit(self)
    }
}
