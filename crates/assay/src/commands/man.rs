//! `assay man`: the manual pages, one for the program and one for each verb, made from the same types as `--help`.

use crate::{
    cli::{Cli, ManArgs},
    exit::Exit,
    outbox::Outbox,
    terminal,
};
use anyhow::Result;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

/// Writes the pages and names each.
pub fn man(args: &ManArgs) -> Result<Exit> {
    let outbox = Outbox::open(&args.out)?;
    for (name, page) in pages()? {
        terminal::out(&outbox.write(&name, &page)?.display().to_string())?;
    }
    Ok(Exit::Done)
}

fn pages() -> Result<Vec<(String, Vec<u8>)>> {
    let mut program = Cli::command();
    // Gives the verbs their names and the options that all have.
    program.build();
    let verbs = program.get_subcommands().filter(|verb| verb.get_name() != "help");
    [&program].into_iter().chain(verbs).map(page).collect()
}

fn page(command: &Command) -> Result<(String, Vec<u8>)> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
    let mut bytes = Vec::new();
    Man::new(command.clone()).title(name.to_uppercase()).render(&mut bytes)?;
    Ok((format!("{name}.1"), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_a_page_with_its_options_and_examples() {
        let pages = pages().unwrap();
        let verbs = Cli::command().get_subcommands().count();
        assert_eq!(pages.len(), verbs + 1);
        let page = |name: &str| {
            let (_, page) = pages.iter().find(|(of, _)| of == name).unwrap();
            String::from_utf8(page.clone()).unwrap()
        };
        assert!(page("assay-run.1").contains("image\\-dir"));
        assert!(page("assay-run.1").contains("Examples:"));
        assert!(page("assay.1").contains("Exit status"));
    }
}
