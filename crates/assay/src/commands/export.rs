//! `assay export`: the samples of a campaign as files.

use super::report;
use crate::{
    cli::{ExportArgs, ExportFormat, Format},
    exit::{self, Exit},
    outbox::Outbox,
    source, terminal,
};
use anyhow::Result;
use formats::NamedBytes;
use std::{env, path::Path};

/// Writes the files and names each.
pub fn export(args: &ExportArgs, store: &Path) -> Result<Exit> {
    if args.identify && args.format != ExportFormat::Bundle {
        return Err(exit::usage("--identify is for --format bundle; other formats have all names"));
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
    Ok(match args.format {
        ExportFormat::Csv => formats::export::csv(&dataset()?)?,
        ExportFormat::Json => formats::export::json(&dataset()?)?,
        ExportFormat::Psv => formats::export::psv(&dataset()?)?,
        ExportFormat::FioJson => formats::export::fio_json(&dataset()?)?,
        ExportFormat::Bundle => formats::export::bundle(&dataset()?, args.identify, &own_names())?,
        ExportFormat::Md => {
            let dataset = dataset()?;
            let findings = report::judged(&dataset, None, store)?;
            let text = report::text(&dataset, &findings, Format::Md);
            vec![("report.md".into(), text.into_bytes())]
        }
        ExportFormat::Schema => {
            vec![("dataset.schema.json".into(), formats::export::json_schema().into())]
        }
    })
}

/// Names of this host and of who uses it, which no rule would tell from other words.
fn own_names() -> Vec<String> {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let users = ["USER", "LOGNAME", "SUDO_USER"].into_iter().filter_map(|name| env::var(name).ok());
    users.chain([host]).collect()
}
