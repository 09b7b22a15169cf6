//! Helpers for importers whose files are each one document about one target, most of them JSON.

use crate::campaign::{of_tool, records, remarks};
use crate::gate::{AGAIN, Novelty, Print, Runs};
use crate::{FormatError, ImportOptions, Importer, NamedBytes, head, naming};
use model::{
    result::{Dataset, Sample, TargetRecord},
    workload::{CacheState, Case, TestInfo},
};
use std::collections::{BTreeSet, HashMap};

/// The files that an importer recognises, with the target of each.
pub(crate) struct Documents<'a> {
    tool: &'static str,
    files: Vec<&'a NamedBytes>,
    labels: Vec<String>,
    targets: Vec<TargetRecord>,
    /// A copy of a file was left out.
    copied: bool,
}

impl<'a> Documents<'a> {
    pub(crate) fn new(
        importer: &dyn Importer,
        files: &'a [NamedBytes],
        options: &ImportOptions,
    ) -> Documents<'a> {
        let tool = importer.name();
        let own = files.iter().filter(|(name, bytes)| importer.sniff(head(bytes), name));
        let files: Vec<&NamedBytes> = own.collect();
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let labels = naming::targets(&names, tool, options);
        let targets = records(labels.iter().map(String::as_str));
        let mut runs = Runs::default();
        let mut copied = false;
        let (files, labels) = files
            .into_iter()
            .zip(labels)
            .filter(|(file, label)| {
                let again = runs.see(label, Print::of(&file.1)) == Novelty::Again;
                copied |= again;
                !again
            })
            .unzip();
        Documents { tool, files, labels, targets, copied }
    }

    /// Gives each file to `add`, with position and label of its target.
    pub(crate) fn read(
        &self,
        mut add: impl FnMut(&NamedBytes, u32, &str) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        for (file, label) in self.files.iter().zip(&self.labels) {
            let position = self.targets.iter().position(|t| t.label == *label).unwrap_or(0) as u32;
            add(file, position, label)?;
        }
        Ok(())
    }

    /// The campaign of `samples`; `missing` says what is wrong where there are none.
    pub(crate) fn dataset(
        self,
        tests: Tests,
        mut samples: Vec<Sample>,
        missing: &str,
        options: &ImportOptions,
        notes: &[&str],
    ) -> Result<Dataset, FormatError> {
        if samples.is_empty() {
            let file = self.files.first().map_or("the files", |(name, _)| name);
            return Err(FormatError::file(file, missing));
        }
        samples.sort_by_key(|sample| (sample.block, sample.position));
        let (tool, targets) = (self.tool, self.targets);
        let notes = remarks(notes.iter().copied().chain(self.copied.then_some(AGAIN)));
        let campaign = of_tool(tool, &targets, options, notes);
        Ok(Dataset { campaign, targets, tests: tests.list, samples })
    }
}

/// Tests in order of first appearance.
#[derive(Default)]
pub(crate) struct Tests {
    list: Vec<TestInfo>,
    places: HashMap<String, usize>,
    ids: BTreeSet<String>,
}

impl Tests {
    /// The test called `name` in `suite`; `describe` makes it of its id when it is new.
    pub(crate) fn of(
        &mut self,
        suite: &str,
        name: &str,
        describe: impl FnOnce(String) -> TestInfo,
    ) -> &TestInfo {
        let place = *self.places.entry(name.to_owned()).or_insert(self.list.len());
        if place == self.list.len() {
            self.list.push(describe(naming::free_id(&mut self.ids, suite, name)));
        }
        &self.list[place]
    }
}

/// A case of `test`, of which only the target is known.
pub(crate) fn case(test: &TestInfo, target: &str) -> Case {
    Case {
        target: target.into(),
        suite: test.suite.clone(),
        test: test.id.clone(),
        procs: 1,
        threads: 1,
        cache: CacheState::Any,
    }
}
