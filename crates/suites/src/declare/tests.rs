//! Tests of declarations, and of the messages for mistakes.

use super::*;
use model::target::Knob;

fn refusal(text: &str) -> String {
    let none = Options::new();
    suite("mine.toml", Cow::Owned(text.into()), &none).err().unwrap().to_string()
}

#[test]
fn mistakes_name_the_file_and_what_is_wrong() {
    assert!(refusal("name = 'a'\nabout = ").starts_with("mine.toml:2: "));
    assert!(refusal("name = 'a'\nabout = 'b'\ntests = 3").contains("tests"));
    let head = "name = 'mine'\nabout = 'b'\n";
    let of = |test: &str| refusal(&format!("{head}[[test]]\n{test}"));
    assert!(of("id = 'mine.x'").contains("test mine.x: it has no `kind`"));
    assert!(of("kind = 'io'").contains("test (without id): it has no `id`"));
    assert!(of("id = 'mine.x'\nkind = 'nothing'").contains("unknown kind `nothing`"));
    assert!(of("id = 3\nkind = 'io'").contains("`id` must be a string"));
    assert!(refusal("name = 'No Name'\nabout = ''\ntest = []").contains("lower-case letters"));
}

#[test]
fn names_of_declared_tests_are_lines_that_can_be_printed() {
    for (key, text) in [("name", "a\\u001b[2J"), ("name", "a\\nb"), ("testtype", "\\u202ex")] {
        let test = format!("kind = 'io'\nid = 'mine.x'\n{key} = \"{text}\"\n");
        let why = refusal(&format!("name = 'mine'\nabout = 'b'\n[[test]]\n{test}"));
        assert!(why.contains("mine.x") && why.contains("control"), "{why}");
        assert!(!why.contains(model::text::is_unprintable), "{why:?}");
    }
}

/// Values that a declaration may hold but no test, or no arithmetic, can handle; every fourth from the end is also
/// tried for two settings at once.
const EXTREMES: [&str; 12] = [
    "0",
    "1",
    "-1",
    "4294967296",
    "4294967295",
    "1e-308",
    "nan",
    "9223372036854775807",
    "1099511627776",
    "inf",
    "1e308",
    "'16000000T'",
];

/// A declaration of `kind` with `set`, whatever else its settings need.
fn extreme(kind: &str, set: &str) -> String {
    let more = match kind {
        "app" if !set.contains("command") => "command = 'true'\n",
        _ => "",
    };
    let asset = kinds::find(kind).and_then(|kind| kind.knobs.iter().find(|knob| is_asset(knob)));
    let asset = asset.map(|knob| ("assets = ['a']\n", format!("{} = 'a'\n", knob.name)));
    let (assets, named) = asset.unwrap_or_default();
    format!(
        "name = 'x'\nabout = 'y'\n{assets}[[test]]\nkind = '{kind}'\nid = 'x.a'\n{named}{more}{set}"
    )
}

/// Whether the value of `knob` is one of the assets of the suite.
fn is_asset(knob: &Knob) -> bool {
    knob.help.starts_with("name of the asset")
}

/// All that a plan and a page ask of a test, at every scale.
fn ask(test: &dyn Test) {
    for info in test.infos() {
        assert!(!test.explain(&info.id).is_empty());
    }
    for scale in [0.0005, 1.0, 4.0] {
        let job = model::workload::Job {
            scale,
            work: None,
            workers: 1024,
            worker: 1023,
            ..crate::testing::job("x.a", std::path::Path::new("/nowhere"))
        };
        let estimate = test.estimate(&job);
        let bytes = crate::space_bytes(&[(test, job)]);
        for figure in [estimate.write_bytes, estimate.read_bytes, estimate.ops, bytes] {
            assert!(figure <= 3 << 50, "{estimate:?}, {bytes}");
        }
        assert!(estimate.fixed_s.is_finite() && estimate.fixed_s <= 1e7, "{estimate:?}");
    }
}

#[test]
fn no_setting_is_too_large_for_a_plan_or_a_page() {
    for kind in kinds::KINDS {
        let numbers = kind.knobs.iter().filter(|knob| !is_asset(knob));
        let numbers: Vec<&str> = numbers.map(|knob| knob.name).collect();
        let mut sets = vec![String::new()];
        for (i, one) in numbers.iter().enumerate() {
            sets.extend(EXTREMES.map(|value| format!("{one} = {value}")));
            for other in &numbers[i + 1..] {
                let both = |value: &&str| format!("{one} = {value}\n{other} = {value}");
                sets.extend(EXTREMES.iter().rev().step_by(4).map(both));
            }
        }
        let (mut taken, mut refused) = (0, None);
        for set in sets {
            let text = extreme(kind.name, &set);
            let asked = std::panic::catch_unwind(|| {
                let suite = suite("x.toml", Cow::Owned(text), &Options::new())?;
                suite.tests.iter().for_each(|test| ask(*test));
                Ok::<(), DeclarationError>(())
            });
            match asked.unwrap_or_else(|_| panic!("{}: {set}", kind.name)) {
                Ok(()) => taken += 1,
                Err(why) => refused = refused.or(Some(why)),
            }
        }
        assert!(
            taken > 0,
            "{}: no setting is taken; add what it needs to `extreme` of this file: {}",
            kind.name,
            refused.unwrap()
        );
    }
}

