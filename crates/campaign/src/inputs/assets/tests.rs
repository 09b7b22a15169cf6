//! Assets are found below the folder of their suite alone, copied once, and never taken for others.

use super::{shelf, source::Folder, *};
use crate::messages::refusal::{self, Refusal};
use model::plan::Plan;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::Path,
};

/// A folder with a suite, and the name of its file.
fn folder() -> (tempfile::TempDir, String) {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir_all(top.path().join("s/data")).unwrap();
    fs::write(top.path().join("s/data/keys.csv"), "abc").unwrap();
    fs::write(top.path().join("secret"), "precious").unwrap();
    fs::write(top.path().join("s/mine.toml"), "").unwrap();
    let suite = top.path().join("s/mine.toml").to_str().unwrap().to_string();
    (top, suite)
}

fn name(text: &str) -> AssetName {
    text.parse().unwrap()
}

fn look(suite: &str, name: &AssetName) -> Result<Asset, AssetError> {
    let author = Folder::of(suite).unwrap().author("").unwrap().unwrap();
    author.look(name, &AtomicBool::new(false))
}

/// The assets `names` of `suite`, whose text was read as empty.
fn of_suite(suite: &str, names: &BTreeSet<AssetName>, known: &[Asset]) -> Result<Vec<Asset>> {
    super::of_suite((suite, ""), names, known, &AtomicBool::new(false))
}

fn keep(plan: &Plan, state: &Path) -> Result<Shelf> {
    shelf::keep(plan, state, &AtomicBool::new(false))
}

fn plan(suite: &str) -> Plan {
    let names = BTreeSet::from([name("data/keys.csv")]);
    Plan { assets: of_suite(suite, &names, &[]).unwrap(), ..Plan::default() }
}

#[test]
fn asset_has_length_and_hash() {
    let (_top, suite) = folder();
    let asset = look(&suite, &name("data/keys.csv")).unwrap();
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!((asset.bytes, asset.sha256.to_string().as_str()), (Bytes(3), abc));
}

#[test]
fn names_stay_below_the_folder() {
    let (top, suite) = folder();
    let at = |path: &str| top.path().join(path);
    symlink("../secret", at("s/up")).unwrap();
    symlink(at("secret"), at("s/absolute")).unwrap();
    symlink("..", at("s/folder")).unwrap();
    symlink("/proc/self/root", at("s/root")).unwrap();
    symlink("data/keys.csv", at("s/inside")).unwrap();
    for out in ["up", "absolute", "folder/secret", "root/etc/passwd"] {
        let why = look(&suite, &name(out)).unwrap_err().to_string();
        assert!(why.contains("leads out of the folder") && why.contains(&suite), "{out}: {why}");
    }
    assert_eq!(look(&suite, &name("inside")).unwrap().bytes, Bytes(3));
}

#[test]
fn suite_of_another_user_names_no_file_of_this_one() {
    if !rustix::process::geteuid().is_root() {
        return needs::skip(needs::Need::Root, "files of another user");
    }
    let (top, suite) = folder();
    let give = |path: &str| chown(top.path().join(path), Some(65534), None).unwrap();
    let look = || look(&suite, &name("data/keys.csv"));
    give("s/mine.toml");
    let why = look().unwrap_err().to_string();
    assert!(why.contains("`data/keys.csv` does not belong to the owner of suite"), "{why}");
    give("s/data/keys.csv");
    assert_eq!(look().unwrap().bytes, Bytes(3));
}

