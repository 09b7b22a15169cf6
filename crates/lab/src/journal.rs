//! The undo journal: one file of JSON lines for each campaign, `<state>/journal/<campaign>.jsonl`.
//! The first line names the boot, so that after another nothing is undone that a boot undoes. A line is
//! on the disk before its act happens. The file is locked while the campaign lives and removed when all
//! is undone.

use crate::{LabError, lock, undo::Undo};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

const SUFFIX: &str = "jsonl";
/// Random, and another after each boot.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// What was cleaned up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanupReport {
    /// One line for each thing that was undone.
    pub done: Vec<String>,
    /// Campaigns that are running and were left alone.
    pub live: Vec<String>,
    /// One line for each thing that could not be undone; its journal is kept.
    pub failed: Vec<String>,
}

/// Undoes what every dead campaign under `state` left on the machine: mounts, loop devices, images,
/// private directories. Campaigns that still run are skipped and named.
///
/// # Errors
/// The journals cannot be listed; what cannot be undone is in the report instead.
pub fn cleanup(state: &Path) -> Result<CleanupReport, LabError> {
    let mut report = CleanupReport::default();
    let dir = folder(state);
    let entries = match fs::read_dir(&dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(report),
        entries => entries.map_err(LabError::io("list", &dir))?,
    };
    let files = entries.flatten().map(|entry| entry.path());
    for file in files.filter(|file| file.extension().is_some_and(|e| e == SUFFIX)) {
        let Some(campaign) = file.file_stem().map(|stem| stem.to_string_lossy().into_owned())
        else {
            continue;
        };
        match Journal::open(state, &campaign).and_then(|journal| journal.undo_all(&mut report)) {
            Ok(()) => {}
            Err(LabError::Live { campaign, .. }) => report.live.push(campaign),
            Err(error) => report.failed.push(error.to_string()),
        }
    }
    Ok(report)
}

fn folder(state: &Path) -> PathBuf {
    state.join("journal")
}

/// The first line: the boot in which the others were written.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    boot: String,
}

/// An open, locked journal.
#[derive(Debug)]
pub(crate) struct Journal {
    campaign: String,
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Opens and locks the journal of `campaign`, which may hold entries of a dead process.
    pub(crate) fn open(state: &Path, campaign: &str) -> Result<Journal, LabError> {
        let dir = folder(state);
        fs::create_dir_all(&dir).map_err(LabError::io("create", &dir))?;
        let path = dir.join(format!("{campaign}.{SUFFIX}"));
        let file = lock::exclusive(&path).map_err(LabError::io("lock", &path))?;
        let Some(file) = file else {
            return Err(LabError::Live { campaign: campaign.into(), journal: path });
        };
        sync_dir(&dir)?;
        Ok(Journal { campaign: campaign.into(), path, file: Mutex::new(file) })
    }

    /// Puts `entry` on the disk; its act may happen after this returns.
    pub(crate) fn record(&self, entry: &Undo) -> Result<(), LabError> {
        let failed = |source| LabError::Io { what: "write", path: self.path.clone(), source };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = Vec::new();
        if file.metadata().map_err(failed)?.len() == 0 {
            push(&mut text, &Head::now()).map_err(failed)?;
        }
        push(&mut text, entry).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.sync_data()).map_err(failed)
    }

    /// Undoes every entry, the latest first, and removes the journal when nothing is left.
    ///
    /// # Errors
    /// The journal cannot be read or removed; what cannot be undone is in the report.
    pub(crate) fn undo_all(&self, report: &mut CleanupReport) -> Result<(), LabError> {
        let failed_before = report.failed.len();
        for entry in self.entries()?.iter().rev() {
            match entry.apply(&self.campaign) {
                Ok(done) => report.done.extend(done),
                Err(error) => report.failed.push(error.to_string()),
            }
        }
        if report.failed.len() > failed_before {
            return Ok(());
        }
        fs::remove_file(&self.path)
            .or_else(ignore_missing)
            .map_err(LabError::io("remove", &self.path))
    }

    /// The entries that are still to be undone. A last line without an end was torn by a crash, and its
    /// act never happened.
    fn entries(&self) -> Result<Vec<Undo>, LabError> {
        let text = match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            text => text.map_err(LabError::io("read", &self.path))?,
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let first = whole.lines().next().and_then(|line| serde_json::from_str::<Head>(line).ok());
        let is_past = first.as_ref().is_some_and(|head| *head != Head::now());
        let entries = whole.lines().enumerate().skip(usize::from(first.is_some()));
        let parsed = entries.map(|(i, line)| {
            serde_json::from_str(line).map_err(|error| LabError::Journal {
                journal: self.path.clone(),
                line: i + 1,
                why: error.to_string(),
            })
        });
        let is_left = |entry: &Undo| !(is_past && entry.ends_with_boot());
        parsed.filter(|entry| entry.as_ref().map_or(true, is_left)).collect()
    }
}

