//! Real boots of real guests, each with a shell as the program. Where a kind of guest is missing, its
//! test says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use lab::{
    error::LabError,
    guest::{self, Guest, GuestExit, Machine},
};
use model::{plan::LabKind, text::Bytes};
use needs::{Need, skip};
use std::{
    env,
    fs::{self, File, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Tells the helper test below that it runs in a process of its own, and where its machine lies.
const VICTIM: &str = "ASSAY_GUEST_TEST_VICTIM";
const DISK: u64 = 64 << 20;

fn find(kind: LabKind) -> Option<Box<dyn Guest>> {
    let need = if kind == LabKind::Uml { Need::Uml } else { Need::Qemu };
    guest::find(kind, None).map_err(|missing| skip(need, missing.what)).ok()
}

/// A machine in `dir`, which has a name that needs care, with one disk.
fn machine(dir: &Path, script: &str) -> Machine {
    let out = dir.join("o ut");
    fs::create_dir_all(&out).unwrap();
    let disk = dir.join("disk, one");
    File::create(&disk).unwrap().set_len(DISK).unwrap();
    Machine {
        out,
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        disks: vec![disk],
        assets: Vec::new(),
        cache: dir.join("ca che"),
        memory: Bytes(512 << 20),
        timeout: Duration::from_secs(240),
    }
}

fn run(guest: &dyn Guest, machine: &Machine) -> Result<GuestExit, LabError> {
    guest::run(guest, machine, &AtomicBool::new(false), &mut || Ok(()))
}

/// Processes whose command line has `word`.
fn processes(word: &str) -> Vec<PathBuf> {
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let has = |dir: &PathBuf| {
        let line = fs::read(dir.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    };
    all.filter(has).collect()
}

/// The whole way: a disk of its own, a root that may be written and is not the host's, the cache of the
/// host below a directory that the guest has for itself, a result.
fn works_on_its_disk(guest: &dyn Guest) {
    let dir = tempfile::tempdir().unwrap();
    // The guest may be `nobody`.
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(dir.path().join("ca che")).unwrap();
    fs::write(dir.path().join("ca che/module"), "built\n").unwrap();
    let disk = guest.disk(0).display().to_string();
    let script = format!(
        "set -e; uname -r; id -u; cat $ASSAY_CACHE/module; mkfs.ext4 -q -F {disk}; mkdir /mnt/m; mount {disk} /mnt/m; \
         echo kept >/mnt/m/file; umount /mnt/m; echo x >/etc/assay-was-here; \
         echo made >/mnt/out/answer; exit 7"
    );
    let machine = machine(dir.path(), &script);
    let mut looks = 0;
    let ended = guest::run(guest, &machine, &AtomicBool::new(false), &mut || {
        looks += 1;
        Ok::<(), LabError>(())
    });
    let log = fs::read_to_string(machine.out.join("log")).unwrap();
    assert_eq!(ended.unwrap(), GuestExit::Exit(7), "{log}");
    assert_eq!(log, format!("{}\n0\nbuilt\n", guest.venue().kernel));
    assert_eq!(fs::read_to_string(machine.out.join("answer")).unwrap(), "made\n");
    assert!(looks > 1 && !Path::new("/etc/assay-was-here").exists());
    let image = fs::read(&machine.disks[0]).unwrap();
    assert_eq!(image.len() as u64, DISK);
    assert!(image.windows(5).any(|bytes| bytes == b"kept\n"), "the disk was written");
}

/// What the guest puts in the place of its results leads root nowhere: nothing of root's is written, read,
/// or taken for a result.
fn plants_links(guest: &dyn Guest) {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    let precious = dir.path().join("precious");
    fs::write(&precious, "0\n").unwrap();
    fs::set_permissions(&precious, Permissions::from_mode(0o600)).unwrap();
    let plant = |name: &str| format!("ln -sf {} /mnt/out/{name}", precious.display());
    let untouched = || {
        assert_eq!(fs::read_to_string(&precious).unwrap(), "0\n");
        assert_eq!(fs::metadata(&precious).unwrap().uid(), 0);
    };

    // A result that is a link to a zero.
    let script = format!("{}; sleep 1000", plant("status"));
    let error = run(guest, &machine(dir.path(), &script)).unwrap_err().to_string();
    assert!(error.contains("status"), "{error}");
    untouched();

    // Last words that are root's, and a console that is opened again by a second boot.
    let words = [plant("console"), "rm /mnt/out/log".into(), "echo c >/proc/sysrq-trigger".into()];
    let error = run(guest, &machine(dir.path(), &words.join("; "))).unwrap_err().to_string();
    assert!(error.contains("exited without a result"), "{error}");
    untouched();
    let words = [plant("log"), "echo c >/proc/sysrq-trigger".into()];
    let error = run(guest, &machine(dir.path(), &words.join("; "))).unwrap_err().to_string();
    assert!(!error.ends_with("said: 0"), "{error}");
    untouched();

    // The next guest finds what the last one planted.
    for name in ["program", "command", "cache", "init", "first", "initramfs", "status"] {
        let path = dir.path().join("o ut").join(name);
        let _ = fs::remove_file(&path);
        symlink(&precious, &path).unwrap();
    }
    assert_eq!(run(guest, &machine(dir.path(), "exit 3")).unwrap(), GuestExit::Exit(3));
    untouched();
}

#[test]
fn links_in_user_mode_linux_lead_nowhere() {
    let Some(uml) = find(LabKind::Uml) else { return };
    if is_root() {
        plants_links(&*uml);
    }
}

#[test]
fn links_in_an_emulated_machine_lead_nowhere() {
    let Some(qemu) = find(LabKind::Tcg) else { return };
    if is_root() {
        plants_links(&*qemu);
    }
}

/// Each guest is another user on this machine, to whom what it was given belongs as long as it runs.
fn is_a_user_of_its_own(guest: &dyn Guest) {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    let users = [(); 2].map(|()| {
        let machine = machine(dir.path(), "echo made >/mnt/out/made; exit 0");
        assert_eq!(run(guest, &machine).unwrap(), GuestExit::Exit(0));
        for path in [&machine.out, &machine.disks[0]] {
            assert_eq!(fs::metadata(path).unwrap().uid(), 0, "{path:?} is taken back");
        }
        let made = machine.out.join("made");
        let user = fs::metadata(&made).unwrap().uid();
        fs::remove_file(made).unwrap();
        user
    });
    assert!(users[0] != users[1] && users.iter().all(|user| *user >= 1_000_000_000), "{users:?}");
}

#[test]
fn each_user_mode_linux_is_a_user_of_its_own() {
    let Some(uml) = find(LabKind::Uml) else { return };
    if is_root() {
        is_a_user_of_its_own(&*uml);
    }
}

#[test]
fn each_emulated_machine_is_a_user_of_its_own() {
    let Some(qemu) = find(LabKind::Tcg) else { return };
    if is_root() {
        is_a_user_of_its_own(&*qemu);
    }
}

fn is_root() -> bool {
    needs::root_or_skip("a guest as another user")
}

#[test]
fn user_mode_linux_works_on_its_disk() {
    let Some(uml) = find(LabKind::Uml) else { return };
    works_on_its_disk(&*uml);
}

#[test]
fn an_emulated_machine_works_on_its_disk() {
    let Some(qemu) = find(LabKind::Tcg) else { return };
    works_on_its_disk(&*qemu);
}

#[test]
fn a_guest_that_dies_gives_no_result_and_says_its_last_words() {
    let Some(uml) = find(LabKind::Uml) else { return };
    let dir = tempfile::tempdir().unwrap();
    let machine = machine(dir.path(), "echo about to die; echo c >/proc/sysrq-trigger; sleep 60");
    let error = run(&*uml, &machine).unwrap_err().to_string();
    assert!(error.contains("exited without a result; its last output: about to die"), "{error}");
}

#[test]
fn a_guest_ends_at_its_time_and_when_it_is_asked_to() {
    let Some(uml) = find(LabKind::Uml) else { return };
    let dir = tempfile::tempdir().unwrap();
    let endless = machine(dir.path(), "echo begun >/mnt/out/begun; sleep 1000");
    let late = Machine { timeout: Duration::from_secs(1), ..endless.clone() };
    let error = run(&*uml, &late).unwrap_err().to_string();
    assert!(error.contains("did not end within 1 s"), "{error}");

    let stop = AtomicBool::new(false);
    let ended = guest::run(&*uml, &endless, &stop, &mut || {
        stop.store(endless.out.join("begun").exists(), Ordering::Relaxed);
        Ok::<(), LabError>(())
    });
    assert_eq!(ended.unwrap(), GuestExit::Stopped);
    let of_guest = dir.path().display().to_string();
    wait_for("its end", || processes(&of_guest).is_empty());
}

/// Not a test of its own: the process that the next test kills.
#[test]
fn victim() {
    let Some(dir) = env::var_os(VICTIM) else { return };
    let uml = find(LabKind::Uml).unwrap();
    let machine = machine(Path::new(&dir), "echo begun >/mnt/out/begun; sleep 1000");
    run(&*uml, &machine).unwrap();
}

#[test]
fn a_guest_dies_with_its_process() {
    if find(LabKind::Uml).is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o700)).unwrap();
    let mut victim = Command::new(env::current_exe().unwrap())
        .args(["--exact", "victim", "--nocapture"])
        .env(VICTIM, dir.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = dir.path().join("o ut/begun");
    wait_for("the guest", || begun.exists());
    let mut children = processes(&dir.path().display().to_string());
    assert!(!children.is_empty());
    victim.kill().unwrap();
    victim.wait().unwrap();
    wait_for("its end", || {
        children.retain(|process| process.join("exe").read_link().is_ok());
        children.is_empty()
    });
    assert!(!fs::read_to_string("/proc/mounts").unwrap().contains("/mnt/out"));
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {what} within a minute");
        thread::sleep(Duration::from_millis(50));
    }
}
