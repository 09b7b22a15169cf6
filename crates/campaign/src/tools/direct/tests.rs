//! Direct I/O requested of each tool, by its options and by its output.

use crate::tools::tests::{job, test_of};
use model::figure::{Better, Metric};
use suites::Measured;

/// Returns the direct I/O of the tool `name` with `options` in parts of the test `id`, given their rate in `unit`,
/// operations and seconds.
fn moved_direct(name: &str, options: &str, parts: &[(&str, (f64, &str), u64, f64)]) -> Option<u64> {
    let part = |(id, (rate, unit), ops, seconds): &(&str, (f64, &str), u64, f64)| {
        let rate = Metric::new("rate", *rate, unit, Better::Higher);
        let metrics = vec![rate];
        Measured { test: (*id).into(), metrics, ops: *ops, ..crate::testing::measured(0, *seconds) }
    };
    let measured: Vec<_> = parts.iter().map(part).collect();
    test_of(name, None, options).direct_bytes(&job(None, 2), &measured)
}

#[test]
fn direct_bytes_of_ior_follow_its_rates() {
    let parts = [("ior.write", (100.0, "MB/s"), 0, 2.0), ("ior.read", (300.0, "MB/s"), 0, 0.5)];
    let of = |options: &str| moved_direct("ior", options, &parts);
    for asked in ["--posix.odirect", "-B", "-zB", "-O useO_DIRECT=1", "-OuseO_DIRECT=1,keepFile=0"]
    {
        assert_eq!(of(asked), Some(350_000_000), "{asked}");
    }
    for other in ["", "-z", "-oB", "-O useO_DIRECT=0", "-a MPIIO --posix.odirect"] {
        assert_eq!(of(other), None, "{other}");
    }
    assert_eq!(of("-a posix --posix.odirect -t 4k"), Some(350_000_000));
}

#[test]
fn direct_bytes_of_elbencho_are_file_data() {
    let parts = [
        ("elbencho.mkdirs", (5000.0, "ops/s"), 1 << 20, 1.0),
        ("elbencho.write", (50.0, "MB/s"), 0, 2.0),
        ("elbencho.read", (200.0, "MB/s"), 0, 0.5),
    ];
    let of = |options: &str| moved_direct("elbencho", options, &parts);
    assert_eq!(of("--direct"), Some(200_000_000));
    assert_eq!(of("--direct -b 4k -s 16k"), Some(200_000_000));
    assert_eq!([of(""), of("--dirsharing")], [None; 2]);
}

#[test]
fn direct_bytes_of_bonnie_exclude_single_characters() {
    let parts = [
        ("bonnie.putc", (10.0, "MB/s"), 0, 1.0),
        ("bonnie.put_block", (100.0, "MB/s"), 0, 2.0),
        ("bonnie.seeks", (900.0, "ops/s"), 0, 1.0),
        ("bonnie.seq_create", (40_000.0, "ops/s"), 0, 1.0),
    ];
    let of = |options: &str| moved_direct("bonnie++", options, &parts);
    assert_eq!([of("-D"), of("-qD -s 64:4k -n 0")], [Some(200_000_000); 2]);
    assert_eq!([of(""), of("-fD"), of("-mDisk -f")], [None; 3]);
}

#[test]
fn direct_bytes_of_mdtest_are_file_data() {
    let parts = [
        ("mdtest.dir.create", (900.0, "ops/s"), 0, 1.0),
        ("mdtest.file.create", (900.0, "ops/s"), 0, 1.0),
        ("mdtest.file.read", (900.0, "ops/s"), 0, 1.0),
    ];
    let of = |options: &str| moved_direct("mdtest", options, &parts);
    // 2 processes.
    assert_eq!(of("-n 100 -w 8192 -e 4096 --posix.odirect"), Some(200 * (8192 + 4096)));
    assert_eq!(of("-n 100 -w 4096 --posix.odirect"), Some(200 * 4096));
    assert_eq!(of("-n 100 --posix.odirect"), None, "empty files");
    assert_eq!([of("-n 100 -w 4096"), of("-n 100 -B -w 4096")], [None; 2]);
}
