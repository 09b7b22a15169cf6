//! Times the recording disk for `bench/recording_disk`: compared with a loop device on a file in memory, or by states a
//! second.
//!
//! `recording_disk work DIR ROUNDS` or `recording_disk states DIR FILE_SYSTEM SECONDS`. Needs root.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use faults::log::{Event, Log};
use lab::{mounts::detached, recording::RecordingDisk, setup::Lab};
use rustix::mount::{MountAttrFlags, MountFlags, UnmountFlags, mount, unmount};
use std::{
    env,
    fs::{self, File},
    hint::black_box,
    io::Read,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::fs::FileExt,
    },
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

const DISK_BYTES: u64 = 1 << 30;
const FILE_BYTES: usize = 512 << 20;
const PIECE: usize = 1 << 20;
const SYNCS: u64 = 1000;
/// Appends of 4 KiB, each with fsync, between which states are cut.
const APPENDS: u8 = 100;

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["work", dir, rounds] => work(Path::new(dir), rounds.parse().unwrap()),
        ["states", dir, name, seconds] => {
            states(Path::new(dir), name, Duration::from_secs(seconds.parse().unwrap()));
        }
        _ => panic!("work DIR ROUNDS, or states DIR FILE_SYSTEM SECONDS"),
    }
}

fn run(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().unwrap();
    assert!(out.status.success(), "{program}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().into()
}

fn make(name: &str, device: &Path) {
    let options: &[&str] = match name {
        "ext4" => &["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
        _ => &["-q", "-f"],
    };
    let args: Vec<&str> = options.iter().copied().chain(device.to_str()).collect();
    run(&format!("mkfs.{name}"), &args);
}

/// A device that is measured.
enum Under {
    /// A loop device on a file in memory.
    Loop(PathBuf),
    Layer(RecordingDisk, Mode),
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Passed,
    Served,
    Recording,
}

impl Under {
    fn device(&self) -> &Path {
        match self {
            Under::Loop(device) => device,
            Under::Layer(disk, _) => disk.device(),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Under::Loop(_) => "loop",
            Under::Layer(_, Mode::Passed) => "passed",
            Under::Layer(_, Mode::Served) => "served",
            Under::Layer(_, Mode::Recording) => "recording",
        }
    }

    fn begin(&self) {
        if let Under::Layer(disk, Mode::Recording) = self {
            disk.record(3 * FILE_BYTES);
        }
    }

    fn end(&self) {
        if let Under::Layer(disk, Mode::Recording) = self {
            disk.recorded().unwrap();
        }
    }
}

fn work(dir: &Path, rounds: u32) {
    let is_memory = run("stat", &["-f", "-c", "%T", dir.to_str().unwrap()]) == "tmpfs";
    let image = dir.join("plain");
    File::create(&image).unwrap().set_len(DISK_BYTES).unwrap();
    let node = run("losetup", &["--find", "--show", "--direct-io=on", image.to_str().unwrap()]);
    let lab = Lab::open(&dir.join("state"), "bench").unwrap();
    let mut all = vec![Under::Loop(node.clone().into())];
    for mode in [Mode::Passed, Mode::Served, Mode::Recording] {
        let disk = match is_memory {
            true => RecordingDisk::make(&lab, "bench", DISK_BYTES),
            false => RecordingDisk::make_in(&lab, dir, DISK_BYTES),
        };
        let disk = disk.unwrap();
        if mode == Mode::Passed {
            disk.pass(true).unwrap();
        }
        all.push(Under::Layer(disk, mode));
    }
    let at = dir.join("at");
    fs::create_dir(&at).unwrap();
    let piece: Vec<u8> = (0..PIECE).map(|i| (i * 7919 % 251) as u8).collect();
    for under in &all {
        make("ext4", under.device());
        on(under, &at, || {
            write(&at, &piece);
            0.0
        });
    }
    for round in 0..rounds {
        for number in 0..all.len() {
            let under = &all[(number + round as usize) % all.len()];
            let say = |what: &str, rate: f64| println!("{what} {} {rate:.1}", under.name());
            say("bulk", on(under, &at, || write(&at, &piece)));
            say("fsync", on(under, &at, || sync(&at)));
            say("cold", on(under, &at, || read(&at)));
        }
    }
    drop(all);
    lab.close().unwrap();
    run("losetup", &["--detach", &node]);
}

/// What `work` returns, on a fresh mount of `under`.
fn on(under: &Under, at: &Path, work: impl FnOnce() -> f64) -> f64 {
    // Cold is what the host has not kept of a file either.
    fs::write("/proc/sys/vm/drop_caches", "1").unwrap();
    mount(under.device(), at, "ext4", MountFlags::empty(), None).unwrap();
    under.begin();
    let rate = work();
    under.end();
    unmount(at, UnmountFlags::empty()).unwrap();
    rate
}

/// MB a second.
fn write(at: &Path, piece: &[u8]) -> f64 {
    let file = File::options().create(true).truncate(false).write(true).open(at.join("f")).unwrap();
    let start = Instant::now();
    (0..FILE_BYTES / PIECE).for_each(|n| file.write_all_at(piece, (n * PIECE) as u64).unwrap());
    file.sync_all().unwrap();
    FILE_BYTES as f64 / 1e6 / start.elapsed().as_secs_f64()
}

/// Writes of 4 KiB with fsync, a second.
fn sync(at: &Path) -> f64 {
    let file = File::options().write(true).open(at.join("f")).unwrap();
    let start = Instant::now();
    for n in 0..SYNCS {
        file.write_all_at(&[7; 4096], n * 7919 % 100_000 * 4096).unwrap();
        file.sync_all().unwrap();
    }
    SYNCS as f64 / start.elapsed().as_secs_f64()
}

/// MB a second.
fn read(at: &Path) -> f64 {
    let mut file = File::open(at.join("f")).unwrap();
    let mut buffer = vec![0; PIECE];
    let start = Instant::now();
    let mut total = 0;
    loop {
        let read = file.read(&mut buffer).unwrap();
        if read == 0 {
            break;
        }
        total += read;
        black_box(&buffer);
    }
    assert_eq!(total, FILE_BYTES);
    FILE_BYTES as f64 / 1e6 / start.elapsed().as_secs_f64()
}

/// Mounts the disk; its root is that of the descriptor.
fn mounted(name: &str, disk: &RecordingDisk) -> (OwnedFd, PathBuf) {
    let source = [("source", disk.device().to_str())];
    let fd = detached::mount(name, source, MountAttrFlags::empty()).unwrap();
    let root = PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()));
    (fd, root)
}

