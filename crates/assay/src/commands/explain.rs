//! `assay explain`: the page of a test, or the list of tests.

use crate::{
    cli::ExplainArgs,
    exit::{self, Exit},
    terminal,
};
use anyhow::Result;

/// Prints the page of one test, or every test with its name.
pub fn explain(args: &ExplainArgs) -> Result<Exit> {
    let text = match &args.test {
        Some(id) => {
            let test = suites::find(id).ok_or_else(|| {
                exit::usage(format!("there is no test `{id}`; `assay explain` lists them"))
            })?;
            test.explain(id)
        }
        None => list(),
    };
    terminal::out(&text);
    Ok(Exit::Done)
}

fn list() -> String {
    let infos = suites::SUITES.iter().flat_map(|suite| suite.tests).flat_map(|test| test.infos());
    infos.map(|info| format!("{:<42} {} ({})\n", info.id, info.name, info.testtype)).collect()
}
