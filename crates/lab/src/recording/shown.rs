//! A disk that only shows states, one after the other: a loop device in memory (memfd), served by the kernel alone. A
//! recording disk could show the states, too, but mounting them there takes several times as long, because this process
//! answers each request.

use crate::{error::LabError, ownership::undo::Undo, setup::Lab};
use disk::named_loop;
use faults::image::Image;
use rustix::fs::{FallocateFlags, MemfdFlags, fallocate, memfd_create};
use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// A disk for states. Dropping it detaches its device; a file system on it has to be unmounted before.
#[derive(Debug)]
pub struct ShownDisk {
    name: String,
    file: File,
    bytes: u64,
    device: PathBuf,
}

impl ShownDisk {
    /// Makes one of `bytes` zeros in `lab` and attaches it. It takes memory as it is written.
    ///
    /// # Errors
    /// No root, no loop device, or the journal cannot be written.
    pub fn make(lab: &Lab, bytes: u64) -> Result<ShownDisk, LabError> {
        crate::setup::need_root("attaching a disk in memory")?;
        let name = lab.mark().name(lab.numbers(1));
        let file = in_memory(&name, bytes).map_err(LabError::io("make the disk", name.as_ref()))?;
        lab.record(&Undo::DetachRecording { name: name.clone() })?;
        let device = named_loop::attach(&file, &name)?;
        Ok(ShownDisk { name, file, bytes, device })
    }

    /// Its loop device. It stays the same as long as the disk is there.
    pub fn device(&self) -> &Path {
        &self.device
    }

    /// Shows `base` with `patches` written to it in order, each at its byte. Nothing may be mounted.
    ///
    /// # Errors
    /// There is no memory, or a patch is not within the disk.
    pub fn show(&self, base: &Image, patches: &[(u64, Vec<u8>)]) -> Result<(), LabError> {
        // What a program left in the cache of the device would be written over the state later.
        named_loop::drop_caches(&self.device)?;
        self.write(base, patches).map_err(LabError::io("show a state on", &self.device))?;
        Ok(named_loop::drop_caches(&self.device)?)
    }

    fn write(&self, base: &Image, patches: &[(u64, Vec<u8>)]) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        fallocate(&self.file, flags, 0, self.bytes)?;
        for (offset, data) in base.pieces.iter().chain(patches) {
            let end = offset.checked_add(data.len() as u64).filter(|end| *end <= self.bytes);
            end.ok_or(io::ErrorKind::InvalidInput)?;
            self.file.write_all_at(data, *offset)?;
        }
        Ok(())
    }

    /// Lets all further reads fail, to free a kernel that does not come to an end with what it has read.
    pub fn fail(&self) {
        // Where it cannot be, the kernel stays as it is.
        let _ = self.file.set_len(0);
    }
}

fn in_memory(name: &str, bytes: u64) -> io::Result<File> {
    let file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
    file.set_len(bytes)?;
    Ok(file)
}

impl Drop for ShownDisk {
    fn drop(&mut self) {
        // What fails here is tried again by the lab, and reported by `assay cleanup`.
        if named_loop::detach(&self.name).is_ok() {
            let _ = named_loop::wait_gone(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::RecordingDisk;
    use needs::{Need, skip};
    use std::os::unix::fs::OpenOptionsExt;

    fn read(device: &Path) -> Vec<u8> {
        let mut all = vec![0; 1 << 20];
        let mut options = File::options();
        let file = options.read(true).custom_flags(libc::O_EXCL).open(device).unwrap();
        file.read_exact_at(&mut all, 0).unwrap();
        all
    }

    #[test]
    fn each_state_is_the_base_of_a_record_with_its_patches() {
        if let Some(why) = RecordingDisk::missing() {
            return skip(Need::Root, why);
        }
        let state = tempfile::tempdir().unwrap();
        let lab = Lab::open(state.path(), "shown").unwrap();
        let recording = RecordingDisk::make(&lab, "r", 1 << 20).unwrap();
        let write = |device: &Path, at: u64, byte: u8| {
            let file = File::options().write(true).open(device).unwrap();
            file.write_all_at(&[byte; 6000], at).unwrap();
            file.sync_all().unwrap();
        };
        write(recording.device(), 8192, 1);
        recording.record(1 << 20);
        recording.recorded().unwrap();
        let base = recording.base().unwrap();
        assert_eq!((base.bytes, base.held_bytes()), (1 << 20, 8192));
        let shown = ShownDisk::make(&lab, 1 << 20).unwrap();
        let mut expected = vec![0; 1 << 20];
        expected[8192..14192].fill(1);
        for byte in [2, 3] {
            shown.show(&base, &[(512, vec![byte; 512])]).unwrap();
            expected[512..1024].fill(byte);
            assert!(read(shown.device()) == expected, "{byte}");
            // What was done to a state is not seen in the next one.
            write(shown.device(), 1 << 19, 9);
        }
        assert!(shown.show(&base, &[(1 << 20, vec![0; 512])]).is_err());
        // A later base has what was written until then.
        write(recording.device(), 0, 4);
        recording.record(1 << 20);
        recording.recorded().unwrap();
        shown.show(&recording.base().unwrap(), &[]).unwrap();
        expected[..6000].fill(4);
        // Nothing of a state was ever on the recording disk.
        assert!(read(shown.device())[..8192] == expected[..8192], "the later base");
        let name = shown.name.clone();
        assert_eq!(named_loop::find(&name).unwrap(), [shown.device().to_path_buf()]);
        drop((recording, shown));
        assert!(named_loop::find(&name).unwrap().is_empty(), "it is detached");
        lab.close().unwrap();
    }
}
