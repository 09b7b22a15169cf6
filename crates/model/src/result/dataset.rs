//! A campaign as it is stored, and the dataset that statistics and report read.

use crate::{
    figure::Metric,
    plan::{LabKind, Plan, Twin},
    result::{Environment, Note, Sample},
    workload::TestInfo,
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, SeqAccess, Visitor},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

/// Where a campaign came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Measured by assay.
    Run,
    /// Read from files.
    Import,
    /// Shipped with the program: tables of a published study.
    Published,
}

impl Origin {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Run => "run",
            Origin::Import => "import",
            Origin::Published => "published",
        }
    }
}

impl FromStr for Origin {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [Origin::Run, Origin::Import, Origin::Published]
            .into_iter()
            .find(|origin| origin.as_str() == text)
            .ok_or_else(|| format!("`{text}` is not an origin; use run, import or published"))
    }
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CampaignState {
    /// Blocks are missing, or a target that worked in others failed in some; `assay resume` continues.
    Open,
    /// All blocks are there, of every target that could be measured at all.
    Done,
}

impl CampaignState {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            CampaignState::Open => "open",
            CampaignState::Done => "done",
        }
    }
}

impl FromStr for CampaignState {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "open" => Ok(CampaignState::Open),
            "done" => Ok(CampaignState::Done),
            _ => Err(format!("`{text}` is not a state of a campaign; use open or done")),
        }
    }
}

/// The identity of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Campaign {
    /// Unique in a store.
    pub id: String,
    /// RFC 3339, UTC, seconds.
    pub created: String,
    /// One line for lists.
    pub title: String,
    /// Where it came from.
    pub origin: Origin,
    /// How far it is.
    pub state: CampaignState,
    /// Version of assay that wrote it.
    pub assay_version: String,
    /// What was asked; for imports a plan with the targets and no more.
    pub plan: Plan,
    /// The factor on sizes that was used.
    pub scale: f64,
    /// Seed that was used.
    pub seed: u64,
    /// What the machine was.
    pub environment: Environment,
    /// What belongs under every table: caveats of the source, the backing or its course.
    #[serde(deserialize_with = "bounded_notes")]
    pub notes: Vec<Note>,
}

/// Most notes of a campaign.
pub(crate) const MOST_NOTES: usize = 10_000;

/// Reads no more notes than a campaign has: a list of millions is refused before it is held.
fn bounded_notes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Note>, D::Error> {
    struct Notes;
    impl<'de> Visitor<'de> for Notes {
        type Value = Vec<Note>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of notes")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Note>, A::Error> {
            let mut notes = Vec::new();
            while let Some(note) = list.next_element()? {
                if notes.len() == MOST_NOTES {
                    return Err(A::Error::custom(format!("it has more than {MOST_NOTES} notes")));
                }
                notes.push(note);
            }
            Ok(notes)
        }
    }
    deserializer.deserialize_seq(Notes)
}

/// Whether a target did what it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetState {
    /// It did in every block that was run, or was not tried yet.
    Ok,
    /// It could not be made, or is missing in a block: one line with the last reason.
    Failed(String),
}

/// One candidate of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// Unique in the campaign.
    pub label: String,
    /// The target as text.
    pub target: String,
    /// Where it was last made.
    #[serde(default)]
    pub lab: LabKind,
    /// Whether it did what it should.
    pub state: TargetState,
    /// Effective mount options, geometry, tool versions and commands.
    pub facts: Environment,
}

/// Fact of a target: why data may be lost with the power after it was synced; absent where a sync is
/// kept to.
pub const NOT_DURABLE: &str = "sync.not_durable";

/// Fact of a target: the commands that make and mount it on a disk of one's own, joined by `; `, with `DEVICE` and
/// `DIRECTORY` for the places; absent where it is on several disks or on none.
pub const BY_HAND: &str = "by_hand.commands";

/// Fact of a target: which of its mount options are not in effect as asked, and what is; absent where all are.
pub const NOT_AS_ASKED: &str = "mount.not_as_asked";

/// Fact of the environment: which tests of its suites a campaign does not run, and why; absent where it runs all.
pub const TESTS_LEFT_OUT: &str = "tests.left_out";

