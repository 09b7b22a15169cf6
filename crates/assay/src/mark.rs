//! The mark of a campaign, by which `resume` and `tune` know that this installation started it: a MAC over everything
//! that they would act on, with a key that never leaves the state folder. So a store from another machine, or one that
//! was edited, can be read but not run.

use crate::exit;
use anyhow::{Context, Result};
use hmac::{Hmac, KeyInit, Mac};
use lab::ownership::State;
use model::{
    plan::Plan,
    result::{Campaign, Dataset, TargetRecord},
    workload::TestInfo,
};
use rustix::{
    fs::OFlags,
    io::Errno,
    process::geteuid,
    rand::{GetRandomFlags, getrandom},
};
use serde::Serialize;
use sha2::Sha256;
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// File of the key, in the state folder.
const FILE: &str = "key";
const BYTES: usize = 32;
/// Separates what is made with the key for one purpose from what is made for another.
const ABOUT_CAMPAIGN: &[u8] = b"assay campaign 1\n";
const ABOUT_KEY: &[u8] = b"assay key 1\n";
/// Tells one key from another; no secret.
const KEY_ID_BYTES: usize = 8;

/// The secret of a state folder.
pub struct Key([u8; BYTES]);

/// Everything of a campaign that continuing it would act on, which the mark authenticates.
#[derive(Serialize)]
struct Deed<'a> {
    id: &'a str,
    plan: &'a Plan,
    scale_bits: u64,
    seed: u64,
    targets: Vec<(&'a str, &'a str)>,
    tests: &'a [TestInfo],
}

impl Key {
    /// The key of `state`, made the first time.
    pub fn of(state: &State) -> Result<Key> {
        let folder = state.path();
        if let Some(key) = Key::find(folder)? {
            return Ok(key);
        }
        let path = folder.join(FILE);
        write_new(&path).with_context(|| format!("cannot make the key {}", path.display()))?;
        // The first one wins.
        Key::find(folder)?.with_context(|| format!("{} has disappeared", path.display()))
    }

    /// The key of the folder `state`, where it has one.
    fn find(state: &Path) -> Result<Option<Key>> {
        let path = state.join(FILE);
        // Without O_NONBLOCK a FIFO would be waited for.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let opened = File::options().read(true).custom_flags(flags).open(&path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if Errno::from_io_error(&error) == Some(Errno::LOOP) => {
                return Err(refused(&path, "is not a regular file"));
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        check(&file.metadata()?).map_err(|why| refused(&path, why))?;
        let mut key = [0; BYTES];
        file.read_exact(&mut key).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Some(Key(key)))
    }

    /// The mark of a campaign with these targets and tests.
    pub fn mark(
        &self,
        campaign: &Campaign,
        targets: &[TargetRecord],
        tests: &[TestInfo],
    ) -> Result<String> {
        let mac = self.mac(&deed(campaign, targets, tests)?)?.finalize().into_bytes();
        Ok(format!("{}:{}", self.id()?, hex(&mac)))
    }

    fn id(&self) -> Result<String> {
        let mut mac = self.empty()?;
        mac.update(ABOUT_KEY);
        Ok(hex(&mac.finalize().into_bytes()[..KEY_ID_BYTES]))
    }

    fn mac(&self, deed: &[u8]) -> Result<Hmac<Sha256>> {
        let mut mac = self.empty()?;
        mac.update(ABOUT_CAMPAIGN);
        mac.update(deed);
        Ok(mac)
    }

    fn empty(&self) -> Result<Hmac<Sha256>> {
        Hmac::new_from_slice(&self.0).context("the key has the wrong length")
    }
}

/// Fails unless the assay of `state` started the campaign of `dataset`, which carries `mark`, and no one
/// changed it since.
pub fn verify(dataset: &Dataset, mark: Option<&str>, state: &Path) -> Result<()> {
    let campaign = &dataset.campaign;
    let id = &campaign.id;
    let Some(mark) = mark else {
        let why = "was created by another installation";
        return Err(not_ours(id, why));
    };
    let key = Key::find(state)?;
    let (key_id, mac) = mark.split_once(':').unwrap_or_default();
    let Some(key) = key.filter(|key| key.id().is_ok_and(|own| own == key_id)) else {
        let why = format!("was started with a state folder other than {}", state.display());
        return Err(not_ours(id, &why));
    };
    let deed = deed(campaign, &dataset.targets, &dataset.tests)?;
    let same = key.mac(&deed)?.verify_slice(&unhex(mac).unwrap_or_default());
    same.map_err(|_| not_ours(id, "was modified after it was started"))
}

