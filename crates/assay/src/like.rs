//! Values of `--data`: a kind of data, or files to imitate.

use crate::{exit, terminal};
use anyhow::Result;
use engine::data::like;
use model::workload::DataKind;
use std::{convert::Infallible, path::PathBuf, str::FromStr};

/// The argument of `--data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataSource {
    /// A kind, or what is not one; the plan's own reader judges it.
    Kind(String),
    /// Files to sample.
    Like(PathBuf),
}

impl FromStr for DataSource {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.strip_prefix("like:") {
            Some(path) => DataSource::Like(path.into()),
            None => DataSource::Kind(text.into()),
        })
    }
}

impl DataSource {
    /// The kind of data. Files are sampled now, by `seed`, and the result is reported; from then on
    /// numbers stand for them.
    pub fn kind(&self, seed: u64) -> Result<DataKind> {
        let path = match self {
            DataSource::Kind(text) => return text.parse().map_err(exit::usage),
            DataSource::Like(path) => path,
        };
        let found = like::sample(path, seed).map_err(|error| exit::usage(error.to_string()))?;
        terminal::note(&format!(
            "data like {}: {:.1} % of the blocks are zero, {:.1} % of the others repeat one of the sample; \
             compressing without entropy coding leaves about {:.0} %, with it {:.0} % ({:.1} MB of {} files \
             were read)",
            path.display(),
            f64::from(found.like.zero()) / 10.0,
            f64::from(found.like.duplicate()) / 10.0,
            found.left * 100.0,
            found.left_coded * 100.0,
            found.read_bytes as f64 / 1e6,
            found.files
        ));
        Ok(DataKind::Like(found.like))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn kind(text: &str) -> Result<DataKind> {
        text.parse::<DataSource>()?.kind(1)
    }

    #[test]
    fn files_become_numbers_and_kinds_stay() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("z"), vec![0; 1 << 16]).unwrap();
        let found = kind(&format!("like:{}", dir.path().display())).unwrap();
        assert_eq!(found.to_string(), "like(zero=1000,dup=0)");
        assert_eq!(kind(&found.to_string()).unwrap(), found);
        assert_eq!(kind("zeros").unwrap(), DataKind::Zeros);
    }

    #[test]
    fn what_is_neither_is_refused() {
        for text in ["lie", "like:/no/such/path", "like(zero=1)"] {
            assert!(kind(text).is_err(), "{text}");
        }
    }
}
