//! Everything that decides whether a disk may be written to, gathered once and then only looked at.

use super::{
    signature::{self, Ends, Signature, UNKNOWN},
    sysfs::{self, Block, Number, System},
    table::{self, TableError},
    writers::{self, Guarded, Writer},
};
use crate::{
    Error, Refusal,
    mounts::{self, Mount},
    program,
};
use std::{
    collections::{BTreeSet, VecDeque},
    fs::{self, File},
    path::{Path, PathBuf},
};

const BY_ID: &str = "/dev/disk/by-id";
const SWAPS: &str = "/proc/swaps";
/// The name of the disk itself in a refusal.
const DISK: &str = "the disk";
/// A virtual machine in a partition may have one with a table again.
const MOST_DEPTH: u32 = 3;

/// The facts gathered about one disk or partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// The path as given.
    pub(super) link: PathBuf,
    /// Its node, e.g. `/dev/sdb`.
    pub(super) node: PathBuf,
    pub(super) number: Number,
    pub(super) sequence: Option<String>,
    pub(super) model: Option<String>,
    pub(super) size_bytes: u64,
    pub(super) is_read_only: bool,
    pub(super) zones: Option<String>,
    /// Whether the kernel supports partitions on it.
    pub(super) takes_partitions: bool,
    /// The serial numbers of the whole disk; each identifies it.
    pub(super) serials: Vec<String>,
    /// Another disk that shows the same serial number.
    pub(super) namesake: Option<String>,
    /// The block device under a loop device.
    pub(super) indirect: Option<PathBuf>,
    /// Itself, its partitions or its disk: all whose content a write would change.
    pub(super) space: BTreeSet<Number>,
    pub(super) uses: Vec<Use>,
    pub(super) contents: Vec<Content>,
}

/// A user of the disk's space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    System {
        what: String,
    },
    /// `part` is what is mounted, when it is not the disk itself.
    Mounted {
        part: Option<String>,
        mount_point: PathBuf,
    },
    Btrfs {
        uuid: String,
    },
    Swap {
        swap: PathBuf,
    },
    Holder {
        name: String,
    },
    Writer(Writer),
}

/// Something that is on the disk or in one of its partitions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Content {
    /// `the disk`, or the partition.
    pub(super) place: String,
    pub(super) signature: Signature,
}

/// A link directly in /dev/disk/by-id that leads to a block device. Returns its node.
pub(super) fn resolve(link: &Path) -> Result<PathBuf, Refusal> {
    let path = || link.to_path_buf();
    let Ok(node) = link.canonicalize() else { return Err(Refusal::Absent { path: path() }) };
    let is_named = link.parent() == Some(Path::new(BY_ID)) && link.file_name().is_some();
    if !is_named || !link.is_symlink() {
        return Err(Refusal::NotStable { path: path(), stable: links_to(&node) });
    }
    if sysfs::number_of(&node).is_none() {
        return Err(Refusal::NotBlock { path: path(), node });
    }
    Ok(node)
}

fn links_to(node: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(BY_ID).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut links: Vec<PathBuf> =
        entries.filter(|link| link.canonicalize().is_ok_and(|target| target == node)).collect();
    links.sort();
    links
}

/// A place on a disk that is looked at.
struct Spot {
    place: String,
    start: u64,
    len: u64,
    /// The number of enclosing tables.
    depth: u32,
}

