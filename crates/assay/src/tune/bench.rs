//! Each stage of a search as an ordinary campaign: it is stored, and can be shown, reported and
//! resumed like any other.

use super::variant::{self, Variant};
use crate::{
    begin,
    cli::Consent,
    disks, drive,
    mark::Key,
    others::{self, OtherPrograms},
    process_limit,
    terminal::{self, Shown},
};
use anyhow::Result;
use campaign::{
    messages::Refusal,
    pipeline::{self, rehearsal::Wrong},
    run::hosts::ThisHost,
    sizes::range,
    stages::{Asked, Ordered, Resolved, images},
};
use model::{
    plan::{BackingPlan, Order, Plan},
    result::{Dataset, Note, TargetState},
    target::Target,
};
use stats::tuning::{Bench, Stage, StageKind};
use std::{
    collections::BTreeSet,
    path::Path,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};
use store::Store;

/// Share of the time left that is planned; the rest is for turns that take longer than before.
const PLANNED: f64 = 0.9;
/// Time to make, mount and undo an instance, before one was timed, seconds.
const INSTANCE_S: f64 = 1.0;

/// Measures stages until the budget is spent.
pub struct Campaigns<'a> {
    /// The work, without targets, at a fixed scale.
    plan: Plan,
    default: Target,
    site: Site<'a>,
    consent: Consent,
    deadline: Instant,
    costs: Costs,
    /// The campaigns so far.
    pub ran: Vec<(StageKind, String)>,
    /// Candidates that failed in one of them.
    pub failed: BTreeSet<String>,
}

/// What a stage takes, seconds.
struct Costs {
    /// One candidate in one block.
    turn_s: f64,
    /// The image that every campaign writes.
    image_s: f64,
}

/// Where campaigns are kept and made.
pub struct Site<'a> {
    /// The store.
    pub store: &'a mut Store,
    /// Folder of the journal, mount points and images.
    pub state: &'a Path,
    /// Marks the campaigns.
    pub key: Key,
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// Whether programs of others may do anything.
    pub unconfined: bool,
}

impl Site<'_> {
    /// The same for one campaign.
    fn campaign(&self, wrong: Wrong) -> pipeline::Site<'_> {
        pipeline::Site { wrong, ..begin::site(self.state, self.stop, self.unconfined) }
    }
}

impl<'a> Campaigns<'a> {
    /// A bench for the work of `plan` on variants of `default`, which ends `budget` from now. The consent to
    /// use disks is settled here, once for all.
    pub fn new(
        plan: Plan,
        default: Target,
        given: &Consent,
        site: Site<'a>,
        budget: Duration,
    ) -> Result<Campaigns<'a>> {
        let deadline = Instant::now() + budget;
        let plan = for_stages(plan);
        let asked_order = plan.order;
        let plan = Plan { targets: vec![default.clone()], ..plan };
        let resolved = Resolved::until(site.stop, Asked::by_user(plan), &terminal::note)?;
        process_limit::check(&resolved, &ThisHost)?;
        let (ordered, consent) = disks::ordered(resolved, &site.campaign(Wrong::Refuse), given)?;
        let costs = Costs::expected(&ordered, site.state)?;
        // Each stage has an order of its own, by how many candidates it has.
        let plan = Plan { order: asked_order, ..ordered.plan.clone() };
        let (ran, failed) = (Vec::new(), BTreeSet::new());
        Ok(Campaigns { plan, default, site, consent, deadline, costs, ran, failed })
    }

    /// Expected time of a turn, seconds.
    pub fn turn_s(&self) -> f64 {
        self.costs.turn_s
    }

    fn stage_plan(&self, stage: &Stage, variants: &[Variant]) -> Plan {
        let variants = variants.iter().map(|variant| variant.target.clone());
        let nth = self.ran.len() as u64;
        Plan {
            targets: std::iter::once(self.default.clone()).chain(variants).collect(),
            baseline: Some(self.default.to_string()),
            blocks: Some(stage.blocks),
            seed: self.plan.seed.map(|seed| seed.wrapping_add(nth)),
            ..self.plan.clone()
        }
    }
}

