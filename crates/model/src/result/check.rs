//! Checks every dataset, whatever its origin: valid names, valid numbers, consistent parts. Imports go through
//! [`Dataset::checked`], or sample by sample through a [`Checker`]; data read from a store, which may come from
//! elsewhere, goes through [`Dataset::printable`].

use crate::{
    figure::{Durability, Histogram, Metric, Unproven},
    plan::Plan,
    result::{
        Campaign, Covariates, Dataset, Environment, Head, Note, Reason, Sample, TargetRecord,
        TargetState, Validity, dataset::MOST_NOTES,
    },
    text::{Name, NameError, NameKind, name},
    workload::TestInfo,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    fmt, mem,
};

/// A dataset that cannot be taken: which part of it, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetError {
    part: String,
    why: String,
}

impl fmt::Display for DatasetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.why)
    }
}

impl std::error::Error for DatasetError {}

fn at(part: impl Into<String>, why: impl ToString) -> DatasetError {
    DatasetError { part: part.into(), why: why.to_string() }
}

/// What each text of a dataset becomes; `None` where it stays.
type Visit<'a> = dyn FnMut(NameKind, &str) -> Result<Option<String>, NameError> + 'a;

/// Writes to a text only where it changes, so that what is shared stays so.
macro_rules! edit {
    ($visit:expr, $kind:ident, $text:expr) => {
        if let Some(changed) = $visit(NameKind::$kind, &$text)? {
            $text = changed;
        }
    };
}

impl Dataset {
    /// This dataset in its order, when every name keeps its rule, every number is finite, and its parts
    /// fit.
    ///
    /// # Errors
    /// The first part that does not.
    pub fn checked(self) -> Result<Dataset, DatasetError> {
        let (mut head, mut samples) = self.parted();
        let mut checker = Checker::default();
        samples.iter_mut().try_for_each(|sample| checker.sample(sample))?;
        checker.head(&mut head)?;
        samples.sort_by_key(|sample| (sample.block, sample.position));
        Ok(head.with(samples))
    }

    /// This dataset with what `change` makes of each of its texts; those of the plan, which must run as it was
    /// stored, stay as they are.
    pub fn map_texts(self, change: &mut dyn FnMut(&str) -> String) -> Dataset {
        let (mut head, mut samples) = self.parted();
        let mut visit = |_: NameKind, text: &str| {
            let changed = change(text);
            Ok((changed != text).then_some(changed))
        };
        let changed = head_texts(&mut head, &mut visit);
        debug_assert_eq!(changed, Ok(()));
        for sample in &mut samples {
            let changed = sample_texts(sample, &mut visit);
            debug_assert_eq!(changed, Ok(()));
        }
        head.with(samples)
    }

    /// This dataset as it may be shown and computed with: every character that is not printable stands
    /// as `\uXXXX`, and a sample with a number that is none, with a series that is not whole or with a
    /// histogram that does not ascend is invalid and without them. Names that only break the rules of
    /// today stay as they are.
    pub fn printable(self) -> Dataset {
        let (head, samples) = self.parted();
        head.printable().with(samples.into_iter().map(Sample::printable).collect())
    }
}

impl Head {
    /// The same of it as [`Dataset::printable`] makes.
    pub fn printable(mut self) -> Head {
        let shown = head_texts(&mut self, &mut show);
        debug_assert_eq!(shown, Ok(()));
        self.campaign.scale = or_zero(self.campaign.scale);
        self
    }
}

impl Sample {
    /// The same of it as [`Dataset::printable`] makes.
    pub fn printable(mut self) -> Sample {
        let shown = sample_texts(&mut self, &mut show);
        debug_assert_eq!(shown, Ok(()));
        without_faults(&mut self);
        self
    }
}

/// Checks a dataset that comes in parts: its samples one by one, the rest at the end.
#[derive(Debug, Default)]
pub struct Checker {
    samples: usize,
    /// Names that samples gave, with the first that did.
    targets: HashMap<String, usize>,
    tests: HashMap<String, usize>,
}

