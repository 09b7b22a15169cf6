//! Guests: disposable virtual machines, for kernels that have what this one lacks. User-Mode Linux and QEMU differ in
//! how they start; what runs inside is the same. A guest has this machine's root read-only with its changes in memory,
//! raw images as disks, and one shared writable directory, through which it gets its task and returns its result.
//!
//! A guest can read what every user of this machine can: if assay runs as root, the guest runs as a separate user, who
//! owns its directory and disks while it runs. Whatever it writes is untrusted.
//!
//! A guest ends with this process, however that ends, and at the latest when its time is up.

mod console;
mod cpio;
mod find;
mod initramfs;
mod kernels;
mod qemu;
mod run;
mod shared;
mod stage;
mod stranger;
mod uml;
mod visibility;

pub use find::{available, find, releases, with_release};
pub use kernels::newest_of;
pub use run::{last_words, run};
pub use shared::Shared;
pub use stage::Stranger;
pub use visibility::unseen;

use crate::error::LabError;
use fs::Cmd;
use model::{plan::LabKind, result::Environment, text::Bytes};
use std::{fmt, path::PathBuf, time::Duration};

/// Script that every guest runs when its root is complete.
const INIT: &str = include_str!("guest/init.sh");
/// Requirement that is missing to boot a kind of guest here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What, in a few words.
    pub what: String,
    /// The remedy, or what happens instead.
    pub fix: String,
}

impl Missing {
    fn new(what: impl Into<String>, fix: impl Into<String>) -> Missing {
        Missing { what: what.into(), fix: fix.into() }
    }

    /// Both at once.
    fn and(self, other: Missing) -> Missing {
        let Missing { what, fix } = other;
        Missing::new(format!("{}, {what}", self.what), format!("{}, {fix}", self.fix))
    }
}

/// Path at which a guest sees the directory of its machine.
pub const OUT: &str = "/mnt/out";

/// Fact of a target: the kernel of the guest in which it was measured.
pub const KERNEL: &str = "lab.kernel";

/// Path at which a guest sees the assets of its campaign.
pub const ASSETS: &str = "/mnt/assets";

/// Origin of the figures that a guest measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Venue {
    /// Kind of lab.
    pub kind: LabKind,
    /// Version of the guest's kernel.
    pub kernel: String,
    /// The emulation or virtualization of the guest's processor.
    pub accelerator: &'static str,
    /// The layer between the guest's disk and the image.
    pub image_cache: &'static str,
}

/// One boot: what a guest is given, and what it does.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Directory that is given to the guest, which sees it at [`OUT`]; it is where no other user can
    /// replace it.
    pub out: PathBuf,
    /// Program of this machine that runs inside as root, with [`OUT`] as its place.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Raw images, by which the guest gets its disks.
    pub disks: Vec<PathBuf>,
    /// Files that the guest sees in [`ASSETS`], each under its own name, and cannot change; all lie in one folder.
    pub assets: Vec<PathBuf>,
    /// Cache folder, which the guest sees as its own, wherever it is; it need not exist.
    pub cache: PathBuf,
    /// Memory of the guest.
    pub memory: Bytes,
    /// After this time it is ended.
    pub timeout: Duration,
}

/// The end of a guest that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuestExit {
    /// The program ended with this status.
    Exit(i32),
    /// It was asked to stop, and the guest was ended.
    Stopped,
}

/// A kind of guest that this machine can boot.
pub trait Guest: fmt::Debug + Send + Sync {
    /// Returns its kind, its kernel, and how it runs.
    fn venue(&self) -> Venue;

    /// The node of the disk `number` inside.
    fn disk(&self, number: usize) -> PathBuf;

    /// Lays what it reads at its start next to the task in `out`, which is the directory of its machine.
    ///
    /// # Errors
    /// Something that it starts from cannot be read or written.
    fn prepare(&self, out: &Shared) -> Result<(), LabError>;

    /// The command that is the machine, from its start to its end; it runs as `stranger` on this side,
    /// or as this user.
    fn boot(&self, machine: &Machine, stranger: Option<Stranger>) -> Cmd;
}

/// This machine itself as a place where figures come from.
pub fn host() -> Venue {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    Venue { kind: LabKind::Host, kernel: release, accelerator: "none", image_cache: "none" }
}

impl Venue {
    /// Returns its description, as facts of a target measured there.
    pub fn facts(&self) -> Environment {
        let mut facts = Environment::default();
        let mut put = |key: &str, value: &str| facts.0.insert(key.into(), value.into());
        put("lab", self.kind.as_str());
        put(KERNEL, &self.kernel);
        put("lab.accelerator", self.accelerator);
        put("lab.image_cache", self.image_cache);
        if self.kind == LabKind::Uml {
            put("lab.durable", "not shown");
        }
        facts
    }
}

impl fmt::Display for Venue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.kind {
            LabKind::Host => "this machine",
            LabKind::Kvm => "QEMU with KVM",
            LabKind::Uml => "User-Mode Linux",
            LabKind::Tcg => "QEMU with TCG",
        };
        write!(f, "{name}, Linux {}", self.kernel)
    }
}
