//! `assay export`: the samples of a campaign as files.

use super::report;
use crate::{
    cli::{ExportArgs, ExportFormat, Format},
    exit::Exit,
    source, terminal,
};
use anyhow::{Context, Result};
use formats::NamedBytes;
use std::{fs, path::Path};

/// Writes the files and names each.
pub fn export(args: &ExportArgs, store: &Path) -> Result<Exit> {
    for (name, bytes) in files(args, store)? {
        let path = args.out.join(name);
        let dir = path.parent().unwrap_or(&args.out);
        fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        terminal::out(&path.display().to_string())?;
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
        ExportFormat::Md => {
            vec![("report.md".into(), report::render(&dataset()?, Format::Md, None)?.into_bytes())]
        }
        ExportFormat::Schema => {
            vec![("dataset.schema.json".into(), formats::export::json_schema().into())]
        }
    })
}