impl Checker {
    /// Checks the next sample.
    ///
    /// # Errors
    /// Its first name that breaks its rule, number that is not finite, or metric that occurs twice: NaN
    /// and infinity have no place in JSON and none in a mean.
    pub fn sample(&mut self, sample: &mut Sample) -> Result<(), DatasetError> {
        let number = self.samples;
        self.samples += 1;
        sample_texts(sample, &mut by_rule).map_err(|why| at(format!("sample {number}"), why))?;
        let fault = fault_of_figures(sample).or_else(|| fault_of_series(sample));
        fault.map_or(Ok(()), |why| Err(at(place(number, sample), why)))?;
        unique_metrics(sample).map_err(|error| at(place(number, sample), error))?;
        for (names, name) in
            [(&mut self.targets, &sample.case.target), (&mut self.tests, &sample.case.test)]
        {
            if !names.contains_key(name) {
                names.insert(name.clone(), number);
            }
        }
        Ok(())
    }

    /// Checks what there is besides the samples: names are of one thing each, and every sample is of a
    /// target and a test that are listed.
    ///
    /// # Errors
    /// The first part that breaks a rule.
    pub fn head(&self, head: &mut Head) -> Result<(), DatasetError> {
        head_texts(head, &mut by_rule)?;
        plan_names(&head.campaign.plan).map_err(|why| at("the plan", why))?;
        if head.campaign.notes.len() > MOST_NOTES {
            return Err(at("the campaign", format!("it has more than {MOST_NOTES} notes")));
        }
        if !head.campaign.scale.is_finite() {
            return Err(at("the campaign", "its scale is not a finite number"));
        }
        let labels = unique("target", head.targets.iter().map(|target| &*target.label))?;
        let ids = unique("test", head.tests.iter().map(|test| &*test.id))?;
        listed("target", &self.targets, &labels)?;
        listed("test", &self.tests, &ids)
    }
}

/// Fails with the first sample that is of something which is not `known`.
fn listed(
    what: &str,
    named: &HashMap<String, usize>,
    known: &HashSet<&str>,
) -> Result<(), DatasetError> {
    let unknown = named.iter().filter(|(name, _)| !known.contains(name.as_str()));
    unknown.min_by_key(|(_, number)| **number).map_or(Ok(()), |(name, number)| {
        Err(at(
            format!("sample {number}"),
            format!(
                "refers to {what} {name:?}, which is not \
                                                    listed"
            ),
        ))
    })
}

/// Fails for a text that breaks the rule of its kind.
fn by_rule(kind: NameKind, text: &str) -> Result<Option<String>, NameError> {
    kind.check(text).map(|()| None)
}

/// Makes a text printable.
fn show(kind: NameKind, text: &str) -> Result<Option<String>, NameError> {
    let shown = match kind {
        // Its tabs are harmless and part of what a program printed.
        NameKind::Text if kind.fault(text).is_none() => return Ok(None),
        NameKind::Text => name::printable(text),
        NameKind::Id | NameKind::Label => name::printable_line(text),
    };
    Ok(match shown {
        Cow::Borrowed(_) => None,
        Cow::Owned(changed) => Some(changed),
    })
}

/// Shows every text of `head` to `visit`, but for those of the plan, which must run as it was stored.
fn head_texts(head: &mut Head, visit: &mut Visit<'_>) -> Result<(), DatasetError> {
    let Head { campaign, targets, tests } = head;
    for (number, target) in targets.iter_mut().enumerate() {
        target_texts(target, visit).map_err(|why| at(format!("target {number}"), why))?;
    }
    for (number, test) in tests.iter_mut().enumerate() {
        test_texts(test, visit).map_err(|why| at(format!("test {number}"), why))?;
    }
    campaign_texts(campaign, visit).map_err(|why| at("the campaign", why))
}

fn unique<'a>(
    what: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<HashSet<&'a str>, DatasetError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(at(format!("{what} {name:?}"), "it is listed twice"));
        }
    }
    Ok(seen)
}

/// Fails for a name that two metrics of `sample` have; a field of it counts as its metric.
fn unique_metrics(sample: &Sample) -> Result<(), DatasetError> {
    let names = sample.figures.metrics.iter().map(|metric| metric.name.as_str());
    let own = unique("metric", names)?;
    match own.into_iter().find(|name| sample.is_known(name)) {
        Some(name) => Err(at(format!("metric {name:?}"), "it is listed twice")),
        None => Ok(()),
    }
}

