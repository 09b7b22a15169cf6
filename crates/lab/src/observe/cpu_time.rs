//! Reads the processor time of another process, to the nanosecond: the ticks of `/proc` are too coarse for a server
//! that does little in a short test.

/// The kernel's clock of the processor time of all threads of a process, `CPUCLOCK_SCHED` of
/// `include/linux/posix-timers.h`.
const OF_PROCESS: libc::clockid_t = 2;

/// `PID_MAX_LIMIT` of `include/linux/threads.h`: above it the number of a clock would be that of another.
const MOST: u32 = 4 << 20;

/// Processor time of the process `pid`, those of its threads that have ended included, nanoseconds; `None`
/// when it is gone.
pub(super) fn of_process(pid: u32) -> Option<u64> {
    // 0 is the clock of the caller.
    let pid = Some(pid).filter(|pid| (1..=MOST).contains(pid))?;
    let clock = (!(pid as libc::clockid_t) << 3) | OF_PROCESS;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec, which lives here, and answers an error for a clock of no process.
    let failed = unsafe { libc::clock_gettime(clock, &mut time) } != 0;
    (!failed).then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_grows_with_work_and_needs_a_process() {
        let own = std::process::id();
        let before = of_process(own).unwrap();
        while of_process(own).unwrap() < before + 1_000_000 {}
        assert_eq!(of_process(0), None);
        assert_eq!(of_process(u32::MAX), None);
        assert_eq!(of_process(MOST), None);
    }
}
