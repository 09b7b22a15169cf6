//! Turns in a guest, seen from this side: the guest runs this same program, which reads its task from a
//! file and writes what happens to another, line by line.

use super::turn::Event;
use anyhow::{Context, Result};
use lab::{
    Lab, LabError, cache,
    guest::{self, Ended, Guest, Machine},
};
use model::{Bytes, Plan, Target};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    env,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    time::Duration,
};

/// The hidden verb under which this program runs inside.
pub const VERB: &str = "__guest";
/// File of the task, in the directory of the guest.
pub const TASK: &str = "task.json";
/// File of what happened, a line each.
pub const TOLD: &str = "told.jsonl";
/// Least and most memory of a guest: a quarter of this machine's, within this. With 2 GiB the kernel of a
/// guest killed ZeroFS, which holds up to 1 GiB of writes by default, beside the test and the page cache.
const MEMORY: (u64, u64) = (512 << 20, 4 << 30);

/// What a guest is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// Campaign for which it is done.
    pub campaign: String,
    /// Nodes of its disks.
    pub disks: Vec<PathBuf>,
    /// The work.
    pub work: Work,
}

/// The work of a guest.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// To make, write and undo each of these once.
    Try(Vec<Target>),
    /// The turns of one target in one block.
    Turns(Box<Turns>),
}

/// The turns of one target in one block, at every process count.
#[derive(Debug, Serialize, Deserialize)]
pub struct Turns {
    /// The plan of the campaign, with this target alone.
    pub plan: Plan,
    /// Whether programs of others may do anything, as was said on the command line.
    pub unconfined: bool,
    /// Label of the target.
    pub label: String,
    /// Block number.
    pub block: u32,
    /// Position of the target in the block.
    pub position: u32,
    /// Seed of the campaign.
    pub seed: u64,
    /// Factor on every size.
    pub scale: f64,
    /// Process counts by test: the guest has other processors than this machine.
    pub counts: BTreeMap<String, Vec<u32>>,
}

/// What a guest tells.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// How the target with this number fared: why it cannot be made, or nothing.
    Tried {
        /// Its number in the task.
        target: usize,
        /// What went wrong.
        why: Option<String>,
    },
    /// An event of the turn at this process count.
    Turn(u32, Event),
}

/// How a guest is booted.
pub struct Boot<'a> {
    /// The guest.
    pub guest: &'a dyn Guest,
    /// Whose directory and journal it uses.
    pub lab: &'a Lab,
    /// Its disks.
    pub images: &'a [PathBuf],
    /// Becomes true when a signal asks to stop.
    pub stop: &'a AtomicBool,
    /// After this time it is ended.
    pub timeout: Duration,
}

/// Boots a guest for `work` of `campaign` and hands on what it tells, as it comes.
///
/// # Errors
/// The guest failed, which is a [`LabError`], or `take` did.
pub fn run(
    boot: &Boot<'_>,
    campaign: &str,
    work: Work,
    take: &mut dyn FnMut(Told) -> Result<()>,
) -> Result<Ended> {
    let dir = boot.lab.make_guest_dir()?;
    let ended = run_in(boot, campaign, work, &dir, take);
    boot.lab.remove_guest_dir(&dir)?;
    ended
}

fn run_in(
    boot: &Boot<'_>,
    campaign: &str,
    work: Work,
    dir: &Path,
    take: &mut dyn FnMut(Told) -> Result<()>,
) -> Result<Ended> {
    let disks = (0..boot.images.len()).map(|number| boot.guest.disk(number)).collect();
    let task = Task { campaign: campaign.into(), disks, work };
    let path = dir.join(TASK);
    fs::write(&path, serde_json::to_vec(&task)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    let machine = Machine {
        out: dir.into(),
        program: env::current_exe().context("cannot find this program")?,
        args: vec![VERB.into(), guest::OUT.into()],
        disks: boot.images.to_vec(),
        cache: cache::dir(),
        memory: memory(),
        timeout: boot.timeout,
    };
    let mut tail = Tail::of(dir.join(TOLD));
    let ended = guest::run(boot.guest, &machine, boot.stop, &mut || {
        tail.lines()?.iter().try_for_each(|line| take(serde_json::from_str(line)?))
    })?;
    match ended {
        Ended::Exit(0) | Ended::Stopped => Ok(ended),
        Ended::Exit(status) => Err(LabError::Guest {
            guest: boot.guest.venue().to_string(),
            why: format!("ended with status {status}"),
            said: guest::last_words(dir),
        }
        .into()),
    }
}

/// Memory of a guest of this machine.
pub fn memory() -> Bytes {
    let own = super::prepare::memory().map_or(0, |bytes| bytes.0);
    Bytes((own / 4).clamp(MEMORY.0, MEMORY.1))
}

/// The whole lines of a growing file.
struct Tail {
    path: PathBuf,
    read: u64,
}

impl Tail {
    fn of(path: PathBuf) -> Tail {
        Tail { path, read: 0 }
    }

    /// The lines that have become whole since the last call.
    fn lines(&mut self) -> Result<Vec<String>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            file => file.with_context(|| format!("cannot open {}", self.path.display()))?,
        };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.read))
            .and_then(|_| file.read_to_end(&mut bytes))
            .with_context(|| format!("cannot read {}", self.path.display()))?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.read += whole as u64;
        Ok(String::from_utf8_lossy(&bytes[..whole]).lines().map(str::to_string).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_growing_file_is_read_by_whole_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("told");
        let mut tail = Tail::of(path.clone());
        assert!(tail.lines().unwrap().is_empty());
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(tail.lines().unwrap(), ["one"]);
        file.write_all(b"o\nthree\n").unwrap();
        assert_eq!(tail.lines().unwrap(), ["two", "three"]);
        assert!(tail.lines().unwrap().is_empty());
    }
}
