//! `assay export`: the samples of a campaign as files.

use super::report;
use crate::{
    cli::{ExportArgs, Format},
    exit::{self, Exit},
    outbox::Outbox,
    source, terminal,
};
use anyhow::Result;
use formats::{
    NamedBytes,
    export::{self, ExportOptions},
};
use std::{env, path::Path};

/// Writes the files and names each.
pub fn export(args: &ExportArgs, store: &Path) -> Result<Exit> {
    if args.identify && args.format != "bundle" {
        return Err(exit::usage(
            "--identify applies only to --format bundle; other formats keep \
                                all names",
        ));
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
    let options = ExportOptions { identified: args.identify, names: own_names() };
    Ok((format.files)(&dataset()?, &options)?)
}

/// Names of this host and of who uses it, which no rule would tell from other words.
fn own_names() -> Vec<String> {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let users = ["USER", "LOGNAME", "SUDO_USER"].into_iter().filter_map(|name| env::var(name).ok());
    users.chain([host]).collect()
}
