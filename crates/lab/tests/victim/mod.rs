//! The test `victim` of a test file, run in a process of its own that is killed while its targets stand.
#![allow(unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::print_stdout)] // the lint knows test functions, not their helpers

use std::{
    env,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
};

/// What it says when it has made all that is to be found.
const READY: &str = "provisioned";

/// Starts that of the module at `path` (`module_path!()`), as `given` what to do, and waits until it is ready.
pub fn start(path: &str, given: impl FnOnce(&mut Command) -> &mut Command) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    let test = format!("{path}::victim");
    // Names of tests are without that of their binary.
    let test = test.split_once("::").unwrap().1;
    command.args([test, "--exact", "--nocapture"]).stdout(Stdio::piped());
    let mut victim = given(&mut command).spawn().unwrap();
    let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == READY), "the victim failed");
    victim
}

/// Kills it and waits for its end.
pub fn kill(mut victim: Child) {
    victim.kill().unwrap();
    victim.wait().unwrap();
}

/// In the victim: says that it is ready, and stays.
pub fn wait_for_the_end() -> ! {
    println!("\n{READY}");
    loop {
        thread::park();
    }
}
