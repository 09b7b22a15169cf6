//! Targets in an object store of the user's own: a real versitygw that this test starts as a foreign server, with a
//! bucket in which others have their objects. What a campaign makes there is gone after it, also after kill -9, and the
//! keys are written nowhere.

use crate::common::{Place, ready, text, wait_for};
use needs::{Need, root_or_skip, skip};
use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    net::Ipv4Addr,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

const ACCESS: &str = "AKIDOFSOMEBODY4711";
const SECRET: &str = "hush/That+Is=Somebodys0nly";
const BUCKET: &str = "theirs";
/// What others have in the bucket.
const OBJECTS: [&str; 3] = ["report.txt", "bench/old/data", "assay-0badc0de-1/data"];
const WORK: [&str; 14] = [
    "--preset",
    "smoke",
    "--scale",
    "smoke",
    "--procs",
    "1",
    "--tests",
    "columnar.write.int.medium",
    "--tests",
    "columnar.read.int.medium",
    // Its file gets its name right after it was closed.
    "--tests",
    "columnar.append.sym.large",
    "--blocks",
    "1",
];

/// The server; ended when dropped.
struct Server {
    child: Child,
    port: u16,
    dir: PathBuf,
}

impl Server {
    /// `None`, with the reason, where this machine has not all that the tests need.
    fn start(place: &Place) -> Option<Server> {
        let program = lab::programs::artifacts::program_dir(
            "versitygw",
            lab::programs::artifacts::VERSITYGW_VERSION,
        );
        let program = program.join("bin/versitygw");
        if !program.exists() {
            skip(
                Need::Other,
                "versitygw is not built; run `assay doctor --install versitygw` once",
            );
            return None;
        }
        if !root_or_skip("loop devices") || ready(place, &["rclone", "s3fs"]).len() < 2 {
            return None;
        }
        let dir = place.dir("server");
        for object in OBJECTS {
            let path = dir.join(BUCKET).join(object);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, object).unwrap();
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(program)
            .args(["--quiet", "--port", &format!("127.0.0.1:{port}"), "posix"])
            .arg(&dir)
            .env("ROOT_ACCESS_KEY", ACCESS)
            .env("ROOT_SECRET_KEY", SECRET)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for("server", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(Server { child, port, dir })
    }

    fn endpoint(&self) -> String {
        format!("http://{}:{}/{BUCKET}/bench", Ipv4Addr::LOCALHOST, self.port)
    }

    /// All objects of the bucket, with what is in them.
    fn objects(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        files(&self.dir.join(BUCKET), &mut found);
        found
    }

    /// Fails unless the bucket holds what others have in it, and nothing else.
    fn assert_untouched(&self) {
        let own = OBJECTS.map(|object| (self.dir.join(BUCKET).join(object), object.into()));
        assert_eq!(self.objects(), BTreeMap::from(own));
        let bench = fs::read_dir(self.dir.join(BUCKET).join("bench")).unwrap().flatten();
        let names: Vec<_> = bench.map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["old"], "a directory is left");
        let buckets = fs::read_dir(&self.dir).unwrap().flatten().map(|entry| entry.file_name());
        let buckets: Vec<_> =
            buckets.filter(|name| !text(name.as_encoded_bytes()).starts_with('.')).collect();
        assert_eq!(buckets, [BUCKET], "a bucket was made");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The files below `dir` but those in which versitygw itself keeps what is under way.
fn files(dir: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let Some(entries) = connected(fs::read_dir(dir)) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true if path.ends_with(".sgwtmp") => {}
            true => files(&path, found),
            false => drop(connected(fs::read(&path)).map(|bytes| found.insert(path, bytes))),
        }
    }
}

/// What `read` gave. None when a killed server had it mounted: the folder is still a folder to who looks soon after.
fn connected<T>(read: std::io::Result<T>) -> Option<T> {
    match read {
        Err(error) if error.kind() == ErrorKind::NotConnected => None,
        read => Some(read.unwrap()),
    }
}

fn command(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(args);
    command.env("AWS_ACCESS_KEY_ID", ACCESS).env("AWS_SECRET_ACCESS_KEY", SECRET);
    command
}

/// Fails when one of the keys is in `bytes`.
fn assert_no_key(bytes: &[u8], what: &dyn std::fmt::Debug) {
    for key in [ACCESS, SECRET] {
        let is_there = bytes.windows(key.len()).any(|window| window == key.as_bytes());
        assert!(!is_there, "a key stands in {what:?}");
    }
}

/// Fails when one of the keys is in a file of `dir`.
fn assert_no_key_below(dir: &Path) {
    let mut found = BTreeMap::new();
    files(dir, &mut found);
    assert!(!found.is_empty(), "{} is empty", dir.display());
    found.iter().for_each(|(path, bytes)| assert_no_key(bytes, path));
}

/// Looks at the command lines of all processes until `stop`, and returns how many named the endpoint.
fn watch(endpoint: &str, stop: &AtomicBool) -> usize {
    let mut seen = 0;
    while !stop.load(Ordering::Relaxed) {
        let all = fs::read_dir("/proc").unwrap().flatten();
        for line in all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok()) {
            assert_no_key(&line, &text(&line));
            seen += usize::from(text(&line).contains(endpoint));
        }
        thread::sleep(Duration::from_millis(3));
    }
    seen
}