impl Facts {
    /// Everything but the content of the disk `node`, to which `link` leads. `kept` are paths that the
    /// campaign itself needs.
    pub(super) fn gather(
        system: &System,
        link: &Path,
        node: &Path,
        kept: &[PathBuf],
    ) -> Result<Facts, Error> {
        let unreadable = |why: &str| Refusal::Unreadable { path: link.into(), why: why.into() };
        let block = sysfs::number_of(node).and_then(|number| system.by_number(&number));
        let block = block.ok_or_else(|| unreadable("sysfs does not list it"))?;
        let disk = system.disk(&block);
        let space = space(system, &block);
        let swaps = fs::read_to_string(SWAPS).map_err(Error::io("read", Path::new(SWAPS)))?;
        let around = Around { mounts: mounts::all()?, swaps: swap_paths(&swaps), kept };
        let serials = system.serials(&disk);
        let mut uses = uses(system, &block, &space, &around);
        let space: BTreeSet<Number> = space.into_iter().map(|block| block.number).collect();
        let files = system.files_below(&block.number).map_err(|name| {
            unreadable(&format!("the kernel does not report the file behind {name}"))
        })?;
        let guarded = Guarded { devices: space.clone(), files };
        uses.extend(writers::find(&guarded).map(Use::Writer));
        Ok(Facts {
            link: link.into(),
            node: node.into(),
            sequence: disk.sequence(),
            model: disk.model(),
            size_bytes: block.size(),
            is_read_only: block.is_read_only() || disk.is_read_only(),
            zones: disk.zones(),
            takes_partitions: block.takes_partitions(),
            namesake: namesake(system, &disk, &serials),
            serials,
            indirect: disk.backing_file().filter(|file| sysfs::number_of(file).is_some()),
            uses,
            space,
            number: block.number,
            contents: Vec::new(),
        })
    }

    /// Reads what is on the disk that `file` is open on: by its own reader at both ends of the disk and
    /// of each partition, and by blkid and wipefs where they are installed. One that sees something is
    /// enough.
    pub(super) fn read_contents(&mut self, system: &System, file: &File) -> Result<(), Error> {
        let known = self.partitions(system);
        let mut found = self.read_places(&known, file)?;
        add_told(&mut found, DISK, tools(&self.link, &self.node)?);
        for part in &known {
            // A slash in a name of the kernel is written as `!` in sysfs.
            let node = Path::new("/dev").join(part.name.replace('!', "/"));
            add_told(
                &mut found,
                &format!("the partition {}", part.name),
                tools(&self.link, &node)?,
            );
        }
        let opaque = |c: &&Content| c.place == DISK && table::is_opaque(&c.signature.kind);
        if let (Some(table), true) = (found.iter().find(opaque), known.is_empty()) {
            let why = format!(
                "its partition table ({}) lists partitions that neither the kernel nor assay can \
                 read",
                table.signature.kind
            );
            return Err(Refusal::Unreadable { path: self.link.clone(), why }.into());
        }
        self.contents = found.into_iter().collect();
        Ok(())
    }

    /// What the own reader sees at the ends of the disk, of the partitions `known` to the kernel, and of
    /// those that tables on the disk or in its partitions describe.
    fn read_places(&self, known: &[Block], file: &File) -> Result<BTreeSet<Content>, Error> {
        let unreadable = |why: String| Refusal::Unreadable { path: self.link.clone(), why };
        let disk = Spot { place: DISK.into(), start: 0, len: self.size_bytes, depth: 0 };
        let listed = known.iter().map(|part| Spot {
            place: format!("the partition {}", part.name),
            start: part.start(),
            len: part.size(),
            depth: 1,
        });
        let mut open: VecDeque<Spot> = [disk].into_iter().chain(listed).collect();
        let (mut found, mut seen, mut extended) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        while let Some(Spot { place, start, len, depth }) = open.pop_front() {
            if !seen.insert((start, depth == 0)) {
                continue;
            }
            let ends = read_ends(file, &self.link, start, len)?;
            let signatures = signature::signatures(&ends);
            let has_table = depth == 0 || signatures.iter().any(|s| table::is_read(&s.kind));
            add(&mut found, &place, signatures);
            // What is in an extended partition was found from the disk on.
            if !has_table || extended.contains(&start) {
                continue;
            }
            let inside = table::partitions(file, start, len).map_err(|error| match error {
                TableError::Io(error) => Error::io("read", &self.link)(error),
                TableError::Unread(why) => unreadable(format!("{place}: {why}")).into(),
            })?;
            if !inside.is_empty() && depth >= MOST_DEPTH {
                let why = format!("{place} has too many nested partition tables");
                return Err(unreadable(why).into());
            }
            let absolute = inside.iter().map(|part| (start + part.start, part));
            extended.extend(absolute.clone().filter(|(_, p)| p.is_extended).map(|(at, _)| at));
            open.extend(absolute.map(|(at, part)| Spot {
                place: format!("the partition at {at}"),
                start: at,
                len: part.len,
                depth: depth + 1,
            }));
        }
        Ok(found)
    }

