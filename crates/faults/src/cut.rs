//! A power failure of several disks at one moment: each keeps what it had flushed until then, and any of its writes
//! since, because each has a volatile cache of its own. The order among the disks is that of their requests.

use crate::log::{Event, Log};
use model::random::Rng;

/// What the disks are left with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// What each disk had written, oldest first: the first byte of the disk, and the bytes.
    pub written: Vec<Vec<(u64, Vec<u8>)>>,
    /// The last mark that the workload had set on any of them.
    pub acknowledged: u64,
}

/// Which of the writes since its last flush a disk keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    All,
    None,
    /// Each by chance.
    Some,
}

/// A drawn cut of the disks with these `logs`, after the first mark; `None` where there is none.
pub fn cut(logs: &[Log], seed: u64) -> Option<Cut> {
    let mut rng = Rng::new(seed ^ 0xc07);
    let marks = |log: &Log| {
        let mark = |(at, event): (u64, &Event)| match event {
            Event::Mark(number) => Some((at, *number)),
            _ => None,
        };
        log.stamped().filter_map(mark).collect::<Vec<_>>()
    };
    let marks: Vec<(u64, u64)> = logs.iter().flat_map(marks).collect();
    let first = marks.iter().map(|(at, _)| *at).min()?;
    let mut moments: Vec<u64> = logs.iter().flat_map(Log::stamped).map(|(at, _)| at).collect();
    moments.retain(|at| *at >= first);
    moments.sort_unstable();
    let moment = moments[(rng.next_u64() % moments.len() as u64) as usize];
    let set = marks.iter().filter(|(at, _)| *at <= moment);
    let acknowledged = set.map(|(_, number)| *number).max()?;
    let written = logs.iter().map(|log| log.written_by(kept(log, moment, &mut rng))).collect();
    Some(Cut { written, acknowledged })
}

/// The events until `moment` of which something is left.
fn kept<'l>(log: &'l Log, moment: u64, rng: &mut Rng) -> Vec<&'l Event> {
    let until: Vec<&Event> =
        log.stamped().filter(|(at, _)| *at <= moment).map(|(_, event)| event).collect();
    let durable = until.iter().rposition(|event| **event == Event::Flush).map_or(0, |at| at + 1);
    let keeps = [Keeps::All, Keeps::None, Keeps::Some][(rng.next_u64() % 3) as usize];
    let (durable, since) = until.split_at(durable);
    let is_kept = |_: &&&Event| match keeps {
        Keeps::All => true,
        Keeps::None => false,
        Keeps::Some => rng.next_u64() % 2 == 1,
    };
    durable.iter().chain(since.iter().filter(is_kept)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Two disks: to each a block before a flush, then three; a mark before and after the third.
    fn logs() -> Vec<Log> {
        let mut logs = vec![Log::new(1 << 20), Log::new(1 << 20)];
        let mut stamp = 0;
        let mut at = |log: &mut Log, event: Option<Event>, place: u64| {
            stamp += 1;
            log.stamp(stamp);
            match event {
                Some(event) => log.push(event),
                None => log.write(place, &[place as u8; 512]).unwrap(),
            }
        };
        for log in &mut logs {
            at(log, None, 0);
            at(log, Some(Event::Flush), 0);
        }
        at(&mut logs[0], Some(Event::Mark(0)), 0);
        for place in [512, 1024] {
            logs.iter_mut().for_each(|log| at(log, None, place));
        }
        at(&mut logs[0], Some(Event::Mark(1)), 0);
        logs.iter_mut().for_each(|log| at(log, None, 1536));
        logs
    }

    fn places(written: &[(u64, Vec<u8>)]) -> Vec<u64> {
        written.iter().map(|(place, _)| *place).collect()
    }

    #[test]
    fn each_disk_keeps_what_was_flushed_and_any_of_the_rest() {
        let logs = logs();
        let cuts: Vec<Cut> = (0..600).filter_map(|seed| cut(&logs, seed)).collect();
        assert_eq!(cuts.len(), 600);
        let mut seen = BTreeSet::new();
        for cut in &cuts {
            let [one, other] = [0, 1].map(|disk| places(&cut.written[disk]));
            assert!(one.first() == Some(&0) && other.first() == Some(&0), "{cut:?}");
            // Nothing is there that was not written before the power went.
            assert!(cut.acknowledged == 1 || !one.contains(&1536) && !other.contains(&1536));
            seen.insert((one.contains(&1024), other.contains(&1024), other.contains(&512)));
        }
        assert_eq!(seen.len(), 8, "the caches are of each disk alone: {seen:?}");
        assert_eq!(cuts.iter().map(|cut| cut.acknowledged).collect::<BTreeSet<_>>().len(), 2);
        assert_eq!(cut(&logs, 4), cut(&logs, 4));
    }

    #[test]
    fn without_a_mark_nothing_is_cut() {
        assert_eq!(cut(&logs()[1..], 1), None);
    }
}
