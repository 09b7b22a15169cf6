//! The directories and files of a directory, passed on: whatever is asked of them is done there, but syncs.

use super::protocol::{Answer, Opcode, Request};
use rustix::{
    fs::{self as sys, Access, CWD, OFlags},
    io::Errno,
};
use std::{
    collections::HashMap,
    ffi::OsStr,
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt, chown},
    },
    path::{Path, PathBuf},
};

/// The number of the root, by the protocol.
const ROOT: u64 = 1;

/// What was asked for by the kernel so far; numbers are never used again.
#[derive(Debug)]
pub(super) struct Pass {
    paths: HashMap<u64, PathBuf>,
    last_node: u64,
    files: HashMap<u64, File>,
    last_file: u64,
}

impl Pass {
    /// The files below `dir`.
    pub(super) fn of(dir: &Path) -> Pass {
        let paths = HashMap::from([(ROOT, dir.to_path_buf())]);
        Pass { paths, last_node: ROOT, files: HashMap::new(), last_file: 0 }
    }

    /// The answer to `request`.
    pub(super) fn answer(&mut self, request: &Request<'_>) -> Answer {
        let done = match request.opcode {
            Opcode::INIT => Ok(Answer::init_for_writes()),
            Opcode::FORGET | Opcode::BATCH_FORGET | Opcode::INTERRUPT => Ok(Answer::Nothing),
            Opcode::LOOKUP => self.entry(request.node, request.name()),
            Opcode::GETATTR => self.attributes(request.node),
            Opcode::SETATTR => self.change(request),
            Opcode::MKDIR => self.make_dir(request),
            Opcode::CREATE => self.create(request),
            Opcode::UNLINK => self.remove(request, |path| fs::remove_file(path)),
            Opcode::RMDIR => self.remove(request, |path| fs::remove_dir(path)),
            Opcode::RENAME | Opcode::RENAME2 => self.rename(request),
            Opcode::OPEN => self.open(request),
            Opcode::READ => self.read(request),
            Opcode::WRITE => self.write(request),
            Opcode::RELEASE => {
                self.files.remove(&request.handle());
                Ok(Answer::Done(Vec::new()))
            }
            Opcode::READDIR => self.list(request),
            Opcode::OPENDIR => Ok(Answer::opened(0)),
            Opcode::STATFS => {
                self.path(request.node).and_then(|path| Ok(Answer::room(&sys::statvfs(path)?)))
            }
            Opcode::ACCESS => self.access(request),
            // Here it lies.
            Opcode::FSYNC | Opcode::FSYNCDIR | Opcode::SYNCFS => Ok(Answer::Done(Vec::new())),
            Opcode::FLUSH | Opcode::RELEASEDIR | Opcode::DESTROY => Ok(Answer::Done(Vec::new())),
            _ => Err(Errno::NOSYS.into()),
        };
        done.unwrap_or_else(|error| {
            Answer::Failed(Errno::from_io_error(&error).unwrap_or(Errno::IO))
        })
    }

    fn path(&self, node: u64) -> io::Result<&Path> {
        Ok(self.paths.get(&node).ok_or(Errno::STALE)?)
    }

    fn file(&self, request: &Request<'_>) -> io::Result<&File> {
        Ok(self.files.get(&request.handle()).ok_or(Errno::BADF)?)
    }

    fn child(&self, parent: u64, name: &[u8]) -> io::Result<PathBuf> {
        Ok(self.path(parent)?.join(OsStr::from_bytes(name)))
    }

    /// The number of `path`, and what it is.
    fn number(&mut self, path: PathBuf) -> io::Result<(u64, Metadata)> {
        let found = fs::symlink_metadata(&path)?;
        let known = self.paths.iter().find(|(_, own)| **own == path).map(|(node, _)| *node);
        let node = known.unwrap_or_else(|| {
            self.last_node += 1;
            self.paths.insert(self.last_node, path);
            self.last_node
        });
        Ok((node, found))
    }

    fn entry(&mut self, parent: u64, name: &[u8]) -> io::Result<Answer> {
        let (node, found) = self.number(self.child(parent, name)?)?;
        Ok(Answer::entry_of(node, &found))
    }

    fn attributes(&self, node: u64) -> io::Result<Answer> {
        Ok(Answer::attributes_of(node, &fs::symlink_metadata(self.path(node)?)?))
    }

