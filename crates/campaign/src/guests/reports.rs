//! Checks what a guest reports, which is untrusted input. A sample is accepted when it belongs to the guest's task,
//! and its texts are sanitized first. No part of it is a path that this side follows.

use super::protocol::Report;
use crate::{faults::MOST_KEPT_BYTES, run::context::Event, stages::Placed};
use lab::instance::Check;
use model::{
    figure::{Durability, Unproven},
    result::{Environment, Fault, Reason},
    text::printable_line,
};
use std::collections::BTreeSet;

/// Most characters of a text, and most facts of a target.
const TEXT_CHARS: usize = 4000;
const FACTS: usize = 1000;

/// The task of a guest: the target runs of one target in one block.
#[derive(Debug)]
pub struct RequestedRuns {
    label: String,
    block: u32,
    position: u32,
    counts: Vec<u32>,
    cases: u64,
    /// Suite, test and number of workers.
    known: BTreeSet<(String, String, u32)>,
}

impl RequestedRuns {
    /// Creates the task of the target `label`, at `position` in `block`, with all tests of `placed`.
    pub fn of(placed: &Placed, label: &str, block: u32, position: u32) -> RequestedRuns {
        let known = placed.items.iter().flat_map(|item| {
            let of_test = move |info: model::workload::TestInfo| {
                let workers = item.counts.iter().map(|count| item.workers(*count).0);
                workers
                    .map(move |n| (item.suite.to_string(), info.id.clone(), n))
                    .collect::<Vec<_>>()
            };
            item.test.infos().into_iter().flat_map(of_test)
        });
        RequestedRuns {
            label: label.into(),
            block,
            position,
            counts: placed.counts.clone(),
            cases: placed.cases(),
            known: known.collect(),
        }
    }

    /// Returns the process count and the event of `report`, if it belongs to the task.
    ///
    /// # Errors
    /// It does not; the message gives the reason.
    pub fn take(&self, report: Report) -> Result<(u32, Event), String> {
        let (procs, event) = match report {
            Report::TargetRun(procs, event) => (procs, event),
            Report::Tried { .. } => return Err("reported a trial run".into()),
            Report::Kernel(_) => return Err("reported its kernel twice".into()),
            Report::Waits(_) => {
                return Err("guest waits for a step that was never \
                                            scheduled"
                    .into());
            }
        };
        if !self.counts.contains(&procs) {
            return Err(format!("reported {procs} processes"));
        }
        Ok((procs, self.event(event)?))
    }

    fn event(&self, event: Event) -> Result<Event, String> {
        Ok(match event {
            Event::Now(text) => Event::Now(plain(&text)),
            Event::Failed(fault) => Event::Failed(Fault { reason: plain(&fault.reason), ..fault }),
            Event::Done(cases) if cases > self.cases => {
                return Err(format!("reported {cases} cases of {}", self.cases));
            }
            Event::Done(cases) => Event::Done(cases),
            Event::Facts(facts) => Event::Facts(plain_facts(facts)),
            Event::Recording { test, bytes } => {
                let own = test.split(' ').next().unwrap_or_default();
                let is_known = self.known.iter().any(|(_, test, _)| test == own);
                if bytes.len() > MOST_KEPT_BYTES || !is_known {
                    return Err("reported a recording that was not requested".into());
                }
                Event::Recording { test: plain(&test), bytes }
            }
            Event::Cost(mut cost) => {
                if let Check::Damaged(text) | Check::Skipped(text) = &mut cost.check {
                    *text = plain(text);
                }
                Event::Cost(cost)
            }
            Event::Sample(mut sample) => {
                let case = &sample.case;
                let place = (&case.target, sample.block, sample.position);
                let test = (case.suite.clone(), case.test.clone(), case.procs);
                if place != (&self.label, self.block, self.position) || !self.known.contains(&test)
                {
                    let (suite, test, procs) = test;
                    let what = format!("{suite}, {test}, {procs} of {}", case.target);
                    return Err(format!(
                        "reported a case that was not requested: {}",
                        plain(&what)
                    ));
                }
                let why = sample.evidence.validity.why_mut();
                for text in why.map(Reason::texts_mut).unwrap_or_default() {
                    *text = plain(text);
                }
                if let Some(Durability::NotProven(Unproven::NoDevice(text))) =
                    &mut sample.evidence.durability
                {
                    *text = plain(text);
                }
                Event::Sample(sample)
            }
        })
    }
}

