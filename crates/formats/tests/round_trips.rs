//! Tests that exports can be imported: as equal data from CSV and JSON, as equal figures from PSV. No bytes make an
//! importer panic.
#![allow(clippy::unwrap_used)]

use formats::{FormatError, ImportOptions, NamedBytes, export, import, importer_names, published};
use model::{
    result::{Dataset, Reason, Validity},
    strategies::dataset,
};
use proptest::{collection::vec, prelude::*, sample::Index};

fn options() -> ImportOptions {
    ImportOptions { target: None, created: "2026-01-02T03:04:05Z".into(), ..Default::default() }
}

fn named(name: &str, text: &str) -> NamedBytes {
    (name.into(), text.into())
}

const THROUGHPUT: &str = "\
numproc|threadnr|os|testtype|test|qexpression|accuracy|throughput|unit|iostat_read_throughput|iostat_write_throughput|iostat_readwrite_throughput
2|8|Linux|write disk|write int tiny|set|99.5|100.25|MB/sec|0|1.5|1.5
2|8|Linux|write disk|sync int tiny|system sync|98.1|232|MB/sec|||
2|8|Linux|cpu|sort int|asc||7|MB/sec|0|0|0
";

const LATENCY: &str = "\
numproc|threadnr|os|testtype|test|qexpression|accuracy|avgLatency|maxLatency|unit
2|8|Linux|meta|close open|hopen,hclose|99.9|0.004|0.005|ms
";

fn detailed(start: &str, end: &str, result: f64) -> String {
    format!(
        "threadnr|os|testtype|testid|test|qexpression|repeat|length|starttime|endtime|result|unit\n\
         8|Linux|write disk|.write.setIntTiny|write int tiny|set|1|2047|{start}|{end}|{result}|MB/sec\n"
    )
}

fn nano() -> Vec<NamedBytes> {
    let first = detailed("0D10:00:00.000000000", "0D10:00:02.000000000", 50.0);
    let second = detailed("0D10:00:00.500000000", "0D10:00:04.000000000", 50.25);
    vec![
        named("xfs/host-throughput.psv", THROUGHPUT),
        named("xfs/host-latency.psv", LATENCY),
        named("xfs/throughput_total.psv", THROUGHPUT),
        named("xfs/detailed-host-1.psv", &first),
        named("xfs/detailed-host-2.psv", &second),
        named("ext4/host-throughput.psv", THROUGHPUT),
    ]
}

#[test]
fn nano_files_become_samples_of_two_targets() {
    let data = import(&nano(), None, &options()).unwrap();
    let labels: Vec<_> = data.targets.iter().map(|t| t.label.as_str()).collect();
    assert_eq!(labels, ["ext4", "xfs"]);
    let tests: Vec<_> = data.tests.iter().map(|t| t.id.as_str()).collect();
    let other = "columnar.other.cpu-sort-int";
    assert_eq!(
        tests,
        ["columnar.write.int.tiny", "columnar.sync.int.tiny", other, "columnar.openclose"]
    );
    assert_eq!(data.samples.len(), 7);
    let write = &data.samples[3];
    assert_eq!((write.case.target.as_str(), write.case.procs, write.case.threads), ("xfs", 2, 8));
    assert_eq!(
        (write.metric("nano_rate"), write.metric("nano_accuracy")),
        (Some(100.25), Some(99.5))
    );
    assert_eq!(
        (write.figures.seconds, write.covariates.skew_ms, write.covariates.overlap),
        (4.0, 500.0, 0.375)
    );
    assert_eq!(data.samples[6].metric("latency_ms"), Some(0.004));
}

#[test]
fn detailed_files_alone_give_the_sum_of_the_workers() {
    let files = &nano()[3..5];
    let data = import(files, None, &ImportOptions { target: Some("zfs".into()), ..options() });
    let data = data.unwrap();
    assert_eq!(data.targets[0].label, "zfs");
    assert_eq!((data.samples.len(), data.samples[0].case.procs), (1, 2));
    assert_eq!(data.samples[0].metric("nano_rate"), Some(100.25));
}

#[test]
fn directories_of_one_named_target_are_its_blocks() {
    let options = ImportOptions { target: Some("xfs".into()), ..options() };
    let data = import(&nano(), None, &options).unwrap();
    assert_eq!(data.targets.len(), 1);
    assert_eq!(data.samples.iter().map(|s| s.block).max(), Some(1));
    let targets = nano().into_iter().map(|(name, _)| (name, "xfs".into())).collect();
    let options = ImportOptions { targets, ..self::options() };
    let data = import(&nano(), None, &options).unwrap();
    assert_eq!(data.targets.iter().map(|t| t.label.as_str()).collect::<Vec<_>>(), ["xfs"]);
}

#[test]
fn errors_name_file_line_and_column() {
    let broken = THROUGHPUT.replace("100.25", "fast");
    let error = import(&[named("a/h-throughput.psv", &broken)], None, &options()).unwrap_err();
    let expected =
        "a/h-throughput.psv, line 2: column `throughput` is `fast`: invalid float literal";
    assert_eq!(error.to_string(), expected);
    let error = import(&[named("notes.txt", "hello")], None, &options()).unwrap_err();
    assert!(matches!(error, FormatError::Unknown { .. }), "{error}");
    assert!(error.to_string().contains("notes.txt") && error.to_string().contains("nano-psv"));
}

