//! The volume and duration of a job are planned, or the job is refused by the option's name.

use super::*;
use crate::tools::tests::job;
use suites::Estimate;

fn planned(text: &str, scale: f64) -> Estimate {
    let request = request(text);
    Tool.check(&request).unwrap();
    Tool.estimate(&request, &Job { scale, ..job(None, 1) })
}

fn written(options: &str) -> u64 {
    planned(&format!("[a]\nrw=write\nbs=64k\n{options}\n"), 1.0).write_bytes
}

fn peak(options: &str) -> u64 {
    planned(&format!("[a]\nrw=write\nbs=64k\n{options}\n"), 1.0).scratch_bytes
}

fn seconds(options: &str) -> f64 {
    planned(&format!("[a]\nrw=randread\nbs=4k\n{options}\n"), 1.0).fixed_s - 1.0
}

#[test]
fn job_that_fills_the_file_system_is_refused() {
    for option in ["fill_device=1", "fill_fs=1"] {
        let why = refusal(&format!("[fill]\nrw=write\nsize=1m\n{option}\n"));
        assert!(why.contains(option) && why.contains("fills the file system"), "{why}");
    }
    Tool.check(&request("[a]\nrw=write\nsize=1m\nfill_device=0\n")).unwrap();
}

#[test]
fn job_without_a_size_is_refused() {
    let why = refusal("[a]\nrw=write\n");
    assert!(why.contains("[a]") && why.contains("size="), "{why}");
    // The second job uses the file of the first.
    let shared = "[a]\nrw=write\nsize=1m\nfilename=x\n[b]\nstonewall\nrw=read\nfilename=x\n";
    assert_eq!(planned(shared, 1.0).read_bytes, 1 << 20);
}

#[test]
fn everything_that_multiplies_bytes_is_counted() {
    const M: u64 = 1 << 20;
    for (options, bytes_written, bytes_at_peak) in [
        ("size=1m", M, M),
        ("filesize=64k\nnrfiles=2000", 2000 << 16, 2000 << 16),
        ("filesize=512k-1m\nnrfiles=4", 4 * M, 4 * M),
        ("filesize=1m:2m\nnrfiles=4", 8 * M, 8 * M),
        ("size=1m\nfilesize=1m\nnrfiles=4", M, 4 * M),
        ("size=8m\nfilesize=1m\nnrfiles=4", 4 * M, 4 * M),
        ("size=1m\nloops=3", 3 * M, M),
        ("size=1m\nio_size=2m\nloops=3", 6 * M, M),
        ("size=1m\nio_limit=512k", M / 2, M),
        ("size=2m\nnumber_ios=4\nloops=3", 3 << 18, 2 * M),
        ("size=1m\nnumjobs=5", 5 * M, 5 * M),
        ("size=1m\nnumjobs=5\nfilename=x", 5 * M, M),
        ("size=1m\noffset=3m", M, 4 * M),
        ("size=1m\noffset=1m\noffset_increment=1m\nnumjobs=3\nfilename=x", 3 * M, 4 * M),
        ("filename=a:b:c\nnrfiles=1\nfilesize=1m", 3 * M, 3 * M),
        ("filename=a:b:c\nsize=3m", 3 * M, 3 * M),
        ("size=1m\ntime_based\nloops=3", 3 * M, M),
        ("size=1m\nioengine=null", M, 0),
    ] {
        assert_eq!((written(options), peak(options)), (bytes_written, bytes_at_peak), "{options}");
    }
    let mixed = planned("[a]\nrw=randrw\nrwmixread=70\nsize=10m\n", 1.0);
    assert_eq!((mixed.write_bytes, mixed.read_bytes), (3 * M, 7 * M));
    let verified = planned("[a]\nrw=write\nsize=1m\nverify=crc32c\n", 1.0);
    assert_eq!((verified.write_bytes, verified.read_bytes), (M, M));
}

