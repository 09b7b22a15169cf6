//! Checks that every registered file system is complete: each test names those that lack something.

use super::placed;
use crate::{
    ALL, About, Cmd, Durability, Facts, Family, FileSystem, Inner, Part, Site, Stores,
    magic::Signature, others::OTHERS,
};
use model::target::{FactSheet, Options};
use std::{collections::BTreeSet, fs, path::Path};

const SETUP: &str = include_str!("../../../../scripts/setup.sh");
const TARGETS: &str = include_str!("../../../../docs/targets.md");

/// Programs of every lab, which no file system brings along.
const OF_EVERY_LAB: &[&str] = &[
    "mount",
    "umount",
    "sh",
    "cat",
    "mkdir",
    "rm",
    "ln",
    "dd",
    "tee",
    "touch",
    "truncate",
    "/proc/self/exe",
];
/// Programs of a package besides the one that its tool names.
const BESIDE: &[(&str, &[&str])] = &[
    ("lvcreate", &["vgcreate", "vgchange", "lvs"]),
    ("mkfs.ext4", &["e2fsck"]),
    ("mkfs.f2fs", &["dump.f2fs"]),
    ("mkfs.jfs", &["jfs_tune"]),
    ("mkfs.ntfs", &["ntfsinfo"]),
    ("mkfs.xfs", &["xfs_repair"]),
    ("zpool", &["zfs"]),
];

