//! Campaigns of known truth through the program: written as files, imported, reported as JSON. Do intervals hold
//! the truth in 95 %, is one of equal targets called best in at most 5 %, is a true lead found?
//!
//! The small form is a test like any other. The whole table is printed by `bench/audit`.

#[path = "audit/worlds.rs"]
mod worlds;

use crate::common::Place;
use formats::export;
use serde_json::Value;
use std::{fs, thread};
use worlds::{Trouble, campaign, label};

/// A lead that is looked for.
const LEAD: f64 = 1.1;

/// What came of many campaigns of one kind.
#[derive(Clone, Debug, Default)]
struct Found {
    campaigns: usize,
    cells: Held,
    /// The share of cells whose interval holds the truth, per cent, in each campaign.
    shares: Vec<f64>,
    means: Held,
    scores: Held,
    /// The first over the second.
    leads: Held,
    /// Campaigns that call a target best that is not better than all others.
    false_winners: usize,
    /// Campaigns that call the best so.
    found: usize,
}

/// Intervals, and how many of them hold the truth.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    all: usize,
    hold: usize,
}

impl Held {
    fn add(&mut self, ratio: &Value, truth: f64) {
        let end = |name: &str| ratio[name].as_f64();
        let Some((low, high)) = end("low").zip(end("high")) else { return };
        self.all += 1;
        self.hold += usize::from(low <= truth && truth <= high);
    }

    fn percent(self) -> f64 {
        100.0 * self.hold as f64 / self.all as f64
    }

    /// The share of those that were added since it was `before`, per cent.
    fn since(self, before: Held) -> f64 {
        Held { all: self.all - before.all, hold: self.hold - before.hold }.percent()
    }
}

impl Found {
    fn percent(&self, campaigns: usize) -> f64 {
        100.0 * campaigns as f64 / self.campaigns as f64
    }

    /// Standard error of the share of cells, per cent. Cells of a campaign share the noise of its instances, so each
    /// campaign counts once.
    fn cells_error(&self) -> f64 {
        let n = self.shares.len() as f64;
        let mean = self.shares.iter().sum::<f64>() / n;
        let squares: f64 = self.shares.iter().map(|share| (share - mean).powi(2)).sum();
        (squares / (n - 1.0) / n).sqrt()
    }

    fn merge(mut self, other: Found) -> Found {
        let pairs = [
            (&mut self.leads, other.leads),
            (&mut self.cells, other.cells),
            (&mut self.means, other.means),
            (&mut self.scores, other.scores),
        ];
        for (own, other) in pairs {
            own.all += other.all;
            own.hold += other.hold;
        }
        self.shares.extend(other.shares);
        self.campaigns += other.campaigns;
        self.false_winners += other.false_winners;
        self.found += other.found;
        self
    }

    /// Adds what a page says of targets with these levels.
    fn add(&mut self, page: &Value, levels: &[f64]) {
        let truth = |target: &Value| {
            let at = (0..levels.len()).find(|at| *target == *label(*at)).unwrap();
            levels[at] / levels[0]
        };
        let list = |of: &Value| of.as_array().unwrap().clone();
        let before = self.cells;
        for table in list(&page["tables"]) {
            for cell in
                list(&table["rows"]).iter().flat_map(|row| list(&row["cells"])).collect::<Vec<_>>()
            {
                self.cells.add(&cell["ratio"], truth(&cell["target"]));
            }
            for footer in list(&table["footers"]) {
                self.means.add(&footer["ratio"], truth(&footer["target"]));
            }
        }
        self.shares.push(self.cells.since(before));
        let call = &page["call"];
        for candidate in list(&call["candidates"]) {
            self.scores.add(&candidate["ratio"], truth(&candidate["target"]));
        }
        let sentence = call["sentence"].as_str().unwrap();
        let is_best = [" is best ", " leads slightly "].iter().any(|it| sentence.contains(it));
        assert_eq!(is_best, call["kind"] == "clear", "{call}");
        let first = truth(&call["candidates"][0]["target"]);
        let as_good = |other: &Value| truth(&other["target"]) >= first;
        let is_right = list(&call["candidates"]).iter().filter(|other| as_good(other)).count() == 1;
        if let [_, second, ..] = list(&call["candidates"]).as_slice() {
            self.leads.add(&call["lead"], first / truth(&second["target"]));
        }
        // What is refused has no rank.
        let is_refused = sentence.starts_with("No recommendation: ");
        let is_silent = |c: &Value| c["p_best"].is_null() && c["ranks"].is_null();
        assert!(!is_refused || list(&call["candidates"]).iter().all(is_silent), "{call}");
        self.campaigns += 1;
        self.found += usize::from(is_best && is_right);
        self.false_winners += usize::from(is_best && !is_right);
    }
}

