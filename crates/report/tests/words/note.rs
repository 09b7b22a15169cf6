//! The sentence of every kind of note.

use model::{result::Note, strategies};
use report::words::note;

/// Of the notes of `strategies::notes`, in their order.
const SENTENCES: &[&str] = &[
    "by jane",
    "fast is xfs[bigtime=1].",
    "On disks: the file systems are created in turn on the same disks, overwritten twice before the \
     first mkfs; purge before each mkfs: discard (both ends are always zeroed).",
    "On disks: the file systems are created each on one of 3 equal partitions of the same disks, \
     rotating from block to block (facts device.part.block.N), not overwritten first; purge before \
     each mkfs: zero-range (both ends are always zeroed).",
    "Loop-backed, side by side, one measured at a time, on images that rotate from block to \
     block: compares candidates on this machine, not with a device.",
    "Loop-backed, in turn on the same images: compares candidates on this machine, not with \
     a device.",
    "Objects are in http://10.0.0.1:9000/bench/a/b, region eu-1; each target used its own \
     prefix, which was deleted with it.",
    "raid1(ext4) has 2 disks and xfs has 1, so their ratio also reflects the hardware; to \
     choose among file systems, compare raid1(ext4) with others on 2 disks",
    "dir:/a and dir:/b share a device (sda) and its counters: candidates are measured in \
     turn.",
    "External programs ran unconfined, with all rights of the user who started the campaign.",
    "Workers and NUMA nodes of this machine (--numa round-robin): not bound: one node is available.",
    "Workers and NUMA nodes of this machine (--numa round-robin): round-robin over nodes 0, \
     1.",
    "Data: zeros (a declared variant; the default is random).",
    "btrfs is on an image of 3.0 GiB; below 16.0 GiB it reserves less, so its results do not \
     apply to a large volume. Use `--image-size 16GiB` for those.",
    "Other programs used the device of dir:/a: later blocks measure the candidates in turn.",
    "the hosts differ in kernel.release: 6.1 on n1, n9; unknown on n2, n9",
    "Shifted: tests read data written by another host (--shift), except tests that write \
     what they read or run external programs.",
    "the hosts changed: started on n1:2,n2:2, resumed on n1:2,n3:2",
    "the hosts changed: started on one machine, without MPI, resumed on n1:2",
    "1 more block was added after looking at the results of 4. Each look is another chance \
     of a false positive, so a difference whose interval barely excludes 1 is weaker \
     evidence than it appears.",
    "3 more blocks were added after looking at the results of 4. Each look is another chance \
     of a false positive, so a difference whose interval barely excludes 1 is weaker \
     evidence than it appears.",
    "Disk 1 after the last test: temperature_c -5, media_errors 0.",
    "Disk 1 after the last test: media_errors 0, written_bytes 1099511627776.",
    "One stage of a search for better options of xfs. Only a confirmation decides.",
    "btrfs was dropped after 5 blocks: it is behind xfs overall and in the one table, by \
     Holm's procedure.",
    "btrfs was dropped after 5 blocks: it is behind xfs overall and in both tables, by \
     Holm's procedure.",
    "btrfs was dropped after 5 blocks: it is behind xfs overall and in all 3 tables, by \
     Holm's procedure.",
    "Ranked by read_p99_us instead of each test's own metric.",
    "Ended after 1 block: 7 of 9 ratios over the baseline are decided or known to 5 %.",
    "Ended after 20 blocks, the maximum: 7 of 9 ratios over the baseline are decided or \
     known to 5 %. The widest of the others is read with 4 processes on xfs, known to 12 %.",
    "Ended after 20 blocks, the maximum: 7 of 9 ratios over the baseline are decided or \
     known to 5 %. The widest of the others is read with 4 processes on xfs, which has no \
     interval.",
    "Ended after 3 blocks: more blocks would not decide a verdict.",
    "Ended after 4 blocks: the verdict is reached (xfs); xfs and ext4 are the same within 5 \
     %; 7 of 9 ratios over the baseline are decided or known to 5 %.",
    "Ended after 7 blocks: another block does not fit the budget of 10m (9m 1s used, up to \
     1m per block). At that point, the verdict is undecided; 7 of 9 ratios over the baseline \
     are decided or known to 5 %.",
    "3 campaigns of identical machines pooled: each is one block, and its own blocks are \
     repeats of one value.",
    "1 row of a sync that ends a durable write is omitted: the durable rate of the write \
     includes it.",
    "2 rows of a sync that ends a durable write are omitted: the durable rate of the write \
     includes it.",
    "Process counts differ for 4 test(s), e.g. 1 in A and 8 in B; they are listed under the \
     count of A, and their ratios include the difference.",
    "The campaigns of A differ in machine cpu.model.",
    "B: xfs and b share a device (sda) and its counters: candidates are measured in turn.",
    "A: loop-backed",
    "Copied text: UTF-16 was decoded (a.txt, b.txt and 1 more).",
    "Copied text: marks and blanks that no tool writes were removed (a.txt, b.txt and 1 \
     more).",
    "Copied text: quoted-printable was decoded (a.txt, b.txt and 1 more).",
    "Copied text: the prefix `> ` was removed from every line (a.txt, b.txt and 1 more).",
    "Copied text: a timestamp was removed from the start of every line (a.txt, b.txt and 1 \
     more).",
    "Copied text: an indent of 4 was removed from every line (a.txt, b.txt and 1 more).",
    "Copied text: trailing blanks were removed (a.txt, b.txt and 1 more).",
    "Copied text: `$` before the first brace was ignored (a.txt, b.txt and 1 more).",
    "Copied text: a run of fio was read from `Results` (a.txt, b.txt and 1 more).",
    "Copied text: lines broken at 72 characters were joined (a.txt, b.txt and 1 more).",
    "Copied text: 2 lines before the output were ignored (a.txt, b.txt and 1 more).",
    "Imported before it was finished: the results are incomplete.",
    "Imported from tables only: plan, scale, seed and environment are unknown.",
    "Repeats of a case are blocks, in the order of the files given for each target: \
     intervals are valid if the runs were independent, each on a fresh instance.",
    "Several runs of a case are in one block: the files do not say whether each used a fresh \
     instance, so their spread is not an interval.",
    "Several runs of one job are repeats on one instance, all in block 0: they are not \
     replicates on fresh file systems, and their spread is smaller.",
    "Not read, because not output of fio: a.log, b.log.",
    "Left out: bad.json, line 1: no result.",
    "Another edition of this study, the same, later (published-later), ran on the same \
     machine: of 326 ratios over ext4 that both printed, 33 change direction, from beyond 5 \
     % on one side to the other; half differ by a factor of more than 1.25, at most 9.5. \
     `assay compare` of the two shows each.",
];

#[test]
fn every_note_has_its_sentence() {
    let notes = strategies::notes();
    let said: Vec<String> = notes.iter().map(note).collect();
    assert_eq!(said, SENTENCES);
}

#[test]
fn words_from_elsewhere_stay_as_they_are() {
    assert_eq!(note(&Note::Said("as it is; {0}".into())), "as it is; {0}");
}
