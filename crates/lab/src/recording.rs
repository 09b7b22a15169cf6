//! Provides a recording disk: a loop device whose file this process serves over FUSE, so that it sees every write,
//! flush and discard. It logs them with their data, shows any state that it is given, and injects faults. The file is
//! in no directory, and its mount in no mount table; the content is in memory or in a file. A loop device turns a FUA
//! write into a write and a full flush, so a state in which only that write is durable never occurs.
//!
//! A request goes from the program through kernel threads to a server thread, and back. That is fastest if the process
//! stays on one CPU, because another CPU would have to wake up first.

#[allow(unsafe_code)]
pub mod btrfs;
mod content;
mod detached;
mod layers;
#[allow(unsafe_code)]
mod mapped;
#[allow(unsafe_code)]
mod server;
mod shown;

pub use crate::stack::Present;
pub use layers::{Layers, Places};
pub use server::Counts;
pub use shown::ShownDisk;

use crate::{
    error::LabError,
    ownership::{mark, undo::Undo},
    setup::Lab,
};
use content::Content;
use detached::Detached;
use disk::named_loop;
use faults::{
    image::Image,
    log::{Event, Log},
    rule::{Armed, Rule},
};
use server::{Server, Shared};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

/// A disk that is recorded. Dropping it detaches its device; a file system on it has to be unmounted before.
#[derive(Debug)]
pub struct RecordingDisk {
    name: String,
    shared: Arc<Shared>,
    device: PathBuf,
    detached: Detached,
}

impl RecordingDisk {
    /// Returns why none can be made here; `None` if one can.
    pub fn missing() -> Option<String> {
        crate::fuse::missing()
    }

    /// Makes one of `bytes` zeros in `lab` and attaches it. It takes memory as it is written. `name` is a word for
    /// error messages.
    ///
    /// # Errors
    /// No root, no FUSE, no loop device, or the journal cannot be written.
    pub fn make(lab: &Lab, name: &str, bytes: u64) -> Result<RecordingDisk, LabError> {
        let content = Content::in_memory(name, bytes);
        RecordingDisk::of(lab, content.map_err(LabError::io("make the disk", name.as_ref()))?)
    }

    /// Like [`RecordingDisk::make`], with the content in a file in a private directory under `dir`, which is removed
    /// with the lab. A flush syncs the file.
    ///
    /// # Errors
    /// As for [`RecordingDisk::make`], and the file cannot be made.
    pub fn make_in(lab: &Lab, dir: &Path, bytes: u64) -> Result<RecordingDisk, LabError> {
        let dir = dir.canonicalize().map_err(LabError::io("find", dir))?;
        let own = format!("{}-recording{}", lab.mark().campaign, lab.numbers(1));
        let dir = dir.join(mark::own_name(&own));
        lab.create_private(&dir)?;
        let path = dir.join("content");
        let content = Content::in_file(&path, bytes);
        RecordingDisk::of(lab, content.map_err(LabError::io("create", &path))?)
    }

    fn of(lab: &Lab, content: Content) -> Result<RecordingDisk, LabError> {
        crate::setup::need_root("attaching a recording disk")?;
        let name = lab.mark().name(lab.numbers(1));
        let shared =
            Shared::new(&name, content).map_err(LabError::io("make the disk", name.as_ref()))?;
        let shared = Arc::new(shared);
        lab.record(&Undo::DetachRecording { name: name.clone() })?;
        let server = Server::new(Arc::clone(&shared));
        let detached = Detached::mount(&name, server)?;
        crate::fuse::load_for(Path::new("/dev/loop-control"), "loop");
        let device = named_loop::attach(&detached.open(&name)?, &name)?;
        Ok(RecordingDisk { name, shared, device, detached })
    }

    /// Its loop device. It stays the same as long as the disk is there.
    pub fn device(&self) -> &Path {
        &self.device
    }

    /// Makes the present content the base, and starts an empty log that holds `limit_bytes` of data. Where that fails
    /// [`RecordingDisk::recorded`] says so.
    pub fn record(&self, limit_bytes: usize) {
        let mut state = self.shared.state();
        state.spoilt = match self.shared.is_passing.load(Relaxed) {
            true => Some("the kernel passes by it".into()),
            false => state.content.set_base().err().map(|why| why.to_string()),
        };
        let mut log = Log::new(limit_bytes);
        mapped::in_large_pages(log.room());
        state.log = Some(log);
    }

