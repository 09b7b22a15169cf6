//! Messages between ranks: small, in JSON, and never awaited without a timeout.

use crate::{
    clocks::{Offset, RoundTrip},
    heart::Heart,
    orders::Card,
    pulse::{Pulse, RANK_SILENCE, Turn, Wait, ZERO_SILENCE, longest_call},
    rounds::Round,
    topic::Topic,
    watchdog::Watchdog,
};
use anyhow::{Context, Result, anyhow, bail};
use engine::clock::now_ns;
use rsmpi::{
    Threading,
    environment::Universe,
    point_to_point::{Destination, MatchedReceiveVec, Source},
    request::{Request, StaticScope},
    topology::{Communicator, SimpleCommunicator},
};
use rustix::system::uname;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    cell::{Cell, RefCell},
    fs, hint, mem, thread,
    time::{Duration, Instant},
};

/// How often those who wait look for messages: others may work on the same processors.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(1);

/// A token of a barrier.
static TOKEN: [u8; 1] = *b"1";

type Sending = Request<'static, [u8; 1], StaticScope>;

/// All ranks, as one of them sees them.
pub struct World {
    /// Tokens of barriers that are not taken yet.
    under_way: RefCell<Vec<Sending>>,
    all: SimpleCommunicator,
    watchdog: Watchdog,
    /// The heartbeats of rank 0 received so far.
    pulse: Cell<Pulse>,
    /// That of rank 0, which ends before the universe.
    _heart: Option<Heart>,
    /// Hosts of the ranks, where that is known.
    hosts: RefCell<Vec<String>>,
    _universe: Universe,
}

impl World {
    /// Takes part in MPI; `tell` shows a line when that has to end at once.
    ///
    /// # Errors
    /// MPI does not come up.
    pub fn begin(tell: fn(&str)) -> Result<World> {
        let (universe, threading) = rsmpi::initialize_with_threading(Threading::Multiple).context(
            "MPI was initialized \
                                                            twice",
        )?;
        let all = universe.world();
        // If only one thread may send, no rank waits for heartbeats.
        let beats = all.rank() == 0 && threading == Threading::Multiple;
        let watchdog = Watchdog::start(tell);
        Ok(World {
            under_way: RefCell::default(),
            all,
            watchdog,
            pulse: Cell::default(),
            _heart: beats.then(Heart::start),
            hosts: RefCell::default(),
            _universe: universe,
        })
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.all.rank() as usize
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.all.size() as usize
    }

    /// Ends all ranks at once, and this one also if no process is left that could end the others.
    pub fn abort(&self) -> ! {
        self.watchdog.guard(RANK_SILENCE / 2, "the launcher", || self.all.abort(1))
    }

    /// Looks for signs of life of rank 0.
    ///
    /// # Errors
    /// There was none for long.
    pub(crate) fn look_at_zero(&self) -> Result<()> {
        let mut heard = false;
        while self.hear::<u8>(Topic::Beat)?.is_some() {
            heard = true;
        }
        let mut pulse = self.pulse.get();
        let is_lost = pulse.is_lost(Instant::now(), heard);
        self.pulse.set(pulse);
        if is_lost {
            let seconds = ZERO_SILENCE.as_secs();
            bail!("no message from rank 0 for {seconds} s: it was stopped, or its host is lost");
        }
        Ok(())
    }

    /// Sends `what` to `rank`.
    pub(crate) fn tell<T: Serialize>(&self, rank: usize, topic: Topic, what: &T) -> Result<()> {
        let text = serde_json::to_vec(what).context("a message cannot be written")?;
        self.tell_bytes(rank, topic, &text);
        Ok(())
    }

    /// Sends `bytes` to `rank` as they are.
    pub(crate) fn tell_bytes(&self, rank: usize, topic: Topic, bytes: &[u8]) {
        self.guard(rank, || {
            self.all.process_at_rank(rank as i32).send_with_tag(bytes, topic as i32);
        });
    }

    /// The next message from anybody, with the number of the sender; `None` when there is none yet.
    pub(crate) fn hear<T: DeserializeOwned>(&self, topic: Topic) -> Result<Option<(usize, T)>> {
        let Some((from, text)) = self.hear_bytes(topic) else { return Ok(None) };
        let what = serde_json::from_slice(&text);
        Ok(Some((
            from,
            what.with_context(|| {
                format!(
                    "rank {from} runs another version of \
                                                     assay"
                )
            })?,
        )))
    }

