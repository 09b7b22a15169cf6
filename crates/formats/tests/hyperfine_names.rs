//! Benchmarks of a file of hyperfine are distinguished by name, parameters and order.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;
use model::result::Dataset;

/// Mean of the runs of a test.
fn mean(data: &Dataset, test: &str) -> f64 {
    let runs = data.samples.iter().filter(|sample| sample.case.test == test);
    let walls: Vec<f64> = runs.map(|sample| sample.metric("wall_s").unwrap()).collect();
    assert!(!walls.is_empty(), "{test} is not in {:?}", data.tests);
    walls.iter().sum::<f64>() / walls.len() as f64
}

fn names(data: &Dataset) -> Vec<&str> {
    data.tests.iter().map(|test| test.name.as_str()).collect()
}

/// hyperfine 2.0.0: `-n fast -n slow --prepare A --prepare B CMD CMD`.
#[test]
fn version_2_has_the_name_next_to_the_command() {
    let data = read_fixtures(&["hyperfine-2-named.json"]);
    assert_eq!(names(&data), ["fast", "slow"]);
    assert!(near(mean(&data, "hyperfine.fast"), 0.014639408666666668));
    assert!(near(mean(&data, "hyperfine.slow"), 0.055112525));
}

/// hyperfine 1.15: `--prepare A --prepare B CMD CMD`.
#[test]
fn results_of_one_command_are_several_benchmarks() {
    for name in ["hyperfine-same-command.csv", "hyperfine-same-command.json"] {
        let data = read_fixtures(&[name]);
        assert_eq!(names(&data), ["./x 0.01", "./x 0.01 #2"], "{name}");
        assert!(near(mean(&data, "hyperfine.x-0-01"), 0.01947502266666667), "{name}");
        assert!(near(mean(&data, "hyperfine.x-0-01-2"), 0.078392686), "{name}");
        assert!(says(&data, "numbered by their order"));
    }
}

#[test]
fn parameters_tell_results_of_one_command_apart() {
    let result = |parameters: &str| {
        format!(
            r#"{{"command": "cp a b", "mean": 1.0, "stddev": null, "times": [1.0], "exit_codes": [0]{parameters}}}"#
        )
    };
    let of = |results: &[String]| {
        let text = format!(r#"{{"results": [{}]}}"#, results.join(","));
        let data = read(&[file("a.json", &text)]);
        names(&data).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let (n4, n8) =
        (result(r#", "parameters": {"n": "4"}"#), result(r#", "parameters": {"n": "8"}"#));
    assert_eq!(of(&[n4.clone(), n8.clone()]), ["cp a b [n=4]", "cp a b [n=8]"]);
    assert_eq!(
        of(&[n4.clone(), n4.clone(), n8]),
        ["cp a b [n=4]", "cp a b [n=4] #2", "cp a b [n=8]"]
    );
    assert_eq!(of(&[n4]), ["cp a b"]);
    let numbered = result("").replace("cp a b", "cp a b #2");
    assert_eq!(of(&[result(""), result(""), numbered]), ["cp a b", "cp a b #3", "cp a b #2"]);
    let csv = "command,mean,stddev,median,user,system,min,max,parameter_n\n\
               cp,1,,1,0,0,1,1,4\ncp,2,,2,0,0,2,2,8\n";
    assert_eq!(names(&read(&[file("a.csv", csv)])), ["cp [n=4]", "cp [n=8]"]);
}
