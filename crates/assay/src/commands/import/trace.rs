//! `assay import app.strace -o app.trace`: the text of strace becomes a trace.

use crate::{cli::ImportArgs, commands::record, exit, exit::Exit, outbox, terminal};
use ::record::strace::{self, Import};
use anyhow::{Context, Result};
use std::{fs::File, io::BufWriter, path::Path};

/// Reads the one file and writes the trace.
pub(super) fn import(args: &ImportArgs, out: &Path) -> Result<Exit> {
    let [input] = args.files.as_slice() else {
        return Err(exit::usage("a trace is made of one file of strace"));
    };
    let text = File::open(input).with_context(|| format!("cannot read {}", input.display()))?;
    let Some(file) = outbox::open_new(out)? else {
        let path = out.display();
        return Err(exit::usage(format!("{path} already exists; choose another name")));
    };
    let made = file.try_clone()?;
    let options = Import {
        trees: args.dirs.clone(),
        directory: args.cwd.clone().unwrap_or_else(|| "/".into()),
        anonymous: args.anonymous,
        command: String::new(),
    };
    let imported = strace::import(text, BufWriter::with_capacity(1 << 20, file), &options);
    let imported = imported.map_err(|error| {
        outbox::discard(out, &made);
        record::worded(error)
    })?;
    for line in record::lines(out, &imported) {
        terminal::out(&line)?;
    }
    Ok(Exit::Done)
}