/// Returns `text` on one line, without control characters.
pub fn plain(text: &str) -> String {
    printable_line(text).chars().take(TEXT_CHARS).collect()
}

fn plain_facts(facts: Environment) -> Environment {
    let all = facts.0.into_iter().take(FACTS);
    Environment(all.map(|(key, value)| (plain(&key), plain(&value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        result::{FaultKind, Sample, Validity},
        workload::{CacheState, Case},
    };

    fn asked() -> RequestedRuns {
        RequestedRuns {
            label: "xfs".into(),
            block: 2,
            position: 1,
            counts: vec![1, 4],
            cases: 3,
            known: [("s".into(), "t".into(), 4)].into(),
        }
    }

    fn sample(change: impl Fn(&mut Sample)) -> Report {
        let case = Case {
            target: "xfs".into(),
            suite: "s".into(),
            test: "t".into(),
            procs: 4,
            threads: 1,
            cache: CacheState::Any,
        };
        let mut sample = Sample::bare(2, 1, case, Vec::new());
        change(&mut sample);
        Report::TargetRun(4, Event::Sample(Box::new(sample)))
    }

    #[test]
    fn only_requested_reports_are_accepted() {
        assert!(asked().take(sample(|_| ())).is_ok());
        let others: [fn(&mut Sample); 6] = [
            |s| s.case.target = "ext4".into(),
            |s| s.case.suite = "../../etc".into(),
            |s| s.case.test = "t2".into(),
            |s| s.case.procs = 5,
            |s| s.block = 0,
            |s| s.position = 0,
        ];
        for other in others {
            assert!(asked().take(sample(other)).unwrap_err().contains("was not requested"));
        }
        assert!(asked().take(Report::TargetRun(2, Event::Done(1))).is_err());
        assert!(asked().take(Report::TargetRun(1, Event::Done(4))).is_err());
        assert!(asked().take(Report::TargetRun(1, Event::Done(3))).is_ok());
        let recording = |test: &str, length| {
            Report::TargetRun(4, Event::Recording { test: test.into(), bytes: vec![0; length] })
        };
        assert!(asked().take(recording("t", 8)).is_ok());
        assert!(asked().take(recording("t2", 8)).is_err());
        assert!(asked().take(recording("t", MOST_KEPT_BYTES + 1)).is_err());
        assert!(asked().take(Report::Tried { target: 0, why: None }).is_err());
        assert!(asked().take(Report::Kernel("6.12".into())).unwrap_err().contains("twice"));
    }

    #[test]
    fn texts_are_sanitized() {
        let bad = "\x1b]0;owned\x07\n";
        let facts = Environment([(bad.to_string(), bad.to_string())].into());
        let fault = Fault { kind: FaultKind::Other, reason: bad.into() };
        let report = [Event::Now(bad.into()), Event::Failed(fault), Event::Facts(facts)];
        for event in report {
            let (_, event) = asked().take(Report::TargetRun(1, event)).unwrap();
            let text = format!("{event:?}");
            assert!(text.contains("]0;owned") && !text.contains("\\u{1b}"), "{text}");
        }
        for mut reason in model::strategies::reasons() {
            reason.texts_mut().into_iter().for_each(|text| *text = "\x1b[2J".repeat(9999));
            let invalid = sample(|s| *s.evidence.validity = Validity::Invalid(reason.clone()));
            let Ok((_, Event::Sample(taken))) = asked().take(invalid) else { panic!("not taken") };
            let Validity::Invalid(mut why) = (*taken.evidence.validity).clone() else {
                panic!("valid")
            };
            assert_eq!(why.kind(), why.kind().kind());
            for text in why.texts_mut() {
                assert_eq!(text.chars().count(), TEXT_CHARS);
                assert!(!text.contains('\x1b'), "{text:?}");
            }
        }
        let unproven = |kind: &str| Some(Durability::NotProven(Unproven::NoDevice(kind.into())));
        let report = sample(|s| s.evidence.durability = unproven("\x1b[2J"));
        let Ok((_, Event::Sample(taken))) = asked().take(report) else { panic!("not taken") };
        assert!(!format!("{taken:?}").contains("\\u{1b}"), "{taken:?}");
    }
}
