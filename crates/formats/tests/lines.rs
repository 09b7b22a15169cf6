//! An error of a table names the line on which an editor shows the fault, however its lines end.
#![allow(clippy::unwrap_used)]

use crate::files;

use files::{error, file};
use formats::{export, published};

const HEADER: &str = "fs,pattern,block_bytes,threads,iops";
const GOOD: &str = "ext4,seqrd,512,1,10";

/// The error of a table of `lines`, each with `end` behind it.
fn of(lines: &[&str], end: &str) -> String {
    let text: String = lines.iter().map(|line| format!("{line}{end}")).collect();
    error(&[file("m.csv", &text)])
}

#[test]
fn a_wrong_cell_is_named_with_its_line_however_lines_end() {
    for end in ["\n", "\r\n"] {
        for (lines, at) in [
            (vec![HEADER, "ext4,seqrd,512,1,fast"], 2),
            (vec![HEADER, GOOD, "xfs,seqrd,512,1,fast"], 3),
            (vec![HEADER, "", GOOD, "", "", "xfs,seqrd,512,1,fast"], 6),
            (vec![HEADER, GOOD, "xfs,seqrd,512,1"], 3),
            (vec![HEADER, "", GOOD, "", "xfs,seqrd"], 5),
            (vec![HEADER, GOOD, &format!("\"a{end}b\",seqrd,512,1,1"), "xfs,seqrd,512,1,fast"], 5),
            (vec![HEADER, GOOD, &format!("\"a{end}b\",seqrd,512,1,fast")], 3),
        ] {
            let error = of(&lines, end);
            assert!(
                error.starts_with(&format!("m.csv, line {at}: ")),
                "{end:?} {lines:?}: {error}"
            );
        }
        let last = format!("{HEADER}{end}{GOOD}{end}xfs,seqrd,512,1,fast");
        let error = error(&[file("m.csv", &last)]);
        assert!(error.starts_with("m.csv, line 3: "), "{end:?} without an end: {error}");
    }
}

#[test]
fn a_sheet_that_saved_our_tables_with_other_ends_is_named_by_its_own_lines() {
    let data = published().unwrap().swap_remove(1);
    let mut files = export::csv(&data).unwrap();
    let text = String::from_utf8(files[0].1.clone()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let wrong = lines[4].replacen(",higher,", ",up,", 1).replacen(",lower,", ",up,", 1);
    let all = lines[..4].iter().copied().chain([wrong.as_str()]).chain(lines[5..].iter().copied());
    files[0].1 = all.flat_map(|line| [line, "\r\n"]).collect::<String>().into_bytes();
    let error = error(&files);
    assert!(error.starts_with("samples.csv, line 5: column `better` is `up`"), "{error}");
}
