//! Processor time of this process and of the children it has waited for.

use libc::{RUSAGE_CHILDREN, RUSAGE_SELF, c_int, getrusage, rusage, timeval};

/// Processor time used since the process started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CpuTime {
    /// In user mode, seconds.
    pub user_s: f64,
    /// In the kernel, seconds.
    pub sys_s: f64,
}

impl CpuTime {
    /// Returns the CPU time used so far by this process, all its threads and its waited-for children. The whole
    /// process, because I/O may run in kernel threads of it (io_uring's io-wq).
    pub fn now() -> CpuTime {
        let (own, children) = (usage(RUSAGE_SELF), usage(RUSAGE_CHILDREN));
        CpuTime { user_s: own.user_s + children.user_s, sys_s: own.sys_s + children.sys_s }
    }

    /// Returns the CPU time used since `earlier`.
    pub fn since(self, earlier: CpuTime) -> CpuTime {
        CpuTime { user_s: self.user_s - earlier.user_s, sys_s: self.sys_s - earlier.sys_s }
    }
}

fn usage(who: c_int) -> CpuTime {
    // SAFETY: `rusage` is plain integers, for which all zero bits are a value.
    let mut raw: rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `raw` is a writable `rusage`. The call fails only for an unknown `who`.
    unsafe { getrusage(who, &mut raw) };
    CpuTime { user_s: seconds(raw.ru_utime), sys_s: seconds(raw.ru_stime) }
}

fn seconds(time: timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn waited_for_children_count() {
        let before = CpuTime::now();
        let status = Command::new("sh")
            .args(["-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"])
            .status();
        assert!(status.unwrap().success());
        let used = CpuTime::now().since(before);
        assert!(used.user_s + used.sys_s > 0.0, "{used:?}");
    }
}