/// One kind of campaign.
#[derive(Clone, Copy, Debug)]
struct Kind {
    trouble: Trouble,
    targets: usize,
    blocks: u32,
    lead: f64,
}

impl Kind {
    /// The last is better than the others by the lead; of those that are not given up.
    fn levels(self) -> Vec<f64> {
        let mut levels = vec![1.0; self.targets];
        let given_up = usize::from(self.trouble == Trouble::GivenUp);
        levels[self.targets - 1 - given_up] *= self.lead;
        levels
    }

    /// Campaigns with these seeds, one after the other through a store of their own.
    fn run(self, seeds: impl Iterator<Item = u64>) -> Found {
        let (place, levels, mut found) = (Place::new(), self.levels(), Found::default());
        for seed in seeds {
            let data = campaign(self.trouble, &levels, self.blocks, seed);
            let (name, bytes) = export::json(&data).unwrap().swap_remove(0);
            fs::write(place.path(&name), bytes).unwrap();
            let told = place.ok(&["import", &name]);
            let id = told.split(':').next().unwrap();
            let page = place.ok(&["report", id, "--format", "json"]);
            found.add(&serde_json::from_str(&page).unwrap(), &levels);
            fs::remove_file(place.path("store.db")).unwrap();
        }
        found
    }

    /// The same on several processors.
    fn run_all(self, campaigns: u64, workers: u64) -> Found {
        thread::scope(|scope| {
            let start = |worker: u64| {
                let own = (0..campaigns).filter(move |seed| seed % workers == worker);
                scope.spawn(move || self.run(own.map(|seed| seed * 7919 + self.blocks as u64)))
            };
            let all: Vec<_> = (0..workers).map(start).collect();
            all.into_iter().map(|one| one.join().unwrap()).fold(Found::default(), Found::merge)
        })
    }
}

/// Which share of the intervals may hold the truth, per cent: 93 to 97 but for what METHODS.md names with the reason.
fn coverage_of(kind: Kind) -> (f64, f64) {
    let is_confounded = kind.targets > kind.blocks as usize;
    match kind.trouble {
        // Of what is wrong the claim is that it makes no best.
        _ if kind.trouble.is_wrong() => (0.0, 100.0),
        Trouble::BetweenRuns => (0.0, 100.0),
        Trouble::Drift | Trouble::Place if is_confounded => (0.0, 100.0),
        Trouble::Drift | Trouble::Place | Trouble::Outliers | Trouble::HeavyTails => (93.0, 100.0),
        _ => (93.0, 97.0),
    }
}

/// Fewer campaigns than the table has: coverage within three standard errors more, and at most three in forty with
/// a false winner, which 5 % exceed once in seven tries; the seeds are fixed.
#[test]
fn a_few_campaigns_of_each_kind_say_what_is_true() {
    for trouble in Trouble::USUAL {
        let kind = Kind { trouble, targets: 3, blocks: 5, lead: 1.0 };
        let found = kind.run_all(40, 2);
        assert!(
            found.cells.all == 40 * 2 * 16 && found.scores.all == 40 * 2,
            "{kind:?}: {found:?}"
        );
        if trouble == Trouble::BetweenRuns {
            continue;
        }
        let (least, most) = coverage_of(kind);
        let share = found.cells.percent();
        assert!((least - 4.0..=most + 3.0).contains(&share), "{kind:?}: {share} % of cells");
        assert!(found.scores.percent() >= 87.0, "{kind:?}: {found:?}");
        assert!(found.leads.percent() >= 87.0, "{kind:?}: {found:?}");
        assert!(found.false_winners <= 3, "{kind:?}: {found:?}");
    }
    let kind = Kind { trouble: Trouble::Iid, targets: 2, blocks: 5, lead: LEAD };
    let found = kind.run_all(20, 2);
    assert!(found.found >= 18 && found.false_winners == 0, "{found:?}");
}

