//! The timed part of the kind `flush`: batches of pages, guarded, in place, durable.

use crate::{Meter, Run, TestError, commits::Client};
use engine::{
    aligned::Aligned,
    clock::now_ns,
    data::{Data, derive_seed},
    io::{AtomicSizes, write_atomic},
};
use model::{
    figure::{Better, Histogram, Metric, Synced},
    random::Rng,
    workload::{Job, PhaseKind},
};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::fs::FileExt,
    path::PathBuf,
};

/// Metric of the largest atomic write.
pub(super) const MOST_ATOMIC: &str = "atomic_most_bytes";
/// Metric of the largest that the device supports itself.
pub(super) const DEVICE_ATOMIC: &str = "atomic_device_bytes";

/// The file.
pub(super) struct Table {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) page_bytes: u64,
    pub(super) pages: u64,
}

/// The parts of a run.
pub(super) struct FlushRun<'a> {
    job: &'a Job,
    client: Client,
    pages: Pages,
}

/// The pages, and how they get into the table.
struct Pages {
    table: Table,
    /// Pages are written here first.
    double: Option<File>,
    /// Each page is written by one atomic call.
    atomic: Option<AtomicSizes>,
    data: Data,
    rng: Rng,
    /// Pages of a batch.
    buffer: Aligned,
    chosen: Vec<u64>,
    /// The write that each page was written by last.
    written: BTreeMap<u64, u64>,
    count: u64,
}

impl<'a> FlushRun<'a> {
    pub(super) fn new(
        job: &'a Job,
        client: Client,
        table: Table,
        double: Option<File>,
        atomic: Option<AtomicSizes>,
        batch: u64,
        data: Data,
    ) -> FlushRun<'a> {
        let rng = Rng::new(derive_seed(job.seed, &format!("{} {}", job.test, job.worker)));
        let buffer = Aligned::new((batch * table.page_bytes) as usize);
        let chosen = vec![0; batch as usize];
        let written = BTreeMap::new();
        let pages = Pages { table, double, atomic, data, rng, buffer, chosen, written, count: 0 };
        FlushRun { job, client, pages }
    }
}

impl Pages {
    fn words(&self) -> u64 {
        self.table.page_bytes / 8
    }

    /// Writes a batch of random pages and makes it durable; returns when it was.
    fn flush(&mut self) -> Result<u64, TestError> {
        self.choose();
        if let Some(double) = &self.double {
            let failed = || TestError::io("write the doublewrite of", &self.table.path);
            double.write_all_at(self.buffer.bytes(), 0).map_err(failed())?;
            double.sync_data().map_err(failed())?;
        }
        let page_bytes = self.table.page_bytes;
        let (table, atomic) = (&self.table, self.atomic.is_some());
        for (page, block) in self.chosen.iter().zip(self.buffer.bytes().chunks(page_bytes as usize))
        {
            match atomic {
                true => write_atomic(&table.file, block, page * page_bytes)?,
                false => table
                    .file
                    .write_all_at(block, page * page_bytes)
                    .map_err(TestError::io("write", &table.path))?,
            }
        }
        table.file.sync_data().map_err(TestError::io("fdatasync", &table.path))?;
        Ok(now_ns())
    }

    /// Fills the buffer with the next pages. One that is drawn twice in a batch is written twice.
    fn choose(&mut self) {
        let (words, page_bytes) = (self.words(), self.table.page_bytes as usize);
        for (page, block) in self.chosen.iter_mut().zip(self.buffer.bytes().chunks_mut(page_bytes))
        {
            *page = self.rng.below(self.table.pages);
            block.copy_from_slice(self.data.piece_bytes(self.count * words, words));
            self.written.insert(*page, self.count);
            self.count += 1;
        }
    }

    /// Compares every page that was written with what was written last.
    fn verify(&self) -> Result<(), TestError> {
        let Table { path, page_bytes, .. } = &self.table;
        // Through the cache, as another program would read it.
        let file = File::open(path).map_err(TestError::io("open", path))?;
        let mut found = vec![0; *page_bytes as usize];
        for (page, write) in &self.written {
            file.read_exact_at(&mut found, page * page_bytes)
                .map_err(TestError::io("read", path))?;
            if found != self.data.piece_bytes(write * self.words(), self.words()) {
                let why = format!("page {page} is not what write {write} wrote");
                return Err(TestError::Wrong { path: path.clone(), why });
            }
        }
        Ok(())
    }
}

impl Run for FlushRun<'_> {
    fn timed(&mut self, meter: &mut dyn Meter) -> Result<(), TestError> {
        let FlushRun { client, pages, .. } = self;
        let (batch, bytes) = (pages.chosen.len() as u64, pages.table.page_bytes);
        meter.phase(PhaseKind::Operate, &mut |progress| {
            client.run(now_ns(), |_| {
                let durable_ns = pages.flush()?;
                progress.add(batch * bytes, batch);
                Ok(durable_ns)
            })
        })?;
        let Table { file, path, .. } = &pages.table;
        meter.phase(PhaseKind::Sync, &mut |_| file.sync_all().map_err(TestError::io("fsync", path)))
    }

    fn verify(&mut self) -> Result<(), TestError> {
        self.pages.verify()?;
        if self.pages.double.is_none() {
            return Ok(());
        }
        let path = self.job.dir.join(super::DOUBLE_FILE);
        fs::remove_file(&path).map_err(TestError::io("remove", &path))
    }

    fn synced(&self) -> Option<Synced> {
        let bytes = self.pages.written.len() as u64 * self.pages.table.page_bytes;
        let data = Synced::data(bytes, self.job.data.incompressible_share());
        Some(Synced { throughout: true, ..data })
    }

    fn histograms(&mut self) -> Vec<Histogram> {
        self.client.histograms()
    }

    fn metrics(&mut self) -> Vec<Metric> {
        let mut metrics = self.client.metrics();
        let bytes = |name, bytes: u32| Metric::new(name, f64::from(bytes), "B", Better::Higher);
        if let Some(sizes) = &self.pages.atomic {
            metrics.push(bytes(MOST_ATOMIC, sizes.most_bytes));
            metrics.push(bytes(DEVICE_ATOMIC, sizes.device_bytes));
        }
        metrics
    }
}
