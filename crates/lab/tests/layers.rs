//! Targets of several parts, really made: on this machine where its kernel has what they need, and in
//! User-Mode Linux otherwise, where this program runs its own tests again. Where neither is there,
//! a test says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod victim;

use lab::{
    error::LabError,
    guest::{self, GuestExit, Machine, OUT},
    instance::Instance,
    machine::Availability,
    page_cache::{Coldness, residency},
    setup::Lab,
};
use model::{figure::Unproven, plan::LabKind, target::Target, text::Bytes};
use needs::{Need, skip};
use std::{
    env,
    fs::{self as files, File},
    io::{Seek, Write},
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::Command,
    sync::atomic::AtomicBool,
    time::Duration,
};

/// Names the state of the helper test below that measures an export, and the owner of that.
const CLIENT: &str = "ASSAY_LAYERS_TEST_CLIENT";
const OWNER: &str = "ASSAY_LAYERS_TEST_OWNER";
/// An export of the target `nfs`, for those in its network.
const EXPORT: &str = "nfs[server=127.0.0.1:/work,nconnect=2]";
const OTHER_USER: u32 = 1_999_999_999;

const IMAGE: Bytes = Bytes(320 << 20);
/// For several disks at once in the memory of a guest.
const SMALL_IMAGE: Bytes = Bytes(64 << 20);
const FILE_BYTES: usize = 4 << 20;
/// Names the target that the helper test below makes before it is killed, and its state.
const VICTIM: &str = "ASSAY_LAYERS_TEST_VICTIM";

/// Targets, and a fact that each must have, or a word of it where it is a list.
const TARGETS: &[(&str, &str, &str)] = &[
    ("btrfs[raid1]", "geometry.profile.data", "RAID1"),
    ("btrfs[raid1,degraded]", "mount.options", "degraded"),
    ("raid1", "geometry.raid1.consistency", "bitmap"),
    ("raid1[degraded]", "geometry.raid1.state", "degraded"),
    ("btrfs[raid1,resync=5]", "mount.options", "degraded"),
    ("raid1[resync=5]", "geometry.raid1.state", "recovering"),
    ("raid1[bitmap=none,metadata=1.0](ext4)", "geometry.raid1.consistency", "resync"),
    ("crypt[sector-size=4096]", "geometry.crypt.sector_bytes", "4096"),
    ("thin[chunksize=128k,zero=n]", "geometry.thin.chunk", "128.00k"),
    ("bcache", "geometry.bcache.state", "clean"),
    ("bcache[cache_mode=writeback,sequential_cutoff=0,cold=kept](xfs)", BCACHE_MODE, "writeback"),
    ("integrity[integrity-bitmap-mode](raid0(ext4))", "geometry.integrity.journal", "not active"),
    ("nbd[connections=2,block-size=4096]", "mount.fstype", "ext4"),
    ("nfs[vers=3]", "mount.fstype", "nfs"),
    ("nfs[vers=4.1,export=async]", "mount.fstype", "nfs4"),
    ("nfs[nconnect=2](raid1(ext4))", "geometry.raid1.level", "raid1"),
    ("overlay[volatile]", "mount.fstype", "overlay"),
    ("overlay(crypt(nbd(ext4)))", "geometry.crypt.key", "512 bits"),
];

/// The same on more disks, which are small. What they leave is of the kinds above.
const ARRAYS: &[(&str, &str, &str)] = &[
    ("raid5[consistency-policy=ppl]", "geometry.raid5.consistency", "ppl"),
    ("raid6[degraded]", "geometry.raid6.state", "degraded"),
    ("raid10[layout=f2]", "geometry.raid10.layout", "far=2"),
    ("lvm[raid1]", "geometry.lvm.synced_percent", "100.00"),
];
const ARRAY_DISKS: usize = 4;

const BCACHE_MODE: &str = "geometry.bcache.cache_mode";

/// Why `target` cannot be made here.
fn missing(target: &Target) -> Option<String> {
    let target = fs::resolve(target).unwrap();
    target.parts().iter().find_map(|part| match lab::machine::available(part.fs) {
        Availability::Ready => None,
        Availability::Missing { what, .. } => Some(format!("{target}: {what}")),
    })
}

fn lab_for(state: &Path, campaign: &str) -> Lab {
    lab_with(state, campaign, IMAGE, 2)
}

fn lab_with(state: &Path, campaign: &str, image: Bytes, count: usize) -> Lab {
    let mut lab = Lab::open(state, campaign).unwrap();
    lab.make_images(state, image, count, &AtomicBool::new(false), &mut |_| {}).unwrap();
    lab
}