    /// The partitions that the kernel knows, when this is a whole disk.
    fn partitions(&self, system: &System) -> Vec<Block> {
        let block = system.by_number(&self.number).filter(|block| !block.is_partition());
        block.map(|disk| system.partitions(&disk)).unwrap_or_default()
    }

    /// Returns its identity, for comparison.
    pub(super) fn identity(&self) -> String {
        let serial = self.serials.first().map_or("", String::as_str);
        identity_of(serial, self.size_bytes, &self.number, self.sequence.as_deref())
    }
}

/// [`Facts::identity`] of `block`, where nothing else of it is of interest.
pub(super) fn identity(system: &System, block: &Block) -> String {
    let disk = system.disk(block);
    let serials = system.serials(&disk);
    let serial = serials.first().map_or("", String::as_str);
    identity_of(serial, block.size(), &block.number, disk.sequence().as_deref())
}

fn identity_of(serial: &str, bytes: u64, number: &Number, sequence: Option<&str>) -> String {
    format!("{serial}, {bytes} bytes, {number} #{}", sequence.unwrap_or("-"))
}

/// The users of block devices on this machine.
pub(super) struct Around<'a> {
    pub(super) mounts: Vec<Mount>,
    pub(super) swaps: Vec<PathBuf>,
    pub(super) kept: &'a [PathBuf],
}

/// `block`, and its partitions or its disk: all whose content changes with it.
pub(super) fn space(system: &System, block: &Block) -> Vec<Block> {
    let disk = system.disk(block);
    let others = if block.is_partition() { vec![disk] } else { system.partitions(&disk) };
    [block.clone()].into_iter().chain(others).collect()
}

pub(super) fn uses(
    system: &System,
    block: &Block,
    space: &[Block],
    around: &Around<'_>,
) -> Vec<Use> {
    let mut uses = Vec::new();
    let meets = |number: &Number| {
        let below = system.below(number);
        space.iter().any(|block| below.contains(&block.number))
    };
    for mount in &around.mounts {
        let source = sysfs::number_of(&mount.source);
        let numbers = [Some(mount.number.clone()), source];
        if let Some(number) = numbers.into_iter().flatten().find(|number| meets(number)) {
            uses.extend(system_use(mount, around));
            let name = system.by_number(&number).map(|block| block.name);
            let part = name.filter(|_| number != block.number);
            uses.push(Use::Mounted { part, mount_point: mount.mount_point.clone() });
        }
    }
    let swaps =
        around.swaps.iter().filter(|swap| sysfs::number_of(swap).as_ref().is_some_and(&meets));
    uses.extend(swaps.map(|swap| Use::Swap { swap: swap.clone() }));
    for block in space {
        uses.extend(system.btrfs_with(&block.name).map(|uuid| Use::Btrfs { uuid }));
        uses.extend(block.holders().into_iter().map(|name| Use::Holder { name }));
    }
    let is_over = |disk: &Block| {
        let below = disk.backing_file().as_deref().and_then(sysfs::number_of);
        below.is_some_and(|number| space.iter().any(|block| block.number == number))
    };
    let loops = system.disks().into_iter().filter(is_over);
    uses.extend(loops.map(|over| Use::Holder { name: over.name }));
    uses
}

/// Returns which part of the system or of the campaign is on `mount`.
fn system_use(mount: &Mount, around: &Around<'_>) -> Option<Use> {
    let system = |what: &str| Some(Use::System { what: what.into() });
    if mount.mount_point == Path::new("/") {
        return system("the root file system");
    }
    let lies_there = |path: &&PathBuf| {
        let holding = around.mounts.iter().filter(|mount| path.starts_with(&mount.mount_point));
        let deepest = holding.max_by_key(|mount| mount.mount_point.components().count());
        deepest.is_some_and(|deepest| deepest.mount_point == mount.mount_point)
    };
    let kept = around.kept.iter().find(lies_there)?;
    system(&kept.display().to_string())
}

