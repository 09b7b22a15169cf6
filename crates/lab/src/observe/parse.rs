//! The texts of `/proc` and `/sys` that counters come from, each read as its documentation says.

use super::{CpuTicks, Memory};

/// One process; times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    /// Its parent, or the process that it works for if it was disowned.
    pub(super) parent: u32,
    /// A thread of the kernel, which works for any process that asked for it.
    pub(super) is_kernel: bool,
    /// Its start time: numbers are reused.
    pub(super) began: u64,
    /// In user mode.
    pub(super) user: u64,
    /// In the kernel.
    pub(super) system: u64,
    /// The system time of its reaped children and their descendants.
    pub(super) ended_system: u64,
}

/// The number in column `i`, 0 where it is missing.
pub(super) fn column(words: &[&str], i: usize) -> u64 {
    words.get(i).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// proc_stat(5).
pub(super) fn machine(text: &str) -> CpuTicks {
    let words: Vec<&str> = text.lines().next().unwrap_or("").split_whitespace().collect();
    let sum = |columns: &[usize]| columns.iter().map(|&i| column(&words, i)).sum();
    let lines = text.lines().filter(|line| line.starts_with("cpu")).count();
    CpuTicks {
        user: sum(&[1, 2]),
        system: sum(&[3, 6, 7]),
        idle: sum(&[4]),
        iowait: sum(&[5]),
        steal: sum(&[8]),
        cpus: lines.saturating_sub(1) as u32,
    }
}

/// `PF_KTHREAD` of `include/linux/sched.h`.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// proc_pid_stat(5): the columns from the third on. The name of the program, in parentheses, may hold
/// anything, so columns are counted after the last one.
fn columns_of_process(text: &str) -> Option<Vec<&str>> {
    Some(text.rsplit_once(')')?.1.split_whitespace().collect())
}

/// utime and stime, ticks.
pub(super) fn process(text: &str) -> Option<[u64; 2]> {
    let words = columns_of_process(text)?;
    let ticks = |i: usize| words.get(i)?.parse().ok();
    Some([ticks(11)?, ticks(12)?])
}

/// majflt: pages that were not in memory when they were touched.
pub(super) fn major_faults(text: &str) -> Option<u64> {
    columns_of_process(text)?.get(9)?.parse().ok()
}

/// The same with what else is needed to distinguish processes.
pub(super) fn process_of_census(text: &str) -> Option<Process> {
    let words = columns_of_process(text)?;
    let number = |i: usize| words.get(i)?.parse::<u64>().ok();
    Some(Process {
        parent: number(1)? as u32,
        is_kernel: number(6)? & KERNEL_THREAD != 0,
        began: number(19)?,
        user: number(11)?,
        system: number(12)?,
        // A signed number, which is never negative.
        ended_system: number(14)?,
    })
}

/// Documentation/accounting/psi.rst of the kernel.
pub(super) fn pressure(text: &str) -> Option<u64> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    some.split_once("total=")?.1.trim().parse().ok()
}

/// proc_meminfo(5).
pub(super) fn memory(text: &str) -> Memory {
    let bytes = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) * 1024
    };
    Memory {
        slab: bytes("Slab"),
        cached: bytes("Cached"),
        dirty: bytes("Dirty"),
        writeback: bytes("Writeback"),
    }
}

/// The line `size 4 BYTES` of arcstats: all that the ARC holds.
pub(super) fn arc_bytes(text: &str) -> Option<u64> {
    let mut lines = text.lines().map(|line| line.split_whitespace());
    lines.find_map(|mut words| (words.next() == Some("size")).then(|| words.nth(1)))??.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_be_called_anything() {
        let text = "42 (a) b) R 1 42 42 0 -1 4194304 9 8 7 6 130 25 3 2 20 0 4 0 17 1 1\n";
        assert_eq!(process(text), Some([130, 25]));
        assert_eq!(process("42 (gone"), None);
        assert_eq!((major_faults(text), major_faults("42 (gone")), (Some(7), None));
        let expected = Process {
            parent: 1,
            is_kernel: false,
            began: 17,
            user: 130,
            system: 25,
            ended_system: 2,
        };
        assert_eq!(process_of_census(text), Some(expected));
        let kernel = "9 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0 0 7 0 0 20 0 1 0 88 0 0\n";
        assert!(process_of_census(kernel).unwrap().is_kernel);
    }

    #[test]
    fn the_arc_is_read_by_its_size() {
        let text = "13 1 0x01 123 33456 1 2\nname  type data\nc_max  4 900\nsize   4 1048576\n";
        assert_eq!(arc_bytes(text), Some(1_048_576));
        assert_eq!(arc_bytes("name type data\n"), None);
    }

    #[test]
    fn memory_is_read_by_its_exact_key() {
        let text = "SwapCached: 5 kB\nCached: 8 kB\nDirty: 2 kB\nWriteback: 3 kB\n\
                    WritebackTmp: 9 kB\nSlab: 4 kB\n";
        let expected = Memory { slab: 4096, cached: 8192, dirty: 2048, writeback: 3072 };
        assert_eq!(memory(text), expected);
    }
}
