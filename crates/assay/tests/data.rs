//! docs/data.md says of every column and field what it is, and no more than there is; its examples give the
//! figures that are in the samples.

use crate::common::{Place, text};
use formats::export;
use model::{
    Better, CacheState, Case, Dataset, Histogram, LatencyKind, Metric, Sample, Series, Validity,
};
use needs::{Need, skip};
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path, process::Command};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data.md");
    fs::read_to_string(path).unwrap()
}

/// The part of the page under `heading`, to the next one.
fn part(page: &str, heading: &str) -> String {
    let (_, rest) =
        page.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let end = ["\n## ", "\n### "].into_iter().filter_map(|next| rest.find(next)).min();
    rest[..end.unwrap_or(rest.len())].into()
}

/// The rows of the table under `heading`, without its two first lines; cells without the marks around names.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let part = part(page, heading);
    let rows = part.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = |row: &str| {
        let cells = row.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().trim_matches(['`', '|', ' ']).to_string()).collect()
    };
    rows.map(cells).collect()
}

fn names(page: &str, heading: &str) -> Vec<String> {
    table(page, heading).into_iter().map(|mut row| row.swap_remove(0)).collect()
}

/// The code under `heading`.
fn code(page: &str, heading: &str) -> String {
    let part = part(page, heading);
    let (_, code) = part.split_once("```").unwrap();
    let (_, code) = code.split_once('\n').unwrap();
    code.split_once("```").unwrap().0.into()
}

/// A campaign of two targets with something in every column, of which one sample does not count.
fn data() -> Dataset {
    let mut data = formats::published().unwrap().swap_remove(1);
    data.tests.truncate(2);
    data.targets.truncate(2);
    let sample = |(block, target, test, value): (u32, usize, usize, f64)| {
        let test = &data.tests[test];
        let case = Case {
            target: data.targets[target].label.clone(),
            suite: test.suite.clone(),
            test: test.id.clone(),
            procs: 4,
            threads: 1,
            cache: CacheState::Cold,
        };
        let ranking = Metric::new(&test.metric, value, &test.unit, test.better);
        let other = Metric::new("settle_s", 77.0, "s", Better::Lower);
        let bins = vec![(1000, 3), (2000, 1)];
        let columns = BTreeMap::from([("bytes".to_string(), vec![5])]);
        Sample {
            histograms: vec![Histogram { bins, ..Histogram::new("read", LatencyKind::Service) }],
            series: Some(Series { end_ms: vec![1000], columns }),
            seconds: 1.0,
            ..Sample::bare(block, target as u32, case, vec![ranking, other])
        }
    };
    let cells = [(0, 0, 0, 4.0), (1, 0, 0, 9.0), (0, 1, 0, 12.0), (0, 0, 1, 2.5), (2, 1, 0, 1e9)];
    let mut samples: Vec<Sample> = cells.into_iter().map(sample).collect();
    samples[4].validity = Validity::Invalid("too short".into());
    data.samples = samples;
    data.checked().unwrap()
}

#[test]
fn every_column_of_csv_has_its_row() {
    let page = page();
    let mut seen = 0;
    for (file, bytes) in
        export::csv(&data()).unwrap().iter().filter(|(name, _)| name.ends_with(".csv"))
    {
        let header = text(bytes).lines().next().unwrap().to_string();
        assert_eq!(
            names(&page, &format!("## `{file}`")),
            header.split(',').collect::<Vec<_>>(),
            "{file}"
        );
        seen += 1;
    }
    assert_eq!(seen, 5);
    // A number has a unit, or counts.
    for row in table(&page, "## `samples.csv`") {
        let ends = [("_s", "s"), ("_ms", "ms"), ("_bytes", "bytes")];
        for (_, unit) in ends.iter().filter(|(end, _)| row[0].ends_with(end)) {
            assert_eq!(&row[2], unit, "{row:?}");
        }
    }
}