#[test]
fn campaign_leaves_nothing_in_the_bucket_and_discloses_no_keys() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else { return };
    server.assert_untouched();
    let endpoint = server.endpoint();
    let on = ["--on", "rclone[store=s3](xfs)", "--on", "s3fs(xfs)", "--s3-endpoint", &endpoint];
    let planned = command(&place, &[&["plan"][..], &on, &WORK].concat()).output().unwrap();
    assert!(planned.status.success(), "{}", text(&planned.stderr));
    assert!(text(&planned.stdout).contains("--s3-no-check-bucket :s3:theirs/bench/assay-"));
    assert_no_key(&[planned.stdout, planned.stderr].concat(), &"plan");

    let stop = AtomicBool::new(false);
    let (ran, seen) = thread::scope(|scope| {
        let url = format!("http://{}:{}", Ipv4Addr::LOCALHOST, server.port);
        let watching = scope.spawn({
            let stop = &stop;
            move || watch(&url, stop)
        });
        let ran = command(&place, &[&["run"][..], &on, &WORK].concat()).output().unwrap();
        stop.store(true, Ordering::Relaxed);
        (ran, watching.join().unwrap())
    });
    let said = text(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert!(seen > 0, "no command line was looked at while there was one");
    assert_no_key(&[ran.stdout, ran.stderr].concat(), &"run");
    server.assert_untouched();
    place.assert_clean();
    let left = server.dir.clone();
    drop(server);

    for format in ["csv", "json", "md", "psv", "fio-json", "bundle"] {
        place.ok(&["export", "--format", format, "--out", &format!("out/{format}")]);
    }
    place.ok(&["report", "last", "--out", "out/report.html"]);
    for bundle in fs::read_dir(place.path("out/bundle")).unwrap().flatten() {
        let unpacked = Command::new("gzip").arg("-dc").arg(bundle.path()).output().unwrap();
        assert_no_key(&unpacked.stdout, &bundle.path());
    }
    fs::remove_dir_all(left).unwrap();
    // The store, the report, the exports, the key of the state folder.
    assert_no_key_below(&place.path(""));
    let samples =
        fs::read_to_string(place.path("out/json").join(first_in(&place.path("out/json"))));
    let dataset: serde_json::Value = serde_json::from_str(&samples.unwrap()).unwrap();
    let samples = dataset["samples"].as_array().unwrap();
    assert!(samples.iter().all(|sample| sample["validity"] == "Valid"), "{samples:#?}");
    for target in ["rclone[", "s3fs["] {
        let of = |sample: &&serde_json::Value| {
            sample["case"]["target"].as_str().unwrap().starts_with(target)
        };
        assert!(samples.iter().filter(of).count() >= 2, "{target}: {said}");
    }
}

fn first_in(dir: &Path) -> std::ffi::OsString {
    fs::read_dir(dir).unwrap().flatten().next().unwrap().file_name()
}

#[test]
fn cleanup_takes_a_killed_campaign_out_of_the_bucket() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else { return };
    let endpoint = server.endpoint();
    for target in ["s3fs(xfs)", "rclone[store=s3](xfs)"] {
        let args = ["run", "--on", target, "--s3-endpoint", &endpoint];
        let mut run = command(&place, &[&args[..], &WORK].concat());
        let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for("object", || server.objects().len() > OBJECTS.len());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_no_key_below(&place.path("state"));
        let refused = place.assay(&["cleanup"]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains("set AWS_ACCESS_KEY_ID"), "{refused:?}");
        assert!(server.objects().len() > OBJECTS.len());
        let cleaned = command(&place, &["cleanup"]).output().unwrap();
        assert!(cleaned.status.success(), "{cleaned:?}");
        assert!(text(&cleaned.stdout).contains("removed the objects below "), "{cleaned:?}");
        server.assert_untouched();
        place.assert_clean();
    }
}

#[test]
fn a_store_that_does_not_take_the_keys_ends_the_run_at_once() {
    let place = Place::new();
    let Some(server) = Server::start(&place) else { return };
    let endpoint = server.endpoint();
    let args = ["run", "--on", "s3fs(xfs)", "--s3-endpoint", &endpoint];
    let mut run = command(&place, &[&args[..], &WORK].concat());
    let refused = run.env("AWS_SECRET_ACCESS_KEY", "another-one").output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("it answered 403 SignatureDoesNotMatch"), "{said}");
    assert!(!said.contains(ACCESS) && !said.contains("another-one"), "{said}");
    let without = place.fails_last(&[&args[..], &WORK].concat(), 3);
    assert!(without.contains("set AWS_ACCESS_KEY_ID"), "{without}");
    server.assert_untouched();
    place.assert_clean();
}

#[test]
fn no_plan_says_whose_store_the_keys_are_used_with() {
    let place = Place::new();
    let write = |text: &str| fs::write(place.path("plan.toml"), text).unwrap();
    write(
        "targets = [\"s3fs(xfs)\"]\n[backing.object_store]\nurl = \"http://h\"\nbucket = \"b\"\n",
    );
    let said = place.fails(&["plan", "plan.toml"], 2);
    assert!(said.contains("pass --s3-endpoint URL on the command line"), "{said}");
    write("targets = [\"s3fs[s3.host=evil.example](xfs)\"]\n");
    let said = place.fails(&["plan", "plan.toml"], 2);
    assert!(said.contains("the object store evil.example; pass --s3-endpoint"), "{said}");
    let keys = ["plan", "--on", "s3fs", "--s3-endpoint", "https://key:secret@h/bucket"];
    let said = text(&place.assay(&keys).stderr);
    assert!(said.contains("the endpoint must not contain keys"), "{said}");
}
