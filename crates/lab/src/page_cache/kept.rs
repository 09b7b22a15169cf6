//! Keeps programs in memory when all caches are dropped: those that mount and unmount, this program itself, and what
//! its tests start. They would be read again from the system disk between two cold cases, which takes longer than the
//! remount, and this program in the middle of a timed part.

use crate::programs::{Run, tool};
use fs::Cmd;
use rustix::{
    fs::{CWD, Mode, OFlags, openat},
    mm::{MapFlags, ProtFlags, mmap, munmap},
};
use std::{
    collections::BTreeSet,
    ffi::c_void,
    fs::File,
    io::{self, Read},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    ptr,
};

/// Programs that a test starts in a timed part.
const STARTED: [&str; 2] = ["sh", "sync"];

/// Read by every dynamically linked program.
const CACHE: &str = "/etc/ld.so.cache";

/// Nothing that is mounted between two cases is larger than this.
const LARGEST: u64 = 64 << 20;

/// Files whose pages are in use, and their names, as long as this lives. What cannot be kept is read again,
/// which takes time and does no other harm.
#[derive(Debug)]
pub(crate) struct Kept {
    _files: Vec<Mapped>,
    _names: Vec<OwnedFd>,
}

impl Kept {
    /// This program, those of `commands`, and what they are linked with.
    pub(crate) fn of(commands: impl IntoIterator<Item = Cmd>) -> Kept {
        let names = commands.into_iter().map(|cmd| cmd.program);
        let names: BTreeSet<String> = names.chain(STARTED.map(String::from)).collect();
        let own = std::env::current_exe().ok();
        let programs = names.iter().filter_map(|name| tool::find_program(name)).chain(own);
        let linked = programs.flat_map(|path| libraries(&path).into_iter().chain([path]));
        let files: BTreeSet<PathBuf> = linked.chain([CACHE.into()]).collect();
        let names: BTreeSet<&Path> = files.iter().flat_map(|file| file.ancestors()).collect();
        Kept {
            _files: files.iter().filter_map(|file| Mapped::of(file).ok()).collect(),
            _names: names.into_iter().filter_map(|name| hold(name).ok()).collect(),
        }
    }
}

/// Holds a name, which may be a link: the way to a file is looked up on the disk, too.
fn hold(name: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(CWD, name, flags, Mode::empty())?)
}

/// Returns what the dynamic linker would load for `program`; nothing for one that is static.
fn libraries(program: &Path) -> Vec<PathBuf> {
    if !names_linker(program).unwrap_or(false) {
        return Vec::new();
    }
    let asked = Cmd::new(&program.to_string_lossy()).env("LD_TRACE_LOADED_OBJECTS", "1").run();
    let mapped = asked.map(|output| output.stdout).unwrap_or_default();
    // `libc.so.6 => /lib/libc.so.6 (0x...)`, and the linker itself without the first two words.
    let words = mapped.split_whitespace().filter(|word| word.starts_with('/'));
    words.map(PathBuf::from).collect()
}

/// Returns true if `program` uses the dynamic linker of glibc, which answers the question; any other program would be
/// run.
fn names_linker(program: &Path) -> io::Result<bool> {
    const NAME: &[u8] = b"/ld-linux";
    let mut head = Vec::new();
    File::open(program)?.take(4096).read_to_end(&mut head)?;
    Ok(head.starts_with(b"\x7fELF") && head.windows(NAME.len()).any(|part| part == NAME))
}

/// A file that is mapped as a whole, every page of it.
#[derive(Debug)]
struct Mapped {
    base: *mut c_void,
    len: usize,
}

// SAFETY: the address is for `munmap` alone, which any thread may call.
unsafe impl Send for Mapped {}

impl Mapped {
    fn of(path: &Path) -> io::Result<Mapped> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        if len == 0 || len > LARGEST {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (len, flags) = (len as usize, MapFlags::SHARED | MapFlags::POPULATE);
        // SAFETY: a new mapping at an address of the kernel's choice, which no code ever reads.
        let base = unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, flags, &file, 0) }?;
        Ok(Mapped { base, len })
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: `of` made this mapping with this length, and gave out no pointer into it.
        let _ = unsafe { munmap(self.base, self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_cache::residency;

    #[test]
    fn libraries_are_those_that_a_program_loads() {
        let own = std::env::current_exe().unwrap();
        if !names_linker(&own).unwrap() {
            let why = "this program is not linked by glibc's linker";
            return needs::skip(needs::Need::Other, why);
        }
        let libraries = libraries(&own);
        assert!(
            libraries.iter().any(|path| path.to_string_lossy().contains("/libc.")),
            "{libraries:?}"
        );
        assert!(libraries.iter().all(|path| path.exists()), "{libraries:?}");
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("script");
        std::fs::write(&script, "#!/lib64/ld-linux\n").unwrap();
        assert_eq!(super::libraries(&script), Vec::<PathBuf>::new());
    }

    #[test]
    fn kept_pages_cannot_be_dropped() {
        use rustix::fs::{Advice, fadvise};
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("program");
        std::fs::write(&path, vec![7; 100_000]).unwrap();
        if disk::Device::under(&path).unwrap().is_none() {
            let why = format!("{} is in memory", path.display());
            return needs::skip(needs::Need::Other, why);
        }
        let file = File::open(&path).unwrap();
        file.sync_all().unwrap();
        let share = || {
            fadvise(&file, 0, None, Advice::DontNeed).unwrap();
            residency::of_open(&file).unwrap().share()
        };
        let kept = Mapped::of(&path).unwrap();
        assert_eq!(share(), Some(1.0));
        drop(kept);
        assert_eq!(share(), Some(0.0));
    }
}