impl Head {
    /// That of this boot.
    fn now() -> Head {
        let boot = fs::read_to_string(BOOT).unwrap_or_default();
        Head { boot: boot.trim_end().into() }
    }
}

fn push(text: &mut Vec<u8>, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *text, line)?;
    text.push(b'\n');
    Ok(())
}

fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn sync_dir(dir: &Path) -> Result<(), LabError> {
    File::open(dir).and_then(|file| file.sync_all()).map_err(LabError::io("sync", dir))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_dir;

    fn remove_dir(path: &Path) -> Undo {
        Undo::RemoveDir { path: path.into() }
    }

    #[test]
    fn entries_are_plain_lines() {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::open(state.path(), "c").unwrap();
        journal.record(&Undo::Unmount { mount_point: "/m".into() }).unwrap();
        journal.record(&Undo::DetachLoop { image: "/i".into() }).unwrap();
        let text = fs::read_to_string(state.path().join("journal/c.jsonl")).unwrap();
        let (head, entries) = text.split_once('\n').unwrap();
        assert_eq!(head, format!("{{\"boot\":\"{}\"}}", Head::now().boot));
        assert_eq!(
            entries,
            "{\"undo\":\"unmount\",\"mount_point\":\"/m\"}\n{\"undo\":\"detach_loop\",\"image\":\"/i\"}\n"
        );
    }

    #[test]
    fn after_another_boot_only_what_outlives_one_is_undone() {
        let state = tempfile::tempdir().unwrap();
        let entries = |boot: &str| {
            let journal = Journal::open(state.path(), "c").unwrap();
            let lines = [
                format!("{{\"boot\":\"{boot}\"}}"),
                r#"{"undo":"unmount","mount_point":"/m"}"#.into(),
                r#"{"undo":"remove_dir","path":"/d"}"#.into(),
                r#"{"undo":"uncap","file":"/f","device":"7:0"}"#.into(),
            ];
            fs::write(&journal.path, lines.join("\n") + "\n").unwrap();
            journal.entries().unwrap()
        };
        assert_eq!(entries("another"), [remove_dir(Path::new("/d"))]);
        assert_eq!(entries(&Head::now().boot).len(), 3);
    }

    #[test]
    fn a_live_campaign_is_skipped_and_a_dead_one_undone_despite_a_torn_line() {
        let state = tempfile::tempdir().unwrap();
        let dir = state.path().join(private_dir::name("c-1"));
        let journal = Journal::open(state.path(), "c").unwrap();
        journal.record(&remove_dir(&dir)).unwrap();
        private_dir::create(&dir, "c").unwrap();
        assert_eq!(cleanup(state.path()).unwrap().live, ["c"]);
        assert!(dir.exists());

        journal.file.lock().unwrap().write_all(b"{\"undo\":\"unm").unwrap();
        drop(journal);
        let report = cleanup(state.path()).unwrap();
        assert_eq!(report.done, [format!("removed {}", dir.display())]);
        assert!(!dir.exists() && !state.path().join("journal/c.jsonl").exists());
        assert_eq!(cleanup(state.path()).unwrap(), CleanupReport::default());
    }

    #[test]
    fn what_fails_is_told_and_the_journal_kept() {
        let state = tempfile::tempdir().unwrap();
        let foreign = state.path().join("assay-x");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("precious"), "x").unwrap();
        Journal::open(state.path(), "c").unwrap().record(&remove_dir(&foreign)).unwrap();
        let report = cleanup(state.path()).unwrap();
        assert!(report.failed[0].contains("marker"), "{report:?}");
        assert!(foreign.join("precious").exists());
        assert!(state.path().join("journal/c.jsonl").exists());
    }

    #[test]
    fn a_damaged_line_in_the_middle_is_named() {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(state.path().join("journal")).unwrap();
        fs::write(state.path().join("journal/c.jsonl"), "{}\n{}\n").unwrap();
        assert!(cleanup(state.path()).unwrap().failed[0].contains("line 1"));
    }
}