/// Prints how many states were shown, mounted, held against what is known and unmounted, and the seconds of each part.
fn states(dir: &Path, name: &str, time: Duration) {
    let lab = Lab::open(&dir.join("state"), "states").unwrap();
    let bytes = if name == "xfs" { 300 << 20 } else { 256 << 20 };
    let disk = RecordingDisk::make(&lab, "states", bytes).unwrap();
    make(name, disk.device());
    disk.record(64 << 20);
    let (held, root) = mounted(name, &disk);
    let file = File::create(root.join("appended")).unwrap();
    for n in 0..APPENDS {
        file.write_all_at(&[n; 4096], u64::from(n) * 4096).unwrap();
        file.sync_all().unwrap();
        disk.mark(n.into());
    }
    drop(file);
    drop(held);
    disk::wait_free(disk.device()).unwrap();
    let log = disk.recorded().unwrap();
    let flushes: Vec<usize> =
        (0..log.events().len()).filter(|n| log.events()[*n] == Event::Flush).collect();
    let before = disk.served();
    let mut parts = [Duration::ZERO; 4];
    let mut count = 0u64;
    let start = Instant::now();
    while start.elapsed() < time {
        let cut = flushes[count as usize % flushes.len()];
        let mut last = Instant::now();
        let mut lap = |part: usize| {
            let now = Instant::now();
            parts[part] += now - last;
            last = now;
        };
        let acknowledged = upto(&disk, &log, cut);
        lap(0);
        let (held, root) = mounted(name, &disk);
        lap(1);
        if acknowledged > 0 {
            let data = fs::read(root.join("appended")).unwrap();
            let mut blocks = data.chunks(4096).zip(0..);
            assert!(data.len() >= usize::from(acknowledged) * 4096, "an append is lost");
            assert!(blocks.all(|(block, n)| block == [n; 4096]), "what was appended is another");
        }
        lap(2);
        drop(held);
        disk::wait_free(disk.device()).unwrap();
        lap(3);
        count += 1;
    }
    let [show, mount, check, unmount] = parts.map(|part| part.as_secs_f64() * 1e3 / count as f64);
    let rate = count as f64 / start.elapsed().as_secs_f64();
    let served = disk.served();
    let each = |after: u64, before: u64| (after - before) as f64 / count as f64;
    println!(
        "# {name}: {:.1} reads, {:.1} writes, {:.1} flushes, {:.1} discards a state",
        each(served.reads, before.reads),
        each(served.writes, before.writes),
        each(served.flushes, before.flushes),
        each(served.discards, before.discards),
    );
    println!("{name} {rate:.1} {show:.3} {mount:.3} {check:.3} {unmount:.3}");
    drop(disk);
    lab.close().unwrap();
}

/// Shows the state after the first `cut` events; how many marks are among them.
fn upto(disk: &RecordingDisk, log: &Log, cut: usize) -> u8 {
    disk.show(log.written(cut)).unwrap();
    let is_mark = |event: &&Event| matches!(event, Event::Mark(_));
    log.events()[..cut].iter().filter(is_mark).count() as u8
}
