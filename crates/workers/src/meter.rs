//! Barrier and clock of a timed part, seen from the worker.

use engine::{
    barrier::{Broken, Member},
    cpu::CpuTime,
    progress::Progress,
};
use model::workload::{PhaseKind, PhaseReport};
use suites::{Meter, TestError};

/// Runs phases through the barrier and keeps what they took.
pub(crate) struct BarrierMeter<'a> {
    member: Member<'a>,
    /// Whether the work can pause where it adds to its counters.
    can_be_held: bool,
    pub(crate) phases: Vec<PhaseReport>,
}

impl<'a> BarrierMeter<'a> {
    pub(crate) fn new(member: Member<'a>, can_be_held: bool) -> BarrierMeter<'a> {
        BarrierMeter { member, can_be_held, phases: Vec::new() }
    }
}

/// For `map_err`: what a worker says when the pool is gone.
pub(crate) fn stopped(broken: Broken) -> TestError {
    TestError::Stopped(broken.to_string())
}

impl Meter for BarrierMeter<'_> {
    fn phase(
        &mut self,
        kind: PhaseKind,
        work: &mut dyn FnMut(Progress<'_>) -> Result<(), TestError>,
    ) -> Result<(), TestError> {
        // Taken before the wait, which uses no processor: a system call after it would delay the
        // start of every worker.
        let cpu_before = CpuTime::now();
        let progress = match self.can_be_held {
            true => self.member.held_progress(),
            false => self.member.progress(),
        };
        self.member.arrive().map_err(stopped)?;
        let start_ns = self.member.begin();
        let result = work(progress);
        let end_ns = self.member.end();
        let cpu = CpuTime::now().since(cpu_before);
        result?;
        self.phases.push(PhaseReport {
            kind,
            start_ns,
            end_ns,
            bytes: progress.bytes(),
            ops: progress.ops(),
            cpu_user_s: cpu.user_s,
            cpu_sys_s: cpu.sys_s,
        });
        Ok(())
    }
}
