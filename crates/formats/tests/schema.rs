//! The JSON Schema against what is exported: all of it passes, and nothing with a field more, a field less or a value
//! of another kind does. A small checker of the keywords that the schema uses is below; it refuses any other keyword.
#![allow(clippy::unwrap_used)]

use formats::{export, published};
use model::{
    figure::{Histogram, LatencyKind, Series},
    plan::{BackingPlan, LabChoice, ObjectStore, Order, Plan, Preset, Purge, Scale},
    result::{
        AfterFault, Change, CrashStates, DamagedPlace, Dataset, ErrnoCount, FailedWrite,
        FailedWrites, Failing, FaultOnDisk, FileHistory, Fill, Found, Freed, FsyncAnswer,
        FullAnswer, FullAnswers, FullCall, FullDisk, FullOperation, FullRefusal, FullSpeed,
        FullTry, Harm, LegFault, MirrorReads, Mirrors, Moment, ReadBack, ReadFrom, Reason, Scrub,
        SilentFault, SnapshotLevel, SnapshotMoment, SnapshotOperation, SnapshotReads,
        SnapshotSpeed, SnapshotTry, Snapshots, Spread, TargetState, TurnedBits, Validity,
    },
    strategies::{dataset, notes},
    target::{LeftOut, Sweep, SweepMode, Target, TargetNames},
    text::Bytes,
    workload::{Asset, ContentHash, DataKind, GridCell, Numa, Shape, TestSize, Work},
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Keywords that only describe.
const ANNOTATIONS: [&str; 5] = ["$schema", "$id", "$defs", "title", "description"];

fn schema() -> Value {
    serde_json::from_str(export::json_schema()).unwrap()
}

fn exported(data: &Dataset) -> Value {
    serde_json::from_slice(&export::json(data).unwrap()[0].1).unwrap()
}

/// Why `value` is not of `schema`, with the path; `None` when it is.
fn fault(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    for (keyword, rule) in schema.as_object().unwrap() {
        let found = match keyword.as_str() {
            "properties" | "required" | "additionalProperties" => continue,
            "$ref" => {
                let at = rule.as_str().unwrap().strip_prefix('#').unwrap();
                fault(root, root.pointer(at).unwrap(), value, path)
            }
            "oneOf" => {
                let fits = |rule: &&Value| fault(root, rule, value, path).is_none();
                let count = rule.as_array().unwrap().iter().filter(fits).count();
                (count != 1).then(|| format!("{path}: fits {count} of several, not one"))
            }
            "items" => value.as_array().and_then(|items| {
                let mut items = items.iter().enumerate();
                items.find_map(|(i, item)| fault(root, rule, item, &format!("{path}/{i}")))
            }),
            keyword => {
                let fits = simple(keyword, rule, value);
                (!fits).then(|| format!("{path}: {value} breaks {keyword} {rule}"))
            }
        };
        if found.is_some() {
            return found;
        }
    }
    value.as_object().and_then(|object| fields(root, schema, object, path))
}

/// The keywords that look at one value alone.
fn simple(keyword: &str, rule: &Value, value: &Value) -> bool {
    match keyword {
        "type" => match rule {
            Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
            kind => is_of(kind, value),
        },
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "minItems" => value.as_array().is_none_or(|a| a.len() as u64 >= rule.as_u64().unwrap()),
        "pattern" => {
            assert_eq!(rule, "^[0-9a-f]{64}$", "the checker knows no other pattern");
            let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            value.as_str().is_none_or(|text| text.len() == 64 && text.bytes().all(is_hex))
        }
        "minProperties" => {
            value.as_object().is_none_or(|o| o.len() as u64 >= rule.as_u64().unwrap())
        }
        "maxProperties" => {
            value.as_object().is_none_or(|o| o.len() as u64 <= rule.as_u64().unwrap())
        }
        "maxItems" => value.as_array().is_none_or(|a| a.len() as u64 <= rule.as_u64().unwrap()),
        _ => {
            assert!(ANNOTATIONS.contains(&keyword), "the checker does not know {keyword}");
            true
        }
    }
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the checker does not know the type {other}"),
    }
}

