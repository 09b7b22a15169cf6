//! `assay remake`: recreates the disk that a fault left, as an image, from the recording that its campaign kept.

use crate::{
    cli::RemakeArgs,
    exit::{self, Exit},
    outbox::Outbox,
    source, terminal,
};
use anyhow::{Context, Result, bail};
use campaign::faults::{self, Remade};
use model::{
    result::{CrashStates, Dataset, Found, Sample},
    text::Bytes,
};
use std::{fs::File, os::unix::fs::FileExt, path::Path};
use store::{RecordingKey, Store};

/// Lists all harm of a campaign, or makes one state again.
pub fn remake(args: &RemakeArgs, store: &Path) -> Result<Exit> {
    let dataset = source::dataset(&args.id, store)?;
    let (Some(test), Some(label), Some(number)) = (&args.test, &args.target, args.number) else {
        terminal::out(&list(&dataset))?;
        return Ok(Exit::Done);
    };
    if !store.exists() {
        bail!("no campaigns in {}", store.display());
    }
    let store = Store::open_read_only(store)?;
    let key = key(&dataset, &store, (test, label), number)?;
    let id = &dataset.campaign.id;
    let packed = store.recording(id, &key)?.context("the recording was removed meanwhile")?;
    let remade = faults::remake(&packed, (test, label), number)?;
    let name = format!("state-{number}.img");
    let out = args.out.clone().unwrap_or_else(|| name.clone().into());
    let file = out.file_name().and_then(|name| name.to_str()).unwrap_or(&name);
    let dir = out.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let held = remade.pieces.iter().map(|(_, data)| data.len() as u64).sum();
    Outbox::open(dir)?.fill(file, &mut |file| write(&remade, file))?;
    terminal::note(&format!(
        "wrote {}, sparse: {} of {}",
        out.display(),
        Bytes(held),
        Bytes(remade.bytes)
    ));
    terminal::out(&about(&dataset, (test, label), number, &remade, &out))?;
    Ok(Exit::Done)
}

fn write(remade: &Remade, file: &mut File) -> Result<()> {
    file.set_len(remade.bytes)?;
    for (at, data) in &remade.pieces {
        file.write_all_at(data, *at)?;
    }
    Ok(())
}

/// The samples of crashes of `dataset`, with what was found.
fn crashes(dataset: &Dataset) -> impl Iterator<Item = (&Sample, &CrashStates)> {
    dataset.samples.iter().filter_map(|sample| {
        let after = sample.evidence.after_fault.as_deref()?;
        Some((sample, after.crash()?))
    })
}

/// The recording that has the state `number`: that of the first block whose sample names it.
fn key(
    dataset: &Dataset,
    store: &Store,
    (test, label): (&str, &str),
    number: u64,
) -> Result<RecordingKey> {
    let kept = store.recordings(&dataset.campaign.id)?;
    let is_of =
        |key: &RecordingKey| key.test.split(' ').next() == Some(test) && key.target == label;
    let own: Vec<RecordingKey> = kept.into_iter().filter(is_of).collect();
    // Of several workloads the example begins with the directory of its own.
    let is_told = |key: &RecordingKey, found: &Found| {
        let work = key.test.split(' ').nth(1);
        found.example == number
            && work.is_none_or(|work| found.detail.split(' ').next() == Some(work))
    };
    let names = |key: &RecordingKey| {
        crashes(dataset).any(|(sample, after)| {
            let case = &sample.case;
            (sample.block, &*case.test, &*case.target) == (key.block, test, label)
                && after.found.values().any(|found| is_told(key, found))
        })
    };
    let named = own.iter().find(|key| names(key));
    named.or(own.first()).cloned().ok_or_else(|| {
        exit::usage(format!(
            "campaign {} kept no recording of {test} on {label}; `assay remake {}` lists the states that it can recreate",
            dataset.campaign.id, dataset.campaign.id
        ))
    })
}

/// All harm, with the command for each.
fn list(dataset: &Dataset) -> String {
    let id = &dataset.campaign.id;
    let line = |sample: &Sample, words: &str, found: &Found| {
        let case = (&*sample.case.test, &*sample.case.target);
        let command = report::words::remake_command(id, case, found.example);
        format!(
            "{} in {}: {words}\n  {}\n  {command}\n",
            sample.case.target, sample.case.test, found.detail
        )
    };
    let of = |(sample, after): (&Sample, &CrashStates)| -> String {
        after
            .found
            .iter()
            .map(|(harm, found)| line(sample, report::words::harm_of_state(*harm), found))
            .collect()
    };
    let lines: String = crashes(dataset).map(of).collect();
    match lines.is_empty() {
        true => format!("campaign {id} found no harm after a fault"),
        false => lines.trim_end().to_string(),
    }
}

/// What the image holds, and how to look at it.
fn about(
    dataset: &Dataset,
    (test, label): (&str, &str),
    number: u64,
    remade: &Remade,
    path: &Path,
) -> String {
    let mut text = match remade.acknowledged {
        Some(mark) => format!("{label} as {test} left it, after mark {mark} was acknowledged\n"),
        None => format!("{label} as {test} left it, before anything was acknowledged\n"),
    };
    for (sample, after) in crashes(dataset) {
        let is_it = (&*sample.case.test, &*sample.case.target) == (test, label);
        for (harm, found) in after.found.iter().filter(|(_, own)| is_it && own.example == number) {
            text += &format!("harm: {}: {}\n", report::words::harm_of_state(*harm), found.detail);
        }
    }
    let record = dataset.targets.iter().find(|target| target.label == label);
    let target = record.and_then(|record| fs::resolve(&record.target.parse().ok()?).ok());
    if let Some((mount, check)) = target.and_then(|target| faults::commands(&target, path)) {
        text += &format!("files of the workload, once it is mounted: /mnt/{}\n", remade.work);
        if let Some(check) = check {
            text += &format!("before its recovery: {check}\n");
        }
        text += &format!("mount, as root, which recovers it: {mount}\n");
    }
    text.trim_end().to_string()
}