    fn change(&self, request: &Request<'_>) -> io::Result<Answer> {
        let (path, change) = (self.path(request.node)?, request.change().ok_or(Errno::INVAL)?);
        if let Some(mode) = change.mode {
            fs::set_permissions(path, Permissions::from_mode(mode & 0o7777))?;
        }
        if change.uid.or(change.gid).is_some() {
            chown(path, change.uid, change.gid)?;
        }
        if let Some(bytes) = change.bytes {
            OpenOptions::new().write(true).open(path)?.set_len(bytes)?;
        }
        self.attributes(request.node)
    }

    fn make_dir(&mut self, request: &Request<'_>) -> io::Result<Answer> {
        let ([mode, _], name) = request.numbers_and_name().ok_or(Errno::INVAL)?;
        let path = self.child(request.node, name)?;
        fs::DirBuilder::new().mode(mode).create(path)?;
        self.entry(request.node, name)
    }

    fn create(&mut self, request: &Request<'_>) -> io::Result<Answer> {
        let ([flags, mode, ..], name) = request.numbers_and_name::<4>().ok_or(Errno::INVAL)?;
        let flags = OFlags::from_bits_retain(flags);
        let path = self.child(request.node, name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(mode).truncate(flags.contains(OFlags::TRUNC));
        match flags.contains(OFlags::EXCL) {
            true => options.create_new(true),
            false => options.create(true),
        };
        let file = options.open(&path)?;
        let (node, found) = self.number(path)?;
        Ok(Answer::created(node, &found, self.keep(file)))
    }

    fn open(&mut self, request: &Request<'_>) -> io::Result<Answer> {
        let flags = OFlags::from_bits_retain(request.first_number().ok_or(Errno::INVAL)?);
        let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR);
        let file = OpenOptions::new().read(true).write(writes).open(self.path(request.node)?)?;
        Ok(Answer::opened(self.keep(file)))
    }

    fn keep(&mut self, file: File) -> u64 {
        self.last_file += 1;
        self.files.insert(self.last_file, file);
        self.last_file
    }

    fn read(&self, request: &Request<'_>) -> io::Result<Answer> {
        let (offset, length) = request.range().ok_or(Errno::INVAL)?;
        let mut bytes = vec![0; length as usize];
        let mut done = 0;
        while done < bytes.len() {
            match self.file(request)?.read_at(&mut bytes[done..], offset + done as u64)? {
                0 => break,
                read => done += read,
            }
        }
        bytes.truncate(done);
        Ok(Answer::Done(bytes))
    }

    fn write(&self, request: &Request<'_>) -> io::Result<Answer> {
        let (offset, bytes) = request.written().ok_or(Errno::INVAL)?;
        self.file(request)?.write_all_at(bytes, offset)?;
        Ok(Answer::written(bytes.len() as u32))
    }

    fn remove(
        &mut self,
        request: &Request<'_>,
        act: impl Fn(&Path) -> io::Result<()>,
    ) -> io::Result<Answer> {
        let path = self.child(request.node, request.name())?;
        act(&path)?;
        self.paths.retain(|_, own| *own != path);
        Ok(Answer::Done(Vec::new()))
    }

    fn rename(&mut self, request: &Request<'_>) -> io::Result<Answer> {
        let (dir, from, to) = request.renamed().ok_or(Errno::INVAL)?;
        let (from, to) = (self.child(request.node, from)?, self.child(dir, to)?);
        fs::rename(&from, &to)?;
        self.paths.retain(|_, own| *own != to);
        for own in self.paths.values_mut() {
            if let Ok(rest) = own.strip_prefix(&from) {
                *own = if rest.as_os_str().is_empty() { to.clone() } else { to.join(rest) };
            }
        }
        Ok(Answer::Done(Vec::new()))
    }

    /// All names from the place on that is asked for, as many as fit.
    fn list(&self, request: &Request<'_>) -> io::Result<Answer> {
        let (from, most_bytes) = request.range().ok_or(Errno::INVAL)?;
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path(request.node)?)? {
            let entry = entry?;
            names.push((entry.file_name(), entry.file_type()?.is_dir()));
        }
        // In an order that does not change while they are asked for, part by part.
        names.sort();
        let rest = (0..).zip(&names).skip(from as usize);
        let rest = rest.map(|(place, (name, is_dir))| (place + 1, name.as_bytes(), *is_dir));
        Ok(Answer::names(rest, most_bytes as usize))
    }

    fn access(&self, request: &Request<'_>) -> io::Result<Answer> {
        let asked = Access::from_bits_retain(request.first_number().ok_or(Errno::INVAL)?);
        sys::accessat(CWD, self.path(request.node)?, asked, sys::AtFlags::empty())?;
        Ok(Answer::Done(Vec::new()))
    }
}
