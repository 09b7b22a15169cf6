//! Checks the numbered transactions found in a database. No I/O.

use faults::contract::Finding;
use model::result::Harm;
use std::collections::BTreeMap;

/// Rows that a transaction inserts.
pub(super) const ROWS: u64 = 4;
/// Rows that every transaction changes.
pub(super) const LATEST: u64 = 6;

/// Which of the acknowledged transactions must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durable {
    /// All.
    All,
    /// All but the last.
    AllButLast,
    /// None.
    None,
}

/// What is in the database. Transactions have the numbers 1, 2, 3, ...
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ledger {
    /// How many rows of each transaction are there as they were inserted.
    pub(super) inserted: BTreeMap<u64, u64>,
    /// Rows that are not as any transaction inserted them, in words.
    pub(super) wrong: Vec<String>,
    /// The transaction that changed each of the rows that all change; 0 where none did.
    pub(super) latest: Vec<u64>,
}

impl Ledger {
    /// All that is wrong when the first `acknowledged` transactions were acknowledged and no more than one was begun
    /// since.
    pub(super) fn wrong(&self, acknowledged: u64, durable: Durable) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut find = |harm, detail: String| {
            findings.push(Finding { harm, path: "transactions".into(), detail });
        };
        let last = self.last();
        for (number, rows) in &self.inserted {
            if *rows != ROWS {
                let detail = format!("transaction {number} has {rows} of its {ROWS} rows");
                find(Harm::TransactionTorn, detail);
            }
        }
        for row in &self.wrong {
            find(Harm::TransactionTorn, row.clone());
        }
        if self.latest.len() as u64 != LATEST {
            find(Harm::TransactionTorn, format!("{} of {LATEST} changed rows", self.latest.len()));
        }
        for (place, number) in self.latest.iter().enumerate().filter(|(_, own)| **own != last) {
            let detail = format!("row {place} was changed by transaction {number}, not {last}");
            find(Harm::TransactionTorn, detail);
        }
        let must = match durable {
            Durable::All => acknowledged,
            Durable::AllButLast => acknowledged.saturating_sub(1),
            Durable::None => 0,
        };
        for number in (1..=must.max(last)).filter(|own| !self.inserted.contains_key(own)) {
            let but = if number < last { format!(", and {last} is") } else { String::new() };
            let harm = if number <= must { Harm::TransactionGone } else { Harm::TransactionTorn };
            find(harm, format!("transaction {number} is not there{but}"));
        }
        if last > acknowledged + 1 {
            find(Harm::Foreign, format!("transaction {last} was never begun"));
        }
        findings
    }

    /// The last transaction of which there is anything.
    fn last(&self) -> u64 {
        let inserted = self.inserted.keys().next_back().copied().unwrap_or(0);
        self.latest.iter().copied().max().unwrap_or(0).max(inserted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// After `done` whole transactions.
    fn after(done: u64) -> Ledger {
        let inserted = (1..=done).map(|number| (number, ROWS)).collect();
        Ledger { inserted, wrong: Vec::new(), latest: vec![done; LATEST as usize] }
    }

    fn harms(ledger: &Ledger, acknowledged: u64, durable: Durable) -> BTreeSet<Harm> {
        ledger.wrong(acknowledged, durable).into_iter().map(|finding| finding.harm).collect()
    }

    fn any_durable() -> impl Strategy<Value = Durable> {
        prop_oneof![Just(Durable::All), Just(Durable::AllButLast), Just(Durable::None)]
    }

    proptest! {
        /// A database that keeps its promise is never accused, whatever is in flight.
        #[test]
        fn who_keeps_the_promise_is_not_accused(
            acknowledged in 0u64..20, flight in 0u64..2, lost in 0u64..20, durable in any_durable(),
        ) {
            let may_lose = match durable {
                Durable::All => 0,
                Durable::AllButLast => lost.min(1),
                Durable::None => lost,
            };
            let kept = after(acknowledged.saturating_sub(may_lose));
            prop_assert!(harms(&kept, acknowledged, durable).is_empty());
            prop_assert!(harms(&after(acknowledged + flight), acknowledged, durable).is_empty());
        }

        /// One that loses what it has to keep always is.
        #[test]
        fn who_loses_is_accused(acknowledged in 2u64..20, lost in 2u64..20) {
            let kept = after(acknowledged.saturating_sub(lost));
            let gone = BTreeSet::from([Harm::TransactionGone]);
            prop_assert_eq!(harms(&kept, acknowledged, Durable::All), gone.clone());
            prop_assert_eq!(harms(&kept, acknowledged, Durable::AllButLast), gone);
            prop_assert!(harms(&kept, acknowledged, Durable::None).is_empty());
        }

        /// And so is one that leaves a transaction in part, or leaves one out, whatever it promises.
        #[test]
        fn half_a_transaction_is_named(
            done in 2u64..20, number in 1u64..19, rows in 0u64..ROWS, durable in any_durable(),
        ) {
            let number = number.min(done - 1);
            let mut half = after(done);
            half.inserted.insert(number, rows);
            let torn = BTreeSet::from([Harm::TransactionTorn]);
            prop_assert_eq!(harms(&half, done, durable), torn.clone());
            let mut hole = after(done);
            hole.inserted.remove(&number);
            let named = match durable {
                Durable::All | Durable::AllButLast => Harm::TransactionGone,
                Durable::None => Harm::TransactionTorn,
            };
            prop_assert_eq!(harms(&hole, done, durable), BTreeSet::from([named]));
            let mut changed = after(done);
            changed.latest[2] = number;
            prop_assert_eq!(harms(&changed, done, durable), torn);
        }
    }

    #[test]
    fn the_last_one_may_be_lost_by_who_does_not_promise_it() {
        assert_eq!(harms(&after(4), 5, Durable::All), BTreeSet::from([Harm::TransactionGone]));
        assert!(harms(&after(4), 5, Durable::AllButLast).is_empty());
        let why = after(3).wrong(5, Durable::All);
        assert_eq!(why[0].detail, "transaction 4 is not there");
    }

    #[test]
    fn a_transaction_from_the_future_is_named() {
        assert_eq!(harms(&after(7), 5, Durable::None), BTreeSet::from([Harm::Foreign]));
    }
}
