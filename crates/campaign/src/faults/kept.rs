//! Keeps the recording of a workload with harmed states, and recreates the image of one of them.

use super::{FaultsError, mount, test_disk};
use ::faults::recording::Recording;
use ::fs::ResolvedTarget;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use std::{
    io::{self, Read, Write},
    path::Path,
};

/// Most bytes of a packed recording.
pub const MOST_KEPT_BYTES: usize = 16 << 20;
/// Most bytes of an unpacked one: a log, and what was on the disk before.
const MOST_UNPACKED_BYTES: u64 = 1 << 30;

/// Packs `recording`; `None` where it takes too much room.
pub fn pack(recording: &Recording) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&recording.to_bytes()).ok()?;
    encoder.finish().ok().filter(|bytes| bytes.len() <= MOST_KEPT_BYTES)
}

/// Unpacks what [`pack`] made.
///
/// # Errors
/// It is nothing of the kind.
pub fn unpack(bytes: &[u8]) -> io::Result<Recording> {
    let mut unpacked = Vec::new();
    GzDecoder::new(bytes).take(MOST_UNPACKED_BYTES).read_to_end(&mut unpacked)?;
    Recording::of_bytes(&unpacked).map_err(io::Error::other)
}

/// An image of a state.
#[derive(Clone, Debug)]
pub struct Remade {
    /// Its length, bytes.
    pub bytes: u64,
    /// What is not zeros: later pieces count.
    pub pieces: Vec<(u64, Vec<u8>)>,
    /// The last mark that the workload had set.
    pub acknowledged: Option<u64>,
    /// The directory of the workload in it.
    pub work: String,
}

/// Makes the state `number` of a packed recording of `test` on `target` again.
///
/// # Errors
/// The recording is damaged, or has no such state.
pub fn remake(
    packed: &[u8],
    (test, target): (&str, &str),
    number: u64,
) -> Result<Remade, FaultsError> {
    let unusable =
        |why: String| FaultsError::Kept { test: test.into(), target: target.into(), why };
    let recording = unpack(packed).map_err(|error| unusable(error.to_string()))?;
    let none = || unusable(format!("it has no state {number}"));
    let (state, image) = recording.state(number)?.ok_or_else(none)?;
    let (bytes, is_within) = (image.bytes, |(at, data): &(u64, Vec<u8>)| {
        at.checked_add(data.len() as u64).is_some_and(|end| end <= image.bytes)
    });
    if !image.pieces.iter().all(is_within) {
        return Err(unusable("a piece of it is not on its disk".into()));
    }
    let acknowledged = state.acknowledged;
    Ok(Remade { bytes, pieces: image.pieces, acknowledged, work: recording.work })
}

/// The command that mounts an image at `path` as `target` is mounted, and the one that checks it; `None` where the
/// target is not one that crashes are tried on.
pub fn commands(target: &ResolvedTarget, path: &Path) -> Option<(String, Option<String>)> {
    let [part] = target.parts() else { return None };
    let site = test_disk::site(part, &[path], 0);
    let mount = mount::How::of(part, &site).ok()?.command(path);
    Some((mount, part.fs.check(&site).map(|command| command.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::faults::{
        image::Image,
        log::{Event, Log},
    };

    #[test]
    fn what_was_packed_is_made_again() {
        let mut log = Log::new(4096);
        log.write(512, &[7; 512]).unwrap();
        log.push(Event::Mark(3));
        log.push(Event::Flush);
        let base = Image { bytes: 8192, pieces: vec![(0, vec![1; 4096])] };
        let recording = Recording { work: "work0".into(), base, log };
        let packed = pack(&recording).unwrap();
        // In the second epoch: nothing more than what was flushed.
        let number = 1 << 44 | 1 << 42;
        let remade = remake(&packed, ("t", "ext4"), number).unwrap();
        assert_eq!((remade.bytes, remade.acknowledged, &*remade.work), (8192, Some(3), "work0"));
        assert_eq!(remade.pieces[1], (512, vec![7; 512]));
        let why =
            |packed: &[u8], number| remake(packed, ("t", "ext4"), number).unwrap_err().to_string();
        assert!(why(&packed, 9 << 44).ends_with("it has no state 158329674399744"));
        assert!(
            why(&packed[..40], number).starts_with("the recording of t on ext4 cannot be used")
        );
    }

    #[test]
    fn the_commands_are_those_of_the_target() {
        let target = ::fs::resolve(&"ext4[nobarrier,noatime]".parse().unwrap()).unwrap();
        let (mount, check) = commands(&target, Path::new("a.img")).unwrap();
        assert_eq!(mount, "mount -t ext4 -o loop,noatime,barrier=0 a.img /mnt");
        assert_eq!(check.unwrap(), "e2fsck -fn a.img");
    }
}