#[test]
fn trees_and_materials_are_bounded_in_what_they_make() {
    let none = Options::new();
    let refused = |kind: &str, set: &str, says: &str| {
        let made = suite("x.toml", Cow::Owned(extreme(kind, set)), &none);
        let error = made.err().unwrap_or_else(|| panic!("{set} is taken")).to_string();
        assert!(error.contains(says) && error.len() < 500, "{set}: {error}");
    };
    refused("tree", "branch = 1000000\ndepth = 1", "a million directories");
    refused("tree", "branch = 4294967296\ndepth = 0", "`branch` must be");
    refused("tree", "stride = 4294967295", "`stride` must be");
    refused("tree", "items = 4294967296", "`items` must be");
    refused("io", "files = 4294967295", "`files` must be");
    refused("io", "workers = 4294967295", "`workers` must be");
    refused("io", "runtime_s = 1e308", "at most a day");
    refused("io", "size = '2000T'", "1.0 PiB");
    refused("io", "block = '1G'\nthreads = 1024\nengine = 'io_uring'\ndepth = 4096", "buffers");
    refused("files", "size = '1T'", "`size` must be");
    refused("files", "files = 268435456\nsize = '1G'", "1.0 PiB");
    refused("files", "rounds = 9223372036854775807\naction = 'stat'", "operations");
    let material =
        |kind: &str, rest: &str| format!("material = [{{kind = '{kind}', path = 'm', {rest}}}]");
    refused("app", &material("tree", "files = 10, bytes = '2000T'"), "`bytes` of a material");
    refused("app", &material("tree", "files = 9000000000000, bytes = '1M'"), "1.0 PiB");
    refused("app", &material("wheels", "packages = 1, files = 70000, bytes = 1"), "32766");
    refused("app", &material("wheels", "packages = 1, files = 30000, bytes = '1M'"), "4.0 GiB");
    refused("app", "command = 'true'\ncount = 9223372036854775807", "operations");
}

#[test]
fn ids_of_declared_tests_lead_nowhere() {
    for id in ["x./../../etc", "x.a b", "x.\u{1b}[31m", "x.{a}", "x.é"] {
        let text = format!("name = 'x'\nabout = 'y'\n[[test]]\nkind = 'tree'\nid = {id:?}");
        let text = text.replace("\\u{1b}", "\\u001b");
        let error = refusal(&text);
        assert!(error.contains("ids consist"), "{id:?}: {error}");
        assert!(!error.contains(model::text::is_unprintable), "{error:?}");
    }
    let worker = "suite = 'x'\nkind = 'tree'\nid = 'x./../../etc'";
    assert!(test(worker).err().unwrap().to_string().contains("ids consist"));
    let worker = "suite = '../x'\nkind = 'app'\ncommand = 'true'\nid = '../x.a'";
    assert!(test(worker).err().unwrap().to_string().contains("ids consist"));
}

#[test]
fn a_short_file_makes_no_endless_suite() {
    let many = format!("for.a = {:?}", (0..5000).collect::<Vec<_>>());
    let many = many.replace("for.a", "for.delay_ns");
    let test = |n: u32| {
        format!("[[test]]\nkind = 'io'\nengine = 'null'\nid = 'x.{n}.{{delay_ns}}'\n{many}\n")
    };
    let error = refusal(&format!("name = 'x'\nabout = 'y'\n{}{}{}", test(1), test(2), test(3)));
    assert!(error.contains("more than 10000 tests"), "{error}");
    let long = "y".repeat(200_000);
    let test = format!(
        "[[test]]\nkind = 'io'\nid = 'x.a'\nabout = '{}'\nfor.b = ['{long}']",
        "{b}".repeat(100_000)
    );
    let error = refusal(&format!("name = 'x'\nabout = 'y'\n{test}"));
    assert!(error.contains("longer than"), "{error}");
}

#[test]
fn assets_are_declared_once_and_needed() {
    let of = |assets: &str, command: &str| {
        let test = format!("[[test]]\nkind = 'app'\nid = 'mine.x'\ncommand = '{command}'");
        let text = format!("name = 'mine'\nabout = 'b'\nassets = {assets}\n{test}");
        suite("mine.toml", Cow::Owned(text), &Options::new())
    };
    let suite = of("['a.bin', 'd/b']", "cat {asset:d/b} {asset:a.bin}").unwrap();
    assert_eq!(suite.assets.iter().map(AssetName::as_str).collect::<Vec<_>>(), ["a.bin", "d/b"]);
    assert_eq!(suite.tests[0].assets().len(), 2);
    let why = |assets: &str, command: &str| of(assets, command).err().unwrap().to_string();
    assert!(why("['a']", "cat {asset:b}").contains("asset `b`, which is not declared"));
    assert!(why("['a', 'b']", "cat {asset:a}").contains("no test needs the asset `b`"));
    assert!(why("['a', 'a']", "cat {asset:a}").contains("lists `a` twice"));
    assert!(why("['../a']", "true").contains("below the folder of the suite"));
    assert!(why("[]", "cat {asset:a").contains("has no `}`"));
    let many: Vec<String> = (0..=MOST_ASSETS).map(|n| n.to_string()).collect();
    assert!(why(&format!("{many:?}"), "true").contains("has 65 assets"));
}
