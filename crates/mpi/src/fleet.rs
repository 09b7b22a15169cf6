//! Runs a local campaign on every host of an allocation: rank 0 starts them, waits for their end, and gathers their
//! samples. Each campaign is a separate process, which tears everything down if its rank is lost.

use crate::{
    differences,
    each_host::{ALONE, EachHost, marked},
    orders::{Answer, HostEnded, Order},
    placement,
    pulse::{RANK_SILENCE, SAY_EVERY, is_silent},
    topic::Topic,
    world::{self, World},
};
use anyhow::{Context, Result, anyhow, bail};
use campaign::{messages::with_causes, run::hosts::ThisHost};
use model::result::Dataset;
use rustix::process::{Signal, set_parent_process_death_signal, setsid};
use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use store::{Imported, Store};

/// How often those who wait look.
const LOOK: Duration = Duration::from_millis(50);
/// What a host may take to hand over what it measured.
const HAND_WITHIN: Duration = Duration::from_secs(600);
/// Status of a campaign that ended although a target or case failed.
const PARTLY: i32 = 4;

/// The program on this host alone, when this process is for that.
pub fn hidden() -> Option<ExitCode> {
    if env::args().nth(1).as_deref() != Some(ALONE) {
        return None;
    }
    // A launcher kills the group of a rank; who leads one cleans up first.
    let _ = setsid();
    let _ = set_parent_process_death_signal(Some(Signal::TERM));
    let mut arguments = env::args_os();
    let program = arguments.next();
    let words = program.into_iter().chain(arguments.skip(1));
    Some(assay_program::main_on(&ThisHost, words))
}

/// The campaign of this host.
struct Own {
    child: Child,
    said: Option<JoinHandle<String>>,
    /// The newest campaign of its store before.
    before: Option<String>,
    store: PathBuf,
}

impl Own {
    fn start(words: &[OsString], store: &Path) -> Result<Own> {
        let mut command = Command::new(env::current_exe()?);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Real tools start an mpirun of their own, which must not take itself for a part of this one.
        let of_mpi =
            |name: &str| ["OMPI_", "PMIX_", "PMI_", "PRTE_"].iter().any(|p| name.starts_with(p));
        for (name, _) in env::vars_os().filter(|(name, _)| of_mpi(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        let before = newest(store);
        let mut child = command.spawn().context("cannot start the campaign of this host")?;
        let said = child.stderr.take().map(|pipe| {
            thread::spawn(move || {
                let lines = BufReader::new(pipe).lines().map_while(Result::ok);
                lines.filter(|line| !line.trim().is_empty()).last().unwrap_or_default()
            })
        });
        Ok(Own { child, said, before, store: store.into() })
    }

    /// How it ended, when it has.
    fn ended(&mut self) -> Result<Option<HostEnded>> {
        let Some(status) = self.child.try_wait()? else { return Ok(None) };
        let said = self.said.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let campaign = newest(&self.store).filter(|id| self.before.as_ref() != Some(id));
        Ok(Some(HostEnded { status: status.code(), campaign, said }))
    }
}

/// The store at `path`, for reading.
fn opened(path: &Path) -> Result<Store> {
    Ok(Store::open_read_only(&assay_program::store_path(path)?)?)
}

/// The newest campaign of the store at `path`.
fn newest(path: &Path) -> Option<String> {
    let list = opened(path).ok()?.list().ok()?;
    list.into_iter().flatten().map(|campaign| campaign.id).last()
}

/// What a rank other than 0 does with an order to run its host's campaign.
pub(crate) fn run_here(world: &World, words: &[String], store: &Path) -> Result<Answer> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let mut own = match Own::start(&words, store) {
        Ok(own) => own,
        Err(error) => return Ok(Answer::Failed(with_causes(&error))),
    };
    let mut told = Instant::now();
    loop {
        if let Some(ended) = own.ended()? {
            return Ok(Answer::Ran(ended));
        }
        world.look_at_zero()?;
        if told.elapsed() >= SAY_EVERY {
            told = Instant::now();
            world.tell(0, Topic::Answer, &Answer::Runs)?;
        }
        thread::sleep(LOOK);
    }
}

/// The campaign `id` of the store at `path`.
pub(crate) fn hand_over(path: &Path, id: &str) -> Answer {
    let read = || -> Result<Dataset> { Ok(opened(path)?.dataset(id)?) };
    match read() {
        Ok(dataset) => Answer::Measured(Box::new(dataset)),
        Err(error) => Answer::Failed(with_causes(&error)),
    }
}

/// A host and how it fares.
struct Member {
    rank: usize,
    host: String,
    heard: Option<Instant>,
    ended: Option<HostEnded>,
}

/// Rank 0 of a fleet.
struct Fleet<'a> {
    world: &'a World,
    asked: &'a EachHost,
    members: Vec<Member>,
    own: Option<Own>,
}