#[test]
fn every_field_of_json_has_its_row() {
    let page = page();
    let schema: Value = serde_json::from_str(export::json_schema()).unwrap();
    let fields = |of: &Value| of["properties"].as_object().map(|all| all.keys().cloned().collect());
    let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    expected.extend(fields(&schema).map(|all| ("dataset".into(), all)));
    for (name, of) in schema["$defs"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| !["sweep", "size"].contains(&name.as_str()))
    {
        expected.extend(fields(of).map(|all| (name.clone(), all)));
    }
    assert_eq!(expected.len(), 10);
    for (name, mut fields) in expected {
        let mut rows = names(&page, &format!("### `{name}`"));
        fields.sort();
        rows.sort();
        assert_eq!(rows, fields, "{name}");
    }
}

#[test]
fn every_format_is_named() {
    let mut named = names(&page(), "## Formats");
    named.retain(|name| name != "md");
    let mut formats: Vec<_> = export::ALL.iter().map(|format| format.name.to_string()).collect();
    named.sort();
    formats.sort();
    assert_eq!(named, formats);
}

#[test]
fn q_reads_as_many_columns_as_there_are() {
    let q = code(&page(), "## q");
    for (file, line) in ["samples.csv", "tests.csv"].into_iter().zip(q.lines()) {
        let types = line.split('"').nth(1).unwrap();
        let rows = table(&page(), &format!("## `{file}`"));
        let expected = rows.iter().map(|row| match row[1].as_str() {
            "integer" => 'J',
            "number" => 'F',
            _ => 'S',
        });
        assert_eq!(types, expected.collect::<String>(), "{file}");
    }
}

/// What `program`, with `package`, prints in a folder with the tables; `None` where there is no such package.
fn python(package: &str, program: &str) -> Option<String> {
    let place = Place::new();
    for (file, bytes) in export::csv(&data()).unwrap() {
        fs::write(place.path(&file), bytes).unwrap();
    }
    let run = |program: &str| {
        let mut python = Command::new("python3");
        python.args(["-c", program]).current_dir(place.path("")).output()
    };
    let has = run(&format!("import {package}")).is_ok_and(|output| output.status.success());
    if !has {
        skip(Need::Other, format!("there is no python3 with the package {package}"));
        return None;
    }
    let output = run(program).unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(text(&output.stdout))
}

#[test]
fn the_example_for_pandas_gives_the_means() {
    let Some(printed) = python("pandas", &code(&page(), "## pandas")) else { return };
    let data = data();
    let [first, second] = [&data.tests[0].id, &data.tests[1].id];
    let lines: Vec<&str> = printed.lines().filter(|line| !line.is_empty()).collect();
    let mut labels: Vec<&str> = data.targets.iter().map(|target| target.label.as_str()).collect();
    labels.sort();
    assert_eq!(lines[0], format!("test,procs,cache,{}", labels.join(",")));
    let swapped = labels[0] != data.targets[0].label;
    let cells = |a: &str, b: &str| if swapped { format!("{b},{a}") } else { format!("{a},{b}") };
    for line in [
        format!("{first},4,cold,{}", cells("6", "12")),
        format!("{second},4,cold,{}", cells("2.5", "")),
    ] {
        assert!(lines.contains(&line.as_str()), "{line}\n{printed}");
    }
    assert_eq!(lines.len(), 3, "{printed}");
}

#[test]
fn the_example_for_duckdb_gives_the_means() {
    let sql = code(&page(), "## DuckDB");
    let program = format!("import duckdb\nprint(duckdb.sql('''{sql}''').fetchall())");
    let Some(printed) = python("duckdb", &program) else { return };
    let data = data();
    let mut rows = printed.matches("'cold'").count();
    for (test, target, mean) in [(0, 0, "6.0"), (0, 1, "12.0"), (1, 0, "2.5")] {
        let (test, target) = (&data.tests[test].id, &data.targets[target].label);
        let row = format!("('{test}', 4, 'cold', '{target}', ");
        let (_, rest) = printed.split_once(&row).unwrap_or_else(|| panic!("{row}\n{printed}"));
        let value: f64 = rest.split(')').next().unwrap().parse().unwrap();
        assert!((value - mean.parse::<f64>().unwrap()).abs() < 1e-9, "{printed}");
        rows -= 1;
    }
    assert_eq!(rows, 0, "{printed}");
}