fn content() -> Vec<u8> {
    (0..FILE_BYTES).map(|i| (i * 31 % 251) as u8).collect()
}

/// What was written is there after the whole stack was taken down and brought up again.
fn survives_cold(instance: &Instance<'_>) {
    let file = instance.root().join("data");
    files::write(&file, content()).unwrap();
    assert_eq!(instance.make_cold().unwrap(), Coldness::Remounted);
    assert_eq!(residency(std::slice::from_ref(&file)).unwrap().resident_bytes, 0);
    assert!(files::read(&file).unwrap() == content(), "its content is another one");
    assert!(instance.used_bytes().unwrap() > 0);
}

/// Everything of ours that the kernel shows.
fn left(state: &Path) -> Vec<String> {
    let state = state.to_str().unwrap();
    let mounts = files::read_to_string("/proc/self/mountinfo").unwrap();
    let ours = |line: &&str| line.contains(state) || line.contains(" /run/assay-");
    let mounts = mounts.lines().filter(ours).map(String::from);
    let devices = files::read_dir("/sys/block").unwrap().flatten().map(|entry| entry.path());
    let devices = devices.filter(|path| {
        let read = |at: &str| files::read_to_string(path.join(at)).unwrap_or_default();
        let attached = path.to_str().unwrap().contains("nbd") && path.join("pid").exists();
        let array = read("md/array_state");
        let running = !array.is_empty() && array.trim() != "clear";
        let cached = path.to_str().unwrap().contains("bcache") || path.join("bcache").exists();
        attached || running || cached || read("dm/name").contains("assay")
    });
    let devices: Vec<String> = devices.map(|path| path.display().to_string()).collect();
    let own = files::metadata("/proc/self/ns/net").unwrap().ino();
    let servers = files::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let network = files::metadata(entry.path().join("ns/net")).ok()?;
        let name = files::read_to_string(entry.path().join("comm")).ok()?;
        let ours = ["rpcbind", "nfsdcld", "rpc.mountd"].contains(&name.trim_end());
        (ours && network.ino() != own).then_some(name)
    });
    let links = files::read_dir("/dev").unwrap().flatten().map(|entry| entry.path());
    let links =
        links.filter(|path| path.to_str().is_some_and(|path| path.starts_with("/dev/assay")));
    let links: Vec<String> = links.map(|path| path.display().to_string()).collect();
    mounts.chain(devices).chain(servers).chain(links).collect()
}

fn works(lab: &Lab, state: &Path, (target, fact, value): &(&str, &str, &str)) {
    println!("{target}");
    let instance = lab.provision(&target.parse().unwrap(), "layers").unwrap();
    let rebuilt = target.contains("resync").then_some(true);
    assert_eq!(instance.rebuilding().unwrap(), rebuilt, "{target}");
    survives_cold(&instance);
    assert_eq!(instance.rebuilding().unwrap(), rebuilt, "{target}, remounted");
    if rebuilt.is_some() {
        assert_eq!(instance.quiesce().unwrap().idle_s, 0.0, "{target} waits for the rebuild");
        instance.rebuild_again().unwrap();
        assert_eq!(instance.rebuilding().unwrap(), rebuilt, "{target}, begun again");
    }
    let facts = &instance.facts().0;
    let given = facts.get(*fact).map_or("", String::as_str);
    let is_so = given == *value || given.split(',').any(|part| part.trim() == *value);
    assert!(is_so, "{target}: {facts:#?}");
    instance.teardown().unwrap();
    assert_eq!(left(state), Vec::<String>::new(), "{target}");
}

/// Makes each of `targets`; then, for each kind, a process makes one and is killed, and cleanup undoes
/// what it left.
fn work_and_are_undone(targets: &[&(&str, &str, &str)]) {
    let state = tempfile::tempdir().unwrap();
    let lab = lab_for(state.path(), "layers");
    targets.iter().for_each(|target| works(&lab, state.path(), target));
    lab.close().unwrap();
    let mut kinds: Vec<&str> = targets.iter().map(|(target, ..)| *target).collect();
    kinds.dedup_by_key(|target| target.split(['[', '(']).next());
    if let Some(served) = kinds.iter().find(|target| target.starts_with("nfs")) {
        serves_beside_another(served);
        is_measured_as_an_export();
    }
    for (served, ..) in targets.iter().filter(|(target, ..)| target.starts_with("nfs[vers")) {
        gives_up_what_waits_for_a_lost_server(served);
    }
    let rebuilt = targets.iter().map(|(target, ..)| *target).filter(|t| t.contains("resync"));
    for target in kinds.into_iter().chain(rebuilt) {
        let dir = tempfile::tempdir().unwrap();
        kill_and_clean(target, dir.path());
    }
}

