//! The plain matrix of operations per second.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::*;
use model::{result::Imported, workload::Group};

const HEADER: &str = "fs,pattern,block_bytes,threads,iops\n";

fn matrix(rows: &str) -> formats::NamedBytes {
    file("matrix.csv", &format!("{HEADER}{rows}"))
}

#[test]
fn each_file_system_is_a_target_and_each_row_a_case() {
    let data =
        read(&[matrix("ext4,seqrd,512,1,100\nxfs,rndwr,1048576,8,12.5\next4,seqrd,512,1,110\n")]);
    assert_eq!(labels(&data), ["ext4", "xfs"]);
    let values: Vec<_> =
        data.samples.iter().map(|s| (s.position, s.figures.metrics[0].value)).collect();
    assert_eq!(values, [(0, 100.0), (0, 110.0), (1, 12.5)]);
    let test = &data.tests[1];
    assert_eq!(
        (test.id.as_str(), test.name.as_str()),
        ("matrix.rndwr.1m.t8", "random write 1m, 8 threads")
    );
    assert_eq!((test.group, test.testtype.as_str()), (Group::RandomWrite, "random write"));
    assert_eq!(data.tests[0].name, "sequential read 512, 1 thread");
    assert_eq!((data.samples[2].case.procs, data.samples[2].case.threads), (1, 8));
}

#[test]
fn a_cell_of_zero_is_invalid() {
    let data = read(&[matrix("ext4,seqrd,4096,1,0\n")]);
    assert_eq!(*invalid(&data, "matrix.seqrd.4k.t1"), Imported::PrintedAsZero {}.into());
}

#[test]
fn damage_is_named_with_file_and_line() {
    let start = "matrix.csv, line 2: ";
    for (row, why) in [
        ("ext4,seqrd,4096,1", "4 columns where the header has 5"),
        ("ext4,backward,4096,1,5", "column `pattern` is not one of"),
        ("ext4,seqrd,4096,0,5", "column `threads` is 0"),
        ("ext4,seqrd,4096,1,fast", "column `iops` is `fast`"),
        ("ext4,seqrd,4096,1,inf", "column `iops` is not finite"),
        ("ext4,seqrd,4096,1,-5", "a figure of `matrix.seqrd.4k.t1` is negative"),
    ] {
        let error = error(&[matrix(row)]);
        assert!(error.starts_with(start) && error.contains(why), "{error}");
    }
}