    /// The bytes of the next message from anybody, with the number of the sender; `None` when there is none yet.
    pub(crate) fn hear_bytes(&self, topic: Topic) -> Option<(usize, Vec<u8>)> {
        let any = self.all.any_process();
        let message = any.immediate_matched_probe_with_tag(topic as i32)?;
        let from = message.1.source_rank() as usize;
        let (bytes, _) = self.guard(from, || message.matched_receive_vec::<u8>());
        Some((from, bytes))
    }

    /// The next message, waited for at most `limit`.
    pub(crate) fn await_word<T: DeserializeOwned>(
        &self,
        topic: Topic,
        limit: Duration,
    ) -> Result<Option<(usize, T)>> {
        let since = Instant::now();
        while since.elapsed() < limit {
            match self.hear(topic)? {
                None => thread::sleep(LOOK_EVERY),
                heard => return Ok(heard),
            }
        }
        Ok(None)
    }

    /// The barrier of `rounds`, at which all stand already or will within milliseconds. While one does not, `speak` is
    /// called once a second, and ends the wait by its error.
    pub(crate) fn barrier(
        &self,
        rounds: &[Round],
        speak: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let mut wait = Wait::begin(self.rank(), Instant::now());
        for round in rounds {
            self.send_token(round.to);
            let sender = self.all.process_at_rank(round.from as i32);
            let message = loop {
                match sender.immediate_matched_probe_with_tag(Topic::Barrier as i32) {
                    Some(message) => break message,
                    None => self.turn(&mut wait, speak)?,
                }
            };
            self.guard(round.from, || message.matched_receive_vec::<u8>());
        }
        Ok(())
    }

    /// One look of those who wait at a barrier.
    fn turn(&self, wait: &mut Wait, speak: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        hint::spin_loop();
        thread::yield_now();
        match wait.turn(Instant::now()) {
            Turn::Look => Ok(()),
            Turn::Speak => speak(),
            Turn::GiveUp => Err(anyhow!("a rank did not reach the barrier")),
        }
    }

    /// Sends a token to `rank`, without waiting for one that takes none.
    fn send_token(&self, rank: usize) {
        let there = self.all.process_at_rank(rank as i32);
        let sending = there.immediate_send_with_tag(StaticScope, &TOKEN, Topic::Barrier as i32);
        let mut under_way = self.under_way.borrow_mut();
        let before = under_way.drain(..).chain([sending]);
        let left: Vec<Sending> = before.filter_map(|sending| sending.test().err()).collect();
        *under_way = left;
    }

    /// How far the clock of `rank`, which has the order to answer, is ahead of that of this one.
    pub(crate) fn compare_clock(&self, rank: usize, trips: usize) -> Result<Offset> {
        let there = self.all.process_at_rank(rank as i32);
        let mut seen = Vec::with_capacity(trips);
        for _ in 0..trips {
            let trip = self.guard(rank, || {
                let sent_ns = now_ns();
                there.send_with_tag(&0_u64, Topic::Clock as i32);
                let (there_ns, _) = there.receive_with_tag::<u64>(Topic::Clock as i32);
                RoundTrip { sent_ns, there_ns, received_ns: now_ns() }
            });
            seen.push(trip);
        }
        Offset::of(&seen).with_context(|| format!("rank {rank} reported no time"))
    }

    /// Answers round trips of rank 0.
    pub(crate) fn answer_clock(&self, trips: usize) {
        let zero = self.all.process_at_rank(0);
        for _ in 0..trips {
            self.guard(0, || {
                zero.receive_with_tag::<u64>(Topic::Clock as i32);
                zero.send_with_tag(&now_ns(), Topic::Clock as i32);
            });
        }
    }

    /// A readable name of `rank`.
    pub(crate) fn name(&self, rank: usize) -> String {
        let host = self.hosts.borrow().get(rank).map(|host| format!(" on {host}"));
        format!("rank {rank}{}", host.unwrap_or_default())
    }

    /// Tells on which host each rank is.
    pub(crate) fn name_hosts(&self, hosts: Vec<String>) {
        self.hosts.replace(hosts);
    }

    /// Does `act`, which needs `rank`. Rank 0 times out first, because its message can say more.
    fn guard<T>(&self, rank: usize, act: impl FnOnce() -> T) -> T {
        self.watchdog.guard(longest_call(self.rank()), &self.name(rank), act)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // They end with MPI; none can be taken back.
        self.under_way.take().into_iter().for_each(mem::forget);
    }
}

/// What this rank is.
pub(crate) fn card() -> Card {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let time = fs::read_link("/proc/self/ns/time").unwrap_or_default();
    let clock = format!("{} {}", boot.trim(), time.display());
    Card { host: uname().nodename().to_string_lossy().into_owned(), clock }
}
