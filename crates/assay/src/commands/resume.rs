//! `assay resume`: go on at the first unfinished block, from the stored plan alone.

use super::run;
use crate::{
    campaign::{places, prepare::Prepared},
    cli::ResumeArgs,
    exit::Exit,
    signals, source, terminal,
};
use anyhow::{Result, bail};
use model::CampaignState;
use std::path::Path;

/// Undoes what the interrupted run left, and runs the missing blocks.
pub fn resume(args: &ResumeArgs, store_path: &Path, state: &Path) -> Result<Exit> {
    let dataset = source::dataset(&args.id, store_path)?;
    source::writable(&dataset)?;
    let campaign = dataset.campaign;
    let mut store = run::open_store(store_path)?;
    if campaign.state == CampaignState::Done {
        terminal::note(&format!("{} is complete; nothing is left to run", campaign.id));
        return run::finish(&store, &campaign.id, &args.html, args.format);
    }
    let mut plan = campaign.plan.clone();
    plan.backing.wipe_signatures.clone_from(&args.wipe_signature);
    let mut prepared = Prepared::new(plan)?;
    if prepared.infos() != dataset.tests {
        bail!(
            "{} was begun by assay {} whose tests differ from this version's; finish it with that version",
            campaign.id,
            campaign.assay_version
        );
    }
    run::check_writable(&args.html)?;
    let stop = signals::stop_flag()?;
    let report = lab::Cleanup::of(state).run()?;
    for line in report.done.iter().chain(&report.told).chain(&report.failed) {
        terminal::note(line);
    }
    places::choose(&mut prepared, state, &stop)?;
    run::drive(&prepared, &campaign, &mut store, state, &stop)?;
    run::finish(&store, &campaign.id, &args.html, args.format)
}
