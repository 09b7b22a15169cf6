//! Tests of external programs.

use super::*;

fn shell(text: &str) -> Result<Ran, TestError> {
    Program::shell(&[text.to_string()], Path::new("/tmp")).keep_output().run()
}

fn refusal(text: &str) -> String {
    shell(text).unwrap_err().to_string()
}

#[test]
fn output_and_cost_are_reported() {
    let ran =
        shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo $LC_ALL $TZ; pwd").unwrap();
    assert_eq!(ran.output, "C UTC\n/tmp\n");
    assert!(ran.user_s + ran.sys_s > 0.0 && ran.peak_memory_bytes > 0);
    let dir = Path::new("/tmp");
    let silent = Program::shell(&["echo unheard".into()], dir).run().unwrap();
    assert_eq!(silent.output, "");
    let words = Program::new(&["printf", "%s|", "a b", "$HOME"], dir).keep_output().run().unwrap();
    assert_eq!(words.output, "a b|$HOME|");
    let fed = Program::new(&["cat"], dir).input(b"fed").keep_output().run().unwrap();
    assert_eq!(fed.output, "fed");
}

#[test]
fn output_that_is_not_kept_goes_through_a_pipe_that_never_fills() {
    // More than a pipe holds, and the program sees a pipe and not /dev/null.
    let commands = ["test -p /proc/self/fd/1 && head -c 3000000 /dev/zero".to_string()];
    let ran = Program::shell(&commands, Path::new("/tmp")).run().unwrap();
    assert_eq!(ran.output, "");
}

#[test]
fn tar_reads_its_files_though_its_archive_is_not_kept() {
    if !needs::program_or_skip("tar") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), vec![7; 4_000_000]).unwrap();
    // What the shell and all that it waited for read.
    let commands = ["tar -cf - file", "read name bytes < /proc/self/io", "test $bytes -gt 4000000"];
    let ran = Program::shell(&commands.map(String::from), dir.path()).run();
    assert!(ran.is_ok(), "{ran:?}");
}

#[test]
fn the_environment_is_clean() {
    let program = Program::shell(&["env".into()], Path::new("/tmp")).env("ASSAY_COUNT", "7");
    let output = program.keep_output().run().unwrap().output;
    let mut keys: Vec<&str> = output.lines().filter_map(|l| Some(l.split_once('=')?.0)).collect();
    keys.retain(|key| !matches!(*key, "PWD" | "OLDPWD" | "_" | "SHLVL"));
    keys.sort_unstable();
    let mut expected: Vec<&str> = ENVIRONMENT.iter().map(|(key, _)| *key).collect();
    expected.extend(["PATH", "HOME", "TMPDIR", "ASSAY_COUNT"]);
    expected.sort_unstable();
    assert_eq!(keys, expected);
}

#[test]
fn a_failure_says_how_and_its_last_line() {
    let text = refusal("echo one >&2; echo two >&2; exit 3");
    assert_eq!(text, "`echo one >&2; echo two >&2; exit 3` failed (exit 3): two");
    assert!(refusal("false\necho never").contains("(exit 1): it printed no reason"));
    assert!(refusal("echo only this; exit 1").ends_with("only this"));
    assert!(refusal("sh -c 'kill -9 $$'").contains("(exit 137, signal 9)"));
    let long = refusal(&format!("echo {} >&2; exit 1", "x".repeat(5000)));
    assert!(long.len() < 600 && long.ends_with("..."), "{long}");
    let missing = Program::new(&["no-such-program"], Path::new("/tmp")).run().unwrap_err();
    assert!(missing.to_string().contains("(exit 127)"), "{missing}");
    let nowhere = Program::shell(&["true".into()], Path::new("/no/such/place")).run();
    assert!(nowhere.unwrap_err().to_string().starts_with("run /bin/sh: "));
}

