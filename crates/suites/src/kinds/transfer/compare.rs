//! Compares two trees: names, types, contents, lengths, modes, owners, times of modification, links, attributes.

use rustix::{
    fs::{lgetxattr, llistxattr},
    io::Errno,
};
use std::{
    collections::BTreeMap,
    ffi::{CString, OsString},
    fs::{self, File, Metadata},
    io::{self, Read},
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, MetadataExt},
    },
    path::{Path, PathBuf},
};

/// Bytes that are compared at once.
const PIECE_BYTES: usize = 1 << 20;
/// Most bytes of a list of attributes, or of one.
const MOST_ATTRIBUTE: usize = 1 << 16;

/// Files with several names, by number of the file in one tree: the number in the other.
type Linked = BTreeMap<u64, u64>;

/// The first difference between the trees `sent` and `received`; `None` where all is the same.
///
/// # Errors
/// A tree cannot be read.
pub fn difference(sent: &Path, received: &Path) -> io::Result<Option<String>> {
    let mut linked = Linked::new();
    of_dir(sent, received, Path::new(""), &mut linked)
}

fn of_dir(
    sent: &Path,
    received: &Path,
    below: &Path,
    linked: &mut Linked,
) -> io::Result<Option<String>> {
    let (own, other) = (sent.join(below), received.join(below));
    if let Some(why) = of_entry(&own, &other, below, linked)? {
        return Ok(Some(why));
    }
    let (names, others) = (names(&own)?, names(&other)?);
    let only_in = |a: &[OsString], b: &[OsString]| a.iter().find(|name| !b.contains(name)).cloned();
    if let Some(name) = only_in(&names, &others) {
        return Ok(Some(format!("{} was not received", below.join(name).display())));
    }
    if let Some(name) = only_in(&others, &names) {
        return Ok(Some(format!("{} was not deleted", below.join(name).display())));
    }
    for name in names {
        let below = below.join(name);
        let is_dir = fs::symlink_metadata(sent.join(&below))?.is_dir();
        let found = match is_dir {
            true => of_dir(sent, received, &below, linked)?,
            false => of_entry(&sent.join(&below), &received.join(&below), &below, linked)?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The names in a directory, in order.
fn names(dir: &Path) -> io::Result<Vec<OsString>> {
    let mut names =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}

fn of_entry(
    own: &Path,
    other: &Path,
    below: &Path,
    linked: &mut Linked,
) -> io::Result<Option<String>> {
    let (a, b) = (fs::symlink_metadata(own)?, fs::symlink_metadata(other)?);
    let differs = |what: &str| Ok(Some(format!("{} has another {what}", shown(below).display())));
    if kind(&a) != kind(&b) {
        return differs("type");
    }
    if !a.is_symlink() && a.mode() != b.mode() {
        return differs("mode");
    }
    if (a.uid(), a.gid()) != (b.uid(), b.gid()) {
        return differs("owner");
    }
    if (a.mtime(), a.mtime_nsec()) != (b.mtime(), b.mtime_nsec()) {
        return differs("time of modification");
    }
    if attributes(own)? != attributes(other)? {
        return differs("extended attribute");
    }
    if a.is_symlink() && fs::read_link(own)? != fs::read_link(other)? {
        return differs("target");
    }
    if !a.is_file() {
        return Ok(None);
    }
    let twin = linked.entry(a.ino()).or_insert(b.ino());
    if a.nlink() != b.nlink() || *twin != b.ino() {
        return differs("set of hard links");
    }
    if a.len() != b.len() {
        return differs("length");
    }
    if same_content(own, other)? { Ok(None) } else { differs("content") }
}

/// The root has no name in its own tree.
fn shown(below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { ".".into() } else { below.into() }
}

fn kind(about: &Metadata) -> [bool; 5] {
    let kind = about.file_type();
    [kind.is_dir(), kind.is_file(), kind.is_symlink(), kind.is_fifo(), kind.is_socket()]
}

fn same_content(own: &Path, other: &Path) -> io::Result<bool> {
    let (mut a, mut b) = (File::open(own)?, File::open(other)?);
    let [mut of_a, mut of_b] = [vec![0; PIECE_BYTES], vec![0; PIECE_BYTES]];
    loop {
        let read = a.read(&mut of_a)?;
        if read == 0 {
            return Ok(b.read(&mut of_b)? == 0);
        }
        match b.read_exact(&mut of_b[..read]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            done => done?,
        }
        if of_a[..read] != of_b[..read] {
            return Ok(false);
        }
    }
}

/// Extended attributes with their values; none where the file system has none.
fn attributes(path: &Path) -> io::Result<BTreeMap<CString, Vec<u8>>> {
    let mut list = vec![0_u8; MOST_ATTRIBUTE];
    let length = match llistxattr(path, &mut list[..]) {
        Ok(length) => length,
        Err(Errno::OPNOTSUPP) => return Ok(BTreeMap::new()),
        Err(error) => return Err(error.into()),
    };
    let names = list[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let of = |name: &[u8]| {
        let mut value = vec![0_u8; MOST_ATTRIBUTE];
        let length = lgetxattr(path, std::ffi::OsStr::from_bytes(name), &mut value[..])?;
        value.truncate(length);
        Ok((CString::new(name)?, value))
    };
    names.map(of).collect()
}
