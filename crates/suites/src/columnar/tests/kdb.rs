//! An independent reader of files of kdb+, tried on files that kdb+ wrote, reads what the suite writes. Shares no code
//! with what writes them.

use super::{job, run};
use crate::{
    columnar::{
        column::{Column, FLOAT, SYM, TABLE_NAMES, TINY},
        kdb::{self, Format},
    },
    find,
};
use model::{target::Options, workload::Job};
use std::fs;

/// Files of kdb+ in public repositories: longs, floats and symbols of github.com/egor7/q at
/// c0707e00ea5421a1becc8c872dded95cc9066e95, the rest of github.com/DataIntellectTech/TorQ-Finance-Starter-Pack (MIT)
/// at 7c10cb247f279f87be7b4c56478b270402786c58.
mod real {
    /// `db/tref/c1`
    pub(super) const LONGS: &[u8] = b"\xfe\x20\x07\0\0\0\0\0\x03\0\0\0\0\0\0\0\
        \x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0";
    /// `db/2015.01.01/q/a`
    pub(super) const FLOATS: &[u8] = b"\xfe\x20\x09\0\0\0\0\0\x02\0\0\0\0\0\0\0\
        \0\0\0\0\0\x50\x59\x40\0\0\0\0\0\xa0\x40\x40";
    /// `db/sym`, which symbols were appended to.
    pub(super) const GROWN: &[u8] =
        b"\xff\x01\x0b\0\0\0\0\0oracle\0microsoft\0google\0ibm\0msft\0goog\0";
    /// `dqe/dqedb/database/2020.09.03/resultstab/.d`
    pub(super) const NAMES: &[u8] =
        b"\xff\x01\x0b\0\x05\0\0\0procs\0funct\0table\0column\0resvalue\0";

    /// `dqe/dqedb/database/2020.09.03/resultstab/column`: all of it but zeros.
    pub(super) fn enumerated() -> Vec<u8> {
        let mut bytes = vec![0; 4168];
        bytes[..2].copy_from_slice(b"\xfd\x20");
        bytes[16..19].copy_from_slice(b"sym");
        bytes[4080..4083].copy_from_slice(b"\xfd\0\x14");
        bytes[4088] = 9;
        for null in [4103, 4111, 4119, 4127, 4135, 4143] {
            bytes[null] = 0x80;
        }
        (bytes[4144], bytes[4152], bytes[4160]) = (8, 11, 11);
        bytes
    }
}

/// The values of a file.
#[derive(Clone, Debug, PartialEq)]
enum Vector {
    Longs(Vec<i64>),
    Floats(Vec<f64>),
    /// Symbols by name.
    Names(Vec<String>),
    /// Symbols by their place in the file that is named.
    Places(String, Vec<i64>),
}

/// Reads a file, whose first bytes name its kind.
fn read(bytes: &[u8]) -> Vector {
    let eights =
        |from: usize| bytes[from..].chunks_exact(8).map(|b| <[u8; 8]>::try_from(b).unwrap());
    let long = |at: usize| i64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    match bytes {
        [0xfe, 0x20, kind @ (7 | 9), ..] => {
            assert_eq!(bytes.len() as i64, 16 + 8 * long(8), "the count is that of the values");
            match kind {
                7 => Vector::Longs(eights(16).map(i64::from_le_bytes).collect()),
                _ => Vector::Floats(eights(16).map(f64::from_le_bytes).collect()),
            }
        }
        [0xff, 0x01, 11, _, _, _, _, _, text @ ..] => {
            let names = text
                .strip_suffix(b"\0")
                .map_or(Vec::new(), |text| text.split(|b| *b == 0).collect());
            Vector::Names(
                names.into_iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect(),
            )
        }
        [0xfd, 0x20, ..] => {
            assert_eq!(bytes[4080..4083], [0xfd, 0, 20]);
            assert_eq!(
                bytes.len() as i64,
                4096 + 8 * long(4088),
                "the count is that of the values"
            );
            let domain: Vec<u8> = bytes[16..].iter().copied().take_while(|b| *b != 0).collect();
            let places = eights(4096).map(i64::from_le_bytes).collect();
            Vector::Places(String::from_utf8(domain).unwrap(), places)
        }
        _ => panic!("no file of kdb+: {:?}", &bytes[..bytes.len().min(16)]),
    }
}