/// Makes each of `targets` on more disks.
fn arrays_work(targets: &[&(&str, &str, &str)]) {
    let state = tempfile::tempdir().unwrap();
    let lab = lab_with(state.path(), "arrays", SMALL_IMAGE, ARRAY_DISKS);
    targets.iter().for_each(|target| works(&lab, state.path(), target));
    lab.close().unwrap();
}

/// A server that began while another target stood keeps nothing of it mounted in its own namespace: the
/// other becomes cold and ends meanwhile.
fn serves_beside_another(served: &str) {
    println!("{served}, while ext4 is mounted");
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let lab = |at: usize, name| lab_with(dirs[at].path(), name, SMALL_IMAGE, 1);
    let labs = [lab(0, "other"), lab(1, "served")];
    let other = labs[0].provision(&"ext4".parse().unwrap(), "other").unwrap();
    let served = labs[1].provision(&served.parse().unwrap(), "served").unwrap();
    survives_cold(&other);
    other.teardown().unwrap();
    survives_cold(&served);
    served.teardown().unwrap();
    labs.into_iter().for_each(|lab| drop(lab.close().unwrap()));
}

/// The server of one target is measured as one that a user named: by this program in the network of that, once with
/// an export of root's and once with a user's. Nothing stays of it but what was there.
fn is_measured_as_an_export() {
    println!("{EXPORT}");
    let state = tempfile::tempdir().unwrap();
    let lab = lab_with(state.path(), "server", SMALL_IMAGE, 1);
    let served = lab.provision(&"nfs".parse().unwrap(), "served").unwrap();
    files::write(served.root().join("kept"), "not ours").unwrap();
    let table = files::read_to_string("/proc/self/mountinfo").unwrap();
    let mut mounts = table.lines().filter(|line| line.contains(" - nsfs "));
    let network = mounts.find_map(|line| line.split(' ').nth(4)).unwrap();
    for owner in [0, OTHER_USER] {
        chown(served.root(), Some(owner), None).unwrap();
        let own = tempfile::tempdir().unwrap();
        let mut client = Command::new("nsenter");
        client.arg(format!("--net={network}")).arg(env::current_exe().unwrap());
        client.args(["client", "--exact", "--nocapture"]);
        client.env(CLIENT, own.path()).env(OWNER, owner.to_string());
        assert!(client.status().unwrap().success(), "of user {owner}");
        let names = files::read_dir(served.root()).unwrap().flatten().map(|e| e.file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["kept"], "of user {owner}");
    }
    served.teardown().unwrap();
    drop(lab.close().unwrap());
}

/// Not a test of its own: the process in the network of a server.
#[test]
fn client() {
    let Ok(state) = env::var(CLIENT) else { return };
    let owner: u32 = env::var(OWNER).unwrap().parse().unwrap();
    let state = Path::new(&state);
    let lab = Lab::open(state, "client").unwrap();
    let instance = lab.provision(&EXPORT.parse().unwrap(), "client").unwrap();
    assert_eq!(instance.user().map_or(0, |user| user.uid), owner);
    let listed = Command::new("ls").arg(instance.root()).uid(owner).status().unwrap();
    assert!(listed.success(), "user {owner} does not reach {}", instance.root().display());
    survives_cold(&instance);
    let facts = &instance.facts().0;
    assert!(facts["mount.options"].split(',').any(|option| option == "nosuid"), "{facts:#?}");
    assert_eq!((&*facts["mount.source"], instance.devices().len()), ("127.0.0.1:/work", 0));
    let unseen = instance.persistence().and_then(|persistence| persistence.unseen().cloned());
    assert_eq!(unseen, Some(Unproven::NoDevice("nfs4".into())));
    instance.teardown().unwrap();
    drop(lab.close().unwrap());
    assert_eq!(left(state), Vec::<String>::new());
    if owner == 0 {
        kill_and_clean(EXPORT, state);
    }
}

