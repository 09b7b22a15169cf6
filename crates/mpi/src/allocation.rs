//! Rank 0's view of all ranks: the hosts of a campaign.

use crate::{
    clocks::{Clock, Offset},
    delivery, differences,
    lead::{Lead, Plan},
    merge::{Part, merge},
    orders::{Answer, Card, Looks, Order, Task},
    placement::{self, Request},
    rounds::rounds,
    topic::Topic,
    world::{self, World},
};
use anyhow::{Context, Result, anyhow, bail};
use campaign::{messages::with_causes, run::hosts::Hosts};
use lab::page_cache::Residency;
use model::{
    plan::User,
    result::{Environment, Note},
    workload::{AssetFile, Job, JobMode, PoolReport, WorkerReport},
};
use rustix::process::getppid;
use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
    rc::Rc,
    slice,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::Duration,
};
use workers::{LocalPool, Observer, Pool, PoolError, TimeSharing};

/// Round trips of a look at a clock.
const TRIPS: usize = 200;

/// What a host may take to forget what it has in memory, or to describe itself.
const ANSWER_WITHIN: Duration = Duration::from_secs(600);

thread_local! {
    /// MPI is spoken by one thread alone, which is the one that runs the campaign.
    static WORLD: RefCell<Option<Rc<World>>> = const { RefCell::new(None) };
}

/// All ranks, with this one the first.
#[derive(Debug)]
pub struct Allocation {
    cards: Vec<Card>,
    /// Ranks in the order in which they get work.
    order: Vec<usize>,
    /// Whether hosts must not read their own data.
    shift: bool,
    runs: AtomicU64,
    is_lost: AtomicBool,
}

impl Allocation {
    /// Of all ranks of `world`, which answer from now on.
    ///
    /// # Errors
    /// A rank does not say what it is.
    pub fn of(world: Rc<World>, Request { map, shift }: Request) -> Result<Allocation> {
        let mut cards = vec![world::card(); world.size()];
        for _ in 1..world.size() {
            let card = world.await_word::<Card>(Topic::Answer, ANSWER_WITHIN)?;
            let (rank, card) = card.context("a rank did not report its host")?;
            cards[rank] = card;
        }
        let hosts: Vec<String> = cards.iter().map(|card| card.host.clone()).collect();
        let order = placement::order(&hosts, map);
        world.name_hosts(hosts);
        WORLD.set(Some(world));
        let (runs, is_lost) = Default::default();
        Ok(Allocation { cards, order, shift, runs, is_lost })
    }

    /// Lets all ranks go; ends them where one of them cannot go any more.
    ///
    /// # Errors
    /// A rank takes no message.
    pub fn end(self) -> Result<()> {
        let world = WORLD.take().context("MPI has ended")?;
        if self.is_lost.load(Relaxed) {
            world.abort();
        }
        (1..world.size()).try_for_each(|rank| world.tell(rank, Topic::Order, &Order::End))
    }

    fn host(&self, rank: usize) -> &str {
        &self.cards[rank].host
    }

    /// Ranks and their hosts of a pool of `workers`.
    fn ranks(&self, workers: usize) -> Vec<(usize, String)> {
        let of = |rank: &usize| (*rank, self.host(*rank).to_string());
        self.order.iter().take(workers).map(of).collect()
    }

    /// The first rank of each host.
    fn leaders(&self) -> Vec<usize> {
        placement::leaders(&self.cards.iter().map(|card| card.host.clone()).collect::<Vec<_>>())
    }

    /// What the clocks of a pool show beyond that of this rank, one look at each.
    fn look_at_clocks(&self, world: &World, workers: usize) -> Result<Looks> {
        let mut by_clock = BTreeMap::from([(&self.cards[0].clock, Offset::default())]);
        let mut looks = Looks::new();
        for &rank in self.order.iter().take(workers) {
            let clock = &self.cards[rank].clock;
            let look = match by_clock.get(clock) {
                Some(look) => *look,
                None => {
                    world.tell(rank, Topic::Order, &Order::Clock { trips: TRIPS })?;
                    world.compare_clock(rank, TRIPS)?
                }
            };
            by_clock.insert(clock, look);
            looks.insert(rank, look);
        }
        Ok(looks)
    }

    /// Sends `asset` to the host of `rank`, which lacks it.
    fn send(&self, world: &World, rank: usize, asset: &AssetFile) -> Result<()> {
        let mut copy = File::open(&asset.path)
            .with_context(|| format!("cannot open the asset `{}`", asset.name))?;
        let answer = self.ask(world, rank, &Order::Receive { asset: asset.clone() })?;
        let last = delivery::send(&mut copy, answer, &mut |piece| {
            world.tell_bytes(rank, Topic::Piece, piece);
            self.answer(world, rank)
        })?;
        match last {
            Answer::Verified => Ok(()),
            other => bail!("{} answered {other:?}", self.host(rank)),
        }
    }

