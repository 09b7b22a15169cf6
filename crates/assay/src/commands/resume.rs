//! `assay resume`: runs missing blocks, retries failed turns, or adds blocks, from the stored plan and, on disks, a new
//! consent. Campaigns that this installation did not start are refused.

use super::{allocation, run};
use crate::{
    begin, cli::ResumeArgs, disks, drive, exit::Exit, mark::Key, opened, others, signals, source,
    terminal, whereabouts,
};
use anyhow::{Result, bail};
use campaign::{
    guests::kernels,
    pipeline::{Site, programs},
    run::hosts::Hosts,
    sizes::space::Remedy,
    stages::{Asked, Resolved, Stored},
};
use model::result::{Campaign, CampaignState, Note};
use std::path::Path;

/// Undoes what the interrupted run left, and runs the missing blocks.
pub fn resume(
    args: &ResumeArgs,
    store_path: &Path,
    state: &Path,
    hosts: &dyn Hosts,
) -> Result<Exit> {
    terminal::notes_for(args.end.progress());
    let mut dataset = source::begun_here(&args.id, store_path, state)?;
    let stop = signals::stop_flag()?;
    let mut store = opened::store_to_run(store_path, &stop)?;
    let finished = store.finished_blocks(&dataset.campaign.id)?.len() as u32;
    if let Some(more) = args.blocks {
        extend(&mut dataset.campaign, finished, more);
    }
    let campaign = &dataset.campaign;
    let is_complete = store.unfinished(&campaign.id)?.is_empty();
    if campaign.state == CampaignState::Done && is_complete {
        terminal::note(&format!("{} is complete; nothing to run", campaign.id));
        return run::finish(&store, &campaign.id, &args.end);
    }
    // Its mark says that it was begun here, and so checked.
    let asked = Asked::by_user(campaign.plan.clone());
    let resolved = Resolved::until(&stop, asked, &terminal::note)?;
    if resolved.infos() != dataset.tests {
        bail!(
            "{} was started by assay {}, whose tests differ from this version's; finish it with \
             that version",
            campaign.id,
            campaign.assay_version
        );
    }
    let changed = allocation::resumed((campaign, &resolved), hosts, args.hosts_changed)?;
    run::check_writable(args.end.out())?;
    disks::check_consent(&resolved.plan, &args.consent)?;
    let report = lab::cleanup::Cleanup::of(state).run()?;
    for line in report.done.iter().chain(&report.messages).chain(&report.failed) {
        terminal::note(line);
    }
    // After the cleaning up, as what the interrupted run left is in the way.
    let site = begin::site(state, &stop, args.programs.unconfined);
    let site = Site { remedy: Remedy::MakeRoom, ..site };
    let (ordered, consent) = disks::ordered(resolved, &site, &args.consent)?;
    kernels::check_same(&ordered, &dataset.targets)?;
    whereabouts::lines(&ordered, state).iter().for_each(|line| terminal::note(line));
    others::before(&ordered, state, args.quiet.others(), &stop)?;
    if let Some(note) = programs::note(&ordered).filter(|note| !campaign.notes.contains(note)) {
        store.add_note(&campaign.id, &note)?;
    }
    if let Some(note) = changed.filter(|note| !campaign.notes.contains(note)) {
        store.add_note(&campaign.id, &note)?;
    }
    let key = Key::of(&opened::state(state)?)?;
    if let Some(more) = args.blocks {
        let mark = key.mark(campaign, &dataset.targets, &dataset.tests)?;
        store.replan(campaign, &mark, looked(finished, more).as_ref())?;
    }
    let progress = args.end.progress();
    let means = drive::Means { consent: &consent, state, key: &key, hosts, progress };
    let id = campaign.id.clone();
    let stored = Stored::resumed(ordered, dataset.campaign);
    let driven = drive::drive(stored, &mut store, means, &stop);
    run::report_stopped(&driven, &store, &id, &args.end)?;
    driven?;
    run::finish(&store, &id, &args.end)
}

/// Makes `campaign`, of which `finished` blocks are there, one of `more` blocks. Their number is exact from now
/// on: a user who asks for more has seen the results so far.
fn extend(campaign: &mut Campaign, finished: u32, more: u32) {
    let plan = &mut campaign.plan;
    let until_now = if plan.looks().is_empty() { plan.block_count() } else { finished };
    if finished > 0 {
        plan.looked_at.push(finished);
    }
    (plan.blocks, plan.budget_s) = (Some(until_now.saturating_add(more)), None);
    campaign.state = CampaignState::Open;
}

/// What a reader of the figures must know of such a campaign, when there were any to look at.
fn looked(finished: u32, more: u32) -> Option<Note> {
    (finished > 0).then_some(Note::BlocksAdded { blocks: more, after_blocks: finished })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        plan::{Plan, Preset},
        result::{Environment, Origin},
    };

    fn campaign(plan: Plan) -> Campaign {
        Campaign {
            id: "a".into(),
            created: String::new(),
            title: String::new(),
            origin: Origin::Run,
            state: CampaignState::Done,
            assay_version: String::new(),
            plan,
            scale: 1.0,
            seed: 1,
            environment: Environment::default(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn more_blocks_come_on_top_of_the_planned_or_of_those_that_precision_asked_for() {
        let blocks = |plan, finished| {
            let mut campaign = campaign(plan);
            extend(&mut campaign, finished, 5);
            assert!(campaign.plan.check().is_ok() && campaign.state == CampaignState::Open);
            campaign.plan.block_count()
        };
        let plan = |preset, blocks, budget_s| Plan { preset, blocks, budget_s, ..Plan::default() };
        assert_eq!(blocks(plan(Preset::Quick, None, None), 3), 8);
        assert_eq!(blocks(plan(Preset::Quick, Some(4), None), 4), 9);
        // Interrupted after the first.
        assert_eq!(blocks(plan(Preset::Quick, None, None), 1), 6);
        assert_eq!(blocks(plan(Preset::Standard, None, None), 8), 13);
        assert_eq!(blocks(plan(Preset::Quick, None, Some(600)), 7), 12);
    }
}