/// Fact of the environment: what each of its suites stands for, a sentence each in their own words; absent where no
/// suite was run.
pub const SUITES_ABOUT: &str = "suites.about";

/// Fact of a target: after how many blocks it got no more, because it was decidedly behind.
const LEFT_AFTER: &str = "race.left_after_blocks";

impl TargetRecord {
    /// After how many blocks it got no more, because it was decidedly behind; `None` while it runs on.
    pub fn left_after(&self) -> Option<u32> {
        self.facts.0.get(LEFT_AFTER)?.parse().ok()
    }

    /// Notes that it gets no more after `blocks`.
    pub fn leave_after(&mut self, blocks: u32) {
        self.facts.0.insert(LEFT_AFTER.into(), blocks.to_string());
    }
}

/// Everything that is known of one campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// Which campaign.
    pub campaign: Campaign,
    /// Its candidates in the order of the plan.
    pub targets: Vec<TargetRecord>,
    /// Its tests in the order of the suite.
    pub tests: Vec<TestInfo>,
    /// Its samples: by block, position, then as measured.
    pub samples: Vec<Sample>,
}

/// A campaign without its samples: what there is once, however many of those there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Which campaign.
    pub campaign: Campaign,
    /// Its candidates in the order of the plan.
    pub targets: Vec<TargetRecord>,
    /// Its tests in the order of the suite.
    pub tests: Vec<TestInfo>,
}

impl Head {
    /// The whole, with its samples in their order.
    pub fn with(self, samples: Vec<Sample>) -> Dataset {
        let Head { campaign, targets, tests } = self;
        Dataset { campaign, targets, tests, samples }
    }
}

impl Dataset {
    /// Its samples, and what is known besides them.
    pub fn parted(self) -> (Head, Vec<Sample>) {
        let Dataset { campaign, targets, tests, samples } = self;
        (Head { campaign, targets, tests }, samples)
    }

    /// The same with every test ranked by `metric`, without the tests whose samples do not have it; `None` where none
    /// has.
    pub fn ranked_by(&self, metric: &str) -> Option<Dataset> {
        let mut found: BTreeMap<&str, Cow<'_, Metric>> = BTreeMap::new();
        for sample in &self.samples {
            let own = sample.find(metric);
            own.into_iter().for_each(|own| _ = found.entry(&sample.case.test).or_insert(own));
        }
        let ranked = |info: &TestInfo| {
            let own = found.get(info.id.as_str())?;
            let (metric, unit) = (own.name.to_string(), own.unit.to_string());
            Some(TestInfo { metric, unit, better: own.better, ..info.clone() })
        };
        let tests: Vec<TestInfo> = self.tests.iter().filter_map(ranked).collect();
        let of_it = self.samples.iter().filter(|own| found.contains_key(own.case.test.as_str()));
        let samples = of_it.cloned().collect();
        let (campaign, targets) = (self.campaign.clone(), self.targets.clone());
        (!tests.is_empty()).then_some(Dataset { campaign, targets, tests, samples })
    }

    /// Names of all numbers that its samples have.
    pub fn metric_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for sample in &self.samples {
            names.extend(sample.all_metrics().iter().map(|metric| metric.name.to_string()));
        }
        names
    }

    /// The second of its A/A pair, when it has one: a check of the method, no candidate.
    pub fn twin(&self) -> Option<Twin> {
        let listed = |label: &String| self.targets.iter().any(|t| t.label == *label);
        self.campaign.plan.twin().filter(|twin| listed(&twin.label) && listed(&twin.of))
    }

    /// Whether `sample` was measured after its block: its target had failed in it, or was not tried, and was
    /// run again behind all others.
    pub fn is_run_again(&self, sample: &Sample) -> bool {
        let entrants = self.campaign.plan.entrants().len().max(self.targets.len());
        sample.position as usize >= entrants
    }

    /// Names of the suites that its tests are of, in their order, for sentences.
    pub fn suites(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for test in &self.tests {
            if !names.contains(&test.suite.as_str()) {
                names.push(&test.suite);
            }
        }
        if names.is_empty() { self.campaign.plan.suites.join(", ") } else { names.join(", ") }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for CampaignState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
