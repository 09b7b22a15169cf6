//! `assay export`: the samples of a campaign as files.

use super::report;
use crate::{
    cli::{ExportArgs, ExportFormat, Format},
    exit::Exit,
    source, terminal,
};
use anyhow::{Context, Result};
use std::{fs, path::Path};

/// Writes the files and names each.
pub fn export(args: &ExportArgs, store: &Path) -> Result<Exit> {
    let dataset = source::dataset(&args.id, store)?;
    let files = match args.format {
        ExportFormat::Csv => formats::export::csv(&dataset)?,
        ExportFormat::Json => formats::export::json(&dataset)?,
        ExportFormat::Psv => formats::export::psv(&dataset)?,
        ExportFormat::Md => {
            vec![(
                "report.md".to_string(),
                report::render(&dataset, Format::Md, None)?.into_bytes(),
            )]
        }
    };
    for (name, bytes) in files {
        let path = args.out.join(name);
        let dir = path.parent().unwrap_or(&args.out);
        fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        terminal::out(&path.display().to_string());
    }
    Ok(Exit::Done)
}
