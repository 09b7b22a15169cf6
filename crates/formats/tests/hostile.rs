//! Tests that foreign data can do no harm: names that would control a terminal or leave a folder, invalid numbers,
//! parts that do not fit. Every importer refuses each.
#![allow(clippy::unwrap_used)]

use crate::corpus;
use formats::{FormatError, ImportOptions, NamedBytes, export, import, importer_names, published};
use model::{figure::Series, result::Dataset};
use std::collections::BTreeMap;

fn options(target: Option<&str>) -> ImportOptions {
    ImportOptions {
        target: target.map(Into::into),
        created: "2026-01-02T03:04:05Z".into(),
        ..Default::default()
    }
}

fn read(files: &[NamedBytes]) -> Result<Dataset, FormatError> {
    import(files, None, &options(None))
}

/// The files of `data` as this program writes them, as CSV and as JSON.
fn written(data: &Dataset) -> [Vec<NamedBytes>; 2] {
    [export::csv(data).unwrap(), export::json(data).unwrap()]
}

fn small() -> Dataset {
    published().unwrap().swap_remove(1)
}

#[test]
fn every_importer_refuses_a_label_that_commands_a_terminal() {
    let label = "xfs\u{1b}]0;owned\u{7}\u{202e}";
    for group in corpus::groups().into_iter().filter(|group| !group.refused) {
        let importer = group.importer;
        let files = match importer {
            // Our own formats name their targets themselves.
            "csv" | "json" | "bundle" => {
                let mut data = read(&group.files).unwrap();
                let old = std::mem::replace(&mut data.targets[0].label, label.into());
                let of_it = data.samples.iter_mut().filter(|s| s.case.target == old);
                of_it.for_each(|s| s.case.target = label.into());
                match importer {
                    "csv" => export::csv(&data).unwrap(),
                    "json" => export::json(&data).unwrap(),
                    _ => export::bundle(&data, true, &[]).unwrap(),
                }
            }
            _ => group.files,
        };
        let error = match import(&files, Some(importer), &options(Some(label))) {
            Ok(_) => panic!("{importer} takes it"),
            Err(error) => error.to_string(),
        };
        assert!(
            error.contains("U+001B") && error.contains("labels are"),
            "{importer}: {error}\nA fixture without a result has one of {:?} in its name.",
            corpus::REFUSED
        );
        assert!(!error.contains(model::text::is_unprintable), "{importer}: {error:?}");
    }
}

#[test]
fn an_id_is_never_a_path() {
    for id in ["/tmp/escaped", "../../escaped", "a/../../escaped", "", ".", "..", "-rf", "a b"] {
        let mut data = small();
        data.campaign.id = id.into();
        for files in written(&data) {
            let error = read(&files).unwrap_err().to_string();
            assert!(error.contains("ids consist"), "{id:?}: {error}");
        }
        // And if it had come in by another way, its files would stay where they are put.
        for export in export::ALL {
            for (name, _) in (export.files)(&data, &Default::default()).unwrap() {
                let stays = |part: &str| {
                    part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.len() < 250
                };
                assert!(name.split('/').all(stays), "{id:?}: {name:?}");
            }
        }
    }
}

#[test]
fn a_number_that_is_none_is_refused_with_its_place() {
    let files = written(&small());
    let text = |files: &[NamedBytes]| String::from_utf8(files[0].1.clone()).unwrap();
    let value = small().samples[0].figures.metrics[0].value;
    for wrong in ["1e999", "-1e999", "NaN", "inf", "null"] {
        let [mut csv, mut json] = files.clone();
        csv[0].1 = text(&csv).replacen(&format!(",{value:?},"), &format!(",{wrong},"), 1).into();
        let error = read(&csv).unwrap_err().to_string();
        assert!(error.starts_with("samples.csv, line 2"), "{wrong}: {error}");
        let from = format!("\"value\": {value:?}");
        assert!(text(&json).contains(&from));
        json[0].1 = text(&json).replacen(&from, &format!("\"value\": {wrong}"), 1).into();
        let error = read(&json).unwrap_err().to_string();
        assert!(error.contains(", line "), "{wrong}: {error}");
    }
}

