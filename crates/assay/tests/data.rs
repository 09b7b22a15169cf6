//! docs/data.md says of every column and field what it is, and no more than there is; its examples give the
//! figures that are in the samples.

use crate::common::{Place, text};
use formats::{NamedBytes, export};
use model::{
    figure::{Better, Histogram, LatencyKind, Metric, Series},
    result::{Dataset, Reason, Sample, Validity},
    workload::{CacheState, Case, Shape},
};
use serde_json::{Value, json};
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

/// A campaign of two targets with something in every column, of which one sample does not count. The targets have
/// names that readers of CSV may take for no value.
fn data() -> Dataset {
    let mut data = formats::published().unwrap().swap_remove(1);
    data.tests.truncate(2);
    data.targets.truncate(2);
    for (target, label) in data.targets.iter_mut().zip(["null", "NA"]) {
        target.label = label.into();
    }
    data.campaign.plan.baseline = None;
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
        let mut sample =
            Sample::bare(block, target as u32, case, vec![ranking, other]).lasting(1.0);
        *sample.figures.histograms =
            vec![Histogram { bins, ..Histogram::new("read", LatencyKind::Service) }];
        sample.figures.series = Some(Box::new(Series { end_ms: vec![1000], columns }));
        sample
    };
    let cells = [(0, 0, 0, 4.0), (1, 0, 0, 9.0), (0, 1, 0, 12.0), (0, 0, 1, 2.5), (2, 1, 0, 1e9)];
    let mut samples: Vec<Sample> = cells.into_iter().map(sample).collect();
    *samples[4].evidence.validity = Validity::Invalid(Reason::said("too short"));
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
        .filter(|(name, _)| !["asset", "sweep", "size"].contains(&name.as_str()))
    {
        expected.extend(fields(of).map(|all| (name.clone(), all)));
    }
    let kinds = &schema["$defs"]["note"]["oneOf"][1];
    expected.extend(fields(kinds).map(|all| ("note".into(), all)));
    assert_eq!(expected.len(), 30);
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

/// The tables of `data` as Parquet.
fn parquet(data: &Dataset) -> Vec<NamedBytes> {
    let format = export::ALL.iter().find(|format| format.name == "parquet").unwrap();
    (format.files)(data, &Default::default()).unwrap()
}

/// What `program` prints in a folder with the tables of `data`; `None` where one of `packages` is missing.
fn python(packages: &[&str], program: &str, data: &Dataset) -> Option<String> {
    if !packages.iter().all(|package| needs::python_or_skip(package)) {
        return None;
    }
    let place = Place::new();
    for (file, bytes) in export::csv(data).unwrap().into_iter().chain(parquet(data)) {
        fs::write(place.path(&file), bytes).unwrap();
    }
    let mut python = Command::new("python3");
    let output = python.args(["-c", program]).current_dir(place.path("")).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(text(&output.stdout))
}

#[test]
fn the_example_for_pandas_gives_the_means() {
    let example = code(&page(), "## pandas");
    pandas_gives_the_means(&["pandas"], &example);
    let of_parquet = example.replace("read_csv", "read_parquet");
    let of_parquet = of_parquet.replace(".csv\", **as_written", ".parquet\"");
    assert_ne!(of_parquet, example);
    pandas_gives_the_means(&["pyarrow", "pandas"], &of_parquet);
}

fn pandas_gives_the_means(packages: &[&str], program: &str) {
    let data = data();
    let Some(printed) = python(packages, program, &data) else { return };
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
    duckdb_gives_the_means(&sql);
    let of_parquet = sql.replace(".csv'", ".parquet'");
    assert_ne!(of_parquet, sql);
    duckdb_gives_the_means(&of_parquet);
}