/// A hard mount would wait for ever.
fn gives_up_what_waits_for_a_lost_server(served: &str) {
    println!("{served}, whose server ends");
    let state = tempfile::tempdir().unwrap();
    let lab = lab_with(state.path(), "lost", SMALL_IMAGE, 1);
    let instance = lab.provision(&served.parse().unwrap(), "lost").unwrap();
    let mut file = File::create(instance.root().join("data")).unwrap();
    file.write_all(&content()).unwrap();
    file.sync_all().unwrap();
    end_servers();
    // What fits in memory is written without the server, which serves on until it has ended.
    let written = |file: &mut File| {
        file.write_all(&content()).unwrap();
        file.sync_all().err()
    };
    let error = (0..100).find_map(|_| {
        file.rewind().unwrap();
        written(&mut file).or_else(|| {
            std::thread::sleep(Duration::from_millis(100));
            None
        })
    });
    let error = error.expect("ten seconds after its server was ended it still serves");
    println!("  {error}");
    assert!(matches!(instance.loss(), Some(LabError::ServerEnded { .. })));
    assert!(instance.make_cold().is_err());
    file.write_all(&content()).unwrap_or_default();
    drop(file);
    instance.teardown().unwrap();
    assert_eq!(left(state.path()), Vec::<String>::new());
    drop(lab.close().unwrap());
}

/// Asks the servers that this process started to end.
fn end_servers() {
    let parent = std::process::id().to_string();
    let run = |program: &str, args: &[&str]| Command::new(program).args(args).status().unwrap();
    assert!(run("pkill", &["-TERM", "-P", &parent, "-x", "sh"]).success());
}

/// Once by its journal, and once by our mark on what it made.
fn kill_and_clean(target: &str, state: &Path) {
    for has_journal in [true, false] {
        kill_and_clean_by(has_journal, target, state);
    }
}

fn kill_and_clean_by(has_journal: bool, target: &str, state: &Path) {
    println!("{target}, killed");
    let victim =
        victim::start(module_path!(), |command| command.env(VICTIM, target).current_dir(state));
    victim::kill(victim);
    assert_ne!(left(state), Vec::<String>::new());
    if !has_journal {
        files::remove_dir_all(state.join("journal")).unwrap();
    }
    let report = lab::cleanup::Cleanup::of(state).run().unwrap();
    assert!(report.failed.is_empty(), "{target}: {report:?}");
    assert_eq!(left(state), Vec::<String>::new(), "{target}: {report:?}");
    assert!(lab::cleanup::Cleanup::of(state).run().unwrap().done.is_empty());
}

/// Not a test of its own: the process that is killed.
#[test]
fn victim() {
    let Ok(target) = env::var(VICTIM) else { return };
    let lab = lab_for(&env::current_dir().unwrap(), "victim");
    let instance = lab.provision(&target.parse().unwrap(), "layers").unwrap();
    files::write(instance.root().join("data"), content()).unwrap();
    victim::wait_for_the_end()
}

/// Here, or in the guest of the next test: everything that can be made.
#[test]
fn targets_of_several_parts_are_made_cold_and_undone() {
    let is_guest = Path::new(OUT).join("guest").exists();
    if is_guest {
        Command::new("modprobe").arg("loop").status().unwrap();
    }
    let mut lacking = Vec::new();
    let mut here = |all: &'static [(&str, &str, &str)]| {
        let is_here = |target: &&(&str, &str, &str)| {
            let why = missing(&target.0.parse().unwrap());
            lacking.extend(why.clone());
            why.is_none()
        };
        all.iter().filter(is_here).collect::<Vec<_>>()
    };
    let (targets, arrays) = (here(TARGETS), here(ARRAYS));
    lacking.iter().for_each(|why| skip(Need::Other, why));
    assert!(!is_guest || lacking.is_empty(), "{lacking:?}");
    if !targets.is_empty() {
        work_and_are_undone(&targets);
    }
    if !arrays.is_empty() {
        arrays_work(&arrays);
    }
}

#[test]
fn targets_that_this_kernel_lacks_are_made_in_a_guest() {
    if TARGETS.iter().chain(ARRAYS).all(|target| missing(&target.0.parse().unwrap()).is_none()) {
        return;
    }
    let uml = match guest::find(LabKind::Uml, None) {
        Ok(uml) => uml,
        Err(missing) => return skip(Need::Uml, missing.what),
    };
    let dir = tempfile::tempdir().unwrap();
    files::write(dir.path().join("guest"), "").unwrap();
    let machine = Machine {
        out: dir.path().into(),
        program: env::current_exe().unwrap(),
        args: ["targets_of_several_parts_are_made_cold_and_undone", "--exact", "--nocapture"]
            .map(String::from)
            .into(),
        disks: Vec::new(),
        assets: Vec::new(),
        cache: lab::programs::artifacts::dir(),
        memory: Bytes(3 << 30),
        timeout: Duration::from_secs(900),
    };
    let ended = guest::run(&*uml, &machine, &AtomicBool::new(false), &mut || {
        Ok::<(), lab::error::LabError>(())
    });
    let log = files::read_to_string(machine.out.join("log")).unwrap_or_default();
    println!("{log}");
    assert_eq!(ended.unwrap(), GuestExit::Exit(0), "{log}");
}
