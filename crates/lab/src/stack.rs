//! Brings the parts of a target up and down, from the bottom to the top: they are made once, and taken down and up
//! again together when the target is made cold.

pub(crate) mod service;
pub(crate) mod vigil;

use crate::{
    backing::nbd,
    error::LabError,
    mounts,
    ownership::{mark::Mark, private_dir, undo::Undo},
    page_cache::drop_caches,
    programs::{Run, artifacts, tool::explained},
};
use ::fs::{Cmd, Endpoint, FileSystem, Inner, Layer, Part, Site, sites};
use disk::Disk;
use service::Service;
use std::{
    cell::{Cell, RefCell},
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use vigil::Vigil;

/// Longest time that a part that offers a disk may stay busy.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);
/// With less room than this a disk is full, bytes.
const FULL: u64 = 1 << 20;

/// Which of its disks a part is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Present {
    /// All of them.
    All,
    /// Some; the others are lost.
    Some,
}

/// One part, made at its site.
#[derive(Debug)]
pub(crate) struct MadePart {
    pub(crate) part: Part,
    pub(crate) site: Site,
    present: Present,
    up: Cell<bool>,
    services: RefCell<Vec<Service>>,
    vigil: RefCell<Option<Vigil>>,
}

/// All parts, from the bottom to the top.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    parts: Vec<MadePart>,
}

impl Stack {
    /// The sites of `parts` on `disks` of `bytes`: each on what the one below it offers, and with the store
    /// of the user's own that is `outside`. `place` gives the name, the
    /// directory and the scratch of the part with this number.
    pub(crate) fn new(
        parts: &[Part],
        disks: &[PathBuf],
        (bytes, outside): (u64, Option<&Endpoint>),
        place: impl Fn(usize, &Part) -> (String, PathBuf, PathBuf),
    ) -> Stack {
        let sites = sites(parts, disks, (bytes, outside), place);
        let made = parts.iter().zip(sites).map(|(part, site)| MadePart {
            part: part.clone(),
            site,
            present: Present::All,
            up: Cell::new(false),
            services: RefCell::default(),
            vigil: RefCell::default(),
        });
        Stack { parts: made.collect() }
    }

    pub(crate) fn parts(&self) -> &[MadePart] {
        &self.parts
    }

    /// The part that the tests see; `None` without parts.
    pub(crate) fn top(&self) -> Option<&MadePart> {
        self.parts.last()
    }

    /// Makes and brings up all parts, the lowest on `disks`; once they are formatted, each is given to `formatted`.
    /// Returns how long making and mounting took.
    pub(crate) fn make(
        &self,
        disks: &[Disk],
        formatted: fn(&Disk) -> Result<(), LabError>,
    ) -> Result<(Duration, Duration), LabError> {
        let (mut made, mut mounted) = (Duration::ZERO, Duration::ZERO);
        for (number, part) in self.parts.iter().enumerate() {
            part.load_modules();
            // Before the first command: what half of them did is taken down, too.
            part.up.set(true);
            let start = Instant::now();
            let mkfs = part.mkfs().into_iter().map(|cmd| cmd.on_held(disks));
            part.run(&mkfs.collect::<Vec<_>>())?;
            // A server that was needed to make it; bringing it up starts one again.
            part.end_services()?;
            made += start.elapsed();
            if number == 0 {
                disks.iter().try_for_each(formatted)?;
            }
            let start = Instant::now();
            part.bring_up()?;
            mounted += start.elapsed();
            part.run(&part.part.fs.wait(&part.site))?;
        }
        Ok((made, mounted))
    }

    /// The same, of which some disks are lost.
    pub(crate) fn on_some(mut self) -> Stack {
        self.parts.iter_mut().for_each(|part| part.present = Present::Some);
        self
    }

