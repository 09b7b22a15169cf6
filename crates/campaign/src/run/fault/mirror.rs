//! Tries a fault of one leg of a mirror, and counts what was seen.

use super::{FaultCase, scrubs, seeds};
use crate::faults::{FaultsError, FilesRead, Mirror, Read, SeenMirror};
use model::result::{ErrnoCount, LegFault, MirrorReads, Mirrors, Moment, ReadFrom};
use suites::MirrorWork;

/// Tries it as often as asked, or until the case is stopped.
///
/// # Errors
/// The target is not a mirror, nothing was seen, or the lab or the file system failed before any fault.
pub(super) fn tried(
    case: &FaultCase<'_>,
    MirrorWork { fault, tries }: MirrorWork,
    seed: u64,
) -> Result<Mirrors, FaultsError> {
    let mut mirror = Mirror::make(case.lab, case.target)?;
    let mut all = Vec::new();
    for (_, seed) in seeds(case, tries, seed) {
        all.push(match fault {
            LegFault::BadData | LegFault::BadMetadata => mirror.bad_copy(fault, seed)?,
            LegFault::LostDisk => mirror.lost_disk(seed)?,
            LegFault::PowerCut => mirror.power_cut(seed)?,
        });
    }
    let (legs, enough) = mirror.legs();
    let counted = counted(fault, seed, &all);
    Ok(Mirrors { legs: legs as u64, enough: enough as u64, ..counted })
}

/// What `all` of the tries saw.
fn counted(fault: LegFault, seed: u64, all: &[SeenMirror]) -> Mirrors {
    let mut mirrors = Mirrors::new(fault, seed);
    mirrors.tries = all.len() as u64;
    mirrors.written = all.iter().map(|seen| seen.written).sum();
    mirrors.refused = all.iter().filter(|seen| seen.is_refused).count() as u64;
    mirrors.unmet = all.iter().filter(|seen| seen.is_unmet).count() as u64;
    let looks = all.iter().flat_map(|seen| &seen.looks);
    looks.for_each(|(moment, from, look)| mirrors.note(&one(*moment, *from, *look)));
    let scrubbed: Vec<_> = all.iter().filter_map(|seen| seen.scrub).collect();
    mirrors.scrub = scrubs::added(&scrubbed);
    mirrors.rebuild = scrubs::spread(all.iter().filter_map(|seen| seen.rebuild));
    mirrors
}

/// One read.
fn one(moment: Moment, from: ReadFrom, FilesRead { read, missing }: FilesRead) -> MirrorReads {
    let errors = match read {
        Read::Failed(errno) => vec![ErrnoCount { errno, tries: 1 }],
        Read::Right | Read::Wrong => Vec::new(),
    };
    let is = |known: Read| u64::from(read == known);
    let (right, wrong) = (is(Read::Right), is(Read::Wrong));
    MirrorReads { moment, from, right, wrong, errors, missing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::Scrubbed;
    use model::result::{Scrub, Spread};
    use std::time::Duration;

    fn look(read: Read, missing: u64) -> FilesRead {
        FilesRead { read, missing }
    }

    /// A try in which the first read through the mirror was `first`, and a scrub repaired or not.
    fn seen(first: FilesRead, has_repaired: bool, ms: u64) -> SeenMirror {
        let took = Duration::from_millis(ms);
        SeenMirror {
            written: 64,
            is_refused: first.read != Read::Right,
            is_unmet: ms > 3,
            looks: vec![
                (Moment::Fault, ReadFrom::FaultyLeg, look(Read::Failed(5), 1)),
                (Moment::Fault, ReadFrom::OtherLeg, look(Read::Right, 0)),
                (Moment::Read, ReadFrom::Mirror, first),
                (Moment::Read, ReadFrom::Mirror, look(Read::Right, 0)),
            ],
            scrub: Some(Scrubbed { has_detected: true, has_repaired, took }),
            rebuild: (ms > 2).then_some(took),
        }
    }

    #[test]
    fn each_read_and_each_try_is_counted_once() {
        let all = [
            seen(look(Read::Right, 0), true, 2),
            seen(look(Read::Wrong, 3), true, 4),
            seen(look(Read::Failed(30), 64), false, 3),
        ];
        let mirrors = counted(LegFault::LostDisk, 8, &all);
        assert_eq!((mirrors.fault, mirrors.seed, mirrors.tries), (LegFault::LostDisk, 8, 3));
        assert_eq!((mirrors.written, mirrors.refused, mirrors.unmet), (192, 2, 1));
        let at = |moment, from| {
            let own = mirrors.at(moment, from).unwrap();
            ([own.right, own.wrong, own.missing], own.errors.clone())
        };
        let errors = |errno, tries| vec![ErrnoCount { errno, tries }];
        assert_eq!(at(Moment::Fault, ReadFrom::FaultyLeg), ([0, 0, 3], errors(5, 3)));
        assert_eq!(at(Moment::Fault, ReadFrom::OtherLeg), ([3, 0, 0], Vec::new()));
        assert_eq!(at(Moment::Read, ReadFrom::Mirror), ([4, 1, 67], errors(30, 1)));
        assert_eq!(mirrors.silent(), (6, 1));
        let time = |min, median, max| {
            let [min_ns, median_ns, max_ns] = [min, median, max].map(|ms: u64| ms * 1_000_000);
            Some(Spread { min_ns, median_ns, max_ns })
        };
        let scrub = Scrub { tries: 3, detected: 3, repaired: 2, time: time(2, 3, 4) };
        assert_eq!(mirrors.scrub, Some(scrub));
        assert_eq!(mirrors.rebuild, time(3, 3, 4));
    }

    #[test]
    fn nothing_tried_is_nothing_seen() {
        let none = counted(LegFault::BadData, 1, &[]);
        assert_eq!(none, Mirrors::new(LegFault::BadData, 1));
    }
}
