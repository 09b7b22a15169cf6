//! What programs may do, and what becomes of it.

use super::*;

fn shell(text: &str) -> Result<Ran, TestError> {
    Program::shell(&[text.to_string()], Path::new("/tmp")).keep_output().run()
}

fn refusal(text: &str) -> String {
    shell(text).unwrap_err().to_string()
}

#[test]
fn output_and_cost_are_told() {
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
    assert!(refusal("false\necho never").contains("(exit 1): it gave no reason"));
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
