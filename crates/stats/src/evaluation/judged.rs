//! Computes the findings of a dataset, class by class.

use crate::{
    advice::Workloads,
    description::{
        CampaignFacts, Settings, StatsError,
        cell::{data::CellData, select},
        check::selfcheck,
        class::{
            baseline::{self, target_order},
            classes::{Class, classes},
        },
        figure::{disks, hosts, io500, latency, scaling},
        looks,
        sample::{after_faults, full, injected, proof, snapshots, steady},
        table::tables,
    },
    evaluation::{Findings, findings::failures},
    tuning::sweep,
    verdict::{cost, decide, leaders, next_step},
};
use model::result::Dataset;

/// Findings with the cells that they rest on.
pub(crate) type Judged = (Findings, Vec<CellData>);

/// Everything that can be concluded from `dataset`: ratio tables with intervals and verdicts, and
/// the verdict. What was measured in different labs, or does not keep what was synced while others do, is judged
/// apart: the findings are those of the preferred class, with those of each other one in addition.
pub fn findings(dataset: &Dataset, settings: &Settings) -> Result<Findings, StatsError> {
    let classes = classes(dataset, settings)?;
    let all: Vec<Findings> =
        classes.iter().map(|class| Ok(judged(class)?.0)).collect::<Result<_, StatsError>>()?;
    together(all).ok_or_else(|| StatsError::NoTargets { campaign: dataset.campaign.id.clone() })
}

/// The first of `all`, with the others in addition.
pub(crate) fn together(all: Vec<Findings>) -> Option<Findings> {
    let mut all = all.into_iter();
    let first = all.next()?;
    Some(Findings { others: all.collect(), ..first })
}

/// The findings of one class with the cells that they rest on.
pub(crate) fn judged(class: &Class<'_>) -> Result<(Findings, Vec<CellData>), StatsError> {
    let (dataset, settings) = (class.dataset.as_ref(), &class.settings);
    if !(settings.band > 0.0 && settings.band < 1.0) {
        return Err(StatsError::Band { band: settings.band.to_string() });
    }
    let targets = target_order(dataset, settings)?;
    let cells = select::select(dataset, &targets, settings.contention_limit_pct)?;
    let selfcheck = selfcheck::selfcheck(dataset, &targets, &cells, settings)?;
    let mut tables = tables::tables(dataset, &targets, &cells, settings);
    if !class.is_ranked {
        tables.iter_mut().for_each(|table| table.lead = None);
        tables.iter_mut().flat_map(|table| &mut table.rows).for_each(|row| row.lead = None);
    }
    let sweeps = sweep::sweeps(dataset, &targets, &cells, settings);
    let calm = select::undisturbed(dataset, &targets, settings.contention_limit_pct, &cells)?;
    let verdict = decide::verdict(class, &targets, &cells, calm.as_deref());
    let leaders = leaders::leaders(dataset, &targets, &cells, &verdict, settings);
    let next = next_step::next(&verdict, looks::bar(&dataset.campaign), settings);
    let columns: Vec<usize> = (0..targets.len()).collect();
    let findings = Findings {
        lab: class.lab,
        durability: class.durability.clone(),
        is_ranked: class.is_ranked,
        campaign: CampaignFacts::of(dataset, &cells, &columns),
        baseline: targets[0].clone(),
        baseline_instead: baseline::instead(dataset, &targets[0], settings),
        failures: failures(dataset),
        latencies: latency::latencies(dataset, &targets),
        scalings: scaling::scalings(dataset, &targets, &cells),
        io500: io500::scores(dataset, &targets, &cells),
        costs: cost::costs(dataset, &targets, &verdict, settings)?,
        steadiness: steady::steadiness(dataset, &targets),
        fault_cells: after_faults::fault_cells(dataset, &targets),
        failed_writes: injected::failed_write_cells(dataset, &targets),
        turned_bits: injected::turned_bit_cells(dataset, &targets),
        full: full::full_cells(dataset, &targets),
        mirrors: injected::mirror_cells(dataset, &targets),
        snapshots: snapshots::snapshot_cells(dataset, &targets),
        hosts: hosts::host_cells(dataset, &targets),
        disks: disks::disk_cells(dataset, &targets),
        doubts: proof::doubts(dataset, &targets),
        targets,
        band: settings.band,
        contention_limit_pct: settings.contention_limit_pct,
        tables,
        verdict,
        next,
        leaders,
        selfcheck,
        sweeps,
        comparison: None,
        advice: None,
        timed: None,
        since: None,
        workloads: Workloads::default(),
        features: Vec::new(),
        others: Vec::new(),
    };
    Ok((findings, cells))
}
