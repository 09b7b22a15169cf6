//! The timed part of the kind `pages`: clients that commit through one log and then write the page
//! they changed, and a thread that makes checkpoints.

use super::{
    clients::Clients,
    group::GroupLog,
    table::{Content, Share, Table, stamp},
};
use crate::{
    Meter, Run, TestError,
    commits::{Client, CommitRate},
};
use engine::{
    clock::now_ns,
    data::{Data, derive_seed},
    progress::Progress,
};
use model::{
    figure::{Better, Histogram, Metric, Synced},
    random::Rng,
    workload::{Job, PhaseKind},
};
use std::{
    collections::HashSet,
    fs::{self, File},
    path::PathBuf,
    thread::{self, ScopedJoinHandle},
};

/// The parts of a run.
pub(super) struct PagesRun<'a> {
    pub(super) job: &'a Job,
    pub(super) load: CommitRate,
    pub(super) clients: u32,
    pub(super) checkpoint_every: u64,
    pub(super) record_bytes: usize,
    pub(super) data: Data,
    pub(super) table: Table,
    pub(super) log: GroupLog,
    pub(super) log_path: PathBuf,
    pub(super) done: Done,
}

/// The result of the timed part.
#[derive(Default)]
pub(super) struct Done {
    /// All clients together.
    total: Option<Client>,
    /// Commits of each client.
    commits: Vec<u64>,
    /// The last transaction that wrote each page, for each client.
    written: Vec<Vec<u64>>,
    checkpoints: u64,
}

/// One client and what it needs.
struct Teller<'a> {
    client: Client,
    share: Share<'a>,
    content: Content<'a>,
    record: Vec<u8>,
}

impl<'a> Teller<'a> {
    fn new(run: &'a PagesRun<'_>, index: u32) -> Result<Teller<'a>, TestError> {
        let content = run.content(index);
        let seed =
            derive_seed(run.job.seed, &format!("{} {} {index}", run.job.test, run.job.worker));
        let client =
            Client::new(run.load, u64::from(index), u64::from(run.clients), &run.table.path)?;
        let share = Share::new(&run.table, content, Rng::new(seed));
        Ok(Teller { client, share, content, record: vec![0; run.record_bytes] })
    }

    /// Commits from `start_ns` on until the load is over.
    fn work(&mut self, start_ns: u64, log: &GroupLog, clients: &Clients) -> Result<(), TestError> {
        let Teller { client, share, content, record } = self;
        client.run(start_ns, |k| {
            let page = share.choose();
            content.fill(record, page, k);
            log.commit(record)?;
            let durable_ns = now_ns();
            share.write(page, k)?;
            clients.committed();
            Ok(durable_ns)
        })
    }
}