/// Has every host run its campaign, gathers and reports them; all other ranks answer until they receive the
/// order to end.
///
/// # Errors
/// A host is lost, or what was measured cannot be gathered.
pub fn lead(world: &World, asked: &EachHost, tell: fn(&str)) -> Result<ExitCode> {
    let mut cards = vec![world::card(); world.size()];
    for _ in 1..world.size() {
        let card = world.await_word(Topic::Answer, HAND_WITHIN)?;
        let (rank, card) = card.context("a rank did not report its host")?;
        cards[rank] = card;
    }
    let hosts: Vec<String> = cards.into_iter().map(|card| card.host).collect();
    if let Some(host) = asked.unknown(&hosts) {
        bail!("--of-host: unknown host {host}; expected one of {}", hosts.join(", "));
    }
    world.name_hosts(hosts.clone());
    let member = |rank: usize| Member { rank, host: hosts[rank].clone(), heard: None, ended: None };
    let members = placement::leaders(&hosts).into_iter().map(member).collect();
    let mut fleet = Fleet { world, asked, members, own: None };
    while !fleet.step(tell)? {
        thread::sleep(LOOK);
    }
    let status = fleet.gather(tell)?;
    (1..world.size()).try_for_each(|rank| world.tell(rank, Topic::Order, &Order::End))?;
    Ok(status)
}