fn duckdb_gives_the_means(sql: &str) {
    let program = format!("import duckdb\nprint(duckdb.sql('''{sql}''').fetchall())");
    let data = data();
    let Some(printed) = python(&["duckdb"], &program, &data) else { return };
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

/// The tables of `data` as `reader` finds them in the Parquet files: name, columns with their types, rows.
fn read_back(package: &str, reader: &str, data: &Dataset) -> Option<Vec<(String, Value, Value)>> {
    let tables: Vec<_> = parquet(data).into_iter().map(|(name, _)| name).collect();
    let program = format!(
        "import json\n{reader}\nfor name in {tables:?}:\n    if name.endswith('.parquet'):\n        \
         print(json.dumps([name, *read(name)]))"
    );
    let printed = python(&[package], &program, data)?;
    Some(printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// As DuckDB and as Arrow read it, with the names that they have for types.
const READERS: [(&str, &str, [&str; 4]); 2] = [
    (
        "duckdb",
        "import duckdb\ndef read(name):\n    t = duckdb.sql(f\"SELECT * FROM '{name}'\")\n    \
         return [[c, str(k)] for c, k in zip(t.columns, t.types)], t.fetchall()",
        ["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR"],
    ),
    (
        "pyarrow",
        "import pyarrow.parquet as p\ndef read(name):\n    t = p.read_table(name)\n    \
         return [[f.name, str(f.type)] for f in t.schema], [list(r.values()) for r in t.to_pylist()]",
        ["int64", "double", "bool", "string"],
    ),
];

#[test]
fn parquet_has_what_csv_has_in_the_types_of_the_page() {
    let mut data = data();
    data.tests[0].name = "=1+1".into();
    data.tests[1].shape = Some(Shape { only_writes: true, cell: None });
    let page = page();
    for (package, reader, [integer, number, truth, words]) in READERS {
        let Some(tables) = read_back(package, reader, &data) else { continue };
        assert_eq!(tables.len(), 5, "{package}");
        for (file, columns, rows) in tables {
            let csv_name = file.replace(".parquet", ".csv");
            let typed = table(&page, &format!("## `{csv_name}`"));
            let expected = typed.iter().map(|row| match row[1].as_str() {
                "integer" => json!([row[0], integer]),
                "number" => json!([row[0], number]),
                "true or false" => json!([row[0], truth]),
                _ => json!([row[0], words]),
            });
            assert_eq!(columns, expected.collect::<Value>(), "{package} {file}");
            assert_eq!(rows, as_values(&data, &csv_name, &typed), "{package} {file}");
        }
    }
}

/// The rows of the table `name` of CSV as values.
fn as_values(data: &Dataset, name: &str, columns: &[Vec<String>]) -> Value {
    let (_, bytes) = export::csv(data).unwrap().into_iter().find(|(file, _)| file == name).unwrap();
    let value = |(at, cell): (usize, &str)| match columns[at][1].as_str() {
        _ if cell.is_empty() => Value::Null,
        "integer" => json!(cell.parse::<u64>().unwrap()),
        "number" => json!(cell.parse::<f64>().unwrap()),
        "true or false" => json!(cell == "true"),
        _ => json!(cell.strip_prefix('\'').unwrap_or(cell)),
    };
    let row = |line: &str| line.split(',').enumerate().map(value).collect::<Value>();
    text(&bytes).lines().skip(1).map(row).collect()
}

/// A group of rows is read after the other.
#[test]
fn parquet_of_many_rows_is_whole() {
    let mut data = data();
    data.samples[0].figures.histograms[0].bins = (1..=600_000).map(|ns| (ns, 2)).collect();
    let sum = "SELECT count(*), sum(latency_ns * count)::BIGINT FROM 'histograms.parquet'";
    let program = format!("import duckdb\nprint(duckdb.sql(\"{sum}\").fetchall())");
    let Some(printed) = python(&["duckdb"], &program, &data) else { return };
    let of_others = 4 * (1000 * 3 + 2000);
    let sum = 600_000_u64 * 600_001 + of_others;
    assert_eq!(printed.trim(), format!("[({}, {sum})]", 600_000 + 4 * 2));
}