impl PagesRun<'_> {
    fn content(&self, client: u32) -> Content<'_> {
        Content { data: &self.data, client, clients: self.clients }
    }

    fn sync_table(&self) -> Result<(), TestError> {
        self.table.file.sync_data().map_err(TestError::io("fdatasync", &self.table.path))
    }

    /// Syncs the table whenever it is asked for; returns how often.
    fn checkpoints(&self, clients: &Clients) -> Result<u64, TestError> {
        let mut count = 0;
        while clients.checkpoint_due() {
            self.sync_table()?;
            count += 1;
        }
        Ok(count)
    }

    /// The phases; threads are there before the first begins and are waited for after the last.
    fn play(&self, tellers: &mut [Teller<'_>], meter: &mut dyn Meter) -> Result<u64, TestError> {
        let clients = Clients::new(self.clients, self.checkpoint_every);
        thread::scope(|scope| {
            let spawn = |teller| {
                let slot = clients.slot();
                let clients = &clients;
                scope.spawn(move || {
                    let _slot = slot;
                    match clients.start_ns() {
                        Some(start_ns) => Teller::work(teller, start_ns, &self.log, clients),
                        None => Ok(()),
                    }
                })
            };
            let threads: Vec<_> = tellers.iter_mut().map(spawn).collect();
            let checkpointer = scope.spawn(|| self.checkpoints(&clients));
            let phases = self.phases(&clients, meter);
            clients.close();
            let ended: Vec<_> = threads.into_iter().map(joined).collect();
            let checkpoints = joined(checkpointer);
            phases?;
            first_cause(ended)?;
            checkpoints
        })
    }

    fn phases(&self, clients: &Clients, meter: &mut dyn Meter) -> Result<(), TestError> {
        let commit_bytes = self.record_bytes as u64 + self.table.page_bytes;
        meter.phase(PhaseKind::Operate, &mut |progress: Progress<'_>| {
            clients.play(now_ns(), commit_bytes, progress);
            Ok(())
        })?;
        meter.phase(PhaseKind::Sync, &mut |_| self.sync_table())
    }

    /// Every record in the log must be one that was committed, and none may be there twice.
    fn verify_log(&self) -> Result<(), TestError> {
        let mut seen = HashSet::new();
        let mut expected = vec![0; self.record_bytes];
        self.log.read(self.record_bytes, |record| {
            let [place, k, client] = stamp(record);
            let known = self.done.commits.get(client as usize).is_some_and(|&commits| k < commits);
            if !known || !seen.insert((client, k)) {
                return Err(format!("transaction {k} of client {client} does not belong there"));
            }
            self.content(client as u32).fill(&mut expected, place, k);
            if record == expected { Ok(()) } else { Err("not what was committed".into()) }
        })
    }
}

fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, TestError>>) -> Result<T, TestError> {
    thread.join().unwrap_or_else(|_| Err(TestError::Stopped("a thread panicked".into())))
}

/// The error that made the others stop, if any.
fn first_cause(ended: Vec<Result<(), TestError>>) -> Result<(), TestError> {
    let (stopped, causes): (Vec<_>, Vec<_>) = ended
        .into_iter()
        .filter_map(Result::err)
        .partition(|error| matches!(error, TestError::Stopped(_)));
    causes.into_iter().chain(stopped).next().map_or(Ok(()), Err)
}

impl Run for PagesRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let mut tellers = (0..self.clients)
            .map(|index| Teller::new(self, index))
            .collect::<Result<Vec<_>, TestError>>()?;
        let checkpoints = self.play(&mut tellers, meter)?;
        let path = &self.table.path;
        let mut done = Done { checkpoints, ..Done::default() };
        for teller in tellers {
            done.written.push(teller.share.into_written());
            done.commits.push(teller.client.commits);
            match &mut done.total {
                None => done.total = Some(teller.client),
                Some(total) => total.add(&teller.client, path)?,
            }
        }
        self.done = done;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), TestError> {
        // Through the cache, as anybody else would read them, however they were written.
        let path = &self.table.path;
        let file = File::open(path).map_err(TestError::io("open", path))?;
        for (client, written) in (0..).zip(&self.done.written) {
            self.table.verify(&file, self.content(client), written)?;
        }
        self.verify_log()?;
        fs::remove_file(&self.log_path).map_err(TestError::io("remove", &self.log_path))
    }

    /// The log of all commits, and of the table, of which pages are written again and again, nothing.
    fn synced(&self) -> Option<Synced> {
        let commits: u64 = self.done.commits.iter().sum();
        let share = self.job.data.incompressible_share();
        let log = Synced::data(commits * self.record_bytes as u64, share);
        Some(Synced { throughout: true, ..log })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        self.done.total.as_ref().map(Client::histograms).unwrap_or_default()
    }

    fn metrics(&mut self) -> Vec<Metric> {
        let mut metrics = self.done.total.as_ref().map(Client::metrics).unwrap_or_default();
        let count = |name: &str, n: u64| Metric::new(name, n as f64, "", Better::Higher);
        metrics.push(count("flushes", self.log.flushes()));
        metrics.push(count("checkpoints", self.done.checkpoints));
        metrics
    }
}