/// `plan` as each stage has it: the budget is of the whole search, the default is the control of each stage, and how
/// candidates were side by side in another campaign, or had parts of a disk, is not how many variants are.
fn for_stages(plan: Plan) -> Plan {
    Plan {
        budget_s: None,
        aa: None,
        backing: BackingPlan { split: false, ..plan.backing },
        order: plan.order.filter(|order| *order == Order::InTurn),
        ..plan
    }
}

impl Costs {
    /// By the rates of the backing.
    fn expected(ordered: &Ordered, state: &Path) -> Result<Costs> {
        let work = images::work_dir(ordered, state);
        let (load, pilot) = range::expected_load(ordered, &work)?;
        let backing = &ordered.plan.backing;
        let image = match backing.devices.is_empty() {
            true => backing.image_size().unwrap_or_else(|| load.image_bytes()),
            false => model::text::Bytes(0),
        };
        Ok(Costs {
            turn_s: load.seconds(&pilot) + INSTANCE_S * ordered.counts.len() as f64,
            image_s: image.0 as f64 / pilot.write_bytes_per_s,
        })
    }

    /// The time per turn, from a stage of `turns`.
    fn learn(&mut self, elapsed_s: f64, turns: f64) {
        self.turn_s = (elapsed_s - self.image_s).max(elapsed_s / 2.0) / turns;
    }
}

impl Bench for Campaigns<'_> {
    type Variant = Variant;
    type Error = anyhow::Error;

    fn turns_left(&self) -> f64 {
        let left_s = self.deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        ((left_s - self.costs.image_s) * PLANNED / self.costs.turn_s).max(0.0)
    }

    fn measure(&mut self, stage: &Stage, variants: &[Variant]) -> Result<Dataset> {
        let start = Instant::now();
        let asked = Asked::by_user(self.stage_plan(stage, variants));
        let resolved = Resolved::until(self.site.stop, asked, &terminal::note)?;
        let site = self.site.campaign(Wrong::LeaveOut);
        let (ordered, _) = disks::ordered(resolved, &site, &self.consent)?;
        if self.ran.is_empty() {
            others::before(&ordered, self.site.state, OtherPrograms::Named, self.site.stop)?;
        }
        let mut campaign = begin::campaign(&ordered, self.site.state)?;
        let (kind, n) = (stage_name(stage.kind), variants.len());
        campaign.title = format!("{kind} of {n} variants of {}", self.default);
        campaign.notes.push(Note::TuningStage { target: self.default.to_string() });
        terminal::note(&campaign.title);
        let id = campaign.id.clone();
        let stored = begin::stored(ordered, campaign, self.site.store, &self.site.key)?;
        self.ran.push((stage.kind, id.clone()));
        let means = drive::Means {
            consent: &self.consent,
            state: self.site.state,
            key: &self.site.key,
            hosts: &ThisHost,
            progress: Shown::default(),
        };
        let driven = drive::drive(stored, self.site.store, means, self.site.stop);
        // Where every variant failed the search continues without them.
        driven.or_else(|error| match error.downcast_ref() {
            Some(Refusal::Alone(_)) => Ok(()),
            _ => Err(error),
        })?;
        let turns = (n + 1) as f64 * f64::from(stage.blocks);
        self.costs.learn(start.elapsed().as_secs_f64(), turns);
        let dataset = self.site.store.dataset(&id)?;
        // All stages do the same: as much as the first has found.
        self.plan.sizes.clone_from(&dataset.campaign.plan.sizes);
        let failed = dataset.targets.iter().filter(|t| t.state != TargetState::Ok);
        self.failed.extend(failed.map(|t| t.label.clone()));
        Ok(dataset)
    }

    fn combine(&self, best: &[Variant]) -> Option<Variant> {
        variant::combined(&self.default, best)
    }
}

/// What a stage is called.
pub fn stage_name(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Screening => "screening",
        StageKind::Halving => "halving",
        StageKind::Confirmation => "confirmation",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stage_chooses_its_order_by_its_own_candidates() {
        let of = |order| for_stages(Plan { order, ..Plan::default() }).order;
        assert_eq!(
            of(Some(Order::Interleaved)),
            None,
            "20 variants are not side by side as 2 were"
        );
        assert_eq!(of(Some(Order::InTurn)), Some(Order::InTurn));
        assert_eq!(of(None), None);
    }
}
