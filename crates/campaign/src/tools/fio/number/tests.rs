//! Numbers are read as the real fio reads them.

use super::*;
use proptest::{prelude::*, test_runner::TestRunner};
use std::{
    io::Write,
    process::{Command, Stdio},
};

const KILO: Unit = Unit::Bytes { kilo: 1024 };

/// Numbers that the installed fio reads from each of `texts` as the value of `option`.
fn of_fio(option: &str, kilo: u64, texts: &[String]) -> Vec<Option<i64>> {
    let mut child = Command::new("fio")
        .args(["--parse-only", "--debug=parse", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut job = format!("[a]\nkb_base={kilo}\n");
    texts.iter().for_each(|text| job += &format!("{option}={text}\n"));
    child.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap().stdout;
    let output = String::from_utf8_lossy(&output).into_owned();
    let read = output.lines().filter_map(|line| line.split_once("ret=").map(|(_, rest)| rest));
    let read = read.filter_map(|rest| rest.split_once(", out="));
    let value =
        |(ret, out): (&str, &str)| (ret == "0").then(|| out.parse::<i128>().unwrap() as i64);
    read.map(value).collect()
}

/// Texts without separators, at which fio begins another value.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let digits = "[0-9]{0,3}|[0-9]{1,12}|0x[0-9a-f]{1,8}|0X[0-9A-F]{1,4}|[0-9]{1,4}\\.[0-9]{1,2}";
    let units =
        "[kKmMgGtTpP]?(i?[bB])?|us|usec|ms|msec|s|sec|min|m|h|d|%|[a-y]{0,4}|[.+_][a-y0-9]{0,3}";
    let text = (digits, units).prop_map(|(digits, unit)| format!("{digits}{unit}"));
    let text = text.prop_filter("fio needs a value", |text| !text.is_empty());
    prop::collection::vec(text, 60)
}

fn agrees_with_fio(option: &'static str, kilo: u64, unit: Unit) {
    if !needs::program_or_skip("fio") {
        return;
    }
    let config = ProptestConfig {
        cases: 48,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    TestRunner::new(config)
        .run(&texts(), |texts| {
            let seen = of_fio(option, kilo, &texts);
            prop_assert_eq!(seen.len(), texts.len());
            for (text, seen) in texts.iter().zip(seen) {
                prop_assert_eq!(as_fio_reads(text, unit), seen, "{} = {}", option, text);
                if let Ok(value) = number(text, unit) {
                    prop_assert_eq!(Some(value as i64), seen, "{} = {}", option, text);
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn sizes_match_real_fio() {
    agrees_with_fio("io_size", 1024, KILO);
    agrees_with_fio("io_size", 1000, Unit::Bytes { kilo: 1000 });
}

#[test]
fn times_match_real_fio() {
    agrees_with_fio("runtime", 1024, Unit::Seconds);
    agrees_with_fio("thinktime", 1024, Unit::Micros);
}

#[test]
fn numbers_that_fio_misreads_are_refused() {
    for (text, unit, read) in [
        ("1.5k", KILO, "1"),
        ("0x10k", KILO, "16"),
        ("4kx", KILO, "4096"),
        ("1.5", Unit::Seconds, "1000000 microseconds"),
        ("10sec", Unit::Seconds, "10 microseconds"),
    ] {
        let why = number(text, unit).unwrap_err();
        assert!(why.starts_with(&format!("fio reads `{text}` as {read}")), "{why}");
    }
}

#[test]
fn units_are_those_of_fio() {
    for (text, value) in [("4KiB", 4000), ("4k", 4096), ("4kb", 4096), ("2Gi", 2 << 30), ("7b", 7)]
    {
        assert_eq!(number(text, KILO), Ok(value), "{text}");
    }
    assert_eq!(number("4KiB", Unit::Bytes { kilo: 1000 }), Ok(4096));
    assert_eq!(number("2m", Unit::Seconds), Ok(120_000_000));
    assert_eq!(number("250", Unit::Micros), Ok(250));
    assert_eq!(range("4k-1k", KILO), Ok((1024, 4096)));
    assert_eq!(list(",8k", KILO), Ok(vec![8192]));
}