/// What a sample is called in a message.
fn place(number: usize, sample: &Sample) -> String {
    let (block, case) = (sample.block, &sample.case);
    let (test, target) = (name::printable_line(&case.test), name::printable_line(&case.target));
    format!("sample {number} ({test:.80} on {target:.80}, block {block})")
}

fn or_zero(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// Takes out of a sample what cannot be computed with, and says so in its validity.
fn without_faults(sample: &mut Sample) {
    let Some(why) = fault_of_figures(sample).or_else(|| fault_of_series(sample)) else { return };
    *sample.evidence.validity = Validity::Invalid(why.into());
    sample.figures.metrics.retain(|metric| metric.value.is_finite());
    sample.figures.histograms.retain(Histogram::is_sound);
    sample.figures.series = sample.figures.series.take().filter(|series| series.is_whole());
    let Covariates { skew_ms, overlap, cpu_user_s, cpu_sys_s, .. } = &mut sample.covariates;
    let seconds = &mut sample.figures.seconds;
    for number in [seconds, skew_ms, overlap, cpu_user_s, cpu_sys_s] {
        *number = or_zero(*number);
    }
}

/// What makes a sample one that cannot be computed with.
enum Fault {
    Metric(String, f64),
    Time(&'static str, f64),
    Histogram(String),
    Series,
}

impl fmt::Display for Fault {
    /// Writes why a dataset with it is refused.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Metric(name, value) => write!(f, "its {name:?} is {value}, not a finite number"),
            Fault::Time(name, value) => write!(f, "its {name} is {value}, not a finite number"),
            Fault::Histogram(op) => {
                write!(f, "histogram {op:?} is not ascending or has an empty bin")
            }
            Fault::Series => {
                f.write_str("its series has columns of different lengths, or is not ascending")
            }
        }
    }
}

impl From<Fault> for Reason {
    /// Why a stored sample with it is invalid.
    fn from(fault: Fault) -> Reason {
        match fault {
            Fault::Metric(name, value) => Reason::MetricNotFinite { name, value: value.into() },
            Fault::Time(name, value) => {
                Reason::TimeNotFinite { name: name.into(), value: value.into() }
            }
            Fault::Histogram(op) => Reason::HistogramUnsound { op },
            Fault::Series => Reason::SeriesUnsound {},
        }
    }
}

fn fault_of_figures(sample: &Sample) -> Option<Fault> {
    if let Some(metric) = sample.figures.metrics.iter().find(|metric| !metric.value.is_finite()) {
        return Some(Fault::Metric(metric.name.to_string(), metric.value));
    }
    let Covariates { skew_ms, overlap, cpu_user_s, cpu_sys_s, .. } = sample.covariates;
    let times = [
        ("seconds", sample.figures.seconds),
        ("skew_ms", skew_ms),
        ("overlap", overlap),
        ("cpu_user_s", cpu_user_s),
        ("cpu_sys_s", cpu_sys_s),
    ];
    let (name, value) = times.into_iter().find(|(_, value)| !value.is_finite())?;
    Some(Fault::Time(name, value))
}

fn fault_of_series(sample: &Sample) -> Option<Fault> {
    if let Some(histogram) =
        sample.figures.histograms.iter().find(|histogram| !histogram.is_sound())
    {
        return Some(Fault::Histogram(histogram.op.clone()));
    }
    let ragged = sample.figures.series.as_ref().is_some_and(|series| !series.is_whole());
    ragged.then_some(Fault::Series)
}

fn campaign_texts(campaign: &mut Campaign, visit: &mut Visit<'_>) -> Result<(), NameError> {
    let Campaign {
        id,
        created,
        title,
        origin: _,
        state: _,
        assay_version,
        plan: _,
        scale: _,
        seed: _,
        environment,
        notes,
    } = campaign;
    edit!(visit, Id, *id);
    edit!(visit, Label, *created);
    edit!(visit, Text, *title);
    edit!(visit, Label, *assay_version);
    environment_texts(environment, visit)?;
    for text in notes.iter_mut().flat_map(Note::texts) {
        edit!(visit, Text, *text);
    }
    Ok(())
}