    /// Logs that the workload has been told that what has this number is done.
    pub fn mark(&self, number: u64) {
        self.shared.state().note(Event::Mark(number));
    }

    /// Stops to record, and returns what was logged.
    ///
    /// # Errors
    /// Nothing is recorded, or more was written than the log holds.
    pub fn recorded(&self) -> Result<Log, LabError> {
        let mut state = self.shared.state();
        let Some(log) = state.log.take() else {
            return Err(self.error("is not recording; start it before the workload"));
        };
        if let Some(why) = state.spoilt.take() {
            return Err(self.error(&format!("did not record: {why}")));
        }
        Ok(log)
    }

    /// What the disk held when the last record began; `None` if there was none since the kernel passed by it.
    pub fn base(&self) -> Option<Image> {
        self.shared.state().content.base()
    }

    /// What the disk holds now.
    ///
    /// # Errors
    /// The memory cannot be read.
    pub fn image(&self) -> Result<Image, LabError> {
        self.shared.state().content.image().map_err(LabError::io("read", &self.device))
    }

    /// Shows the base with `patches` written to it in order, each at its byte. What was written since the base was
    /// shown is undone. Nothing may be mounted.
    ///
    /// # Errors
    /// There is no base, it is being recorded, or a patch is not within the disk.
    pub fn show(&self, patches: impl IntoIterator<Item = (u64, Vec<u8>)>) -> Result<(), LabError> {
        // What a program left in the cache of the device would be written over the state later.
        self.drop_caches()?;
        let mut state = self.shared.state();
        if state.log.is_some() {
            return Err(self.error("is recording; stop it before a state is shown"));
        }
        let failed = || LabError::io("show a state on", &self.device);
        if !state.content.show(patches).map_err(failed())? {
            return Err(self.error("has no base; record before a state is shown"));
        }
        drop(state);
        self.drop_caches()
    }

    /// Delays each write from now on, besides what rules say; zero for none.
    pub fn slow_writes(&self, delay: Duration) {
        self.shared.slow(delay);
    }

    /// Injects faults by `rules` from now on, in place of those before.
    pub fn inject(&self, rules: Vec<Rule>) {
        let are_any = !rules.is_empty();
        self.shared.arm(Armed::new(rules), are_any);
    }

    /// What was served so far.
    pub fn served(&self) -> Counts {
        self.shared.counts()
    }

    /// Returns true if the kernel can pass reads and writes to the content without this process; see
    /// [`RecordingDisk::pass`].
    pub fn can_pass(&self) -> bool {
        self.shared.can_pass.load(Relaxed)
    }

    /// From now on has the kernel pass reads and writes to the content without this process, or no more. While it does,
    /// nothing is recorded, shown or injected; the base is forgotten. The device is attached anew for that, so nothing
    /// may use it.
    ///
    /// # Errors
    /// The kernel cannot, the device is in use or recorded, or another process has taken it in between.
    pub fn pass(&self, passes: bool) -> Result<(), LabError> {
        if passes && !self.can_pass() {
            return Err(self.error("is always served here: the kernel lacks FUSE passthrough"));
        }
        self.drop_caches()?;
        let mut state = self.shared.state();
        if state.log.is_some() {
            return Err(self.error("is recording; stop it before it is passed"));
        }
        state.content.drop_base();
        drop(state);
        named_loop::detach(&self.name)?;
        if !named_loop::wait_gone(&self.name)? {
            return Err(self.error("is in use; unmount it before it is passed"));
        }
        self.shared.is_passing.store(passes, Relaxed);
        let file = self.detached.open(&self.name)?;
        Ok(named_loop::attach_to(&self.device, &file, &self.name)?)
    }

    /// Writes back and drops what the kernel keeps of the device.
    fn drop_caches(&self) -> Result<(), LabError> {
        Ok(named_loop::drop_caches(&self.device)?)
    }

    fn error(&self, why: &str) -> LabError {
        LabError::Recording { disk: self.device.display().to_string(), why: why.into() }
    }
}

impl Drop for RecordingDisk {
    fn drop(&mut self) {
        // What fails here is tried again by the lab, and reported by `assay cleanup`. A device that is still mounted
        // needs its server, which then continues until the process ends.
        let detached = named_loop::detach(&self.name);
        if detached.is_ok() && named_loop::wait_gone(&self.name).unwrap_or(false) {
            let _ = self.detached.end();
        }
    }
}
