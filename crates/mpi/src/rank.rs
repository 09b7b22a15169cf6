//! Runs a rank other than 0: orders, one after the other, until the campaign ends.

use crate::{
    delivery::Arriving,
    differences, fleet,
    orders::{Answer, News, Order, Ruling, Step, Task, Word},
    pulse::SAY_EVERY,
    topic::Topic,
    world::{self, LOOK_EVERY, World},
};
use anyhow::Result;
use campaign::inputs::assets;
use model::plan::User;
use std::{
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};
use workers::{LocalPool, Observer, Pool, PoolError};

/// Takes orders until the campaign ends.
///
/// # Errors
/// A message cannot be read, a barrier is broken, or no message from rank 0 for long.
pub fn serve(world: &World) -> Result<()> {
    world.tell(0, Topic::Answer, &world::card())?;
    let (mut pool, mut received) = (None, Vec::new());
    loop {
        let Some((_, order)) = world.hear(Topic::Order)? else {
            world.look_at_zero()?;
            thread::sleep(LOOK_EVERY);
            continue;
        };
        match order {
            Order::Clock { trips } => world.answer_clock(trips),
            Order::Run(task) => run(world, &task, &mut pool)?,
            Order::Dismiss => pool = None,
            Order::Look { root, files, cold } => {
                world.tell(0, Topic::Answer, &look(&root, &files, cold))?;
            }
            Order::Verify { assets } => {
                let lacks = |at: &usize| assets::verify(&assets[*at]).is_err();
                let lacking: Vec<usize> = (0..assets.len()).filter(lacks).collect();
                let answer =
                    if lacking.is_empty() { Answer::Verified } else { Answer::Lacks(lacking) };
                world.tell(0, Topic::Answer, &answer)?;
            }
            Order::Receive { asset } => {
                let mut ask = || next_piece(world).map_err(io::Error::other);
                let answer = match assets::receive(&asset, &mut Arriving::new(&mut ask)) {
                    Ok(shelf) => {
                        received.push(shelf);
                        Answer::Verified
                    }
                    Err(why) => Answer::Failed(why.to_string()),
                };
                world.tell(0, Topic::Answer, &answer)?;
            }
            Order::Describe { dir } => {
                let found = Answer::Described(differences::of_this_host(&dir));
                world.tell(0, Topic::Answer, &found)?;
            }
            Order::Campaign { words, store } => {
                let answer = fleet::run_here(world, &words, &store)?;
                world.tell(0, Topic::Answer, &answer)?;
            }
            Order::HandOver { store, campaign } => {
                world.tell(0, Topic::Answer, &fleet::hand_over(&store, &campaign))?;
            }
            Order::End => return Ok(()),
        }
    }
}

/// Asks rank 0 for the next piece of an asset, and waits for it.
fn next_piece(world: &World) -> Result<Vec<u8>> {
    world.tell(0, Topic::Answer, &Answer::Next)?;
    loop {
        match world.hear_bytes(Topic::Piece) {
            Some((_, piece)) => return Ok(piece),
            None => {
                world.look_at_zero()?;
                thread::sleep(LOOK_EVERY);
            }
        }
    }
}

/// The pool of one that stays for further jobs, with what it was made of.
type Kept = Option<(LocalPool, Option<User>, f64)>;

