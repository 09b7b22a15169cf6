//! The sentence of each reason.

use super::*;

/// The sentences of `model::strategies::reasons`, in their order.
const SENTENCES: &[&str] = &[
    "it is in memory and has no device",
    "too short: 8.5 us; the clock can resolve 10 us",
    "direct I/O moved 95.4 MiB but its device only 0 B: it was served from memory",
    "its device moved 8.0 MiB while it was paused for other candidates, and 100 MiB in its \
     timed part",
    "the rebuild of its mirror ended before the timed part started; use a lower resync \
     rate, or a larger --image-size",
    "the rebuild of its mirror ended during the timed part; use a lower resync rate, or a \
     larger --image-size",
    "its mount options changed: noatime instead of relatime",
    "its mount options changed: ro is new",
    "its mount options changed: rw was removed",
    "the clocks of the hosts agree only within 50.000 ms, more than 5 % of its 999.000 ms",
    "RWF_DONTCACHE is not supported on this target",
    "other processes used 60 % of the CPU or of the disk; measured again",
    "its \"direct=1, \\\"x\\\"\" is NaN, not a finite number",
    "its seconds is inf, not a finite number",
    "its seconds is -inf, not a finite number",
    "histogram \"read\" is not ascending or has an empty bin",
    "its series has columns of different lengths, or is not ascending",
    "rate is 0",
    "has no rate",
    "300 of 170000 replayed calls did not return what was recorded; most often open: ENOENT instead of success \
     (250 times)",
    "contradicts itself: mean latency times request count is not the total time",
    "the device was idle",
    "no space left",
    "direct=1, \"x\"",
    "direct I/O went through the page cache: the file system needs multiples of 4.0 KiB",
    "12.5 % resident before the start",
    "only 98.0 % resident before the start",
    "the residency of its files is unknown",
    "the device read 2 % of the bytes that were touched",
    "the device read 2 % of the bytes that the test is declared to read",
    "the device read 1.2 % of the bytes",
    "contradicts itself: mode random write, but reads were counted, too",
    "contradicts itself: mode random write, but writes were counted, too",
    "contradicts itself: mode random write, but only reads were counted, and no writes",
    "contradicts itself: mode random write, but only writes were counted, and no reads",
    "contradicts itself: 1000 read operations of 4096 bytes cannot move 8192000 bytes",
    "contradicts itself: 1000 write operations in 1.5 s are not 200.25 a second",
    "contradicts itself: read p50 is 400, above read p99 300.5",
    "contradicts itself: mean latency times rate is 5000.0 operations in flight, of at most 1",
    "contradicts itself: the rate is 2050.0000 MB/s, bytes over time are 205.0000 MB/s",
    "contradicts itself: reads of 4.10 MB/s, but requests times their size are 0.41 MB/s",
    "contradicts itself: 100 reads/s and 50 writes/s do not add up to 500 IOPS",
    "contradicts itself: 1073741824 bytes in 2.5 s are 429.5 MB/s, and 42.9 MB/s was printed",
    "the tool printed no figure for it",
    "printed as 0: no work done, or too short",
    "the command failed with exit code 3",
    "the command was killed by a signal",
    "took 4.2 ms; below 5 ms hyperfine itself calls its results inaccurate",
    "ran for less than the resolution of dd's clock",
    "fio stopped: Operation canceled (error 125)",
    "7 operations failed, the first with I/O error (error 5)",
    "fio counted no operations",
    "ran for 42 ms; fio counts whole ms, which is too coarse below 100 ms",
    "group_reporting merged several jobs, with the name of the first and the options of the \
     last; run them without it",
    "verify reads are counted with the reads of the mix; run it without `verify`",
    "sysbench stopped: at least 16MiB is expected",
    "bonnie++ hid a phase shorter than 0.5 s",
    "bonnie++ printed the number of files in place of their rate; import its CSV line",
    "IO500 marked the phase as invalid",
    "IOR printed only the best of 5 repetitions",
    "one process transferred nothing while all were active: the files are too small",
    "a single report averages since boot, unless `iostat -y` wrote it; measure an interval: \
     `iostat -y -x -o JSON 10 1`",
    "the first report averages since boot",
];

#[test]
fn each_reason_has_its_sentence() {
    let reasons = model::strategies::reasons();
    let worded: Vec<String> = reasons.iter().map(reason).collect();
    assert_eq!(worded, SENTENCES);
}

#[test]
fn validity_is_its_word_and_the_reason() {
    assert_eq!(validity(&Validity::Valid), "valid");
    let why = CacheFault::ResidentBefore { share_pct: 12.5.into() };
    let lukewarm = Validity::Lukewarm(why.into());
    assert_eq!(validity(&lukewarm), "lukewarm: 12.5 % resident before the start");
}
