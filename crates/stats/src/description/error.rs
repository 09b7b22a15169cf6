//! Errors of evaluating or comparing datasets.

/// A dataset or settings that cannot be judged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatsError {
    /// No target has the label asked for.
    #[error(
        "unknown target `{label}`{}; choose the baseline from: {known}",
        model::text::did_you_mean(label, known.split(", "))
    )]
    UnknownBaseline {
        /// The label asked for.
        label: String,
        /// The labels that exist.
        known: String,
    },
    /// A campaign without candidates.
    #[error("campaign {campaign} has no target; run it, or import files that name one")]
    NoTargets {
        /// Its id.
        campaign: String,
    },
    /// A sample of something that the campaign does not list.
    #[error(
        "a sample names the {what} `{name}`, which campaign {campaign} does not list; import it again"
    )]
    Unlisted {
        /// `target` or `test`.
        what: &'static str,
        /// The name in the sample.
        name: String,
        /// Id of the campaign.
        campaign: String,
    },
    /// A side without a campaign.
    #[error("one side has no campaign; name at least one on each")]
    NoCampaign,
    /// A campaign set against itself, or counted twice.
    #[error("{campaign} is named twice; each campaign may appear once, on one side")]
    SameCampaign {
        /// Its id.
        campaign: String,
    },
    /// Two campaigns that measured nothing alike.
    #[error(
        "{a} and {b} have no test in common at the same number of processes; compare campaigns of one suite, or of tests with the same name, type and metric"
    )]
    NothingInCommon {
        /// Id of the one.
        a: String,
        /// Id of the other.
        b: String,
    },
    /// Campaigns of machines of several kinds that were to be taken for one.
    #[error(
        "{one} and {other} cannot be pooled, because their machines differ in {what}; report them \
         side by side, without --pool"
    )]
    OtherMachine {
        /// Id of the one.
        one: String,
        /// Id of the other.
        other: String,
        /// Facts that differ.
        what: String,
    },
    /// Campaigns that did not do the same work.
    #[error(
        "{one} and {other} did different work, so their ratios would be meaningless: {what}; \
         measure the second with `assay run --like {one}`, or rank both by one metric with \
         --metric NAME"
    )]
    Unlike {
        /// Id of the one.
        one: String,
        /// Id of the other.
        other: String,
        /// What differs, the one's first.
        what: String,
    },
    /// A published study compared with a campaign that did not do the whole of its tests.
    #[error(
        "{study} ran its tests completely, but {own} only partly ({what}), so their ratios would \
         be meaningless; measure with --scale full"
    )]
    NotWhole {
        /// Id of the study.
        study: String,
        /// Id of the other.
        own: String,
        /// How much that did.
        what: String,
    },
    /// Two campaigns that rank the same tests by other metrics.
    #[error("{a} and {b} {how}; {remedy}")]
    OtherMetric {
        /// Id of the one.
        a: String,
        /// Id of the other.
        b: String,
        /// How many tests, and by what each ranks the first of them.
        how: String,
        /// What to do.
        remedy: String,
    },
    /// A stage of a search in which the default failed.
    #[error(
        "{label} has no valid sample in {campaign}, so nothing can be compared to it; `assay \
         report {campaign}` says why"
    )]
    NothingToCompareWith {
        /// Id of the campaign.
        campaign: String,
        /// Label of the default.
        label: String,
    },
    /// A requirement that no fact of any file system speaks of.
    #[error("unknown feature `{feature}`{}; expected one of: \
             {known}", model::text::did_you_mean(.feature, .known.split(", ")))]
    UnknownFeature {
        /// What was required.
        feature: String,
        /// The features that facts speak of.
        known: String,
    },
    /// A band that is not a share.
    #[error("invalid band {band}; expected a share such as 0.05")]
    Band {
        /// The band asked for.
        band: String,
    },
}