/// The refusal to run the campaign `id`, for the reason `why`.
pub fn not_ours(id: &str, why: &str) -> anyhow::Error {
    exit::usage(format!(
        "{id} {why}; it can be read, but not run. To run its plan, review it with `assay show \
         {id}`, copy what you need into a file, and `assay run PLAN.toml`"
    ))
}

fn refused(path: &Path, why: &str) -> anyhow::Error {
    exit::usage(format!(
        "the key {} {why}; remove it (campaigns started with it can then not be resumed), or \
         choose another folder with --state",
        path.display()
    ))
}

/// Whether a key may be taken from a file like this.
fn check(about: &fs::Metadata) -> Result<(), &'static str> {
    match () {
        () if !about.is_file() => Err("is not a regular file"),
        () if about.uid() != geteuid().as_raw() => Err("belongs to another user"),
        () if about.mode() & 0o077 != 0 => Err("is accessible to other users"),
        () if about.len() != BYTES as u64 => Err("is not 32 bytes long"),
        () => Ok(()),
    }
}

/// Writes a new key under another name first, so that no process sees a partial key. An existing one is kept.
fn write_new(path: &Path) -> Result<()> {
    let mut key = [0; BYTES];
    let got = getrandom(&mut key, GetRandomFlags::empty())?;
    anyhow::ensure!(got == BYTES, "the kernel gave {got} random bytes instead of {BYTES}");
    let dir = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    // Made with O_EXCL and mode 0600.
    let mut file = tempfile::Builder::new().prefix(".key-").tempfile_in(&dir)?;
    file.write_all(&key)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error.into()),
        _ => Ok(File::open(dir)?.sync_all()?),
    }
}

fn deed(campaign: &Campaign, targets: &[TargetRecord], tests: &[TestInfo]) -> Result<Vec<u8>> {
    let targets = targets.iter().map(|t| (t.label.as_str(), t.target.as_str())).collect();
    let Campaign { id, plan, scale, seed, .. } = campaign;
    let deed = Deed { id, plan, scale_bits: scale.to_bits(), seed: *seed, targets, tests };
    serde_json::to_vec(&deed).context("the plan has no canonical text")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pair = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(*pair.get(1)?)?) as u8);
    text.as_bytes().chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::result::{CampaignState, Environment, Origin};

    fn campaign() -> Campaign {
        Campaign {
            id: "a".into(),
            created: String::new(),
            title: String::new(),
            origin: Origin::Run,
            state: CampaignState::Open,
            assay_version: String::new(),
            plan: Plan::default(),
            scale: 1.0,
            seed: 1,
            environment: Environment::default(),
            notes: Vec::new(),
        }
    }

    fn dataset(campaign: Campaign) -> Dataset {
        Dataset { campaign, targets: Vec::new(), tests: Vec::new(), samples: Vec::new() }
    }

    #[test]
    fn a_mark_is_of_one_key_and_one_deed() {
        let (mine, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let key = |dir: &tempfile::TempDir| Key::of(&State::open(dir.path()).unwrap()).unwrap();
        let mark = key(&mine).mark(&campaign(), &[], &[]).unwrap();
        let again = key(&mine).mark(&campaign(), &[], &[]).unwrap();
        assert_eq!(mark, again);
        let verified =
            |campaign, dir: &tempfile::TempDir| verify(&dataset(campaign), Some(&mark), dir.path());
        verified(campaign(), &mine).unwrap();
        // How far it is does not matter.
        verified(Campaign { state: CampaignState::Done, ..campaign() }, &mine).unwrap();
        for changed in [
            Campaign { id: "b".into(), ..campaign() },
            Campaign { seed: 2, ..campaign() },
            Campaign { scale: 1.0 + f64::EPSILON, ..campaign() },
            Campaign { plan: Plan { threads: 2, ..Plan::default() }, ..campaign() },
        ] {
            let error = verified(changed, &mine).unwrap_err().to_string();
            assert!(error.contains("was modified"), "{error}");
        }
        let error = verified(campaign(), &other).unwrap_err().to_string();
        assert!(error.contains("a state folder other than"), "{error}");
        key(&other);
        let error = verified(campaign(), &other).unwrap_err().to_string();
        assert!(error.contains("a state folder other than"), "{error}");
    }

    #[test]
    fn only_hexadecimal_digits_in_pairs_are_bytes() {
        assert_eq!(unhex(&hex(&[0, 9, 255])), Some(vec![0, 9, 255]));
        for text in ["0", "0g", "é", "+1"] {
            assert_eq!(unhex(text), None, "{text}");
        }
    }
}
