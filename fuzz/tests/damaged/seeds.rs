//! What is damaged: for each target inputs that it accepts, and rows of a store.

use crate::{
    corpus::{self, Group},
    traces,
};
use flate2::read::GzDecoder;
use model::random::Rng;
use rusqlite::{Connection, types::Value};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};
use store::Store;

const TARGETS: [&str; 8] = [
    "xfs",
    "ext4[noatime,mkfs.O=bigalloc]",
    "btrfs[compress=zstd:3]",
    "raid1(ext4)",
    "nfs[nconnect=16,vers=4.2](xfs)",
    "thin(xfs[mkfs.m=\"crc=1,reflink=1\"])",
    "ext4[cap.read_iops=500,commit=5]",
    "dir:/mnt/fsx",
];

const SWEEPS: [&str; 4] = [
    "xfs[agcount=4,16,64]",
    "ext4[commit=5,60;data=ordered,journal]",
    "ext4[mkfs.O=bigalloc,^has_journal]",
    "nfs[nconnect=1,16](ext4[data=ordered,journal])",
];

const PLANS: [&str; 3] = [
    "targets = [\"xfs\", \"ext4[noatime]\"]\nsuites = [\"matrix\", \"oltp\"]\n\
     tests = [\"matrix.*\"]\nprocs = [1, 8]\nthreads = 2\npreset = \"quick\"\nblocks = 3\nscale = \"0.5\"\n\
     seed = 1844674407\ndata = \"compressible\"\nage = 300\nfullness = 80\n\
     baseline = \"xfs\"\ncase_timeout_s = 600\n\n[backing]\ndir = \"/data\"\nsize = \"4G\"\n",
    "suites = [\"columnar\"]\npreset = \"standard\"\nbudget_s = 3600\naa = true\n\n[[sweeps]]\n\
     on = \"ext4[commit=5,60;data=ordered,journal]\"\nmode = \"one-at-a-time\"\n",
    "name = \"nightly\"\ntargets = [\"xfs\", \"dir:/mnt/a\"]\nsuites = [\"files\", \"oltp\"]\norder = \"in-turn\"\n\n\
     [names]\na = \"dir:/mnt/a\"\n\n[tags]\nfirmware = \"1.4\"\n\n\
     [[sizes]]\ntest = \"files.create\"\nprocs = 1\nscale = 0.5\n",
];

const JOBS: [&str; 3] = [
    "; a comment\n[global]\nsize=1g\nruntime = 60\nbs=4k ; and another\nioengine=libaio\niodepth=16\n\n\
     [Rand Read 4k]\nrw=randread\nnumjobs=2\nfilename=a:b\n[write]\nstonewall\nrw=write:8\nsize=2m\n",
    "[a]\nrw=randrw\nrwmixread=70\nbssplit=4k/60:64k/40\nfilename_format=$jobname.$jobnum\n\
     time_based\nruntime=1m\nramp_time=5s\nsize=64m\n# the end\n",
    "[b]\ndescription=reads / writes\nfilesize=1M\nnrfiles=4\nfsync=1\nfallocate=none\ndirect=1\n",
];

/// What fio reads otherwise than it looks.
const TRAPS: [&str; 6] = [
    "[global2]\nsize=1m\n[a]\n",
    "[...;x]\nsize=1m\n",
    "[a]b/c]\nsize=1m\n",
    "[a]\nsize=1m\ninclude_a\n",
    "[a]\nsize=99999999e\nnumjobs=4294967296\nruntime=1e300d\n",
    "[a]\nfilename=a:..:b;/dev/sda\n",
];

const JOURNALS: [&str; 2] = [
    "{\"boot\":\"b\"}\n{\"undo\":\"unmount\",\"mount_point\":\"/state/mnt/assay-c/assay-0-xfs\"}\n\
     {\"undo\":\"detach_loop\",\"image\":\"/data/assay-c-image0/image\"}\n\
     {\"undo\":\"remove_dir\",\"path\":\"/data/assay-c-0\"}\n",
    "{\"undo\":\"report_disk\",\"link\":\"/dev/disk/by-id/x\"}\n\
     {\"undo\":\"forget_parts\",\"link\":\"/dev/disk/by-id/x\",\"disk\":\"d\",\"parts\":[]}\n\
     {\"undo\":\"stop_array\",\"name\":\"assay-0-1\"}\n\
     {\"undo\":\"uncap\",\"file\":\"/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device\",\"device\":\"7:0\"}\n\
     {\"undo\":\"leave_group\",\"group\":\"/sys/fs/cgroup/assay-c\",\"home\":\"/sys/fs/cgroup\"}\n\
     {\"undo\":\"end_network\",\"namespace\":\"/state/mnt/assay-c/net\"}\n",
];