fn run(world: &World, task: &Task, kept: &mut Kept) -> Result<()> {
    let same = |(_, user, timeout_s): &(LocalPool, Option<User>, f64)| {
        *user == task.user && *timeout_s == task.timeout_s
    };
    if !kept.as_ref().is_some_and(same) {
        *kept = None;
        let timeout = Duration::from_secs_f64(task.timeout_s);
        let pool = LocalPool::this_program(timeout)?.in_the_name_of(task.user);
        *kept = Some((pool, task.user, task.timeout_s));
    }
    let Some((pool, ..)) = kept else { return Ok(()) };
    let stop = AtomicBool::new(false);
    let mut follower =
        Follower { world, task, stop: &stop, said: Instant::now(), process: 0, broken: None };
    let result = pool.run(std::slice::from_ref(&task.job), &mut follower, &stop);
    if let Some(error) = follower.broken {
        return Err(error);
    }
    let news = match result {
        Ok(report) => match report.workers.into_iter().next() {
            Some(report) => News::Done(Box::new(report)),
            None => News::Failed("it returned no report".into()),
        },
        Err(PoolError::Stopped) => News::Stopped,
        Err(PoolError::TimedOut { .. }) => News::TimedOut,
        Err(PoolError::Failed { message, .. }) => News::Failed(message),
        Err(PoolError::WorkerDied { how, .. }) => News::Failed(format!("died ({how})")),
        Err(error) => News::Failed(error.to_string()),
    };
    world.tell(0, Topic::Word, &Word { run: task.run, news })
}

/// Keeps a pool of one in step with the others.
struct Follower<'a> {
    world: &'a World,
    task: &'a Task,
    /// Ends the pool.
    stop: &'a AtomicBool,
    /// When it last spoke.
    said: Instant,
    /// The process that works.
    process: u32,
    /// Why this rank cannot continue.
    broken: Option<anyhow::Error>,
}

impl Follower<'_> {
    fn say(&mut self, news: News) -> Result<()> {
        self.said = Instant::now();
        self.world.tell(0, Topic::Word, &Word { run: self.task.run, news })
    }

    /// What rank 0 has ruled, if it has.
    fn ruling(&mut self) -> Result<Option<bool>> {
        if self.said.elapsed() >= SAY_EVERY {
            self.say(News::Alive)?;
        }
        self.world.look_at_zero()?;
        let heard = self.world.hear::<Ruling>(Topic::Ruling)?;
        let own = heard.filter(|(_, ruling)| ruling.run == self.task.run);
        Ok(own.map(|(_, ruling)| ruling.goes_on))
    }

    /// Waits at `step` until rank 0 rules.
    fn wait(&mut self, step: Step) -> Result<()> {
        if self.stop.load(Relaxed) {
            return Ok(());
        }
        self.say(News::At(step, self.process))?;
        let goes_on = loop {
            match self.ruling()? {
                Some(goes_on) => break goes_on,
                None => thread::sleep(LOOK_EVERY),
            }
        };
        match (goes_on, step) {
            (false, _) => self.stop.store(true, Relaxed),
            (true, Step::Release(_)) => {
                let world = self.world;
                world.barrier(&self.task.barrier, &mut || {
                    self.say(News::Alive)?;
                    world.look_at_zero()
                })?;
            }
            (true, Step::End(_)) => {}
        }
        Ok(())
    }

    fn note(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.stop.store(true, Relaxed);
            self.broken.get_or_insert(error);
        }
    }
}

impl Observer for Follower<'_> {
    fn started(&mut self, pids: &[u32]) {
        self.process = pids.first().copied().unwrap_or_default();
    }

    fn releasing(&mut self, phase: usize) {
        let waited = self.wait(Step::Release(phase));
        self.note(waited);
    }

    fn looked(&mut self) {
        let heard = self.ruling();
        let over = matches!(heard, Ok(Some(false)));
        if over {
            self.stop.store(true, Relaxed);
        }
        self.note(heard.map(drop));
    }

    fn ended(&mut self, phase: usize) {
        let waited = self.wait(Step::End(phase));
        self.note(waited);
    }
}

/// How much of `files` is in the page cache of this host.
fn look(root: &Path, files: &[PathBuf], cold: bool) -> Answer {
    match lab::instance::look_from_here(root, files, cold) {
        Ok(seen) => Answer::Resident(seen.resident_bytes, seen.total_bytes, seen.stored_bytes),
        Err(error) => Answer::Failed(error.to_string()),
    }
}