#[test]
fn published_rates_survive_the_layout_of_nano() {
    let data = &published().unwrap()[0];
    let back = import(&export::psv(data).unwrap(), None, &options()).unwrap();
    assert_eq!(back.targets.len(), data.targets.len());
    let figures = |data: &Dataset| {
        let figure = |s: &model::result::Sample| {
            (s.position, s.case.test.clone(), s.case.procs, s.metric("nano_rate").unwrap())
        };
        data.samples.iter().map(figure).collect::<Vec<_>>()
    };
    assert_eq!(figures(&back), figures(data));
}

#[test]
fn tables_without_campaign_file_are_enough() {
    let data = &published().unwrap()[1];
    let mut files = export::csv(data).unwrap();
    files.retain(|(name, _)| name.ends_with(".csv"));
    let back = import(&files, None, &options()).unwrap();
    assert_eq!(
        (&back.samples, &back.tests, &back.targets),
        (&data.samples, &data.tests, &data.targets)
    );
    assert_eq!(back.campaign.id, data.campaign.id);
    let error = import(&files[..1], None, &options()).unwrap_err();
    assert!(error.to_string().starts_with("tests.csv: is missing"), "{error}");
}

#[test]
fn a_sample_of_an_unlisted_test_is_an_error() {
    let mut data = published().unwrap().remove(0);
    data.tests.remove(0);
    let error = import(&export::csv(&data).unwrap(), None, &options()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "samples.csv, line 2: column `test` names a test that is not in tests.csv"
    );
}

/// Files that importers accept, for damage to start from.
fn valid_files() -> Vec<Vec<NamedBytes>> {
    vec![nano(), export::csv(&published().unwrap()[1]).unwrap()]
}

/// The table without its last `count` columns, none of whose cells hold a comma.
fn without_last(table: &[u8], count: usize) -> Vec<u8> {
    let shorter = |line: &str| {
        let kept = (0..count).fold(line, |line, _| line.rsplit_once(',').unwrap().0);
        format!("{kept}\n")
    };
    String::from_utf8_lossy(table).lines().map(shorter).collect::<String>().into_bytes()
}

#[test]
fn tables_of_other_columns_are_refused_with_those_that_must_be() {
    let data = published().unwrap().swap_remove(1);
    let tables = [("samples.csv", 2, ",after_fault"), ("tests.csv", 1, ",grid_threads")];
    for (table, count, last) in tables {
        let mut files = export::csv(&data).unwrap();
        let (_, bytes) = files.iter_mut().find(|(name, _)| name == table).unwrap();
        *bytes = without_last(bytes, count);
        let why = import(&files, None, &options()).unwrap_err().to_string();
        assert!(why.starts_with(&format!("{table}, line 1: the header must be")), "{why}");
        assert!(why.ends_with(last), "{why}");
    }
}

#[test]
fn samples_without_the_column_of_faults_are_read() {
    let data = published().unwrap().swap_remove(1);
    let mut files = export::csv(&data).unwrap();
    let (_, bytes) = files.iter_mut().find(|(name, _)| name == "samples.csv").unwrap();
    *bytes = without_last(bytes, 1);
    assert_eq!(import(&files, None, &options()).unwrap(), data);
}

proptest! {
    #[test]
    fn csv_gives_back_an_equal_dataset(data in dataset()) {
        let files = export::csv(&data).unwrap();
        prop_assert_eq!(import(&files, None, &options()).unwrap(), data);
    }

    #[test]
    fn json_gives_back_an_equal_dataset(data in dataset()) {
        let files = export::json(&data).unwrap();
        prop_assert_eq!(serde_json::from_slice::<Dataset>(&files[0].1).unwrap(), data);
    }

    #[test]
    fn psv_export_never_fails_and_leaves_out_what_is_not_valid(mut data in dataset()) {
        data.samples.iter_mut().for_each(|s| *s.evidence.validity = Validity::Invalid(Reason::said("x")));
        prop_assert_eq!(export::psv(&data).unwrap().len(), 0);
        data.samples.iter_mut().for_each(|s| *s.evidence.validity = Validity::Valid);
        export::psv(&data).unwrap();
    }

    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..400), name in "(detailed-)?[a-z./-]{0,12}(psv|csv|json)?") {
        let files = [(name, bytes)];
        formats::recognised(&files);
        for importer in importer_names() {
            let _ = import(&files, Some(importer), &options());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn damaged_files_never_panic(which in any::<Index>(), at in any::<Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        for files in valid_files() {
            let mut files = files;
            let damaged = which.index(files.len());
            let bytes = &mut files[damaged].1;
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] = byte }
            for importer in importer_names() {
                if let Err(error) = import(&files, Some(importer), &options()) {
                    prop_assert!(!error.to_string().contains('\n'), "{}", error);
                }
            }
        }
    }
}
