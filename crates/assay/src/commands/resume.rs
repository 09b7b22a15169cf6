//! `assay resume`: go on with what is missing, blocks and failed turns of them, from the stored plan and,
//! on disks, a consent that is given anew. What this assay did not begin is not gone on with.

use super::run;
use crate::{
    campaign::{places, prepare::Prepared, programs},
    cli::ResumeArgs,
    disks,
    exit::Exit,
    signals, source, terminal, whereabouts,
};
use anyhow::{Result, bail};
use model::CampaignState;
use std::path::Path;

/// Undoes what the interrupted run left, and runs the missing blocks.
pub fn resume(args: &ResumeArgs, store_path: &Path, state: &Path) -> Result<Exit> {
    let dataset = source::begun_here(&args.id, store_path, state)?;
    let campaign = dataset.campaign;
    let stop = signals::stop_flag()?;
    let mut store = run::open_to_run(store_path, &stop)?;
    let is_complete = store.unfinished(&campaign.id)?.is_empty();
    if campaign.state == CampaignState::Done && is_complete {
        terminal::note(&format!("{} is complete; nothing is left to run", campaign.id));
        return run::finish(&store, &campaign.id, &args.html, args.format);
    }
    let mut prepared = Prepared::new(campaign.plan.clone())?;
    programs::decide(&mut prepared, args.programs.unconfined)?;
    if prepared.infos() != dataset.tests {
        bail!(
            "{} was begun by assay {} whose tests differ from this version's; finish it with that version",
            campaign.id,
            campaign.assay_version
        );
    }
    run::check_writable(&args.html)?;
    disks::check_consent(&prepared.plan, &args.consent)?;
    let report = lab::Cleanup::of(state).run()?;
    for line in report.done.iter().chain(&report.told).chain(&report.failed) {
        terminal::note(line);
    }
    // After the cleaning up, as what the interrupted run left is in the way.
    let consent = disks::consent(&mut prepared, &args.consent, state)?;
    whereabouts::lines(&prepared, state).iter().for_each(|line| terminal::note(line));
    places::choose(&mut prepared, state, &stop)?;
    if let Some(note) = programs::note(&prepared).filter(|note| !campaign.notes.contains(note)) {
        store.add_note(&campaign.id, &note)?;
    }
    run::drive(&prepared, &campaign, &mut store, (&consent, state), &stop)?;
    run::finish(&store, &campaign.id, &args.html, args.format)
}
