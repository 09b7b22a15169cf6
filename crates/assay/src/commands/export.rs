//! `assay export`: the samples of a campaign as files.

use super::report;
use crate::{
    cli::{ExportArgs, Format},
    exit::{self, Exit},
    outbox::Outbox,
    source, terminal,
};
use anyhow::Result;
use campaign::inputs::assets::{self, Outgoing};
use formats::{
    NamedBytes,
    export::{self, Enclosed, ExportOptions, MOST_ENCLOSED_BYTES},
};
use model::{
    text::{Bytes, printable_line},
    workload::Asset,
};
use std::{env, io::Write, path::Path};

/// Writes the files and names each.
pub fn export(args: &ExportArgs, store: &Path, state: &Path) -> Result<Exit> {
    if args.identify && args.format != "bundle" {
        return Err(exit::usage(
            "--identify applies only to --format bundle; other formats keep \
                                all names",
        ));
    }
    if args.without_assets && args.format != "bundle" {
        return Err(exit::usage(
            "--without-assets applies only to --format bundle; other formats never hold assets",
        ));
    }
    if args.format == "bundle" {
        return bundle(args, store, state);
    }
    let files = files(args, store)?;
    let outbox = Outbox::open(&args.out)?;
    for (name, bytes) in files {
        terminal::out(&outbox.write(&name, &bytes)?.display().to_string())?;
    }
    Ok(Exit::Done)
}

fn files(args: &ExportArgs, store: &Path) -> Result<Vec<NamedBytes>> {
    let dataset = || source::dataset(&args.id, store);
    if args.format == "schema" {
        return Ok(vec![("dataset.schema.json".into(), export::json_schema().into())]);
    }
    let Some(format) = export::ALL.iter().find(|format| format.name == args.format) else {
        let dataset = dataset()?;
        let findings = report::judged(&dataset, None, store)?;
        let text = report::text(&dataset, &findings, Format::Md)?;
        return Ok(vec![("report.md".into(), text.into_bytes())]);
    };
    Ok((format.files)(&dataset()?, &ExportOptions::default())?)
}

/// Writes a bundle with its assets, which are read and written in parts.
fn bundle(args: &ExportArgs, store: &Path, state: &Path) -> Result<Exit> {
    let dataset = source::dataset(&args.id, store)?;
    let mut copies = copies(args, &dataset.campaign.plan.assets, state)?;
    let enclosed =
        copies.iter().map(|copy| Enclosed { index: copy.index, bytes: copy.asset.bytes.0 });
    let (identified, names) = (args.identify, own_names());
    let options = ExportOptions { identified, names, enclosed: enclosed.collect() };
    let outbox = Outbox::open(&args.out)?;
    for (name, bytes) in export::bundle_to_enclose(&dataset, &options)? {
        let path = outbox.fill(&name, &mut |file| {
            file.write_all(&bytes)?;
            Ok(copies.iter_mut().try_for_each(|copy| export::enclose(copy, file))?)
        })?;
        terminal::out(&path.display().to_string())?;
    }
    Ok(Exit::Done)
}

/// The copies of `assets` to enclose. Says which those are and how long, and which are left out.
fn copies(args: &ExportArgs, assets: &[Asset], state: &Path) -> Result<Vec<Outgoing>> {
    if args.without_assets || assets.is_empty() {
        let left_out = assets.iter().map(|asset| format!("left out: {}", line(asset)));
        left_out.for_each(|line| terminal::note(&line));
        return Ok(Vec::new());
    }
    let copies = match assets::outgoing(assets, state) {
        Ok(copies) => copies,
        // Who may read the store of another user may not enter the state folder of that user.
        Err(error) => {
            terminal::note(&format!("the copies of assets cannot be read: {error:#}"));
            Vec::new()
        }
    };
    for asset in assets {
        let holds = copies.iter().any(|copy| copy.asset.sha256 == asset.sha256);
        let what = if holds { "enclosed" } else { "left out, no copy is here" };
        terminal::note(&format!("{what}: {}", line(asset)));
    }
    let bytes = copies.iter().fold(0, |sum: u64, copy| sum.saturating_add(copy.asset.bytes.0));
    let (all, most) = (Bytes(bytes), Bytes(MOST_ENCLOSED_BYTES));
    if all > most {
        return Err(exit::usage(format!(
            "the assets have {all}, and the limit of a bundle is {most}; pass --without-assets, and hand on the folder of \
             the suite"
        )));
    }
    if !copies.is_empty() {
        terminal::note(&format!(
            "the bundle holds {all} of assets, before compression; names of machines and users in them are kept"
        ));
    }
    Ok(copies)
}

fn line(asset: &Asset) -> String {
    let (name, bytes) = (printable_line(asset.name.as_str()), asset.bytes);
    format!("asset {name} of {}, {bytes}", printable_line(&asset.suite))
}

/// Names of this host and of who uses it, which no rule would tell from other words.
fn own_names() -> Vec<String> {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let users = ["USER", "LOGNAME", "SUDO_USER"].into_iter().filter_map(|name| env::var(name).ok());
    users.chain([host]).collect()
}