/// The first column of `/proc/swaps`, below its head; spaces are there as octal digits.
fn swap_paths(text: &str) -> Vec<PathBuf> {
    let lines = text.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    lines.map(|path| mounts::unescape(path).into()).collect()
}

/// Another disk with a serial number of this one. The namespaces of an NVMe controller share its serial
/// number and differ in their world-wide names.
pub(super) fn namesake(system: &System, disk: &Block, serials: &[String]) -> Option<String> {
    // What a mapping is on is no other disk.
    let own = system.below(&disk.number);
    let others = system.disks().into_iter();
    let mut others = others.filter(|other| !own.contains(&other.number) && !other.is_hidden());
    let told_apart = |other: &Block| match (disk.wwid(), other.wwid()) {
        (Some(one), Some(two)) => one != two,
        _ => false,
    };
    let file = disk.attached().map(|attached| attached.file);
    let same = |other: &Block| {
        let is_of_file = file.is_some() && other.attached().map(|attached| attached.file) == file;
        is_of_file || system.serials(other).iter().any(|serial| serials.contains(serial))
    };
    others.find(|other| !told_apart(other) && same(other)).map(|other| other.name)
}

fn read_ends(file: &File, link: &Path, start: u64, len: u64) -> Result<Ends, Error> {
    Ends::read(file, start, len).map_err(Error::io("read", link))
}

fn add(found: &mut BTreeSet<Content>, place: &str, signatures: BTreeSet<Signature>) {
    found
        .extend(signatures.into_iter().map(|signature| Content { place: place.into(), signature }));
}

/// Adds what the tools saw and the own reader did not.
fn add_told(found: &mut BTreeSet<Content>, place: &str, kinds: BTreeSet<String>) {
    for kind in kinds {
        if !found.iter().any(|content| content.place == place && content.signature.kind == kind) {
            let signature = Signature { kind, id: String::new() };
            found.insert(Content { place: place.into(), signature });
        }
    }
}

/// The types that blkid and wipefs see on `node`.
fn tools(link: &Path, node: &Path) -> Result<BTreeSet<String>, Error> {
    let mut kinds = BTreeSet::new();
    let unreadable = |why: String| Error::from(Refusal::Unreadable { path: link.into(), why });
    let node = node.to_string_lossy();
    if let Some(blkid) = program::run("blkid", &["-p", "-o", "export", &node])? {
        match blkid.status.code() {
            Some(0) => kinds.extend(blkid_kinds(&blkid.stdout)),
            // blkid(8): 2 is "nothing found", 8 is "more than one, and they contradict".
            Some(2) => {}
            Some(8) => {
                kinds.insert(UNKNOWN.into());
            }
            _ => return Err(unreadable(blkid.failure().to_string())),
        }
    }
    let wipefs = program::run("wipefs", &["--no-act", "--parsable", &node]);
    match wipefs.map_err(|error| unreadable(error.to_string()))? {
        Some(wipefs) if wipefs.status.success() => kinds.extend(wipefs_kinds(&wipefs.stdout)),
        Some(wipefs) => return Err(unreadable(wipefs.failure().to_string())),
        None => {}
    }
    Ok(kinds)
}

fn blkid_kinds(export: &str) -> Vec<String> {
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        ["TYPE", "PTTYPE"].contains(&key).then(|| value.to_string())
    };
    export.lines().filter_map(value).collect()
}

/// The last of `offset,uuid,label,type`. The protective table of a GPT disk belongs to that.
fn wipefs_kinds(parsable: &str) -> Vec<String> {
    let lines = parsable.lines().filter(|line| !line.starts_with('#'));
    let kinds = lines.filter_map(|line| line.rsplit(',').next()).filter(|kind| !kind.is_empty());
    kinds.map(|kind| if kind == "PMBR" { "gpt" } else { kind }.to_string()).collect()
}

#[cfg(test)]
mod tests;