    /// The answer of `rank` to `order`.
    fn ask(&self, world: &World, rank: usize, order: &Order) -> Result<Answer> {
        world.tell(rank, Topic::Order, order)?;
        self.answer(world, rank)
    }

    /// The next answer of `rank`.
    fn answer(&self, world: &World, rank: usize) -> Result<Answer> {
        match world.await_word(Topic::Answer, ANSWER_WITHIN)? {
            Some((from, Answer::Failed(why))) => bail!("{}: {why}", self.host(from)),
            Some((_, answer)) => Ok(answer),
            None => bail!("{} does not answer", world.name(rank)),
        }
    }
}

/// Calls `act` with MPI.
fn with_world<T>(act: impl FnOnce(&World) -> Result<T>) -> Result<T> {
    let world = WORLD.with_borrow(Clone::clone);
    act(&*world.ok_or_else(|| anyhow!("only the main thread may call MPI"))?)
}

impl Hosts for Allocation {
    fn pool(&self, timeout: Duration, user: Option<User>) -> Result<Box<dyn Pool + '_>> {
        let local = LocalPool::this_program(timeout)?.in_the_name_of(user);
        Ok(Box::new(MpiPool { allocation: self, local, timeout, user }))
    }

    fn most_workers(&self) -> Option<u32> {
        Some(self.cards.len() as u32)
    }

    fn is_many(&self) -> bool {
        self.leaders().len() > 1
    }

    fn is_shifted(&self) -> bool {
        self.shift
    }

    fn owners(&self, workers: u32) -> Option<Vec<[u32; 3]>> {
        placement::owners(&self.names(workers))
    }

    fn names(&self, workers: u32) -> Vec<String> {
        self.ranks(workers as usize).into_iter().map(|(_, host)| host).collect()
    }

    fn process(&self) -> u32 {
        let launcher = getppid().filter(|_| self.cards.len() > 1);
        launcher.map_or_else(std::process::id, |pid| pid.as_raw_nonzero().get() as u32)
    }

    fn is_here(&self, worker: u32, _workers: u32) -> bool {
        self.order.get(worker as usize).is_none_or(|rank| self.host(*rank) == self.host(0))
    }

    fn look(&self, root: &Path, files: &[Vec<PathBuf>], cold: bool) -> Result<Option<Residency>> {
        let mut by_host = BTreeMap::<&str, (usize, Vec<PathBuf>)>::new();
        for (rank, own) in self.order.iter().zip(files) {
            let entry = by_host.entry(self.host(*rank)).or_insert((*rank, Vec::new()));
            entry.1.extend_from_slice(own);
        }
        by_host.remove(self.host(0));
        let mut sum = None;
        for (rank, files) in by_host.into_values().filter(|(_, files)| !files.is_empty()) {
            let order = Order::Look { root: root.into(), files, cold };
            match with_world(|world| self.ask(world, rank, &order))? {
                Answer::Resident(resident_bytes, total_bytes, stored_bytes) => {
                    *sum.get_or_insert_with(Residency::default) +=
                        Residency { resident_bytes, total_bytes, stored_bytes };
                }
                other => bail!("{} answered {other:?}", self.host(rank)),
            }
        }
        Ok(sum)
    }

    fn verify_assets(&self, assets: &[AssetFile]) -> Result<()> {
        let elsewhere = |rank: &usize| self.host(*rank) != self.host(0) && !assets.is_empty();
        for rank in self.leaders().into_iter().filter(elsewhere) {
            let order = Order::Verify { assets: assets.to_vec() };
            match with_world(|world| self.ask(world, rank, &order))? {
                Answer::Verified => {}
                Answer::Lacks(places) => {
                    let lacking = places.iter().filter_map(|at| assets.get(*at));
                    with_world(|world| {
                        lacking.into_iter().try_for_each(|asset| self.send(world, rank, asset))
                    })?;
                }
                other => bail!("{} answered {other:?}", self.host(rank)),
            }
        }
        Ok(())
    }

    fn describe(&self, dir: &Path) -> Result<(Environment, Vec<Note>)> {
        let mut hosts = BTreeMap::new();
        for rank in self.leaders() {
            let own = match rank {
                0 => differences::of_this_host(dir),
                _ => match with_world(|world| {
                    self.ask(world, rank, &Order::Describe { dir: dir.into() })
                })? {
                    Answer::Described(own) => own,
                    other => bail!("{} answered {other:?}", self.host(rank)),
                },
            };
            hosts.insert(self.host(rank).to_string(), own);
        }
        let ranks: Vec<String> = self.cards.iter().map(|card| card.host.clone()).collect();
        Ok((differences::facts(&hosts, &ranks), differences::notes(&hosts)))
    }
}