fn fields(root: &Value, schema: &Value, object: &Map<String, Value>, path: &str) -> Option<String> {
    let required = schema["required"].as_array().into_iter().flatten();
    let mut missing = required.filter(|name| !object.contains_key(name.as_str().unwrap()));
    if let Some(name) = missing.next() {
        return Some(format!("{path}: {name} is missing"));
    }
    object.iter().find_map(|(name, value)| {
        let path = format!("{path}/{name}");
        match (schema.pointer(&format!("/properties/{name}")), &schema["additionalProperties"]) {
            (Some(rule), _) => fault(root, rule, value, &path),
            (None, Value::Bool(false)) => Some(format!("{path}: is not in the schema")),
            (None, rule) if rule.is_object() => fault(root, rule, value, &path),
            (None, _) => None,
        }
    })
}

fn whole_fault(value: &Value) -> Option<String> {
    let root = schema();
    fault(&root, &root, value, "")
}

/// A backing of which every field is given.
fn backing() -> BackingPlan {
    BackingPlan {
        dir: Some("/mnt/a".into()),
        size: Some(Bytes(1 << 40)),
        made: Some(Bytes(1 << 40)),
        devices: vec!["/dev/disk/by-id/a".into()],
        purge: Some(Purge::ZeroRange),
        condition: true,
        split: true,
        object_store: Some(ObjectStore {
            prefix: "base".into(),
            ..std::str::FromStr::from_str("https://files.lan/bucket").unwrap()
        }),
    }
}

fn asset() -> Asset {
    Asset {
        suite: "a.toml".into(),
        name: "data/keys.csv".parse().unwrap(),
        bytes: Bytes(3),
        sha256: ContentHash::of_bytes([7; 32]),
    }
}

fn full_disk() -> FullDisk {
    let (done, refused) = (FullAnswer::Done, FullAnswer::Refused(28));
    let speed = FullSpeed {
        percent: 95,
        operation: FullOperation::Append,
        time: Spread::of(vec![1, 2]),
        refused: Some(28),
    };
    let one = FullTry {
        refused: Some(FullRefusal { call: FullCall::Write, errno: 28 }),
        user_bytes: 1,
        after_sync_bytes: 0,
        said_free_bytes: 0,
        unanswered_bytes: 0,
        answers: FullAnswers {
            overwrite: refused,
            create: done,
            mkdir: refused,
            rename: done,
            unlink: done,
            truncate: done,
        },
        freed: Freed { bytes: 2, wanted: 1, written: 1, refusals: 0, syncs: 0, waited_ns: 0 },
        lost: 1,
        example: Some("f1: zeros".into()),
        is_damaged: Some(false),
        speeds: vec![speed],
    };
    FullDisk { fill: Fill::Small, seed: u64::MAX, device_bytes: 300 << 20, tries: vec![one] }
}

fn snapshots(states: &CrashStates) -> Snapshots {
    let time = Spread::of(vec![1, 2]);
    let level = SnapshotLevel {
        snapshots: 10,
        make: time,
        make_unsynced: time,
        sync: time,
        drop: time,
        back: None,
        back_half_ns: Some(u64::MAX),
        late: 1,
        speeds: vec![SnapshotSpeed { operation: SnapshotOperation::Delete, time }],
        used_bytes: 1 << 20,
        left_bytes: 0,
    };
    let one = SnapshotTry {
        levels: vec![level],
        reads: SnapshotMoment::ALL.map(SnapshotReads::none).into(),
        example: Some("snapshot 1: f1: later data in block 3".into()),
        is_damaged: Some(false),
    };
    let (synced, returned) = (Some(states.clone()), Some(states.clone()));
    Snapshots { seed: 1, device_bytes: 300 << 20, tries: vec![one], synced, returned }
}

