//! `--each-host`: the campaign that each host of an allocation runs alone, and the classes of identical hosts. Each
//! host has its own store, state folder and page next to the ones given; rank 0 gathers the campaigns.

use anyhow::{Context, Result, bail};
use model::result::Dataset;
use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// The hidden verb: the program on this host alone, whose other words follow.
pub const ALONE: &str = "__alone";

/// The option.
const OPTION: &str = "--each-host";
/// Its value where hosts take turns.
const IN_TURN: &str = "in-turn";

/// What was asked of each host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EachHost {
    /// One host after the other, else all at once.
    pub in_turn: bool,
    /// Store in which the campaigns of all are gathered.
    pub store: PathBuf,
    /// State folder; that of the program where there is none.
    state: Option<PathBuf>,
    /// Page on which the hosts stand side by side.
    pub page: PathBuf,
    /// Words that are of one host alone.
    own: Vec<(String, OsString)>,
    /// The words of all.
    words: Vec<OsString>,
}

impl EachHost {
    /// What `arguments`, the first of which is the program, ask for; `None` without `--each-host`.
    ///
    /// # Errors
    /// Another verb than `run`, no store, or an option without its value.
    pub fn of(arguments: &[OsString]) -> Result<Option<EachHost>> {
        if !arguments.iter().any(|word| is_option(word)) {
            return Ok(None);
        }
        let mut asked = EachHost { page: "report.html".into(), ..EachHost::default() };
        let mut words = arguments.iter().skip(1).peekable();
        while let Some(word) = words.next() {
            let text = word.to_str().unwrap_or_default();
            let (name, value) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (text, None),
            };
            let mut value_of = || match value {
                Some(value) => Ok(OsString::from(value)),
                None => words.next().cloned().with_context(|| format!("{name} has no value")),
            };
            match name {
                OPTION => asked.in_turn = value == Some(IN_TURN),
                "--store" => asked.store = value_of()?.into(),
                "--state" => asked.state = Some(value_of()?.into()),
                "--html" => asked.page = value_of()?.into(),
                "--of-host" => asked.own.push(of_host(&value_of()?)?),
                // Of many at once nothing could be followed.
                "--progress" => drop(value_of()?),
                "--quiet" | "-q" => {}
                _ => asked.words.push(word.clone()),
            }
            if name == OPTION && words.next_if(|word| *word == IN_TURN).is_some() {
                asked.in_turn = true;
            }
        }
        if asked.words.first().is_none_or(|verb| verb != "run") {
            bail!("{OPTION} belongs to the verb run: `assay-mpi run {OPTION} ...`");
        }
        if asked.store.as_os_str().is_empty() {
            bail!(
                "{OPTION} gathers the campaigns of all hosts in one store; set it with --store \
                 FILE; each host has its own next to it"
            );
        }
        Ok(Some(asked))
    }

    /// The words of `host`, by the hidden verb.
    pub fn words(&self, host: &str) -> Vec<OsString> {
        let mut words = vec![OsString::from(ALONE)];
        words.extend(self.words.iter().cloned());
        words
            .extend(self.own.iter().filter(|(name, _)| name == host).map(|(_, word)| word.clone()));
        words.extend(["--tag".into(), format!("host={host}").into(), "--quiet".into()]);
        words.extend(["--store".into(), self.store_of(host).into()]);
        words.extend(["--html".into(), path_for_host(&self.page, host).into()]);
        if let Some(state) = &self.state {
            words.extend(["--state".into(), state.join(host).into()]);
        }
        words
    }

    /// The store of `host` alone.
    pub fn store_of(&self, host: &str) -> PathBuf {
        path_for_host(&self.store, host)
    }

    /// Hosts for which there are words, and which are none of `hosts`.
    pub fn unknown<'a>(&'a self, hosts: &[String]) -> Option<&'a str> {
        let known = |name: &&str| hosts.iter().any(|host| host == name);
        self.own.iter().map(|(host, _)| host.as_str()).find(|name| !known(name))
    }
}

fn is_option(word: &OsStr) -> bool {
    word.to_str().is_some_and(|text| text == OPTION || text.starts_with("--each-host="))
}

/// `HOST=WORD`.
fn of_host(value: &OsStr) -> Result<(String, OsString)> {
    let (host, word) = value
        .to_str()
        .and_then(|text| text.split_once('='))
        .with_context(|| format!("--of-host expects HOST=WORD, not {}", value.display()))?;
    Ok((host.into(), word.into()))
}

/// `report.node1.html` for `report.html`.
fn path_for_host(path: &Path, host: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map(|end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}.{host}{}", end.unwrap_or_default()))
}

/// The class of equal hosts that measured `dataset`, which gets it as a tag.
pub fn marked(dataset: &mut Dataset) -> String {
    let campaign = &mut dataset.campaign;
    let class = campaign.environment.class();
    campaign.plan.tags.insert("class".into(), class.clone());
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<Option<EachHost>> {
        EachHost::of(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    fn line(words: &[OsString]) -> String {
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_host_has_places_and_words_of_its_own() {
        let asked = asked(
            "assay-mpi run --each-host --on ext4,xfs --store /s/a.db --state=/t --html r.html -q \
             --of-host node1=--destroy=S1",
        );
        let asked = asked.unwrap().unwrap();
        assert!(!asked.in_turn && asked.page == Path::new("r.html"));
        let tail = |host: &str| {
            format!(
                "--tag host={host} --quiet --store /s/a.{host}.db --html r.{host}.html --state /t/{host}"
            )
        };
        let first = format!("__alone run --on ext4,xfs --destroy=S1 {}", tail("node1"));
        assert_eq!(line(&asked.words("node1")), first);
        let second = format!("__alone run --on ext4,xfs {}", tail("node2"));
        assert_eq!(line(&asked.words("node2")), second);
        assert_eq!(asked.store_of("node2"), Path::new("/s/a.node2.db"));
        assert_eq!(asked.unknown(&["node2".into()]), Some("node1"));
        assert_eq!(asked.unknown(&["node2".into(), "node1".into()]), None);
    }

    #[test]
    fn hosts_take_turns_where_that_is_said() {
        for line in ["--each-host in-turn --store a", "--store a --each-host=in-turn"] {
            assert!(asked(&format!("assay-mpi run {line}")).unwrap().unwrap().in_turn, "{line}");
        }
        assert_eq!(asked("assay-mpi run --on ext4").unwrap(), None);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let why = |line: &str| asked(line).unwrap_err().to_string();
        assert!(why("assay-mpi resume --each-host --store a").contains("belongs to the verb run"));
        assert!(why("assay-mpi run --each-host").contains("--store FILE"));
        assert!(why("assay-mpi run --each-host --store").contains("--store has no value"));
        assert!(why("assay-mpi run --each-host --store a --of-host x").contains("HOST=WORD"));
    }
}
