//! Loop devices on files without a name in any directory, as recording disks use. They are identified by a name that
//! assay gives the device, and set up by the ioctls of `linux/loop.h`, not by losetup.

use crate::{Error, backing_file};
use fs::OURS;
use rustix::{
    io::Errno,
    ioctl::{Ioctl, IoctlOutput, NoArg, Opcode, Setter, ioctl, opcode},
};
use std::{
    ffi::c_void,
    fs::{self as files, File},
    os::fd::AsRawFd,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

const CONTROL: &str = "/dev/loop-control";
const CLEAR: Opcode = opcode::none(b'L', 1);
const CONFIGURE: Opcode = opcode::none(b'L', 10);
const FREE: Opcode = opcode::none(b'L', 0x82);
/// `BLKFLSBUF` of `linux/fs.h`.
const DROP_CACHES: Opcode = opcode::none(0x12, 97);
const DIRECT_IO: u32 = 16;
/// Devices that are tried: each may be taken by another process in between.
const TRIES: usize = 20;
/// Longest time that a device may take to release its file.
const PATIENCE: Duration = Duration::from_secs(5);

/// `struct loop_config`.
#[repr(C)]
struct Config {
    fd: u32,
    block_bytes: u32,
    /// Device, inode and number of the file, which the kernel fills in; offset and limit.
    info: [u64; 5],
    /// Number, type and size of a key.
    words: [u32; 3],
    flags: u32,
    name: [u8; 64],
    texts: [u8; 96],
    init: [u64; 2],
    reserved: [u64; 8],
}

/// `LOOP_CTL_GET_FREE`, which answers by its result.
struct GetFree;

// SAFETY: LOOP_CTL_GET_FREE has no argument, and its result is a number or an error.
unsafe impl Ioctl for GetFree {
    type Output = IoctlOutput;
    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        FREE
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::null_mut()
    }

    // SAFETY: the pointer is not looked at.
    unsafe fn output_from_ptr(
        result: IoctlOutput,
        _: *mut c_void,
    ) -> rustix::io::Result<IoctlOutput> {
        Ok(result)
    }
}

/// Attaches `file` to a free loop device that bears `name`; direct where the file allows it. Returns its node.
///
/// # Errors
/// There is none that is free, or it cannot be set up.
pub fn attach(file: &File, name: &str) -> Result<PathBuf, Error> {
    let control = open(Path::new(CONTROL))?;
    let mut tries = 0;
    loop {
        // SAFETY: LOOP_CTL_GET_FREE has no argument, so that the kernel reads and writes no memory of ours.
        let number = unsafe { ioctl(&control, GetFree) };
        let number = number.map_err(Error::errno("find a free device by", CONTROL.as_ref()))?;
        let node = PathBuf::from(format!("/dev/loop{number}"));
        match configure(&open(&node)?, file, name) {
            Err(Errno::BUSY) if tries < TRIES => tries += 1,
            done => {
                return done.map(|()| node.clone()).map_err(Error::errno("set up", &node));
            }
        }
    }
}

/// Attaches `file` to the device `node`, which is free.
///
/// # Errors
/// Another process has taken it, or it cannot be set up.
pub fn attach_to(node: &Path, file: &File, name: &str) -> Result<(), Error> {
    configure(&open(node)?, file, name).map_err(Error::errno("set up", node))
}

fn configure(device: &File, file: &File, name: &str) -> Result<(), Errno> {
    let mut config = Config {
        fd: file.as_raw_fd().unsigned_abs(),
        block_bytes: 0,
        info: [0; 5],
        words: [0; 3],
        flags: DIRECT_IO,
        name: [0; 64],
        texts: [0; 96],
        init: [0; 2],
        reserved: [0; 8],
    };
    for (to, from) in config.name.iter_mut().take(63).zip(name.bytes()) {
        *to = from;
    }
    // SAFETY: LOOP_CONFIGURE reads a loop_config, and keeps nothing of it but the file, which is open.
    unsafe { ioctl(device, Setter::<CONFIGURE, Config>::new(config)) }
}

fn open(node: &Path) -> Result<File, Error> {
    File::options().read(true).write(true).open(node).map_err(Error::io("open", node))
}

/// The loop devices of the file called `name`, which is in no directory that anyone sees.
///
/// # Errors
/// The kernel's list cannot be read.
pub fn find(name: &str) -> Result<Vec<PathBuf>, Error> {
    let own = all()?.into_iter().filter(|(_, own)| own == name);
    Ok(own.map(|(node, _)| node).collect())
}

/// The names of all files that are attached and are in no directory that anyone sees.
///
/// # Errors
/// The kernel's list cannot be read.
pub fn names() -> Result<Vec<String>, Error> {
    Ok(all()?.into_iter().map(|(_, name)| name).collect())
}

/// The loop devices with the names of their files, of those that lie in the root directory of a mount that is nowhere,
/// or in memory.
fn all() -> Result<Vec<(PathBuf, String)>, Error> {
    let block = Path::new("/sys/block");
    let entries = files::read_dir(block).map_err(Error::io("list", block))?;
    let attached = entries.flatten().filter_map(|entry| {
        let (file, is_deleted) = backing_file(&entry.file_name())?;
        let name = file.strip_prefix("/").ok()?.to_str()?;
        // Of a file in memory the kernel says that it was deleted.
        let in_memory = name.strip_prefix("memfd:");
        let name = in_memory.unwrap_or(name);
        let is_whole = is_deleted == in_memory.is_some();
        let is_nowhere = is_whole && name.starts_with(OURS) && !name.contains('/');
        is_nowhere.then(|| (Path::new("/dev").join(entry.file_name()), name.into()))
    });
    Ok(attached.collect())
}

/// Detaches the loop devices called `name`. One that is mounted is let go when it is unmounted. Returns them.
///
/// # Errors
/// One cannot be opened or detached.
pub fn detach(name: &str) -> Result<Vec<PathBuf>, Error> {
    let devices = find(name)?;
    for node in &devices {
        let device = open(node)?;
        // SAFETY: the request has no argument, so that the kernel reads and writes no memory of ours.
        match unsafe { ioctl(&device, NoArg::<CLEAR>::new()) } {
            Ok(()) | Err(Errno::NXIO) => {}
            Err(errno) => return Err(Error::errno("detach", node)(errno)),
        }
    }
    Ok(devices)
}

/// Writes back and drops what the kernel keeps of the device `node`.
///
/// # Errors
/// It cannot be opened.
pub fn drop_caches(node: &Path) -> Result<(), Error> {
    let device = open(node)?;
    // SAFETY: the request has no argument, so that the kernel reads and writes no memory of ours.
    let result = unsafe { ioctl(&device, NoArg::<DROP_CACHES>::new()) };
    result.map_err(Error::errno("drop the caches of", node))
}

/// Waits until no loop device is called `name` any more; false if one stays.
///
/// # Errors
/// The kernel's list cannot be read.
pub fn wait_gone(name: &str) -> Result<bool, Error> {
    let start = Instant::now();
    while !find(name)?.is_empty() {
        if start.elapsed() > PATIENCE {
            return Ok(false);
        }
        thread::sleep(Duration::from_micros(200));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_that_of_the_kernel() {
        assert_eq!(size_of::<Config>(), 8 + 232 + 64);
        assert_eq!(std::mem::offset_of!(Config, name), 8 + 56);
    }
}
