//! The time before the first block: a run writes images and sizes the tests.

use crate::images::Choice;
use anyhow::Result;
use campaign::{
    messages,
    scheduling::trial,
    sizes::{load::TargetLoad, pilot::Pilot},
    stages::Ordered,
};
use model::text::Bytes;
use std::path::Path;

/// What a run does before its first block.
pub(super) struct Preparation {
    images_s: f64,
    sizing_s: f64,
}

impl Preparation {
    /// By the rates of the backing: all images are written, and each trial does what a candidate does in a block, of
    /// which there are as many as a budget has time for.
    pub(super) fn of(
        ordered: &Ordered,
        (trial_s, block_s): (f64, f64),
        pilot: &Pilot,
        images: Option<&Choice>,
    ) -> Preparation {
        let bytes = images.map_or(0, |images| images.missing.0);
        let images_s = bytes as f64 / pilot.write_bytes_per_s;
        let budget_s = ordered.plan.budget().map_or(f64::INFINITY, |seconds| seconds as f64);
        let fits = |rounds: &usize| images_s + *rounds as f64 * trial_s + 2.0 * block_s <= budget_s;
        let rounds = (1..=trial::ROUNDS).rev().find(fits).unwrap_or(1);
        let sizing_s = if ordered.needs_sizes() { rounds as f64 * trial_s } else { 0.0 };
        Preparation { images_s, sizing_s }
    }

    /// All of it, seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.images_s + self.sizing_s
    }

    /// One line for the user; nothing where there is nothing to do.
    pub(super) fn line(&self) -> String {
        let parts = [("to write images", self.images_s), ("to size the tests", self.sizing_s)];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(_, seconds)| *seconds > 0.0)
            .map(|(what, seconds)| format!("about {} {what}", messages::duration(*seconds)))
            .collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!("before the first block: {}\n", parts.join(", ")),
        }
    }
}

/// The loop images of this machine and of guests; `None` where there are none.
pub(super) fn images(
    ordered: &Ordered,
    load: &TargetLoad,
    pilot: &Pilot,
    state: &Path,
) -> Result<Option<Choice>> {
    let plan = &ordered.plan;
    if !plan.backing.devices.is_empty() || !ordered.needs_image() {
        return Ok(None);
    }
    let size = plan.backing.image_size().unwrap_or_else(|| load.image_bytes());
    let rate = ordered.needs_sizes().then_some(pilot.write_bytes_per_s);
    let own = Choice::of(ordered, size, rate, state)?;
    let of_guests = ordered.disks_of(true) * ordered.sets_of(true) as usize;
    let missing = Bytes(own.missing.0 + size.0 * of_guests as u64);
    Ok(Some(Choice { count: own.count + of_guests, missing, ..own }))
}