#[test]
fn endless_output_is_no_result() {
    let text =
        refusal("yes 0123456789012345678901234567890123456789012345678901234567890123456789");
    assert!(text.contains("more than 64 MiB"), "{text}");
    let noisy = "i=0; while [ $i -lt 3000 ]; do echo line $i of many many words >&2; i=$((i+1)); done; exit 1";
    assert!(refusal(noisy).ends_with("line 2999 of many many words"));
}

#[test]
fn programs_are_found_and_missed() {
    assert!(find("sh").is_some() && find("/bin/sh").is_some());
    assert!(find("no-such-program").is_none() && find("/tmp").is_none());
    assert_eq!(missing(["sh", "env"]), None);
    let lacking = missing(["sh", "no-such-program"]).unwrap();
    assert_eq!(lacking.what, "the program no-such-program");
}

/// Runs `commands` in their own directory within `bounds`.
fn bounded(commands: &str, bounds: Bounds) -> Result<Ran, TestError> {
    let dir = tempfile::tempdir().unwrap();
    Program::shell(&[commands.to_string()], dir.path()).bounded(bounds).run()
}

fn breach(ran: Result<Ran, TestError>) -> Breach {
    match ran {
        Err(TestError::Bound { breach, .. }) => breach,
        other => panic!("{other:?}"),
    }
}

#[test]
fn program_that_writes_more_than_planned_is_ended_with_all_that_it_started() {
    let bounds = Bounds { written: Some(1 << 20), count: Count::Calls, ..Bounds::default() };
    let endless = "while :; do head -c 4000000 /dev/zero > file; sleep 0.01; done";
    for commands in [endless.to_string(), format!("setsid sh -c '{endless}' & wait")] {
        let Breach::Written { planned, seen } = breach(bounded(&commands, bounds)) else {
            panic!()
        };
        assert_eq!(planned, Bytes(1 << 20));
        // How much more it is depends on when the watcher gets a processor.
        assert!(seen > Bytes(33 << 20), "{seen}");
    }
    bounded("head -c 4000000 /dev/zero > file", bounds).unwrap();
    // What goes through pipes is not written to files.
    let bounds = Bounds { count: Count::Lesser, ..bounds };
    bounded("head -c 200000000 /dev/zero | cat > /dev/null", bounds).unwrap();
}

#[test]
fn program_whose_files_take_more_than_planned_is_ended() {
    let bounds = Bounds { space: Some(1 << 20), ..Bounds::default() };
    let many = "for i in 1 2 3 4 5 6; do fallocate -l 10M $i; done; sleep 20";
    let Breach::Space { planned, seen } = breach(bounded(many, bounds)) else { panic!() };
    assert!(planned == Bytes(1 << 20) && seen > Bytes(33 << 20), "{seen}");
    bounded("fallocate -l 20M a", bounds).unwrap();
}

#[test]
fn kernel_ends_what_makes_a_file_longer_than_all_were_planned_to_be() {
    let bounds = Bounds { space: Some(1 << 20), ..Bounds::default() };
    assert_eq!(
        breach(bounded("truncate -s 1T sparse", bounds)),
        Breach::File { planned: Bytes(1 << 20) }
    );
}

#[test]
fn program_that_leaves_too_little_free_is_ended() {
    let bounds = Bounds { reserve: 1 << 60, ..Bounds::default() };
    let reason = bounded("sleep 20", bounds).unwrap_err().to_string();
    assert!(reason.contains("below the reserve of 1.0 EiB; free some space"), "{reason}");
}

#[test]
fn program_that_removes_its_directory_is_still_seen() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("work");
    std::fs::create_dir(&dir).unwrap();
    let stat = rustix::fs::statvfs(&dir).unwrap();
    let bounds = Bounds {
        reserve: (stat.f_bavail * stat.f_frsize).saturating_sub(100 << 20),
        ..Bounds::default()
    };
    let (name, file) = (dir.display(), parent.path().join("file"));
    let commands =
        format!("cd / && rmdir {name} && fallocate -l 300M {} && sleep 20", file.display());
    let ran = Program::shell(&[commands], &dir).bounded(bounds).run();
    let breach = breach(ran);
    assert!(matches!(breach, Breach::Reserve { .. }), "{breach}");
}