#[test]
fn numbers_are_read_in_the_units_of_fio() {
    assert_eq!(written("size=400KiB"), 400_000);
    assert_eq!(written("kb_base=1000\nsize=400KiB"), 400 << 10);
    assert_eq!(written("kb_base=1000\nsize=400k"), 400_000);
    assert_eq!(peak("size=2Gi"), 2 << 30);
    assert_eq!(written("size=0x100000"), 1 << 20);
    for option in [
        "size=50%",
        "size=1.5g",
        "size=(1024*1024)",
        "size=1m-2m",
        "size=-1",
        "size=10z",
        "size=1mm",
        "size=0x1k",
        "size=99999999999999999999",
        "size=9000000p",
        "filesize=1m-2m-3m",
        "io_size=50%",
        "offset=50%",
        "bs=1.5k",
        "number_ios=many",
        "loops=1000x",
        "numjobs=2.5",
        "runtime=1.5",
        "runtime=10sec",
        "timeout=2min",
        "ramp_time=10%",
        "startdelay=1-x",
        "thinktime=1.5s",
        "rate=1.5m",
        "rate_iops=100/s",
    ] {
        let why = refusal(&format!("[a]\nrw=write\nsize=1m\n{option}\n"));
        assert!(why.contains(&format!("`{option}` is refused")), "{option}: {why}");
    }
    let why = refusal("[a]\nrw=write\nsize=1.5k\n");
    assert!(why.contains("fio reads `1.5k` as 1 "), "{why}");
}

#[test]
fn everything_that_lengthens_a_job_is_counted() {
    for (options, expected) in [
        ("size=4m\nstartdelay=20", 20.0),
        ("size=4m\nstartdelay=5-20", 20.0),
        ("size=4m\nthinktime=1s", 1024.0),
        ("size=4m\nthinktime=1000\nthinktime_blocks=4", 0.256),
        ("size=4m\nrate=16k", 256.0),
        ("size=4m\nrate_iops=64,", 16.0),
        ("size=4m\ntimeout=30", 30.0),
        ("size=4m\nruntime=2m\nramp_time=30", 150.0),
        ("size=4m\nruntime=2h\ntime_based\nthinktime=1s", 7200.0),
        ("size=4m\nruntime=10\nrate=16k", 10.0),
    ] {
        assert!((seconds(options) - expected).abs() < 1e-6, "{options}: {}", seconds(options));
    }
    let text =
        "[a]\nsize=1m\nruntime=10\n[b]\nsize=1m\nruntime=20\n[c]\nstonewall\nsize=1m\nruntime=5\n";
    assert_eq!(planned(text, 1.0).fixed_s, 26.0, "jobs side by side take as long as the longest");
    let why = refusal("[a]\nioengine=cpuio\ncpuload=50\nsize=1m\n");
    assert!(why.contains("runtime="), "{why}");
}

#[test]
fn scaled_job_does_its_share() {
    let scaled =
        |options: &str, scale| planned(&format!("[a]\nrw=write\nbs=64k\n{options}\n"), scale);
    assert_eq!(scaled("size=1g\nloops=1000", 0.25).write_bytes, 250 << 30);
    let many = scaled("filesize=1g\nnrfiles=5000", 0.001);
    assert!(many.scratch_bytes <= 5000 * (1 << 30) / 900, "{many:?}");
    // Files smaller than a block are merged into fewer.
    let small = scaled("filesize=64k\nnrfiles=31250", 0.01);
    assert!(small.scratch_bytes <= 20 << 20, "{small:?}");
    let request = request("[a]\nbs=4k\nfilesize=4k\nnrfiles=31250\n");
    let input = Tool.invocation(&request, &Job { scale: 0.01, ..job(None, 1) }).unwrap().input;
    assert!(input.contains("filesize=4096\nnrfiles=1024\n"), "{input}");
    // A size raised to the least measurable one has fewer passes.
    let passes = scaled("size=256k\nloops=500000", 0.004).write_bytes;
    assert!(passes.abs_diff(2000 << 18) < 1 << 20, "{passes}");
    // A waiting job does not wait longer than its share.
    let paced = scaled("size=4m\nrate=10k", 0.004);
    assert!(paced.fixed_s < 10.0, "{paced:?}");
    assert!((scaled("size=4m\nstartdelay=20", 0.01).fixed_s - 1.2).abs() < 1e-6);
}

#[test]
fn layout_does_not_wait_for_delays() {
    let invocation = Tool.prepare(&request("[a]\nsize=1m\nstartdelay=20\n"), &job(None, 1));
    assert!(invocation.unwrap().input.ends_with("startdelay=0\n"));
}

#[test]
fn name_of_the_global_section_is_accepted() {
    let text = "[global]\nname=base\nrw=randread\nbs=4k\nsize=64m\n[j]\n";
    Tool.check(&request(text)).unwrap();
    assert!(!JobFile::parse(text).unwrap().to_string().contains("name="));
    assert!(refusal("[a]\nname=b\nsize=1m\n").contains("sections are named in brackets"));
}