#[test]
fn sums_and_units_that_leave_the_numbers_are_refused() {
    let sysstat = |rate: &str| {
        format!(
            "{{\"sysstat\": {{\"hosts\": [{{\"nodename\": \"h\", \"statistics\": [{{\"disk\": \
             [{{\"disk_device\": \"sda\", \"r/s\": 1, \"w/s\": 1, \"rMB/s\": {rate}}}]}}]}}]}}}}"
        )
    };
    let file = |rate| [("iostat.json".to_owned(), sysstat(rate).into_bytes())];
    import(&file("1"), Some("iostat"), &options(None)).unwrap();
    let error = import(&file("1e308"), Some("iostat"), &options(None)).unwrap_err().to_string();
    assert!(error.contains("\"read_rate\" is inf"), "{error}");
    let psv = |rate: &str| {
        let head = "threadnr|os|testtype|test|starttime|endtime|result|unit";
        let row = format!("1|L|write disk|w|0D10:00:00|0D10:00:01|{rate}|MB/sec");
        let file = format!("{head}\n{row}\n").into_bytes();
        [("detailed-h-1.psv".to_owned(), file.clone()), ("detailed-h-2.psv".to_owned(), file)]
    };
    import(&psv("1"), Some("nano-psv"), &options(None)).unwrap();
    let error = import(&psv("1e308"), Some("nano-psv"), &options(None)).unwrap_err().to_string();
    assert!(error.contains("is inf"), "{error}");
}

#[test]
fn a_ragged_series_is_refused() {
    let mut data = small();
    let columns = BTreeMap::from([("ops".to_owned(), vec![1, 2]), ("bytes".to_owned(), vec![1])]);
    data.samples[0].figures.series = Some(Box::new(Series { end_ms: vec![10, 20], columns }));
    for files in written(&data) {
        assert!(read(&files).is_err());
    }
    let [_, json] = written(&data);
    let error = read(&json).unwrap_err().to_string();
    assert!(error.contains("series") && error.contains("sample 0"), "{error}");
}

#[test]
fn deep_targets_and_deep_documents_are_refused_with_a_message() {
    let deep = "a(".repeat(90_000);
    let [mut csv, mut json] = written(&small());
    for (_, bytes) in csv.iter_mut().chain(&mut json) {
        let text = String::from_utf8(bytes.clone()).unwrap();
        *bytes = text.replacen("\"targets\": [", &format!("\"targets\": [\"{deep}\","), 1).into();
    }
    for files in [csv, json] {
        let error = read(&files).unwrap_err().to_string();
        assert!(error.len() < 1000 && error.contains("is not a target"), "{error}");
    }
    for open in ["[", "{\"a\":", "{\"jobs\":[{\"a\":["] {
        let file = open.repeat(100_000).into_bytes();
        for importer in importer_names() {
            let files = [("x.json".to_owned(), file.clone())];
            assert!(import(&files, Some(importer), &options(None)).is_err(), "{importer}");
        }
    }
}

#[test]
fn no_cell_of_a_table_is_a_formula() {
    let mut data = small();
    let formula = "=HYPERLINK(\"http://example.org\",\"x\")";
    for (number, start) in ["=", "+", "-", "@", "'=", "＝"].iter().enumerate() {
        data.tests[number].name = format!("{start}{formula}");
    }
    data.samples[0].figures.metrics[0].unit = "@SUM(1)".into();
    data.samples[0].figures.metrics[0].value = -2.5;
    let [csv, _] = written(&data);
    for (name, bytes) in csv.iter().filter(|(name, _)| name.ends_with(".csv")) {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&bytes[..]);
        for cell in reader
            .records()
            .flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>())
        {
            let formula = cell.starts_with(['=', '+', '-', '@', '＝']);
            assert!(!formula || cell.parse::<f64>().is_ok(), "{name}: {cell}");
        }
    }
    assert_eq!(read(&csv).unwrap(), data);
}
