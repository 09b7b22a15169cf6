//! A check as its file declares it: the work, the limits on it with who states each, and how often it is repeated.

use crate::exit;
use anyhow::Result;
use model::{
    figure::LatencyLimit,
    target::Options,
    text::{did_you_mean, line_at},
};
use serde::Deserialize;
use stats::advice::AskedLimit;
use suites::Suite;

/// A check.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What it is called and answers.
    pub check: CheckHead,
    /// Limits that are stated.
    #[serde(default, rename = "limit")]
    pub limits: Vec<Stated>,
    /// Tests of which no limit is stated.
    #[serde(default)]
    pub unlimited: Vec<Unlimited>,
    /// The declaration of the suite that it runs, in full.
    suite: toml::Table,
}

/// The identity of a check.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckHead {
    /// Name, as on the command line.
    pub name: String,
    /// The question that it answers.
    pub intent: String,
    /// How often it is repeated.
    pub blocks: u32,
}

/// A limit with its source.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// Glob over its test ids.
    pub test: String,
    /// The limit.
    pub limit: LatencyLimit,
    /// What the source says.
    pub says: String,
    /// Who states it, a URL.
    pub source: String,
}

/// A test of which no limit is stated.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unlimited {
    /// Glob over its test ids.
    pub test: String,
    /// What the documentation says instead.
    pub says: String,
    /// The documentation that was searched, a URL.
    pub source: String,
}

impl Check {
    /// Reads the check that `text`, from `file`, declares.
    ///
    /// # Errors
    /// It is none; a limit has no source, or is on no test of it.
    pub fn read(file: &str, text: &str) -> Result<Check> {
        let check: Check = toml::from_str(text).map_err(|error| {
            let line = line_at(text, error.span());
            exit::usage(format!("{file}, line {line}: {}", error.message().replace('\n', " ")))
        })?;
        check.sound().map_err(|why| exit::usage(format!("check {}: {why}", check.check.name)))?;
        Ok(check)
    }

    fn sound(&self) -> Result<(), String> {
        let name = &self.check.name;
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(format!("its name `{name}` may have lower-case letters, digits and `-`"));
        }
        if !(2..=1000).contains(&self.check.blocks) {
            return Err("blocks must be from 2 to 1000, because one block has no interval".into());
        }
        let stated = self.limits.iter().map(|limit| (&limit.test, &limit.source, &limit.says));
        let none = self.unlimited.iter().map(|none| (&none.test, &none.source, &none.says));
        let ids = self.ids().map_err(|error| error.to_string())?;
        for (test, source, says) in stated.chain(none) {
            if !source.starts_with("https://") || says.trim().is_empty() {
                return Err(format!(
                    "the limit on `{test}` needs its source, an https:// address, and what it says"
                ));
            }
            let glob = wildmatch::WildMatch::new(test);
            if !ids.iter().any(|id| glob.matches(id)) {
                let meant = did_you_mean(test, ids.iter().map(String::as_str));
                return Err(format!("no test of it matches `{test}`{meant}"));
            }
        }
        match self.limits.is_empty() && self.unlimited.is_empty() {
            true => Err("it has neither a [[limit]] nor an [[unlimited]] test".into()),
            false => Ok(()),
        }
    }

    /// What a plan calls its suite.
    pub fn suite_file(&self) -> String {
        format!("{}.toml", self.check.name)
    }

    /// The declaration of its suite.
    pub fn suite_text(&self) -> Result<String> {
        Ok(toml::to_string(&self.suite)?)
    }

    /// Its suite.
    ///
    /// # Errors
    /// It is not declared as a suite has to be.
    pub fn suite(&self) -> Result<&'static Suite> {
        let suite = suites::from_text(&self.suite_file(), &self.suite_text()?, &Options::new());
        suite.map_err(|error| exit::usage(error.to_string()))
    }

    /// Ids of its tests.
    pub fn ids(&self) -> Result<Vec<String>> {
        Ok(self.suite()?.ids().collect())
    }

    /// What is asked of its tests: the limits that are stated, then those that the user gives, `own`; of a test with
    /// neither only its figures.
    pub fn asked(&self, own: &[AskedLimit]) -> Result<Vec<AskedLimit>> {
        let ids = self.ids()?;
        let matches = |glob: &str, id: &str| wildmatch::WildMatch::new(glob).matches(id);
        let has_own = |test: &str| {
            let mut named = ids.iter().filter(|id| matches(test, id));
            named.all(|id| own.iter().any(|own| matches(&own.test, id)))
        };
        let stated = self.limits.iter().map(|one| AskedLimit {
            test: one.test.clone(),
            limit: Some(one.limit.clone()),
            source: one.source.clone(),
        });
        let none = self.unlimited.iter().filter(|none| !has_own(&none.test));
        let none = none.map(|none| AskedLimit {
            test: none.test.clone(),
            limit: None,
            source: none.source.clone(),
        });
        Ok(stated.chain(none).chain(own.iter().cloned()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETCD: &str = include_str!("../checks/etcd.toml");

    fn refused(text: &str) -> String {
        Check::read("x.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn a_limit_without_a_source_is_refused_by_name() {
        assert!(Check::read("etcd.toml", ETCD).is_ok());
        let without = ETCD.replace("source = \"https://etcd.io/docs/v3.5/faq/\"\n", "");
        assert!(refused(&without).contains("source"), "{}", refused(&without));
        let empty = ETCD.replace("https://etcd.io/docs/v3.5/faq/\"\n\n[suite]", "\"\n\n[suite]");
        assert!(refused(&empty).contains("check etcd: the limit on `etcd.wal` needs its source"));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let with = |from: &str, to: &str| refused(&ETCD.replace(from, to));
        assert!(with("test = \"etcd.wal\"", "test = \"etcd.wla\"").contains("`etcd.wal`"));
        assert!(with("blocks = 5", "blocks = 1").contains("no interval"));
        assert!(with("p99 < 10ms", "p98 < 10ms").contains("not a limit"));
        assert!(with("record = 2300", "record = 7").contains("from 64"));
        assert!(with("name = \"etcd\"", "name = \"../etcd\"").contains("lower-case"));
        assert!(with("intent", "intend").contains("intend"));
    }

    #[test]
    fn own_limits_are_added_to_stated_ones_and_replace_missing_ones() {
        let own = |test: &str| {
            let limit = "p99 < 5ms".parse().ok();
            vec![AskedLimit { test: test.into(), limit, source: "--require".into() }]
        };
        let etcd = Check::read("etcd.toml", ETCD).unwrap();
        assert_eq!(etcd.asked(&own("etcd.*")).unwrap().len(), 2);
        let kafka = include_str!("../checks/kafka.toml");
        let kafka = Check::read("kafka.toml", kafka).unwrap();
        assert_eq!(kafka.asked(&[]).unwrap()[0].limit, None);
        assert_eq!(kafka.asked(&own("kafka.log")).unwrap(), own("kafka.log"));
    }
}