impl Fleet<'_> {
    /// Begins what is to begin and hears what there is to hear; whether all have ended.
    fn step(&mut self, tell: fn(&str)) -> Result<bool> {
        let is_busy = self.members.iter().any(|m| m.heard.is_some() && m.ended.is_none());
        let next = self.members.iter().position(|m| m.heard.is_none());
        if let Some(at) = next.filter(|_| !is_busy || !self.asked.in_turn) {
            tell(&format!("{} begins", self.members[at].host));
            self.begin(at)?;
        }
        if let Some(own) = &mut self.own
            && let Some(ended) = own.ended()?
        {
            self.own = None;
            self.end(0, ended, tell);
        }
        while let Some((rank, answer)) = self.world.hear::<Answer>(Topic::Answer)? {
            let Some(at) = self.members.iter().position(|m| m.rank == rank) else { continue };
            self.members[at].heard = Some(Instant::now());
            match answer {
                Answer::Ran(ended) => self.end(at, ended, tell),
                Answer::Failed(why) => bail!("{}: {why}", self.members[at].host),
                _ => {}
            }
        }
        let now = Instant::now();
        let is_lost = |m: &&Member| {
            m.rank > 0 && m.ended.is_none() && m.heard.is_some_and(|at| is_silent(at, now))
        };
        if let Some(member) = self.members.iter().find(is_lost) {
            let (host, seconds) = (&member.host, RANK_SILENCE.as_secs());
            bail!(
                "no message from {host} for {seconds} s: it was stopped, or is lost; results of \
                 the other hosts are in their own stores"
            );
        }
        Ok(self.members.iter().all(|member| member.ended.is_some()))
    }

    fn begin(&mut self, at: usize) -> Result<()> {
        let Member { rank, host, .. } = &self.members[at];
        let (words, store) = (self.asked.words(host), self.asked.store_of(host));
        match rank {
            0 => self.own = Some(Own::start(&words, &store)?),
            _ => {
                let words = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
                self.world.tell(*rank, Topic::Order, &Order::Campaign { words, store })?;
            }
        }
        self.members[at].heard = Some(Instant::now());
        Ok(())
    }

    fn end(&mut self, at: usize, ended: HostEnded, tell: fn(&str)) {
        let host = &self.members[at].host;
        match ended.status {
            Some(0) => tell(&format!("{host} has ended")),
            Some(PARTLY) => tell(&format!("{host} has finished; a target or case failed")),
            _ => tell(&format!("{host} failed: {}", ended.said)),
        }
        self.members[at].ended = Some(ended);
    }

    /// Brings the campaigns of all into one store, each with its class, and prints what they say; the status of the
    /// worst.
    fn gather(&self, tell: fn(&str)) -> Result<ExitCode> {
        let mut gathered = Vec::new();
        for member in &self.members {
            let id = member.ended.as_ref().and_then(|ended| ended.campaign.as_deref());
            let Some(id) = id else { continue };
            gathered.push((member.host.clone(), self.dataset(member, id)?));
        }
        if gathered.is_empty() {
            bail!("no host has measured anything");
        }
        let kinds =
            gathered.iter().map(|(host, data)| (host.clone(), data.campaign.environment.of_kind()));
        let notes = differences::notes(&kinds.collect());
        notes.iter().for_each(|note| tell(&assay_program::words_of(note)));
        let mut classes = BTreeMap::<String, Vec<String>>::new();
        let mut store = Store::open(&assay_program::store_path(&self.asked.store)?)?;
        for (host, dataset) in &mut gathered {
            let class = marked(dataset);
            let stored = store.import(dataset);
            let stored =
                stored.with_context(|| format!("the campaign of {host} cannot be stored"))?;
            let (Imported::Stored(id) | Imported::AlreadyThere(id)) = stored;
            tell(&format!("{host}: campaign {id}, class {class}"));
            classes.entry(class).or_default().push(id);
        }
        drop(store);
        self.report(&classes, tell);
        Ok(self.worst())
    }

    /// The status of the host that fared worst.
    fn worst(&self) -> ExitCode {
        let worst = self.members.iter().filter_map(|member| member.ended.as_ref());
        let worst =
            worst.map(|ended| ended.status.unwrap_or(1)).max_by_key(|status| match *status {
                0 => 0,
                PARTLY => 1,
                _ => 2,
            });
        ExitCode::from(worst.and_then(|status| u8::try_from(status).ok()).unwrap_or(1))
    }

    fn dataset(&self, member: &Member, id: &str) -> Result<Dataset> {
        let path = self.asked.store_of(&member.host);
        let answer = match member.rank {
            0 => hand_over(&path, id),
            rank => {
                let order = Order::HandOver { store: path, campaign: id.into() };
                self.world.tell(rank, Topic::Order, &order)?;
                let heard = self.world.await_word(Topic::Answer, HAND_WITHIN)?;
                heard.with_context(|| format!("{} does not answer", member.host))?.1
            }
        };
        match answer {
            Answer::Measured(dataset) => Ok(*dataset),
            Answer::Failed(why) => Err(anyhow!("{}: {why}", member.host)),
            other => Err(anyhow!("{} answered {other:?}", member.host)),
        }
    }

    /// A page with the hosts side by side, and of each class with several hosts the answer of all of them.
    fn report(&self, classes: &BTreeMap<String, Vec<String>>, tell: fn(&str)) {
        let call = |words: Vec<OsString>| {
            let store = ["--store".into(), self.asked.store.clone().into()];
            let all = [OsString::from("assay-mpi"), "report".into()].into_iter();
            assay_program::main_on(&ThisHost, all.chain(words).chain(store))
        };
        let ids: Vec<OsString> = classes.values().flatten().map(OsString::from).collect();
        call([&ids[..], &["--out".into(), self.asked.page.clone().into()]].concat());
        for (class, ids) in classes {
            let mut words: Vec<OsString> = ids.iter().map(OsString::from).collect();
            words.push("--summary".into());
            let hosts = match ids.len() {
                1 => "1 host".to_string(),
                count => {
                    words.push("--pool".into());
                    format!("{count} hosts, each one block")
                }
            };
            tell(&format!("class {class}, {hosts}"));
            call(words);
        }
        tell(&format!("side by side: {}", self.asked.page.display()));
        let _ = std::io::stdout().flush();
    }
}
