//! A loop device that stands in for a disk: it is attached to a sparse image of the test's own and has
//! a stable name in /dev/disk/by-id, as udev would give it. All is torn down when it is dropped.
#![allow(dead_code)] // each test file uses a part
#![allow(unreachable_pub)]
#![allow(clippy::unwrap_used)] // the lint knows test functions, not their helpers

use rustix::fs::OFlags;
use std::{
    fs, io,
    os::unix::fs::{OpenOptionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::Duration,
};

pub const BY_ID: &str = "/dev/disk/by-id";
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The stand-in.
pub struct Disk {
    dir: tempfile::TempDir,
    /// Its node, as `/dev/loop0`.
    pub node: PathBuf,
    /// Its stable name.
    pub link: PathBuf,
    nodes: Vec<PathBuf>,
    links: Vec<PathBuf>,
}

/// Runs a command, which must succeed; gives what it printed. Between its fork and its exec a child of another test
/// holds all that this process has open, so that a device may be busy for a moment.
pub fn run(program: &str, args: &[&str]) -> String {
    let once = || Command::new(program).args(args).output().unwrap();
    let is_busy = |stderr: &[u8]| String::from_utf8_lossy(stderr).contains("in use by the system");
    let mut output = once();
    for _ in 0..50 {
        if !is_busy(&output.stderr) {
            break;
        }
        thread::sleep(Duration::from_millis(100));
        output = once();
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

impl Disk {
    /// A blank disk of `size` bytes.
    pub fn new(size: u64) -> Disk {
        let dir = tempfile::Builder::new().prefix("assay-disk-").tempdir().unwrap();
        fs::File::create(dir.path().join("image")).unwrap().set_len(size).unwrap();
        let empty = PathBuf::new();
        let (nodes, links) = (Vec::new(), Vec::new());
        let mut disk = Disk { dir, node: empty.clone(), link: empty, nodes, links };
        disk.node = disk.attach(&disk.image(), &["--partscan"]);
        disk.link = disk.name(&disk.node.clone());
        disk
    }

    /// The file that holds its content.
    pub fn image(&self) -> PathBuf {
        self.dir.path().join("image")
    }

    /// The serial number of a loop device: the path of its file.
    pub fn serial(&self) -> String {
        self.image().to_str().unwrap().into()
    }

    /// A directory of its own.
    pub fn dir(&self, name: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Attaches one more loop device to `file`.
    pub fn attach(&mut self, file: &Path, options: &[&str]) -> PathBuf {
        let args = [options, &["--find", "--show", file.to_str().unwrap()]].concat();
        // Another process may take the device that was found free.
        let attempt = |_| {
            let output = Command::new("losetup").args(&args).output().unwrap();
            let node = String::from_utf8_lossy(&output.stdout).trim().to_string();
            output.status.success().then_some(node)
        };
        let node = (0..10).find_map(attempt).unwrap_or_else(|| run("losetup", &args));
        let node = PathBuf::from(node);
        self.nodes.push(node.clone());
        node
    }

    /// Detaches its file and attaches it to the same node again. False when another program has taken that.
    pub fn exchange(&self) -> bool {
        run("losetup", &["--detach", self.node.to_str().unwrap()]);
        let again =
            Command::new("losetup").arg("--partscan").arg(&self.node).arg(self.image()).status();
        again.is_ok_and(|status| status.success())
    }

    /// Whether `node` is still attached to a file of this disk, and not to that of another program.
    fn holds(&self, node: &Path) -> bool {
        let name = node.file_name().unwrap_or_default();
        let file = Path::new("/sys/block").join(name).join("loop/backing_file");
        let file = fs::read_to_string(file).unwrap_or_default();
        let file = Path::new(file.trim());
        file.starts_with(self.dir.path()) || self.nodes.iter().any(|below| below == file)
    }

    /// One more stable name, which leads to `node`.
    pub fn name(&mut self, node: &Path) -> PathBuf {
        forget_the_dead();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let own = std::process::id().to_string();
        let began = began(&own).unwrap();
        let link = Path::new(BY_ID).join(format!("assay-test-{own}-{began}-{number}"));
        // Another test may remove the empty directory meanwhile.
        loop {
            fs::create_dir_all(BY_ID).unwrap();
            match symlink(node, &link) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                result => break result.unwrap(),
            }
        }
        self.links.push(link.clone());
        link
    }

    /// Makes a file system on the whole disk by `mkfs` with `options`, as another program would. A child that
    /// another test has just started may hold the disk until it becomes its program.
    pub fn make(&self, mkfs: &str, options: &[&str]) {
        let exclusively = || {
            fs::File::options().read(true).custom_flags(OFlags::EXCL.bits() as i32).open(&self.node)
        };
        while exclusively().is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy) {
            thread::sleep(Duration::from_millis(10));
        }
        run(mkfs, &[options, &[self.node.to_str().unwrap()]].concat());
    }

    /// Tells the kernel of a partition, without a table on the disk. Returns its node.
    pub fn partition(&self, number: u32, start: u64, bytes: u64) -> PathBuf {
        let node = self.node.to_str().unwrap();
        let [start, sectors] = [start, bytes].map(|n| (n / 512).to_string());
        run("addpart", &[node, &number.to_string(), &start, &sectors]);
        format!("{node}p{number}").into()
    }
}

/// Removes the names of tests that were killed: they would be second names of the device of another program.
fn forget_the_dead() {
    for entry in fs::read_dir(BY_ID).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let mut parts =
            name.strip_prefix("assay-test-").into_iter().flat_map(|rest| rest.split('-'));
        if let (Some(process), Some(then)) = (parts.next(), parts.next())
            && began(process).is_none_or(|now| now != then)
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// When `process` began, field 22 of proc(5): another one may have got its number since. `None` if it is gone.
fn began(process: &str) -> Option<String> {
    let stat = fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    let after_name = stat.rsplit(") ").next()?;
    after_name.split(' ').nth(19).map(str::to_owned)
}

impl Drop for Disk {
    fn drop(&mut self) {
        for link in &self.links {
            let _ = fs::remove_file(link);
        }
        // Fail while something else is in them.
        let _ = fs::remove_dir(BY_ID);
        let _ = fs::remove_dir("/dev/disk");
        for node in self.nodes.iter().rev().filter(|node| self.holds(node)) {
            let _ = Command::new("partx").arg("--delete").arg(node).output();
            let _ = Command::new("losetup").arg("--detach").arg(node).output();
        }
    }
}

/// True when this is root with loop devices; else says that the test is skipped.
pub fn can_attach(what: &str) -> bool {
    let is_there = Path::new("/dev/loop-control").exists();
    if !is_there {
        needs::skip(needs::Need::Loop, format!("{what} needs loop devices"));
    }
    is_there && needs::root_or_skip(what)
}