    /// Makes all parts, the lowest on disks that hold nothing, and brings up the lowest `up` of them.
    pub(crate) fn make_lowest(&self, up: usize) -> Result<(), LabError> {
        for (number, part) in self.parts.iter().enumerate() {
            part.load_modules();
            part.up.set(true);
            part.run(&part.mkfs())?;
            part.end_services()?;
            part.up.set(number < up);
            if number < up {
                part.bring_up()?;
                part.run(&part.part.fs.wait(&part.site))?;
            }
        }
        Ok(())
    }

    /// Brings up what was made and taken down.
    pub(crate) fn bring_up(&self) -> Result<(), LabError> {
        self.bring_up_lowest(self.parts.len())
    }

    /// The same for the lowest `up` parts.
    pub(crate) fn bring_up_lowest(&self, up: usize) -> Result<(), LabError> {
        self.parts.iter().take(up).try_for_each(MadePart::bring_up)
    }

    /// Takes down the part with this number and all above it.
    ///
    /// # Errors
    /// Something stays busy; or all is down, and a server was killed that may have held data.
    pub(crate) fn take_down(&self, lowest: usize, mark: &Mark) -> Result<(), LabError> {
        let mut killed = Ok(());
        for part in self.parts[lowest..].iter().rev() {
            match part.take_down(mark) {
                Err(error @ LabError::ServerKilled { .. }) => killed = Err(error),
                ended => ended?,
            }
        }
        killed
    }

    /// Writes back what the parts hold, the upper first.
    pub(crate) fn sync(&self) -> Result<(), LabError> {
        let mounted = self.parts.iter().rev().filter(|part| part.is_mounted());
        mounted.map(|part| &*part.site.dir).try_for_each(drop_caches::sync)
    }

    /// Makes sure that everything mounted is still there and what it was, and that a part which keeps
    /// what is deleted has room below: some of them answer all the same, and lose what they took.
    pub(crate) fn check(&self) -> Result<(), LabError> {
        self.parts.iter().filter(|part| part.is_mounted()).try_for_each(MadePart::check)?;
        self.check_room()
    }

    fn check_room(&self) -> Result<(), LabError> {
        self.parts
            .iter()
            .filter(|part| part.fs().about().keeps_deleted)
            .try_for_each(MadePart::has_room)
    }

    /// Returns why a server of it is gone, the lowest first, when one is, or what it writes to is full.
    pub(crate) fn loss(&self) -> Option<LabError> {
        let ended = |part: &MadePart| part.services.borrow_mut().iter_mut().find_map(Service::loss);
        self.parts.iter().find_map(ended).or_else(|| self.check_room().err())
    }

    /// The processes that serve it.
    pub(crate) fn servers(&self) -> Vec<u32> {
        let pid = |service: &Service| service.pid().as_raw_nonzero().get() as u32;
        let of = |part: &MadePart| part.services.borrow().iter().map(pid).collect::<Vec<_>>();
        self.parts.iter().flat_map(of).collect()
    }

    /// Returns true if it keeps its files on a server that is not on this machine.
    pub(crate) fn is_outside(&self) -> bool {
        self.parts.iter().any(|part| part.fs().about().is_outside)
    }

    /// Returns true if servers run for it.
    pub(crate) fn is_served(&self) -> bool {
        self.parts.iter().any(|part| !part.services.borrow().is_empty())
    }

    /// Returns what undoes it after the death of this process, in the order of its making.
    pub(crate) fn undo(&self) -> impl Iterator<Item = Undo> {
        self.parts.iter().flat_map(|part| {
            let mount =
                part.is_mounted().then(|| Undo::Unmount { mount_point: part.site.dir.clone() });
            let leaves = part.part.fs.leaves(&part.site);
            let remains = part.part.fs.undo(&part.site).into_iter().chain(leaves);
            remains.map(Undo::from).chain(mount)
        })
    }

    /// All commands that make and mount it.
    pub(crate) fn commands(&self) -> Vec<Cmd> {
        self.parts.iter().flat_map(|part| part.mkfs().into_iter().chain(part.mount())).collect()
    }

