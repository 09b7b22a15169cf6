//! Traces and texts of strace to start from, and damage below the checksums of a trace.

use crate::mutate;
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use model::random::Rng;
use record::strace::{Import, import};
use std::io::{Cursor, Read, Write};
use trace::file::Trace;

/// As strace 6.1 writes it with `-f -ttt -T`.
pub(crate) const STRACES: [&str; 2] = [
    "10 100.000001 execve(\"/bin/sh\", [\"sh\"], 0x7ff /* 9 vars */) = 0 <0.000200>\n\
     10 100.001000 chdir(\"/srv/db\") = 0 <0.000004>\n\
     10 100.002000 openat(AT_FDCWD, \"made\\n\\303\", O_RDWR|O_CREAT|O_CLOEXEC, 0666) = 3 <0.000030>\n\
     10 100.002500 clone(child_stack=NULL, flags=CLONE_FILES|SIGCHLD) = 11 <0.000100>\n\
     11 100.002600 pwrite64(3</srv/db/made>, \"\"..., 8192, 4096) = 8192 <0.000100>\n\
     10 100.002700 fcntl(3, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=1, l_len=2}) = 0 <0.000010>\n\
     11 100.002900 mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 0x7f0000001000 <0.000010>\n\
     11 100.002950 msync(0x7f0000001000, 4096, MS_SYNC) = 0 <0.000010>\n\
     10 100.003000 renameat2(AT_FDCWD, \"made\", 3, \"../x/moved\", RENAME_NOREPLACE) = -1 EEXIST (File exists) <0.000020>\n\
     10 100.006000 fsync(3 <unfinished ...>\n\
     11 100.006010 +++ exited with 0 +++\n\
     10 100.006020 <... fsync resumed>) = 0 <0.000030>\n\
     10 100.010000 symlink(\"../../etc\", \"link\") = 0 <0.000020>\n\
     10 100.011000 close(3) = 0 <0.000003>\n",
    "7  1.5 getdents64(5, 0x5 /* 3 entries */, 32768) = 80 <0.000020>\n7  1.6 stat(\"/srv/a\", {st_mode=S_IFREG}) = 0 \
     <0.000001>\n7  1.7 newfstatat(AT_FDCWD, \"/srv/../srv/b/./c\", 0x7ff, AT_SYMLINK_NOFOLLOW) = -1 ENOENT (No) <0.1>\n",
];

/// The traces of these texts.
pub(crate) fn traces() -> Vec<Vec<u8>> {
    let trace = |text: &str| {
        let mut written = Vec::new();
        import(text.as_bytes(), &mut written, &Import::default()).unwrap();
        written
    };
    STRACES.iter().map(|text| trace(text)).collect()
}

/// Bytes of the head of a part.
const HEAD: usize = 36;

/// The trace `bytes` with damage in one of its parts, whose length and checksum fit again.
pub(crate) fn damaged_part(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut at = 8;
    let mut parts = Vec::new();
    while at < bytes.len() {
        parts.push(at);
        at += HEAD + word(at + 12);
    }
    let at = parts[rng.below(parts.len() as u64) as usize];
    let end = at + HEAD + word(at + 12);
    let mut raw = Vec::new();
    DeflateDecoder::new(Cursor::new(&bytes[at + HEAD..end])).read_to_end(&mut raw).unwrap();
    let mut head = bytes[at..at + HEAD].to_vec();
    match rng.below(8) {
        0 => head[4..8].copy_from_slice(&(rng.below(1 << 33) as u32).to_le_bytes()),
        1 => head[16 + rng.below(16) as usize] ^= 1 << rng.below(8),
        2 => raw.truncate(rng.below(raw.len() as u64 + 1) as usize),
        _ => (0..1 + rng.below(6)).for_each(|_| mutate::byte(rng, &mut raw)),
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&raw).unwrap();
    let payload = encoder.finish().unwrap();
    head[8..12].copy_from_slice(&(raw.len() as u32).to_le_bytes());
    head[12..16].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    let sum = crc32fast::hash(&[&head[..HEAD - 4], &payload].concat());
    head[HEAD - 4..].copy_from_slice(&sum.to_le_bytes());
    [&bytes[..at], &head, &payload, &bytes[end..]].concat()
}

#[test]
fn damage_of_a_part_passes_its_checksum() {
    let (mut rng, trace) = (Rng::new(1), &traces()[0]);
    let read = (0..200).filter(|_| Trace::open(Cursor::new(damaged_part(&mut rng, trace))).is_ok());
    assert!(read.count() > 100);
}
