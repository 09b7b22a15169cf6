//! The `assay` program as a library: reads arguments, calls one verb, prints one line when it fails.

// Nothing of a program can be reached from outside; `pub` says here that another file uses it.
#![allow(unreachable_pub)]

mod begin;
mod budget;
mod checks;
mod cli;
mod commands;
mod disks;
mod drive;
mod exit;
mod images;
mod install;
mod leftovers;
mod like;
mod mark;
mod opened;
mod others;
mod outbox;
mod paths;
mod process_limit;
mod repeat;
mod selection;
mod selftest;
mod signals;
mod source;
mod terminal;
mod tune;
mod unprivileged;
mod walk;
mod whereabouts;

use campaign::run::hosts::{Hosts, ThisHost};
use clap::Parser;
use model::{plan::Plan, result::Note, workload::Job};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};
use suites::Test;

/// The program on this machine alone; ends with one of the statuses of `exit`.
pub fn main() -> ExitCode {
    hidden().unwrap_or_else(|| main_on(&ThisHost, std::env::args_os()))
}

/// What the program does under a verb that is never typed by a person: `None` when there is none.
pub fn hidden() -> Option<ExitCode> {
    // A worker is this same program under a hidden verb, because one static file must be enough on
    // a server; it is recognised before the arguments are parsed, as it is never typed by a person.
    if std::env::args().nth(1).as_deref() == Some(workers::WORKER_VERB) {
        return Some(workers::main(test_of_job));
    }
    // So is the program inside a guest.
    if std::env::args().nth(1).as_deref() == Some(campaign::guests::protocol::VERB) {
        let dir = std::env::args_os().nth(2).unwrap_or_default();
        return Some(ended(commands::guest::guest(dir.as_ref())));
    }
    // And a server of the self test.
    if std::env::args().nth(1).as_deref() == Some(fs::BUSY_VERB) {
        let dir = |nth| std::env::args_os().nth(nth).unwrap_or_default();
        let served = lab::fuse::serve_busy(dir(2).as_ref(), dir(3).as_ref());
        return Some(ended(served.map(|()| exit::Exit::Done).map_err(Into::into)));
    }
    // And who puts the terminal back after a kill.
    if std::env::args().nth(1).as_deref() == Some(terminal::ECHO_GUARD_VERB) {
        let word = |nth| std::env::args().nth(nth).unwrap_or_default();
        return Some(ended(terminal::keep(&word(2), &word(3))));
    }
    // And the slow link before an object store.
    if std::env::args().nth(1).as_deref() == Some(fs::LINK_VERB) {
        return Some(ended(serve_link()));
    }
    // And what makes a place in an object store of the user's own.
    if std::env::args().nth(1).as_deref() == Some(fs::CLAIM_VERB) {
        return Some(ended(claim_prefix()));
    }
    None
}

/// The state folder that the program uses when `--state` is `argument`: an absolute path.
///
/// # Errors
/// Another user could have made a link on the way.
pub fn state_folder(argument: Option<&Path>) -> anyhow::Result<PathBuf> {
    paths::state(argument)
}

/// The store at `path` with no link in its path, as a store is opened.
///
/// # Errors
/// Another user could have made a link on the way.
pub fn store_path(path: &Path) -> anyhow::Result<PathBuf> {
    paths::store(Some(path))
}

/// Makes the place that the arguments after its verb name.
fn claim_prefix() -> anyhow::Result<exit::Exit> {
    let word = |nth| std::env::args().nth(nth).unwrap_or_default();
    let (url, region, bucket, prefix) = (word(2), word(3), word(4), word(5));
    lab::backing::claim_prefix(&model::plan::ObjectStore { url, region, bucket, prefix })?;
    Ok(exit::Exit::Done)
}

/// Serves the link that the arguments after its verb describe.
fn serve_link() -> anyhow::Result<exit::Exit> {
    let word = |nth| std::env::args().nth(nth).unwrap_or_default();
    let link = fs::Link::written(&word(4), &word(5));
    let link = link.ok_or_else(|| exit::usage("a link has a round-trip time and a rate"))?;
    lab::backing::serve_link(word(2).parse()?, word(3).parse()?, link)?;
    Ok(exit::Exit::Done)
}

/// The verb that `arguments` name, the first of which is the program; workers of campaigns come from `hosts`.
pub fn main_on(hosts: &dyn Hosts, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    match cli::Cli::try_parse_from(&arguments) {
        Ok(cli) => ended(commands::dispatch(cli, hosts)),
        Err(error) if error.kind() == clap::error::ErrorKind::InvalidUtf8 => {
            ended(Err(exit::usage(cli::not_utf8(&arguments))))
        }
        Err(error) => terminal::usage(&error),
    }
}

/// Prints an error; the exit status of a verb.
fn ended(result: anyhow::Result<exit::Exit>) -> ExitCode {
    match result {
        Ok(code) => code.into(),
        Err(error) => {
            terminal::error(&error);
            exit::of(&error).into()
        }
    }
}

/// A note of a campaign, worded.
pub fn words_of(note: &Note) -> String {
    report::words::note(note)
}

/// The plan that the plan file `path` with this text holds, as the verbs read it.
///
/// # Errors
/// It is no plan, or says what no plan file may.
pub fn plan_of_text(text: &str, path: &Path) -> anyhow::Result<Plan> {
    commands::plan_input::from_text(text, path)
}

/// The test of a worker's job: of a tool, or of a suite.
///
/// # Errors
/// No test of this program is declared so.
pub fn test_of_job(job: &Job) -> Result<&'static dyn Test, String> {
    match campaign::tools::of_job(job)? {
        Some(test) => Ok(test),
        None => suites::of_job(job),
    }
}