/// One of each kind, with every kind of harm.
fn after_faults() -> [AfterFault; 6] {
    let found = |harm| (harm, Found { states: 1, example: u64::MAX, detail: "a".into() });
    let crash = CrashStates {
        fault: FaultOnDisk::Crash,
        contract: "append".into(),
        seed: 1,
        tried: 400,
        harmed: 17,
        is_complete: false,
        recovery: Spread::of(vec![1, 2]),
        checked: 40,
        found: Harm::ALL.into_iter().map(found).collect(),
    };
    let write = FailedWrite {
        history: FileHistory::Made,
        fd1: FsyncAnswer::Failed(5),
        fd2: FsyncAnswer::Done,
        fd3: FsyncAnswer::NotOpened(30),
        fd1_again: FsyncAnswer::Done,
        cached: ReadBack::New,
        dropped: ReadBack::Failed(5),
        remounted: ReadBack::Absent,
        cut: ReadBack::Zeros,
        tries: 2,
        injected: 2,
    };
    let (change, failing) = (Change::Append, Failing::Commit);
    let mut bits = TurnedBits::new(SilentFault::TurnedBit, DamagedPlace::Name, 7);
    bits.note_error(117, 3);
    bits.scrub = Some(Scrub { tries: 3, detected: 3, repaired: 0, time: Spread::of(vec![1]) });
    let mut mirrors = Mirrors::new(LegFault::LostDisk, 7);
    mirrors.note(&MirrorReads {
        moment: Moment::Replaced,
        from: ReadFrom::FaultyLeg,
        right: 1,
        wrong: 2,
        errors: vec![ErrnoCount { errno: 5, tries: 3 }],
        missing: 4,
    });
    (mirrors.scrub, mirrors.rebuild) = (bits.scrub, Spread::of(vec![1]));
    let taken = snapshots(&crash);
    [
        AfterFault::Crash(crash),
        AfterFault::FailedWrite(FailedWrites { change, failing, seen: vec![write] }),
        AfterFault::TurnedBit(bits),
        AfterFault::Full(full_disk()),
        AfterFault::Mirror(mirrors),
        AfterFault::Snapshots(taken),
    ]
}

/// A dataset in which no list is empty and no field is missing.
fn full() -> Dataset {
    let mut data = published().unwrap().swap_remove(1);
    data.samples.truncate(300);
    let histogram = Histogram {
        bins: vec![(1000, 3), (2000, 1)],
        ..Histogram::new("read", LatencyKind::Service)
    };
    *data.samples[0].figures.histograms = vec![histogram];
    let columns = [("ops".to_owned(), vec![7, 5])].into();
    data.samples[0].figures.series = Some(Box::new(Series { end_ms: vec![1000, 1500], columns }));
    data.samples[0].covariates.device_read_bytes = Some(u64::MAX);
    for (sample, after) in data.samples.iter_mut().zip(after_faults()) {
        sample.evidence.after_fault = Some(Box::new(after));
    }
    let short = Reason::TooShort { seconds: 9e-6.into(), clock_s: 1e-5.into() };
    *data.samples[1].evidence.validity = Validity::Invalid(short);
    let cell = GridCell { grid: "rndrd".into(), block_bytes: 4096, threads: 8 };
    data.tests[0].shape = Some(Shape { only_writes: true, cell: Some(cell) });
    data.campaign.environment.0.insert("os".into(), "Linux".into());
    data.targets[0].facts.0.insert("mount".into(), "rw".into());
    data.targets[1].state = TargetState::Failed("no tools".into());
    let named = |name: &str| name.parse::<Target>().unwrap();
    let sweep = Sweep {
        variants: vec![named("xfs"), named("xfs[noatime]")],
        left_out: vec![LeftOut { variant: named("xfs[wsync]"), why: "not here".into() }],
        ..Sweep::new("xfs[noatime;wsync]".parse().unwrap(), SweepMode::OneAtATime)
    };
    // Every field is named: one more has its place in the schema.
    data.campaign.plan = Plan {
        name: Some("nightly".into()),
        tags: std::collections::BTreeMap::from([("firmware".into(), "1.4".into())]),
        names: TargetNames::from([("fast".into(), Target::named("xfs"))]),
        targets: data.campaign.plan.targets,
        suites: data.campaign.plan.suites,
        threads: 2,
        preset: Preset::Quick,
        looked_at: vec![3],
        scale: Scale::Auto,
        sizes: vec![TestSize {
            test: "columnar.write.int.small".into(),
            procs: 4,
            scale: 0.25,
            work: Some(Work { times: 1.5, copies: 2 }),
        }],
        data: DataKind::default(),
        baseline: Some("xfs".into()),
        prices: [("xfs".into(), "0.08*500GB".parse().unwrap())].into(),
        order: Some(Order::Interleaved),
        lab: LabChoice::Qemu,
        kernel: Some("/boot/vmlinuz".into()),
        case_timeout_s: 60,
        sweeps: vec![sweep],
        tests: vec!["columnar.*".into()],
        procs: vec![1, 64],
        blocks: Some(3),
        budget_s: Some(7200),
        aa: Some(true),
        shift: true,
        numa: Numa::RoundRobin,
        age: Some(300),
        fullness: Some(80),
        seed: Some(u64::MAX),
        backing: backing(),
        files: [("a.toml".to_owned(), "suite".to_owned())].into(),
        assets: vec![asset()],
        knobs: [("depth".to_owned(), "4".to_owned())].into(),
    };
    data
}

