//! Nothing is forgotten of a registered file system: each test names the ones of which something is missing.

use super::placed;
use crate::{
    ALL, About, Cmd, Durability, Facts, Family, FileSystem, Inner, Stores, magic::Signature,
    others::OTHERS,
};
use model::target::FactSheet;
use std::{collections::BTreeSet, fs, path::Path};

const SETUP: &str = include_str!("../../../../scripts/setup.sh");
const TARGETS: &str = include_str!("../../../../docs/targets.md");

/// Programs of every lab, which no file system brings along.
const OF_EVERY_LAB: &[&str] = &[
    "mount",
    "umount",
    "sh",
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
const BESIDE: &[(&str, &[&str])] = &[("lvcreate", &["vgcreate", "vgchange"])];

/// The names of all file systems of which `lacks` holds.
fn lacking(lacks: impl Fn(&dyn FileSystem) -> bool) -> Vec<&'static str> {
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
fn each_program_that_makes_one_is_a_tool() {
    let tools = ALL.iter().flat_map(|fs| fs.about().tools).map(|tool| tool.program);
    let beside = BESIDE.iter().flat_map(|(_, programs)| *programs).copied();
    let known: BTreeSet<&str> = tools.chain(beside).chain(OF_EVERY_LAB.iter().copied()).collect();
    let of = |fs: &'static dyn FileSystem| {
        let programs = making(fs).into_iter().map(|cmd| cmd.program);
        programs.map(move |program| (fs.about().name, program))
    };
    let made = ALL.iter().flat_map(|fs| of(*fs));
    let missing: Vec<_> = made.filter(|(_, program)| !known.contains(&**program)).collect();
    assert!(missing.is_empty(), "not in `tools` of About: {missing:?}");
}

/// What a plain one is made and mounted with.
fn making(fs: &'static dyn FileSystem) -> Vec<Cmd> {
    let name = fs.about().name;
    // An object store alone shows no files.
    let is_store = fs.about().inner == Inner::Store;
    let target = if is_store { format!("rclone({name})") } else { name.into() };
    let (parts, sites) = placed(&target, None);
    let own = parts.iter().zip(&sites).find(|(part, _)| part.fs.about().name == name);
    let (part, site) = own.unwrap();
    let mkfs = part.fs.mkfs(site, &part.options);
    mkfs.into_iter().chain(part.fs.mount(site, &part.options)).collect()
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
    let is_in_setup = |package: &str| words(SETUP).any(|word| word == package);
    let unsaid = lacking_about(|about| {
        let packages = about.tools.iter().filter(|tool| tool.is_packaged());
        let mut packages = packages.map(|tool| tool.package(Family::Debian));
        about.not_in_setup.is_empty() && packages.any(|package| !is_in_setup(package))
    });
    assert!(unsaid.is_empty(), "a package is not in scripts/setup.sh: {unsaid:?}");
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
fn each_is_told_of_in_the_page_of_targets() {
    let untold = lacking_about(|about| !words(TARGETS).any(|word| word == about.name));
    assert!(untold.is_empty(), "not in docs/targets.md: {untold:?}");
}

#[test]
fn each_on_a_device_has_a_least_size() {
    let unsaid = lacking(|fs| {
        let about = fs.about();
        fs.has_device() && about.inner == Inner::None && about.min_bytes == 0
    });
    assert!(unsaid.is_empty(), "no `min_bytes` in About: {unsaid:?}");
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
        let starts = ["\"", "(", "["].map(|end| format!("\"{}{end}", about.name));
        MAKING.iter().any(|text| starts.iter().any(|start| text.contains(start)))
    };
    // `trials.rs` of the lab makes every trial.
    let untried = lacking_about(|about| about.trials.is_empty() && !is_made(about));
    assert!(untried.is_empty(), "not in every_target.rs, layers.rs or fuse.rs: {untried:?}");
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_+.".contains(c)))
        .map(|word| word.trim_end_matches('.'))
}