#[test]
fn folder_that_is_swapped_after_its_suite_was_read_gives_no_asset() {
    let (top, suite) = folder();
    let (read, at) = (fs::read_to_string(&suite).unwrap(), |path: &str| top.path().join(path));
    let names = BTreeSet::from([name("data/keys.csv")]);
    let find = |text: &str| super::of_suite((&suite, text), &names, &[], &AtomicBool::new(false));
    assert_eq!(find(&read).unwrap().len(), 1);
    // The folder of another user takes its place, with a suite of that user.
    fs::rename(at("s"), at("old")).unwrap();
    fs::create_dir_all(at("private/data")).unwrap();
    fs::write(at("private/data/keys.csv"), "secret").unwrap();
    fs::write(at("private/mine.toml"), "name = 'other'").unwrap();
    symlink("private", at("s")).unwrap();
    let why = find(&read).unwrap_err().to_string();
    assert!(why.contains("is not the one that was read before"), "{why}");
    // One that is swapped later changes nothing either: the folder stays open.
    let author = Folder::of(&suite).unwrap().author("name = 'other'").unwrap().unwrap();
    fs::remove_file(at("s")).unwrap();
    fs::rename(at("old"), at("s")).unwrap();
    let asset = author.look(&name("data/keys.csv"), &AtomicBool::new(false)).unwrap();
    assert_eq!(asset.bytes, Bytes(6));
}

#[test]
fn stopped_look_at_assets_ends_at_once() {
    let (_top, suite) = folder();
    let names = BTreeSet::from([name("data/keys.csv")]);
    let found = super::of_suite((&suite, ""), &names, &[], &AtomicBool::new(true));
    let why = found.unwrap_err();
    assert!(matches!(why.downcast_ref(), Some(Refusal::Stopped(_))), "{why}");
}

#[test]
fn irregular_asset_is_refused_without_blocking() {
    let (top, suite) = folder();
    let pipe = top.path().join("s/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for other in ["pipe", "data"] {
        let why = look(&suite, &name(other)).unwrap_err().to_string();
        assert!(why.contains("not a regular file"), "{why}");
    }
    assert!(matches!(look(&suite, &name("none")), Err(AssetError::Unusable { .. })));
}