/// The names of all file systems of which `lacks` holds.
fn lacking(lacks: impl Fn(&'static dyn FileSystem) -> bool) -> Vec<&'static str> {
    ALL.iter().filter(|fs| lacks(**fs)).map(|fs| fs.about().name).collect()
}

fn lacking_about(lacks: impl Fn(&About) -> bool) -> Vec<&'static str> {
    lacking(|fs| lacks(fs.about()))
}

#[test]
fn each_says_how_a_disk_is_known_to_hold_it() {
    let unsaid = lacking_about(|about| match about.signature {
        Signature::Unsaid => true,
        Signature::Magic(all) => all.is_empty(),
        Signature::Read(kind) => kind.is_empty(),
        Signature::Without(why) => why.is_empty(),
    });
    assert!(unsaid.is_empty(), "no `signature` in About: {unsaid:?}");
}

#[test]
fn each_says_what_it_stores_and_what_it_keeps() {
    let unsaid = lacking_about(|about| {
        let mounted = about.mounted;
        mounted.stores == Stores::Unsaid || mounted.durability == Durability::Unsaid
    });
    assert!(unsaid.is_empty(), "no `mounted` in About: {unsaid:?}");
}

#[test]
fn no_two_have_one_type_in_the_mount_table() {
    let mut seen = BTreeSet::new();
    let made = ALL.iter().flat_map(|fs| fs.about().mounted.types);
    let all = made.chain(OTHERS.iter().flat_map(|other| other.types));
    let twice: Vec<_> = all.filter(|kind| !seen.insert(**kind)).collect();
    assert!(twice.is_empty(), "in `mounted` of two, or also in others.rs: {twice:?}");
}

#[test]
fn each_has_facts_with_sources_or_says_why_it_has_none() {
    let unsaid = lacking_about(|about| match about.facts {
        Facts::Unsaid => true,
        Facts::Without(why) => why.is_empty(),
        Facts::Sheet(text) => {
            let sheet: FactSheet =
                toml::from_str(text).unwrap_or_else(|why| panic!("facts of {}: {why}", about.name));
            let is_bare = |fact: &model::target::Fact| {
                [&fact.source, &fact.scope, &fact.as_of, &fact.checked_by]
                    .iter()
                    .any(|text| text.trim().is_empty())
            };
            sheet.file_system != about.name
                || sheet.facts.is_empty()
                || sheet.facts.iter().any(is_bare)
        }
    });
    assert!(unsaid.is_empty(), "no `facts` with name, source, scope and date: {unsaid:?}");
}

/// Every sheet next to the files belongs to a file system.
#[test]
fn each_sheet_of_facts_is_used() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/systems");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sheets: BTreeSet<&str> = crate::sheets().map(|(_, text)| text).collect();
    let unused: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .filter(|path| !sheets.contains(&*fs::read_to_string(path).unwrap()))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn each_program_that_it_runs_is_a_tool() {
    let missing: Vec<_> = ALL
        .iter()
        .flat_map(|fs| {
            let about = fs.about();
            let tools: Vec<&str> = about.tools.iter().map(|tool| tool.program).collect();
            let beside = BESIDE.iter().filter(|(program, _)| tools.contains(program));
            let beside = beside.flat_map(|(_, programs)| *programs).copied();
            let known: BTreeSet<&str> =
                beside.chain(OF_EVERY_LAB.iter().copied()).chain(tools.iter().copied()).collect();
            let programs = running(*fs).into_iter().map(|cmd| cmd.program);
            let missing = programs.filter(move |program| !known.contains(&**program));
            missing.map(|program| (about.name, program))
        })
        .collect();
    assert!(missing.is_empty(), "not in `tools` of About: {missing:?}");
}

/// What a plain one is made, mounted, checked and described with.
fn running(fs: &'static dyn FileSystem) -> Vec<Cmd> {
    let (part, site) = plain(fs);
    let said = [part.fs.check(&site), part.fs.version(), part.fs.geometry(&site)];
    let mkfs = part.fs.mkfs(&site, &part.options);
    let up = part.fs.mount(&site, &part.options);
    [mkfs, up, part.fs.unmount(&site)]
        .concat()
        .into_iter()
        .chain(said.into_iter().flatten())
        .collect()
}

/// A plain one, and where it is.
fn plain(fs: &'static dyn FileSystem) -> (Part, Site) {
    let name = fs.about().name;
    // An object store alone shows no files.
    let is_store = fs.about().inner == Inner::Store;
    let target = if is_store { format!("rclone({name})") } else { name.into() };
    let (parts, sites) = placed(&target, None);
    let own = parts.into_iter().zip(sites).find(|(part, _)| part.fs.about().name == name);
    own.unwrap()
}

#[test]
fn each_package_is_one_name() {
    let wrong = lacking_about(|about| {
        let packages = about.tools.iter().flat_map(|tool| tool.packages);
        packages.into_iter().any(|name| name.contains(char::is_whitespace))
    });
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What `scripts/setup.sh` installs is what the tools say, and each has its package there or says why not.
#[test]
fn each_is_installed_by_the_setup_or_says_why_not() {
    let for_users = SETUP.split("\n# What only tests run.\n").next().unwrap();
    let is_in_setup = |package: &str| words(for_users).any(|word| word == package);
    let unsaid = lacking_about(|about| {
        let packages = about.tools.iter().filter(|tool| tool.is_packaged());
        let mut packages = packages.map(|tool| tool.package(Family::Debian));
        about.not_in_setup.is_empty() && packages.any(|package| !is_in_setup(package))
    });
    assert!(
        unsaid.is_empty(),
        "a package is not in scripts/setup.sh before what only tests run, and no `not_in_setup`: {unsaid:?}"
    );
    let said = lacking_about(|about| {
        let packages = about.tools.iter().map(|tool| tool.package(Family::Debian));
        !about.not_in_setup.is_empty() && packages.into_iter().all(is_in_setup)
    });
    assert!(said.is_empty(), "in scripts/setup.sh all the same: {said:?}");
}

#[test]
fn the_setup_calls_packages_as_the_tools_do() {
    let tools: Vec<_> = ALL.iter().flat_map(|fs| fs.about().tools).collect();
    let mut lines = 0;
    for line in SETUP.lines().filter(|line| line.contains(" || want ")) {
        let quoted: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
        let [program, debian, rhel] = quoted[..] else { continue };
        let Some(tool) = tools.iter().find(|tool| tool.program == program) else { continue };
        lines += 1;
        let has =
            |list: &str, family| list.is_empty() || words(list).any(|p| p == tool.package(family));
        assert!(!debian.is_empty() && has(debian, Family::Debian), "{program}: {debian}");
        assert!(has(rhel, Family::Rhel), "{program}: {rhel}, not {}", tool.package(Family::Rhel));
    }
    assert!(lines > 15, "{lines} lines were read");
}

#[test]
fn each_is_in_the_page_of_targets() {
    let rows = TARGETS.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let layers = TARGETS.split("\nLayers: ").nth(1).unwrap().split("Each is documented").next();
    let told: BTreeSet<&str> = rows.chain(layers).flat_map(words).collect();
    let untold = lacking_about(|about| !told.contains(about.name));
    assert!(
        untold.is_empty(),
        "no row in docs/targets.md, and not in its sentence \"Layers:\": {untold:?}"
    );
}

/// A part that other parts are on mounts nothing itself, and the kernel does not know it by its name.
#[test]
fn each_that_the_kernel_knows_has_a_type_in_the_mount_table() {
    let untyped = lacking_about(|about| {
        about.kernel_name == Some(about.name) && !about.mounted.is(about.name)
    });
    assert!(
        untyped.is_empty(),
        "neither a type in `mounted` nor `kernel_name: None` in About: {untyped:?}"
    );
}

/// What offers a disk is in the kernel, from which it must go again.
#[test]
fn each_layer_offers_a_disk_and_gives_it_back() {
    let without = |has: fn(&Part, &Site) -> bool| {
        lacking(|fs| {
            let (part, site) = plain(fs);
            fs.about().inner == Inner::Above && !has(&part, &site)
        })
    };
    let offers = without(|part, site| !part.fs.offers(site).is_empty());
    assert!(offers.is_empty(), "no `offers`: {offers:?}");
    let unmount =
        without(|part, site| part.fs.unmount(site) != [Cmd::new("umount").arg(&site.dir)]);
    assert!(unmount.is_empty(), "no `unmount`: {unmount:?}");
    let undo = without(|part, site| {
        // The kernel detaches it from a server that has ended.
        part.fs.about().name == "nbd" || !part.fs.undo(site).is_empty()
    });
    assert!(undo.is_empty(), "no `undo`: {undo:?}");
    let modules = lacking_about(|about| about.inner == Inner::Above && about.modules.is_empty());
    assert!(modules.is_empty(), "no `modules` in About: {modules:?}");
}

#[test]
fn each_on_several_disks_says_what_they_belong_to() {
    let unsaid = lacking(|fs| fs.disks(&Options::new()) > 1 && fs.about().member_of.is_empty());
    assert!(unsaid.is_empty(), "no `member_of` in About: {unsaid:?}");
}

/// The commands are compared with text next to the code that makes them.
#[test]
fn each_has_its_commands_in_a_test() {
    let tests = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/systems"));
    let untested = lacking_about(|about| {
        let starts = ["commands(\"", "over(\"", "("].map(|start| format!("{start}{}", about.name));
        let found = |start: &String| {
            tests
                .match_indices(start)
                .any(|(at, _)| tests[at + start.len()..].starts_with(['"', '(', '[']))
        };
        !starts.iter().any(found)
    });
    assert!(
        untested.is_empty(),
        "no test compares what `commands(\"NAME\")` returns: {untested:?}"
    );
}

/// The text of all Rust files below `folder`.
fn sources(folder: &Path) -> String {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = paths.map(|path| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(ending) if ending == "rs" => fs::read_to_string(&path).unwrap(),
        _ => String::new(),
    });
    texts.collect()
}

#[test]
fn each_on_a_device_has_a_least_size() {
    let unsaid = lacking(|fs| {
        let about = fs.about();
        // A layer that writes nothing of its own to the disk needs no room.
        let has_own = about.inner == Inner::None || is_on_disk(about.signature);
        fs.has_device() && has_own && about.min_bytes == 0
    });
    assert!(unsaid.is_empty(), "no `min_bytes` in About: {unsaid:?}");
}

fn is_on_disk(signature: Signature) -> bool {
    matches!(signature, Signature::Magic(_) | Signature::Read(_))
}

/// Tests that make targets on this machine or in a guest.
const MAKING: [&str; 5] = [
    include_str!("../../../assay/tests/every_target.rs"),
    include_str!("../../../assay/tests/crash.rs"),
    include_str!("../../../lab/tests/layers.rs"),
    include_str!("../../../lab/tests/fuse.rs"),
    include_str!("../../../lab/tests/durable.rs"),
];

#[test]
fn each_is_really_made_by_a_test() {
    let is_made = |about: &About| {
        // Alone, or on another one.
        let starts = ["\"", "("]
            .iter()
            .flat_map(|start| ["\"", "(", "["].map(|end| format!("{start}{}{end}", about.name)));
        starts.into_iter().any(|start| MAKING.iter().any(|text| text.contains(&start)))
    };
    // `trials.rs` of the lab makes every trial.
    let untried = lacking_about(|about| about.trials.is_empty() && !is_made(about));
    assert!(untried.is_empty(), "not in every_target.rs, layers.rs or fuse.rs: {untried:?}");
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_+.".contains(c)))
        .map(|word| word.trim_end_matches('.'))
}