/// Workers that are ranks, the first of them here.
struct MpiPool<'a> {
    allocation: &'a Allocation,
    local: LocalPool,
    timeout: Duration,
    user: Option<User>,
}

impl Pool for MpiPool<'_> {
    fn run_at(
        &self,
        pace: &mut dyn TimeSharing,
        jobs: &[Job],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<PoolReport, PoolError> {
        let lost = |error: anyhow::Error| PoolError::Lost { why: with_causes(&error) };
        if self.allocation.is_lost.load(Relaxed) {
            return Err(lost(anyhow!("a rank was lost earlier")));
        }
        pace.wait();
        let run = with_world(|world| Ok(self.run_in(world, jobs, observer, stop)));
        let result = run.map_err(lost).flatten();
        if matches!(result, Err(PoolError::Lost { .. })) {
            self.allocation.is_lost.store(true, Relaxed);
        }
        result
    }
}

impl MpiPool<'_> {
    fn run_in(
        &self,
        world: &World,
        jobs: &[Job],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<PoolReport, PoolError> {
        // Where ranks may run is for the launcher to say.
        let jobs: Vec<Job> = jobs.iter().map(|job| Job { cpu: None, ..job.clone() }).collect();
        let [first, others @ ..] = &jobs[..] else { return self.local.run(&jobs, observer, stop) };
        if others.len() >= self.allocation.cards.len() {
            let why = format!("{} workers were requested, but there are fewer ranks", jobs.len());
            return Err(PoolError::Lost { why });
        }
        let lost = |error: anyhow::Error| PoolError::Lost { why: with_causes(&error) };
        let clocks = |size| self.allocation.look_at_clocks(world, size);
        let is_timed = first.mode == JobMode::Run;
        let looks = |size| if is_timed { clocks(size) } else { Ok(Looks::new()) };
        let before = looks(jobs.len()).map_err(lost)?;
        let reports = match others {
            [] => self.local.run(slice::from_ref(first), observer, stop)?.workers,
            _ => self.run_together(world, first, others, observer, stop)?,
        };
        let after = looks(jobs.len()).map_err(lost)?;
        Ok(self.merged(reports, &before, &after))
    }

    fn run_together(
        &self,
        world: &World,
        first: &Job,
        others: &[Job],
        observer: &mut dyn Observer,
        stop: &AtomicBool,
    ) -> Result<Vec<WorkerReport>, PoolError> {
        let lost = |error: anyhow::Error| PoolError::Lost { why: with_causes(&error) };
        let run = self.allocation.runs.fetch_add(1, Relaxed);
        let ranks = self.allocation.ranks(others.len() + 1);
        let numbers: Vec<usize> = ranks.iter().map(|(rank, _)| *rank).collect();
        for ((place, rank), job) in numbers.iter().enumerate().skip(1).zip(others) {
            let task = Task {
                run,
                barrier: rounds(&numbers, place),
                job: job.clone(),
                user: self.user,
                timeout_s: self.timeout.as_secs_f64(),
            };
            world.tell(*rank, Topic::Order, &Order::Run(Box::new(task))).map_err(lost)?;
        }
        let own_stop = AtomicBool::new(false);
        let (test, timeout) = (first.test.clone(), self.timeout);
        let plan = Plan { run, test, timeout, ranks, own_stop: &own_stop, stop };
        let mut lead = Lead::of(world, plan, observer);
        let own = self.local.run(slice::from_ref(first), &mut lead, &own_stop);
        let own = own.map(|report| report.workers.into_iter().next().unwrap_or_default());
        lead.finish(own)
    }

    /// One report of all, by the clock of this rank.
    fn merged(&self, reports: Vec<WorkerReport>, before: &Looks, after: &Looks) -> PoolReport {
        let look = |looks: &Looks, rank: usize| looks.get(&rank).copied().unwrap_or_default();
        let part = |(report, (rank, host)): (WorkerReport, (usize, String))| Part {
            report,
            clock: Clock::of(look(before, rank), look(after, rank)),
            host,
        };
        let ranks = self.allocation.ranks(reports.len());
        merge(reports.into_iter().zip(ranks).map(part).collect())
    }
}

/// The workers of this instance are not needed any more, on no host.
impl Drop for MpiPool<'_> {
    fn drop(&mut self) {
        if self.allocation.is_lost.load(Relaxed) {
            return;
        }
        let dismiss = |world: &World| {
            (1..world.size()).try_for_each(|rank| world.tell(rank, Topic::Order, &Order::Dismiss))
        };
        // A rank that takes no message ends the next run.
        let _ = with_world(dismiss);
    }
}