#[test]
fn copy_is_made_once_and_survives_its_source() {
    let ((top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let plan = plan(&suite);
    let shelf = keep(&plan, state.path()).unwrap();
    let file = shelf.files(&plan.assets).remove(0);
    assert_eq!(fs::read_to_string(&file.path).unwrap(), "abc");
    assert_eq!(fs::metadata(&file.path).unwrap().permissions().mode() & 0o777, 0o444);
    drop(shelf);
    fs::remove_dir_all(top.path().join("s")).unwrap();
    keep(&plan, state.path()).unwrap();
    assert_eq!(fs::read_dir(state.path().join("assets")).unwrap().count(), 1);
}

#[test]
fn copy_keeps_the_ending_of_the_name() {
    let ((top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let names = ["a.csv.gz", "d.x/b c'd.bin", "d.x/plain", ".hidden", "é.ü"];
    fs::create_dir(top.path().join("s/d.x")).unwrap();
    names.iter().for_each(|name| fs::write(top.path().join("s").join(name), "abc").unwrap());
    let names: BTreeSet<AssetName> = names.into_iter().map(name).collect();
    let plan = Plan { assets: of_suite(&suite, &names, &[]).unwrap(), ..Plan::default() };
    let shelf = keep(&plan, state.path()).unwrap();
    let files = shelf.files(&plan.assets);
    let ending = |file: &AssetFile| file.path.file_name().unwrap().to_str().unwrap()[64..].into();
    let endings: Vec<String> = files.iter().map(ending).collect();
    assert_eq!(endings, ["", ".csv.gz", ".bin", "", ".ü"]);
    files.iter().for_each(|file| verify(file).unwrap());
    drop(shelf);
    let needed = BTreeSet::from([plan.assets[0].sha256]);
    assert_eq!(clear(state.path(), &needed, false).unwrap(), Unneeded::Removed(Vec::new()));
}

#[test]
fn asset_that_is_gone_or_another_is_refused_by_name() {
    let ((top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let plan = plan(&suite);
    let refused = || keep(&plan, state.path()).unwrap_err().to_string();
    fs::write(top.path().join("s/data/keys.csv"), "abd").unwrap();
    let why = refused();
    assert!(
        why.contains("`data/keys.csv`") && why.contains(&suite) && why.contains("3 B and SHA-256"),
        "{why}"
    );
    fs::remove_file(top.path().join("s/data/keys.csv")).unwrap();
    assert!(refused().contains("No such file"));
    assert_eq!(fs::read_dir(state.path().join("assets")).unwrap().count(), 0, "nothing is left");
}

#[test]
fn source_that_grows_does_not_fill_the_disk() {
    let ((top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let plan = plan(&suite);
    let file = fs::File::create(top.path().join("s/data/keys.csv")).unwrap();
    file.set_len(1 << 30).unwrap();
    let why = keep(&plan, state.path()).unwrap_err().to_string();
    assert!(why.contains("the file there is longer than 3 B"), "{why}");
}

#[test]
fn copy_that_cannot_be_written_is_not_the_fault_of_the_source() {
    let (_top, suite) = folder();
    let mut full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let asset = &plan(&suite).assets[0];
    let failed = shelf::fill(&mut full, asset, Path::new("/s"), &AtomicBool::new(false));
    let why = failed.unwrap_err().to_string();
    assert!(why.starts_with("cannot write /s/ba78") && why.contains("No space left"), "{why}");
}

#[test]
fn signal_ends_reading_and_leaves_whole_copies_alone() {
    let ((_top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let plan = plan(&suite);
    let stopped = || {
        let why = shelf::keep(&plan, state.path(), &AtomicBool::new(true)).unwrap_err();
        matches!(why.downcast_ref::<refusal::Refusal>(), Some(refusal::Refusal::Stopped(_)))
    };
    let copies = || fs::read_dir(state.path().join("assets")).unwrap().count();
    assert!(stopped());
    assert_eq!(copies(), 0);
    drop(keep(&plan, state.path()).unwrap());
    assert!(stopped());
    assert_eq!(copies(), 1);
}

#[test]
fn copy_that_was_changed_is_made_again() {
    let ((_top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let plan = plan(&suite);
    let path = keep(&plan, state.path()).unwrap().files(&plan.assets).remove(0).path;
    fs::remove_file(&path).unwrap();
    fs::write(&path, "abcd").unwrap();
    keep(&plan, state.path()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "abc");
}

#[test]
fn known_asset_is_taken_from_the_plan() {
    let (top, suite) = folder();
    let known = plan(&suite).assets;
    fs::remove_dir_all(top.path().join("s")).unwrap();
    let names = BTreeSet::from([name("data/keys.csv")]);
    assert_eq!(of_suite(&suite, &names, &known).unwrap(), known);
    assert!(of_suite(&suite, &names, &[]).is_err());
}

#[test]
fn total_length_of_assets_is_bounded() {
    let (_top, suite) = folder();
    let asset = Asset { bytes: Bytes(1 << 39), ..plan(&suite).assets.remove(0) };
    assert!(bounded(vec![asset.clone(); 2]).is_ok());
    let why = bounded(vec![asset; 3]).unwrap_err().to_string();
    assert!(why.contains("the limit is 1.0 TiB"), "{why}");
}

#[test]
fn error_of_a_host_names_the_missing_copy() {
    let ((_top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let plan = plan(&suite);
    let file = keep(&plan, state.path()).unwrap().files(&plan.assets).remove(0);
    verify(&file).unwrap();
    fs::remove_file(&file.path).unwrap();
    let why = verify(&file).unwrap_err().to_string();
    assert!(why.contains("`data/keys.csv` is not in") && why.contains("No such file"), "{why}");
    for other in ["abd", "abcd", ""] {
        fs::write(&file.path, other).unwrap();
        assert!(matches!(verify(&file), Err(AssetError::NotHere { .. })), "{other}");
    }
}

#[test]
fn bytes_not_resident_may_have_been_read() {
    let ((top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let devices = lab::observe::counted_on(state.path()).unwrap();
    if devices.is_empty() {
        return needs::skip(needs::Need::Other, "temporary files are in memory");
    }
    fs::write(top.path().join("s/data/keys.csv"), vec![1; 1 << 16]).unwrap();
    let plan = plan(&suite);
    let files = keep(&plan, state.path()).unwrap().files(&plan.assets);
    let job = |memory| Job { assets: files.clone(), memory, ..crate::tools::tests::job(None, 1) };
    // It was written and read just now, so it is in memory.
    let warmed = job(Bytes(1 << 30));
    assert_eq!(read_bytes(&warmed, &devices).unwrap(), 0);
    assert_eq!(read_bytes(&warmed, &[]).unwrap(), 0);
    assert_eq!(read_bytes(&job(Bytes(1 << 16)), &devices).unwrap(), 1 << 16);
    assert_eq!(read_bytes(&job(Bytes(1 << 16)), &[]).unwrap(), 0);
}

#[test]
fn unneeded_copies_are_removed_unless_a_campaign_runs() {
    let ((_top, suite), state) = (folder(), tempfile::tempdir().unwrap());
    let plan = plan(&suite);
    let clear = |needed: &[ContentHash], dry_run| {
        clear(state.path(), &needed.iter().copied().collect(), dry_run).unwrap()
    };
    assert_eq!(clear(&[], false), Unneeded::Removed(Vec::new()));
    let shelf = keep(&plan, state.path()).unwrap();
    let path: &Path = &shelf.files(&plan.assets)[0].path.clone();
    assert_eq!(clear(&[], false), Unneeded::InUse);
    drop(shelf);
    assert_eq!(clear(&[plan.assets[0].sha256], false), Unneeded::Removed(Vec::new()));
    assert_eq!(clear(&[], true), Unneeded::Removed(vec![path.into()]));
    assert!(path.exists());
    assert_eq!(clear(&[], false), Unneeded::Removed(vec![path.into()]));
    assert!(!path.exists());
}

#[test]
fn copy_goes_out_once_and_comes_in_checked() {
    let ((_top, suite), [from, to]) = (folder(), [(); 2].map(|()| tempfile::tempdir().unwrap()));
    let plan = plan(&suite);
    let assets = [plan.assets[0].clone(), plan.assets[0].clone()];
    assert!(outgoing(&assets, from.path()).unwrap().is_empty());
    let file = keep(&plan, from.path()).unwrap().files(&plan.assets).remove(0);
    let mut copies = outgoing(&assets, from.path()).unwrap();
    assert_eq!(copies.len(), 1, "one content is one copy");
    let shelf = Incoming::open(to.path()).unwrap();
    shelf.check_room(&[&assets[0]]).unwrap();
    let path = shelf.put(&assets[0], &mut copies[0]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "abc");
    // Also what is there already is not taken on trust.
    for (other, why) in [("abd", "it has 3 B and"), ("abcd", "longer than 3 B"), ("", "it has 0 B")]
    {
        let told = shelf.put(&assets[0], &mut other.as_bytes()).unwrap_err().to_string();
        assert!(told.contains("`data/keys.csv`") && told.contains(why), "{told}");
    }
    fs::remove_file(&path).unwrap();
    assert!(shelf.put(&assets[0], &mut &b"abd"[..]).is_err());
    assert_eq!(fs::read_dir(to.path().join("assets")).unwrap().count(), 0, "nothing is left");
    let none = BTreeSet::new();
    assert_eq!(clear(to.path(), &none, false).unwrap(), Unneeded::InUse);
    // A copy that was changed does not go out.
    fs::remove_file(&file.path).unwrap();
    fs::write(&file.path, "abd").unwrap();
    let mut changed = outgoing(&assets, from.path()).unwrap().remove(0);
    let why = changed.read_to_end(&mut Vec::new()).unwrap_err().to_string();
    assert!(why.contains("`data/keys.csv` was changed"), "{why}");
}