/// The inputs for `target` to start from.
pub(crate) fn groups(target: &str) -> Vec<Group> {
    let texts = |texts: &[&str]| texts.iter().map(|text| group(text.as_bytes().into())).collect();
    match target {
        "target" => texts(&TARGETS),
        "sweep" => texts(&SWEEPS),
        "plan" => texts(&PLANS),
        "suite" => suites().into_iter().map(group).collect(),
        "job" => JOBS
            .map(|text| (text, false))
            .into_iter()
            .chain(TRAPS.map(|text| (text, true)))
            .map(|(text, refused)| Group { refused, ..group(text.into()) })
            .collect(),
        "journal" => texts(&JOURNALS),
        "import" | "dataset" => corpus::groups(),
        "bundle" => bundles().into_iter().map(group).collect(),
        "store" => vec![group(store_file())],
        "trace" => traces::traces().into_iter().map(group).collect(),
        "strace" => texts(&traces::STRACES),
        other => panic!("{other} has nothing to start from"),
    }
}

fn group(bytes: Vec<u8>) -> Group {
    Group { files: vec![(String::new(), bytes)], importer: "", refused: false }
}

/// Lines of bundles behind the first, of small studies.
fn bundles() -> Vec<Vec<u8>> {
    let mut studies = formats::published().unwrap();
    studies.retain(|data| data.samples.len() < 300);
    let lines = |data: &model::result::Dataset| {
        let files = formats::export::bundle(data, true, &[]).unwrap();
        let mut text = Vec::new();
        GzDecoder::new(&files[0].1[..]).read_to_end(&mut text).unwrap();
        let heading = text.iter().position(|&byte| byte == b'\n').unwrap();
        text.split_off(heading + 1)
    };
    studies.iter().map(lines).collect()
}

/// The suites that ship.
fn suites() -> Vec<Vec<u8>> {
    let text = |suite: &suites::Suite| suite.text.as_ref().map(|text| text.as_bytes().to_vec());
    suites::suites().iter().filter_map(text).collect()
}

/// A larger file is not put into the store.
const MOST_BYTES: u64 = 1000;

/// A store with what several tools measured.
fn store_file() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let mut store = Store::open(&path).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/formats/tests/fixtures");
    let mut files: Vec<_> = fs::read_dir(fixtures).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let small = |path: &&PathBuf| path.is_file() && path.metadata().unwrap().len() < MOST_BYTES;
    for path in files.iter().filter(small).step_by(3) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let options = formats::ImportOptions::default();
        if let Ok(data) = formats::import(&[(name, fs::read(path).unwrap())], None, &options) {
            store.import(&data).unwrap();
        }
    }
    drop(store);
    fs::read(path).unwrap()
}

/// Values that no version of the program stores.
fn value(rng: &mut Rng) -> Value {
    let reals = [f64::INFINITY, -1e308, 1e308, 5e-324, -0.0, 1e-300, -1.0];
    let integers = [0, 1, -1, i64::MAX, i64::MIN, 1 << 32, u32::MAX.into(), 1024, 1 << 53];
    let texts =
        ["", "\u{1b}[2J\u{202e}x", "</script><b>", "../../x", "null", "{}", "[[]]", "done", "host"];
    let pick = |rng: &mut Rng, len: usize| rng.below(len as u64) as usize;
    match rng.below(5) {
        0 => Value::Null,
        1 => Value::Real(reals[pick(rng, reals.len())]),
        2 => Value::Integer(integers[pick(rng, integers.len())]),
        3 => Value::Text(texts[pick(rng, texts.len())].into()),
        _ => Value::Blob((0..rng.below(40)).map(|_| rng.below(256) as u8).collect()),
    }
}

/// The store `bytes` with some values that stand nowhere else, in some rows.
pub(crate) fn damaged_rows(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    fs::write(&path, bytes).unwrap();
    let db = Connection::open(&path).unwrap();
    let columns = columns(&db);
    for setting in ["foreign_keys = OFF", "ignore_check_constraints = ON", "synchronous = OFF"] {
        db.execute_batch(&format!("PRAGMA {setting}")).unwrap();
    }
    db.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).unwrap();
    for _ in 0..1 + rng.below(6) {
        let (table, column) = &columns[rng.below(columns.len() as u64) as usize];
        let (nth, value) = (2 + rng.below(9), value(rng));
        // Of a strict table some are refused: then the row stays as it is.
        let sql = match rng.below(8) {
            0 => format!("UPDATE OR IGNORE \"{table}\" SET \"{column}\" = ?1 WHERE ?2 = ?2"),
            1 => {
                format!("DELETE FROM \"{table}\" WHERE length(\"{column}\") % ?2 = 0 AND ?1 IS ?1")
            }
            _ => format!(
                "UPDATE OR IGNORE \"{table}\" SET \"{column}\" = ?1 WHERE length(\"{column}\") % ?2 = 1"
            ),
        };
        let _ = db.execute(&sql, (value, nth as i64));
    }
    drop(db);
    fs::read(&path).unwrap()
}

fn columns(db: &Connection) -> Vec<(String, String)> {
    let sql = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
               WHERE m.type = 'table' ORDER BY 1, 2";
    let mut statement = db.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}
