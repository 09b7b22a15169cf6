//! All suites: those in code, those declared in TOML files built into the program, and those of the user.
//!
//! A suite lives as long as the program, so that tests can be handed around as plain references; the
//! few that are read from files are leaked on purpose.

use crate::{DeclarationError, Suite, Test, columnar::COLUMNAR, declare, null::NULL, traces};
use model::{
    target::{Options, check_options},
    workload::Job,
};
use std::{borrow::Cow, sync::LazyLock};

macro_rules! shipped {
    ($($file:literal),* $(,)?) => {
        /// The declarations that ship inside the program, in the order of `assay explain`.
        const SHIPPED: &[(&str, &str)] = &[$(($file, include_str!(concat!("declared/", $file)))),*];
    };
}

shipped!(
    "matrix.toml",
    "mixed.toml",
    "stream.toml",
    "files.toml",
    "metadata.toml",
    "io500.toml",
    "oltp.toml",
    "clones.toml",
    "transfer.toml",
    "apps.toml",
    "ml.toml",
    "compression.toml",
    "faults.toml"
);

static SUITES: LazyLock<Vec<Suite>> = LazyLock::new(|| {
    let none = Options::new();
    let shipped = SHIPPED.iter().map(|(file, text)| {
        // A test reads every one of them; a program that cannot is not the one that was tested.
        declare::suite(file, Cow::Borrowed(text), &none).unwrap_or_else(|error| panic!("{error}"))
    });
    std::iter::once(COLUMNAR.clone()).chain(shipped).collect()
});

/// Every suite that is offered.
pub fn suites() -> &'static [Suite] {
    &SUITES
}

/// The suite called `name`, with `knobs` set where it knows them; also those that are not offered.
pub fn suite(name: &str, knobs: &Options) -> Result<Option<&'static Suite>, DeclarationError> {
    let Some(suite) = all().find(|suite| suite.name == name) else { return Ok(None) };
    match &suite.text {
        Some(text) if !knobs.is_empty() => from_text(name, text, knobs).map(Some),
        Some(_) => Ok(Some(suite)),
        None => {
            let knob_error =
                |why: model::target::KnobError| DeclarationError::new(name, why.to_string());
            check_options("the suite", suite.knobs, knobs).map_err(knob_error)?;
            Ok(Some(suite))
        }
    }
}

/// The suite that `text`, which was read from `file`, declares.
pub fn from_text(
    file: &str,
    text: &str,
    knobs: &Options,
) -> Result<&'static Suite, DeclarationError> {
    let suite = declare::suite(file, Cow::Owned(text.into()), knobs)?;
    Ok(Box::leak(Box::new(suite)))
}

/// The test of `job`: made from its declaration, or the one in code whose figures include its id.
pub fn of_job(job: &Job) -> Result<&'static dyn Test, String> {
    match &job.declaration {
        Some(text) => declare::test(text).map_err(|error| error.to_string()),
        None => {
            let unknown = || format!("test `{}` is not known to this version of assay", job.test);
            find(&job.test).ok_or_else(unknown)
        }
    }
}

/// The test whose figures include those of `id`: its own, or those of the sync that follows it.
pub fn find(id: &str) -> Option<&'static dyn Test> {
    all()
        .flat_map(|suite| suite.tests.iter().copied())
        .find(|test| test.infos().iter().any(|info| info.id == id))
}

fn all() -> impl Iterator<Item = &'static Suite> {
    SUITES.iter().chain([&NULL, traces::suite()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{
        plan::Preset,
        text::Bytes,
        workload::{AssetName, Group, Shape},
    };
    use std::collections::BTreeSet;

    #[test]
    fn every_shipped_declaration_is_read_and_ids_are_unique() {
        for (file, text) in SHIPPED {
            let suite = from_text(file, text, &Options::new()).unwrap();
            assert!(file.strip_suffix(".toml") == Some(&suite.name), "{file}");
            assert!(!suite.tests.is_empty());
            let ships =
                |name: &AssetName| crate::traces::asset(&suite.name, name.as_str()).is_some();
            assert!(suite.assets.iter().all(ships), "{file}: no folder is next to a shipped suite");
        }
        let infos = || suites().iter().flat_map(|s| s.tests.iter()).flat_map(|t| t.infos());
        let ids: BTreeSet<String> = infos().map(|info| info.id).collect();
        assert_eq!(ids.len(), infos().count());
        assert!(ids.iter().all(|id| find(id).is_some()));
    }

    #[test]
    fn what_a_shipped_test_is_agrees_with_its_names() {
        let infos = || suites().iter().flat_map(|s| s.tests.iter()).flat_map(|t| t.infos());
        for info in infos() {
            let Shape { only_writes, cell } = info.shape.clone().unwrap();
            let is_named_so = matches!(info.group, Group::SequentialWrite | Group::RandomWrite)
                // Columnar's `open replace` writes over its own data.
                || info.testtype.starts_with("write disk") && !info.name.starts_with("open replace");
            assert_eq!(only_writes, is_named_so, "{}", info.id);
            let place = cell.map(|cell| {
                let block = Bytes(cell.block_bytes).short();
                format!("matrix.{}.{block}.t{}", cell.grid, cell.threads)
            });
            let is_of_matrix = info.suite == "matrix";
            assert_eq!(place, is_of_matrix.then(|| info.id.clone()));
        }
        assert_eq!(infos().filter(|info| info.shape().cell.is_some()).count(), 384);
    }

    #[test]
    fn a_matrix_that_is_copied_and_renamed_is_one() {
        let text = suite("matrix", &Options::new()).unwrap().unwrap().text.clone().unwrap();
        let copy = text.replace("matrix", "mine");
        let cells = |text: &str| {
            let suite = from_text("x.toml", text, &Options::new()).unwrap();
            suite.tests.iter().flat_map(|t| t.infos()).map(|i| i.shape().cell).collect::<Vec<_>>()
        };
        assert_eq!(cells(&copy), cells(&text));
        assert!(cells(&copy).iter().all(Option::is_some));
        let twice = text.replace("grid = \"rndwr\"", "grid = \"rndrd\"");
        let refused = from_text("x.toml", &twice, &Options::new()).err().unwrap().to_string();
        assert!(refused.contains("512 bytes and 1 threads in the grid `rndrd`"), "{refused}");
    }

    #[test]
    fn a_preset_names_tests_that_exist() {
        for suite in suites() {
            for preset in [Preset::Smoke, Preset::Quick, Preset::Standard, Preset::Publish] {
                for glob in suite.presets.globs(preset) {
                    let mut infos = suite.tests.iter().flat_map(|t| t.infos());
                    let found = infos.any(|i| wildmatch::WildMatch::new(glob).matches(&i.id));
                    assert!(found, "{}: {glob}", suite.name);
                }
            }
        }
    }
}