#[test]
fn a_full_dataset_and_every_published_one_pass() {
    assert_eq!(whole_fault(&exported(&full())), None);
    for data in published().unwrap() {
        assert_eq!(whole_fault(&exported(&data)), None, "{}", data.campaign.id);
    }
}

/// Pointers to every object of the first of each list.
fn objects(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                objects(value, format!("{path}/{}", name.replace('/', "~1")), found);
            }
            found.push(path);
        }
        Value::Array(items) => {
            for (i, item) in items.iter().take(2).enumerate() {
                objects(item, format!("{path}/{i}"), found);
            }
        }
        _ => {}
    }
}

/// Objects whose keys are free.
fn is_map(path: &str) -> bool {
    ["/environment", "/facts", "/knobs", "/files", "/columns", "/names", "/tags", "/prices"]
        .iter()
        .any(|end| path.ends_with(end))
}

#[test]
fn a_field_more_or_less_or_of_another_kind_does_not_pass() {
    let whole = exported(&full());
    let (mut paths, mut tried) = (Vec::new(), 0);
    objects(&whole, String::new(), &mut paths);
    for path in &paths {
        let mut more = whole.clone();
        let object = more.pointer_mut(path).unwrap().as_object_mut().unwrap();
        object.insert("unheard".into(), if is_map(path) { json!(1) } else { json!("of") });
        assert!(whole_fault(&more).is_some(), "{path} takes any field");
        let names: Vec<String> =
            whole.pointer(path).unwrap().as_object().unwrap().keys().cloned().collect();
        for name in names {
            let mut other = whole.clone();
            other.pointer_mut(path).unwrap()[&name] = json!([[null]]);
            assert!(whole_fault(&other).is_some(), "{path}/{name} takes any value");
            let mut less = whole.clone();
            less.pointer_mut(path).unwrap().as_object_mut().unwrap().remove(&name);
            let optional = [
                "histograms",
                "sweeps",
                "variants",
                "left_out",
                "files",
                "assets",
                "budget_s",
                "aa",
                "age",
                "fullness",
                "lab",
                "devices",
                "purge",
                "condition",
                "split",
                "object_store",
                "prefix",
                "looked_at",
                "made",
                "sizes",
                "work",
                "order",
                "shift",
                "numa",
                "prices",
                "kernel",
                "series",
                "shape",
                "cell",
                "after_fault",
                "found",
            ];
            let of_harm = path.ends_with("/found");
            let of_plan = path.ends_with("/plan") && ["name", "tags", "names"].contains(&&*name);
            let free = is_map(path) || of_plan || of_harm || optional.contains(&name.as_str());
            assert_eq!(whole_fault(&less).is_none(), free, "without {path}/{name}");
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried} fields were tried");
}

#[test]
fn a_note_with_a_field_more_or_less_or_of_another_kind_does_not_pass() {
    let mut data = published().unwrap().swap_remove(2);
    data.samples.truncate(1);
    let mut tried = 0;
    for note in notes() {
        data.campaign.notes = vec![note];
        let whole = exported(&data);
        assert_eq!(whole_fault(&whole), None);
        let mut paths = Vec::new();
        objects(&whole["campaign"]["notes"], "/campaign/notes".into(), &mut paths);
        for path in &paths {
            let changed = |change: &dyn Fn(&mut Map<String, Value>)| {
                let mut other = whole.clone();
                change(other.pointer_mut(path).unwrap().as_object_mut().unwrap());
                whole_fault(&other).is_some()
            };
            assert!(changed(&|o| _ = o.insert("unheard".into(), json!("of"))), "{path}: {whole}");
            for name in whole.pointer(path).unwrap().as_object().unwrap().keys() {
                assert!(changed(&|o| _ = o.insert(name.clone(), json!([[null]]))), "{path}/{name}");
                let is_optional = path.ends_with("/disk_after") && name != "disk"
                    || path.ends_with("/store") && name == "prefix";
                assert_eq!(changed(&|o| _ = o.remove(name)), !is_optional, "{path}/{name}");
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried} fields were tried");
}

proptest! {
    #[test]
    fn every_dataset_passes(data in dataset()) {
        prop_assert_eq!(whole_fault(&exported(&data)), None);
    }
}