fn names(words: &[&str]) -> Vector {
    Vector::Names(words.iter().map(|word| (*word).into()).collect())
}

#[test]
fn files_of_kdb_are_read_and_their_headers_are_ours_byte_for_byte() {
    assert_eq!(read(real::LONGS), Vector::Longs(vec![1, 2, 3]));
    assert_eq!(read(real::FLOATS), Vector::Floats(vec![101.25, 33.25]));
    assert_eq!(read(real::GROWN), names(&["oracle", "microsoft", "google", "ibm", "msft", "goog"]));
    let columns = ["procs", "funct", "table", "column", "resvalue"];
    assert_eq!(read(real::NAMES), names(&columns));
    let places = [&[i64::MIN; 6][..], &[8, 11, 11]].concat();
    assert_eq!(read(&real::enumerated()), Vector::Places("sym".into(), places));

    assert_eq!(Format::Long.header(0, 3), real::LONGS[..16]);
    assert_eq!(Format::Float.header(0, 2), real::FLOATS[..16]);
    assert_eq!(Format::Enumerated.header(0, 9), real::enumerated()[..4096]);
    assert_eq!(kdb::symbol_file(0, columns.iter().map(|name| name.as_bytes())), real::NAMES);
    // An append to a file of symbols leaves its count as it was.
    assert_eq!(real::GROWN[4..8], [0; 4]);
}

/// Runs tests that write columns, with symbols stored as `sym` says.
fn written(dir: &std::path::Path, sym: &str) -> Job {
    let job = Job { knobs: Options::from([("sym".into(), sym.into())]), ..job("", dir) };
    for id in ["columnar.write.int.tiny", "columnar.write.float.large", "columnar.write.sym.large"]
    {
        run(find(id).unwrap(), &job).unwrap();
    }
    job
}

#[test]
fn an_independent_reader_reads_the_columns_that_the_suite_writes() {
    for sym in ["plain", "enum"] {
        let dir = tempfile::tempdir().unwrap();
        let job = written(dir.path(), sym);
        let file = |column: &Column| read(&fs::read(&column.path).unwrap());

        let tiny = Column::new(TINY, &job);
        let longs: Vec<i64> = (0..tiny.rows).map(|row| tiny.word(row) as i64).collect();
        assert_eq!(file(&tiny), Vector::Longs(longs));

        let float = Column::new(FLOAT, &job);
        let Vector::Floats(floats) = file(&float) else { panic!("floatcol has no floats") };
        let expected = (0..float.rows).map(|row| float.word(row));
        assert!(floats.iter().map(|value| value.to_bits()).eq(expected));

        let symbols = Column::new(SYM, &job);
        let domain = symbols.domain.as_ref().unwrap();
        let name = |id: u64| String::from_utf8(domain.text(id)[..4].to_vec()).unwrap();
        match file(&symbols) {
            Vector::Names(found) => {
                assert_eq!(sym, "plain");
                assert!(found.into_iter().eq((0..symbols.rows).map(|row| name(symbols.word(row)))));
            }
            Vector::Places(file, found) => {
                assert_eq!((sym, file.as_str()), ("enum", "sym"));
                assert!(
                    found.into_iter().eq((0..symbols.rows).map(|row| symbols.word(row) as i64))
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_independent_reader_reads_the_names_and_the_symbols_of_a_table() {
    let dir = tempfile::tempdir().unwrap();
    let job = Job { knobs: Options::from([("sym".into(), "enum".into())]), ..job("", dir.path()) };
    run(find("columnar.sort").unwrap(), &job).unwrap();
    let Vector::Names(columns) = read(&fs::read(dir.path().join(TABLE_NAMES)).unwrap()) else {
        panic!("no names");
    };
    for column in &columns {
        let path = dir.path().join(crate::columnar::column::TABLE_DIR).join(column);
        assert!(path.exists(), "{column}");
    }
    assert!(columns.contains(&"sym".to_string()), "{columns:?}");
}