/// The last of equals is judged by the wrong samples: neither it nor another is called best more often than where
/// nothing is wrong. Where it is better it is called best no more either, but for one that others disturbed now and
/// then; and the others are compared where one was given up.
#[test]
fn wrong_samples_make_no_best() {
    for trouble in Trouble::WRONG {
        let kind = Kind { trouble, targets: 3, blocks: 8, lead: 1.0 };
        let found = kind.run_all(40, 2);
        assert!(found.false_winners <= 3, "{kind:?}: {found:?}");
        let kind = Kind { lead: 1.2, ..kind };
        let ahead = kind.run_all(20, 2);
        let expected = match trouble {
            Trouble::GivenUp => 15..=20,
            Trouble::OneSide => 0..=20,
            _ => 0..=0,
        };
        assert!(expected.contains(&ahead.found) && ahead.false_winners == 0, "{kind:?}: {ahead:?}");
    }
    let six = Kind { trouble: Trouble::Iid, targets: 6, blocks: 3, lead: LEAD };
    let found = six.run_all(40, 2);
    assert!(found.leads.percent() >= 90.0, "{found:?}");
}

/// Prints the table of METHODS.md; `AUDIT_CAMPAIGNS` is the number for each field, `AUDIT_TROUBLE` the only trouble.
#[test]
#[ignore = "takes minutes; bench/audit runs it"]
fn the_whole_table() {
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let (campaigns, workers) = (number("AUDIT_CAMPAIGNS", 400), number("AUDIT_WORKERS", 4));
    println!(
        "| trouble | targets | blocks | cells | means | scores | leads | called best wrongly | 10 % found |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
    let only = std::env::var("AUDIT_TROUBLE").ok();
    let mut outside = Vec::new();
    for trouble in Trouble::USUAL.into_iter().chain(Trouble::WRONG) {
        if only.as_ref().is_some_and(|only| *only != format!("{trouble:?}")) {
            continue;
        }
        let fields: &[(usize, u32)] = match trouble.is_wrong() {
            true => &[(3, 5), (3, 8), (6, 5)],
            false => &[(2, 3), (2, 5), (2, 8), (3, 3), (3, 5), (3, 8), (6, 3), (6, 5)],
        };
        for &(targets, blocks) in fields {
            let kind = Kind { trouble, targets, blocks, lead: 1.0 };
            let equal = kind.run_all(campaigns, workers);
            let ahead = Kind { lead: LEAD, ..kind }.run_all(campaigns, workers);
            println!(
                "| {trouble:?} | {targets} | {blocks} | {:.1} ± {:.1} | {:.1} | {:.1} | {:.1}, {:.1} | {:.1} | {:.0} |",
                equal.cells.percent(),
                equal.cells_error(),
                equal.means.percent(),
                equal.scores.percent(),
                equal.leads.percent(),
                ahead.leads.percent(),
                equal.percent(equal.false_winners).max(ahead.percent(ahead.false_winners)),
                ahead.percent(ahead.found),
            );
            outside.extend(complaint(kind, &equal).into_iter().chain(short_lead(kind, &ahead)));
        }
    }
    assert!(outside.is_empty(), "{}", outside.join("\n"));
}

/// The interval of the lead of one that is ahead covers less than it says.
fn short_lead(kind: Kind, ahead: &Found) -> Option<String> {
    let is_named = kind.trouble.is_wrong() || coverage_of(kind).0 == 0.0;
    let least = 95.0 - 100.0 * 3.0 * (0.05 * 0.95 / ahead.campaigns as f64).sqrt();
    let covered = ahead.leads.percent();
    (!is_named && covered < least).then(|| format!("{kind:?}: {covered:.1} % of the leads"))
}

/// What is outside the limits by more than chance explains.
fn complaint(kind: Kind, found: &Found) -> Option<String> {
    let (least, most) = coverage_of(kind);
    let chance = 100.0 * 3.0 * (0.05 * 0.95 / found.scores.all as f64).sqrt();
    let is_out =
        |held: Held, chance: f64| held.percent() < least - chance || held.percent() > most + chance;
    let wrongly = found.percent(found.false_winners);
    let many = wrongly > 5.0 + 100.0 * 3.0 * (0.05 * 0.95 / found.campaigns as f64).sqrt();
    let is_named = kind.trouble == Trouble::BetweenRuns;
    (is_out(found.cells, 3.0 * found.cells_error()) || is_out(found.scores, chance) || (many && !is_named))
        .then(|| {
            format!(
                "{kind:?}: cells {:.1} % (standard error {:.1}), scores {:.1} %, called best wrongly {wrongly:.1} %",
                found.cells.percent(),
                found.cells_error(),
                found.scores.percent()
            )
        })
}
