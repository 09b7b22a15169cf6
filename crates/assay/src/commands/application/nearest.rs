//! Finds the built-in tests and the profile that are most similar to a recorded application, by explicit rules.

use trace::{call::Op, summary::Summary};

/// What is nearest, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nearest {
    pub(super) tests: Vec<&'static str>,
    pub(super) profile: &'static str,
    pub(super) why: &'static str,
}

/// Syncs with less written before each are those of transactions, bytes.
const TRANSACTION: u64 = 256 << 10;

/// Finds what is nearest to `summary`.
pub(super) fn nearest(summary: &Summary) -> Nearest {
    let calls = summary.calls.max(1) as f64;
    let of = |op: Op| summary.of_op.get(op as usize).map_or(0, |of| of.calls) as f64;
    let named = summary.named;
    let changed = (named.made + named.removed + named.moved) as f64 / calls;
    let looked = (named.looked_up + named.listed) as f64 / calls;
    let syncs = summary.syncs.count();
    let sync_share = summary.syncs.total_ns() as f64 / summary.in_calls_ns().max(1) as f64;
    let is_durable = syncs > 0 && (sync_share > 0.3 || syncs as f64 > 0.02 * calls);
    let before = summary.bytes_before_syncs / syncs.max(1);
    let new =
        |tests: &[&'static str], profile, why| Nearest { tests: tests.to_vec(), profile, why };
    if is_durable && changed > 0.1 && of(Op::Lock) == 0.0 {
        let tests = ["files.create.4k", "metadata.hard.file.create"];
        return new(&tests, "mail-small-files", "many small files, made durable one by one");
    }
    if is_durable && before <= TRANSACTION {
        let tests: &[&str] = match (of(Op::Lock) > 0.1 * calls, changed > 0.01) {
            (true, true) => &["oltp.sqlite.rollback"],
            (true, false) => &["oltp.sqlite.wal"],
            (false, _) if summary.written.sequential_share() > 0.8 => &["oltp.log.4k.fdatasync"],
            (false, _) => &["oltp.pages.8k.c8"],
        };
        return new(
            tests,
            "oltp-database",
            "little is written between two syncs, which it waits for",
        );
    }
    if changed > 0.1 {
        let tests = ["apps.tar.extract", "files.create.4k"];
        return new(
            &tests,
            "build-ci",
            "many names are made and removed, and no sync is waited for",
        );
    }
    if looked > 0.5 {
        let tests = ["metadata.find.hot", "metadata.stat.hot"];
        return new(&tests, "build-ci", "most calls look names up");
    }
    let (read, written) = (&summary.read, &summary.written);
    match (read.bytes > 2 * written.bytes, written.bytes > 2 * read.bytes) {
        (true, _) if read.sequential_share() > 0.7 => {
            new(&["stream.read"], "media-streaming", "it reads files from their start to their end")
        }
        (true, _) => new(&["matrix.rndrd.4k.t1"], "vm-images", "it reads at random places"),
        (_, true) if written.sequential_share() > 0.7 => {
            new(&["stream.write"], "backup-target", "it writes files from their start to their end")
        }
        (_, true) => new(&["matrix.rndwr.4k.t1"], "vm-images", "it writes at random places"),
        _ => new(&["mixed.randrw70.16k.j8"], "vm-images", "it reads and writes about as much"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::shipped;
    use trace::{call::Call, summary::Summing};

    fn of(calls: &[(Op, u64, i64)]) -> Nearest {
        let mut summing = Summing::new(&[], &[]);
        for round in 0..100_u64 {
            for (at, (op, offset, result)) in (0_u64..).zip(calls) {
                let at_ns = round * 10_000 + at * 1000;
                let flags = if *op == Op::Open { 0o100 } else { 0 };
                let path = round as u32;
                let call = Call {
                    at_ns,
                    took_ns: 100,
                    result: *result,
                    handle: 0,
                    path,
                    flags,
                    ..Call::new(*op, 0)
                };
                summing.see(&[Call { offset: offset * round * 7919 % 65_536 * 4096, ..call }]);
            }
        }
        nearest(&summing.end())
    }

    #[test]
    fn applications_are_distinguished() {
        let log = [(Op::Open, 0, 0), (Op::Lock, 0, 0), (Op::Write, 0, 512), (Op::Fdatasync, 0, 0)];
        assert_eq!(of(&log).tests, ["oltp.sqlite.rollback"]);
        let mail = [(Op::Open, 0, 0), (Op::Write, 0, 4096), (Op::Fsync, 0, 0), (Op::Rename, 0, 0)];
        assert_eq!(of(&mail).profile, "mail-small-files");
        let unpack = [(Op::Open, 0, 0), (Op::Write, 0, 4096), (Op::Close, 0, 0)];
        assert_eq!(of(&unpack).tests[0], "apps.tar.extract");
    }

    #[test]
    fn what_is_named_ships() {
        let ids: Vec<String> = suites::suites().iter().flat_map(|suite| suite.ids()).collect();
        let source = include_str!("nearest.rs");
        let quoted = source.split('"').skip(1).step_by(2);
        let tests = ["oltp.", "files.", "metadata.", "apps.", "stream.", "matrix.", "mixed."];
        let mut seen = 0;
        for id in quoted.filter(|word| {
            tests.iter().any(|suite| word.starts_with(suite) && word.len() > suite.len())
        }) {
            seen += 1;
            assert!(ids.iter().any(|known| known == id), "{id}");
        }
        assert!(seen >= 10);
        for profile in [
            "mail-small-files",
            "oltp-database",
            "build-ci",
            "media-streaming",
            "vm-images",
            "backup-target",
        ] {
            assert!(shipped::profile(profile).is_ok(), "{profile}");
        }
    }
}
