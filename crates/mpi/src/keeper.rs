//! Cleans up after rank 0 was killed. A launcher that loses a rank kills the others a second later, including rank 0
//! with whatever it was undoing. A process unknown to the launcher waits for the end of rank 0, and runs cleanup unless
//! rank 0 reported that it did. A batch system that kills a whole job by its control group kills the keeper as well:
//! then use `assay cleanup`.

use anyhow::Result;
use campaign::run::hosts::ThisHost;
use rustix::process::setsid;
use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    path::PathBuf,
    process::{Child, Command, ExitCode, Stdio},
    thread,
    time::Duration,
};

/// The hidden verb: `PROGRAM __keeper STATE`.
pub const VERB: &str = "__keeper";

/// What rank 0 writes when nothing is left to do.
const DONE: u8 = b'.';

/// How often it tries, and how long it rests in between: longer than launchers wait before they kill, 30 s where they
/// are reported as described in docs/many-hosts.md.
const MOST_TRIES: u32 = 60;
const REST: Duration = Duration::from_secs(1);

/// Verbs that make something.
const MAKING: [&str; 2] = ["run", "resume"];

/// The process that waits.
#[derive(Debug)]
pub struct Keeper(Child);

impl Keeper {
    /// Starts one where `arguments` of the program make something.
    ///
    /// # Errors
    /// No process can be started, or the state folder is refused.
    pub fn start(arguments: &[OsString]) -> Result<Option<Keeper>> {
        if !arguments.iter().skip(1).any(|word| MAKING.iter().any(|verb| word == verb)) {
            return Ok(None);
        }
        Ok(Some(Keeper(command(arguments)?.spawn()?)))
    }

    /// Lets it go: everything was torn down here.
    pub fn release(mut self) {
        // One that is gone needs not be told.
        let _ = self.0.stdin.take().map(|mut pipe| pipe.write_all(&[DONE]));
        let _ = self.0.wait();
    }
}

/// What starts one. It works elsewhere than rank 0, so the state folder is absolute.
fn command(arguments: &[OsString]) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(VERB).arg(assay_program::state_folder(state(arguments).as_deref())?);
    // A launcher waits until no process holds its pipes.
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
    Ok(command)
}

/// The state folder that `arguments` name.
fn state(arguments: &[OsString]) -> Option<PathBuf> {
    let at = |word: &OsString| word.to_str().is_some_and(|text| text.starts_with("--state"));
    let found = arguments.iter().position(at)?;
    match arguments[found].to_str()?.split_once('=') {
        Some((_, path)) => Some(path.into()),
        None => arguments.get(found + 1).map(PathBuf::from),
    }
}

/// Does what the keeper is for, when this process is one.
pub fn hidden() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(VERB)) {
        return None;
    }
    // A launcher kills the group of a rank; who leads one already is in none of that.
    let _ = setsid();
    let mut said = Vec::new();
    let heard = io::stdin().read_to_end(&mut said);
    if heard.is_ok() && said.first() == Some(&DONE) {
        return Some(ExitCode::SUCCESS);
    }
    let mut words = vec![OsString::from("assay-mpi")];
    words.extend(arguments.next().into_iter().flat_map(|state| ["--state".into(), state]));
    words.push("cleanup".into());
    let clean = || assay_program::main_on(&ThisHost, words.iter().cloned());
    Some(until_done(clean, || thread::sleep(REST)))
}

/// Cleans, and again after a rest while that fails: until the launcher has killed the other ranks they make and remove
/// files in what is removed here.
fn until_done(mut clean: impl FnMut() -> ExitCode, mut rest: impl FnMut()) -> ExitCode {
    for _ in 1..MOST_TRIES {
        if clean() == ExitCode::SUCCESS {
            return ExitCode::SUCCESS;
        }
        rest();
    }
    clean()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleaning_goes_on_while_others_are_in_the_way() {
        let cleaned_at = |done: u32| {
            let (mut tries, mut rests) = (0, 0);
            let clean = || {
                tries += 1;
                if tries == done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
            };
            let status = until_done(clean, || rests += 1);
            (status == ExitCode::SUCCESS, tries, rests)
        };
        assert_eq!(cleaned_at(1), (true, 1, 0));
        assert_eq!(cleaned_at(3), (true, 3, 2));
        assert_eq!(cleaned_at(u32::MAX), (false, MOST_TRIES, MOST_TRIES - 1));
    }

    #[test]
    fn keeper_gets_absolute_state_folder() {
        let here = env::current_dir().unwrap();
        let of = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let command = command(&words).unwrap();
            assert_eq!(command.get_current_dir(), Some("/".as_ref()));
            command.get_args().nth(1).map(PathBuf::from)
        };
        assert_eq!(of("assay-mpi run --state state"), Some(here.join("state")));
        assert_eq!(
            of("assay-mpi run --state=../state"),
            Some(here.parent().unwrap().join("state"))
        );
        assert_eq!(of("assay-mpi resume --state /s"), Some("/s".into()));
        // The defaults of rank 0 are passed, too.
        assert!(of("assay-mpi run").unwrap().is_absolute());
    }

    #[test]
    fn the_state_folder_is_found_however_it_is_written() {
        let of = |line: &str| state(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("assay-mpi run --state /s --on x"), Some("/s".into()));
        assert_eq!(of("assay-mpi --state=/t run"), Some("/t".into()));
        assert_eq!(of("assay-mpi run"), None);
    }
}