    /// All commands that take it down and bring it up again.
    pub(crate) fn commands_of_a_remount(&self) -> Vec<Cmd> {
        let mount = self.parts.iter().flat_map(MadePart::mount);
        mount.chain(self.undo_commands()).collect()
    }

    /// All commands that take it down.
    pub(crate) fn undo_commands(&self) -> Vec<Cmd> {
        self.parts.iter().rev().flat_map(|part| part.part.fs.unmount(&part.site)).collect()
    }
}

impl MadePart {
    /// The file system itself.
    pub(crate) fn fs(&self) -> &'static dyn FileSystem {
        self.part.fs
    }

    pub(crate) fn mkfs(&self) -> Vec<Cmd> {
        self.part.fs.mkfs(&self.site, &self.part.options)
    }

    pub(crate) fn mount(&self) -> Vec<Cmd> {
        let site = Site { free_nbd: nbd::free_device(), ..self.site.clone() };
        match self.present {
            Present::All => self.part.fs.mount(&site, &self.part.options),
            Present::Some => self.part.fs.mount_degraded(&site, &self.part.options),
        }
    }

    /// Returns what it is, with its options as the mount table has them and the `properties` that its tools printed.
    pub(crate) fn layer(&self, properties: &[(String, String)]) -> Result<Layer, LabError> {
        let layer = Layer::written(self.fs().about().name, &self.part.options)
            .with_properties(properties.iter().map(|(key, value)| (&**key, &**value)));
        let mount = if self.is_mounted() { mounts::at(&self.site.dir)? } else { None };
        Ok(match mount {
            Some(mount) => layer.mounted(&mount.options),
            None => layer,
        })
    }

    /// Returns true if it has a mount point, and offers neither a disk nor an object store.
    pub(crate) fn is_mounted(&self) -> bool {
        !matches!(self.part.fs.about().inner, Inner::Above | Inner::Store)
    }

    /// Checks that the directory that holds it has free space.
    fn has_room(&self) -> Result<(), LabError> {
        let Some(dir) = self.fs().lies_in(&self.site) else { return Ok(()) };
        let stat = rustix::fs::statvfs(&dir).map_err(LabError::errno("look at", &dir))?;
        let full = stat.f_bfree.saturating_mul(stat.f_frsize) < FULL;
        if full {
            Err(LabError::LowerFull { path: dir, name: self.fs().about().name })
        } else {
            Ok(())
        }
    }

    fn bring_up(&self) -> Result<(), LabError> {
        self.up.set(true);
        self.run(&self.mount())?;
        let servers: Vec<_> = self.services.borrow().iter().map(Service::pid).collect();
        if self.is_mounted() && !servers.is_empty() {
            *self.vigil.borrow_mut() = Some(Vigil::keep(&self.site.dir, servers)?);
        }
        Ok(())
    }

    /// Loads what a command would not have loaded. What is built in, or missing, is left to the
    /// commands, which say what they miss.
    fn load_modules(&self) {
        let about = self.part.fs.about();
        let named = about.kernel_name.filter(|name| !is_loaded(name));
        // Of a name mount would ask the kernel; zpool does not.
        for module in about.modules.iter().copied().chain(named) {
            let _ = Cmd::new("modprobe").args(["--quiet", module]).run();
        }
        let missing = named.filter(|name| !is_loaded(name));
        let kernel = rustix::system::uname().release().to_string_lossy().into_owned();
        // mount would look for it where the distribution keeps its modules, and not where it was built.
        for file in missing.and_then(|name| artifacts::modules(name, &kernel)).unwrap_or_default() {
            let _ = Cmd::new("insmod").arg(file).run();
        }
    }

    /// Runs `commands`, and keeps those that serve.
    fn run(&self, commands: &[Cmd]) -> Result<(), LabError> {
        for cmd in commands {
            match &cmd.serves {
                None => drop(cmd.run().map_err(explained)?),
                Some(ready) => {
                    self.services.borrow_mut().push(Service::start(cmd, ready).map_err(explained)?)
                }
            }
        }
        Ok(())
    }

    fn take_down(&self, mark: &Mark) -> Result<(), LabError> {
        if !self.up.get() {
            return Ok(());
        }
        let lost = self.vigil.take().is_some_and(|vigil| vigil.is_lost());
        let commands = self.part.fs.unmount(&self.site);
        if lost {
            mounts::abandon(&self.site.dir)?;
        } else if self.is_mounted() {
            mounts::unmount(&self.site.dir, &commands)?;
        } else if self.part.fs.offers(&self.site).iter().any(|disk| disk.exists()) {
            self.release(&commands)?;
        }
        let ended = self.end_services();
        for undo in self.part.fs.undo(&self.site) {
            Undo::from(undo).apply(mark)?;
        }
        self.up.set(false);
        ended
    }

    fn last_service(&self) -> Option<Service> {
        self.services.borrow_mut().pop()
    }

    /// The last that was started may need the first. Tells of the last that had to be killed.
    fn end_services(&self) -> Result<(), LabError> {
        let mut ended = Ok(());
        while let Some(mut service) = self.last_service() {
            ended = service.end().and(ended);
        }
        ended
    }

    /// Gives back the disks that it offers, which a checker or udev may hold for a moment.
    fn release(&self, mut commands: &[Cmd]) -> Result<(), LabError> {
        let start = Instant::now();
        while let Some((cmd, others)) = commands.split_first() {
            match cmd.run() {
                Ok(_) => commands = others,
                Err(error @ LabError::MissingProgram { .. }) => return Err(explained(error)),
                Err(error) if start.elapsed() > PATIENCE => {
                    return Err(LabError::Disk(disk::Error::StaysBusy {
                        path: self.part.fs.offers(&self.site).pop().unwrap_or_default(),
                        seconds: PATIENCE.as_secs(),
                        why: error.to_string(),
                    }));
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), LabError> {
        let dir = &self.site.dir;
        let gone = |why: String| LabError::MountGone { path: dir.clone(), why };
        let Part { fs, options, .. } = &self.part;
        let kind = fs.mount_kind(options);
        let mut sources = self.site.disks.clone();
        // One that is on several disks may be shown with any of them.
        sources.push(fs.source(&self.site, options));
        let fits = |shown: &Path| sources.iter().any(|source| is_same(shown, source));
        match mounts::at(dir)? {
            Some(mount) if fits(&mount.source) && Some(&*mount.kind) == kind => Ok(()),
            Some(mount) => Err(gone(format!("is {} from {}", mount.kind, mount.source.display()))),
            None => Err(gone("is not a mount point".into())),
        }
    }

    /// Removes what it leaves and the directories that were made for it, when nothing is mounted there any more.
    pub(crate) fn remove(&self, mark: &Mark) -> Result<(), LabError> {
        for undo in self.part.fs.leaves(&self.site) {
            Undo::from(undo).apply(mark)?;
        }
        if self.is_mounted() {
            fs::remove_dir(&self.site.dir).map_err(LabError::io("remove", &self.site.dir))?;
        }
        private_dir::remove(&self.site.scratch, mark).map(drop)
    }
}

/// Returns true if two names refer to the same device: mount(8) resolves the links of md and LVM.
fn is_same(shown: &Path, given: &Path) -> bool {
    let resolved = |path: &Path| path.canonicalize().ok();
    shown == given || resolved(shown).is_some_and(|shown| Some(shown) == resolved(given))
}

fn is_loaded(module: &str) -> bool {
    Path::new("/sys/module").join(module).exists()
}

/// The few lines of the geometry that matter. They are facts for the reader; without them the
/// measurement is as good.
pub(crate) fn geometry(part: &MadePart) -> Vec<(String, String)> {
    let output = part.part.fs.geometry(&part.site).and_then(|cmd| cmd.run().ok());
    output.map(|output| part.part.fs.read_geometry(&output.stdout)).unwrap_or_default()
}
