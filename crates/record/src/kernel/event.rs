//! Events of the scheduler as tracefs describes them.

use super::bpf::BpfError;
use rustix::{
    mount::{MountFlags, MountPropagationFlags, mount, mount_change},
    thread::{UnshareFlags, unshare_unsafe},
};
use std::{fs, path::Path, thread};

const PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// An event: its number, and where its fields are.
pub(super) struct Event {
    /// The number by which perf opens it.
    pub(super) id: u64,
    format: String,
}

impl Event {
    /// The event `name` of the scheduler.
    pub(super) fn of(name: &str) -> Result<Event, BpfError> {
        let unknown = || BpfError::Unknown(format!("sched:{name} in tracefs"));
        let [id, format] = read(name).ok_or_else(unknown)?;
        Ok(Event { id: id.trim().parse().map_err(|_| unknown())?, format })
    }

    /// Where a field of four bytes is: a line has `field:pid_t child_pid;`, then `offset:44;`.
    pub(super) fn field(&self, name: &str) -> Result<i16, BpfError> {
        let line = self.format.lines().find(|line| line.contains(&format!(" {name};")));
        let offset = line.and_then(|line| line.split("offset:").nth(1)?.split(';').next());
        offset
            .and_then(|offset| offset.trim().parse().ok())
            .ok_or_else(|| BpfError::Unknown(name.into()))
    }
}

/// The files `id` and `format` of an event, where tracefs is mounted or in a mount that only a thread of ours sees.
fn read(name: &str) -> Option<[String; 2]> {
    PLACES.iter().find_map(|place| read_at(place, name)).or_else(|| {
        thread::scope(|scope| {
            let read = scope.spawn(|| {
                // SAFETY: a new mount namespace for this thread alone, which ends here; no descriptor is unshared.
                unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.ok()?;
                let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
                mount_change("/", private).ok()?;
                mount("tracefs", PLACES[0], "tracefs", MountFlags::empty(), None).ok()?;
                read_at(PLACES[0], name)
            });
            read.join().ok()?
        })
    })
}

fn read_at(place: &str, name: &str) -> Option<[String; 2]> {
    let file =
        |file| fs::read_to_string(Path::new(place).join("events/sched").join(name).join(file));
    Some([file("id").ok()?, file("format").ok()?])
}