fn target_texts(record: &mut TargetRecord, visit: &mut Visit<'_>) -> Result<(), NameError> {
    let TargetRecord { label, target, lab: _, state, facts } = record;
    edit!(visit, Label, *label);
    edit!(visit, Label, *target);
    environment_texts(facts, visit)?;
    if let TargetState::Failed(why) = state {
        edit!(visit, Text, *why);
    }
    Ok(())
}

fn test_texts(test: &mut TestInfo, visit: &mut Visit<'_>) -> Result<(), NameError> {
    let TestInfo { id, suite, name, testtype, group: _, metric, unit, better: _, shape } = test;
    edit!(visit, Id, *id);
    edit!(visit, Id, *suite);
    let grid = shape.as_mut().and_then(|shape| shape.cell.as_mut()).map(|cell| &mut cell.grid);
    for text in [name, testtype, metric, unit].into_iter().chain(grid) {
        edit!(visit, Label, *text);
    }
    Ok(())
}

fn sample_texts(sample: &mut Sample, visit: &mut Visit<'_>) -> Result<(), NameError> {
    edit!(visit, Label, sample.case.target);
    edit!(visit, Id, sample.case.suite);
    edit!(visit, Id, sample.case.test);
    for metric in &mut sample.figures.metrics {
        edit!(visit, Label, metric.kind.name);
        edit!(visit, Label, metric.kind.unit);
    }
    for known in sample.covariates.hosts.written().into_iter().flatten() {
        let name = format!("{}{}", Metric::HOST_OPS_PER_S, known.host);
        let changed = visit(NameKind::Label, &name)?;
        if let Some(host) =
            changed.as_deref().and_then(|new| new.strip_prefix(Metric::HOST_OPS_PER_S))
        {
            known.host = host.into();
        }
    }
    for histogram in sample.figures.histograms.written().into_iter().flatten() {
        edit!(visit, Label, histogram.op);
    }
    if let Some(series) = &mut sample.figures.series {
        keys(&mut series.columns, visit)?;
    }
    if let Some(Durability::NotProven(Unproven::NoDevice(kind))) = &mut sample.evidence.durability {
        edit!(visit, Label, *kind);
    }
    let why = sample.evidence.validity.written().and_then(Validity::why_mut);
    let texts = why.map(Reason::texts_mut).unwrap_or_default();
    for text in texts {
        edit!(visit, Text, *text);
    }
    Ok(())
}

fn environment_texts(known: &mut Environment, visit: &mut Visit<'_>) -> Result<(), NameError> {
    keys(&mut known.0, visit)?;
    for value in known.0.values_mut() {
        edit!(visit, Text, *value);
    }
    Ok(())
}

/// Shows the keys of a map, which cannot be changed where they are.
fn keys<T>(map: &mut BTreeMap<String, T>, visit: &mut Visit<'_>) -> Result<(), NameError> {
    let shown = |(mut key, value): (String, T)| {
        edit!(visit, Label, key);
        Ok((key, value))
    };
    *map = mem::take(map).into_iter().map(shown).collect::<Result<_, _>>()?;
    Ok(())
}

/// Checks the names in a plan that reports show.
fn plan_names(plan: &Plan) -> Result<(), NameError> {
    let targets = plan.targets.iter().map(ToString::to_string);
    let sweeps = plan.sweeps.iter().map(|sweep| sweep.on.to_string());
    let named =
        plan.suites.iter().chain(&plan.tests).chain(&plan.baseline).chain(plan.files.keys());
    let named = named.chain(plan.assets.iter().map(|asset| &asset.suite));
    let knobs = plan.knobs.iter().flat_map(|(key, value)| [key, value]);
    let tags = plan.tags.iter().flat_map(|(key, value)| [key, value]);
    let given = plan.name.iter().chain(plan.names.keys()).chain(tags);
    let mut all = targets.chain(sweeps).chain(named.chain(knobs).chain(given).cloned());
    all.try_for_each(|text| Name::new(NameKind::Label, text).map(drop))
}

#[cfg(test)]
mod tests;
