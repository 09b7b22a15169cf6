//! User-Mode Linux: a kernel that is a program. It runs at native speed, but has only one processor, and each system
//! call inside goes through ptrace(2) on the host.
//!
//! Root inside the guest can remount the host's root writable, so the kernel runs as a user that owns nothing but its
//! directory and disks. All its processes are in one process namespace, which ends with this process.

use super::{Guest, INIT, Machine, Missing, Shared, Stranger, Venue, stage};
use crate::{error::LabError, programs::tool};
use fs::Cmd;
use model::plan::LabKind;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const PROGRAM: &str = "linux.uml";
const INSTALL: &str = "run `apt-get install user-mode-linux` (Debian and Ubuntu have it)";
/// Programs of its first processes, which the guest takes from this machine: without one of them it panics.
const RUN_INSIDE: [&str; 8] =
    ["unshare", "setpriv", "insmod", "modprobe", "mount", "pivot_root", "chroot", "ip"];
const FIRST: &str = include_str!("uml_init.sh");

/// User-Mode Linux as installed here.
#[derive(Debug)]
pub(super) struct Uml {
    kernel: String,
}

/// User-Mode Linux, when it is installed.
pub(super) fn find() -> Result<Uml, Missing> {
    let inside = tool::lacking(&RUN_INSIDE).map(|(what, fix)| Missing::new(what, fix));
    let none = || Missing::new("User-Mode Linux is not installed", INSTALL);
    let program = match (tool::find_program(PROGRAM), inside) {
        (Some(program), None) => program,
        (Some(_), Some(missing)) => return Err(missing),
        (None, None) => return Err(none()),
        (None, Some(missing)) => return Err(none().and(missing)),
    };
    // Not by `Cmd`: the kernel says its version and ends with 1.
    let said = Command::new(&program).arg("--version").output().ok();
    let kernel = said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_string());
    let kernel = kernel.filter(|kernel| kernel.starts_with(|c: char| c.is_ascii_digit()));
    let kernel = kernel.ok_or_else(|| {
        Missing::new(format!("{} does not report its version", program.display()), INSTALL)
    })?;
    let modules = Path::new("/usr/lib/uml/modules").join(&kernel);
    if !modules.is_dir() {
        let what = format!("{} is missing", modules.display());
        return Err(Missing::new(what, INSTALL));
    }
    Ok(Uml { kernel })
}

impl Guest for Uml {
    fn venue(&self) -> Venue {
        Venue {
            kind: LabKind::Uml,
            kernel: self.kernel.clone(),
            accelerator: "none: system calls through ptrace, one processor",
            image_cache: "page cache of the host (ubd)",
        }
    }

    fn disk(&self, number: usize) -> PathBuf {
        format!("/dev/ubd{}", letter(number)).into()
    }

    fn prepare(&self, out: &Shared) -> Result<(), LabError> {
        out.put_script("first", FIRST)?;
        out.put_script("init", INIT)
    }

    fn boot(&self, machine: &Machine, stranger: Option<Stranger>) -> Cmd {
        let mut cmd = stage::enter(machine, stranger, false);
        // Where its memory is: a file system in memory from which programs may run.
        cmd = cmd.args(["env", "TMPDIR=/dev/shm", "HOME=/mnt/uml", PROGRAM]);
        cmd = cmd.arg(format!("mem={}M", machine.memory.0 >> 20));
        cmd = cmd.args(["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "quiet"]);
        cmd = cmd.args(["init=/mnt/out/first", "uml_dir=/mnt/uml/", "umid=guest"]);
        cmd = cmd.args(["con=null", "con0=null,fd:1"]);
        let disks =
            (0..machine.disks.len()).map(|n| format!("ubd{n}={}", stage::disk(n).display()));
        cmd.args(disks)
    }
}

/// By which letter the kernel names the disk `number`.
pub(super) fn letter(number: usize) -> char {
    char::from(b'a' + (number % 26) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system of Debian without one of these cannot be.
    const ALWAYS_THERE: [&str; 3] = ["util-linux", "coreutils", "mount"];

    #[test]
    fn the_setup_installs_every_program_that_the_guest_runs() {
        let script = include_str!("../../../../scripts/setup.sh");
        for program in RUN_INSIDE {
            let package = tool::package(program).unwrap();
            let wanted =
                |line: &str| line.contains(" want ") && line.contains(&format!("\"{package}\""));
            let is_wanted = script.lines().any(wanted);
            assert!(ALWAYS_THERE.contains(&package) || is_wanted, "nothing installs {package}");
        }
    }
    use model::text::Bytes;
    use std::time::Duration;

    #[test]
    fn the_kernel_is_a_stranger_and_sees_fixed_names() {
        let uml = Uml { kernel: "6.1.176".into() };
        let machine = Machine {
            out: "/var/o ut".into(),
            program: "/bin/sh".into(),
            args: Vec::new(),
            disks: vec!["/img/a,b".into(), "/img/c".into()],
            assets: Vec::new(),
            cache: "/var/cache/assay".into(),
            memory: Bytes(1 << 30),
            timeout: Duration::ZERO,
        };
        let text = uml.boot(&machine, Some(Stranger { uid: 2_000_000_007 })).to_string();
        let (stage, kernel) = text.split_once("exit\n' ").unwrap();
        assert!(
            stage.starts_with("unshare --mount --pid --mount-proc --fork --kill-child -- sh -c")
        );
        assert_eq!(
            kernel,
            "stage '/var/o ut' - /img/a,b /img/c -- -- setpriv --reuid 2000000007 \
             --regid 2000000007 --clear-groups --inh-caps=-all --no-new-privs env TMPDIR=/dev/shm HOME=/mnt/uml \
             linux.uml mem=1024M root=/dev/root rootfstype=hostfs rootflags=/ ro quiet \
             init=/mnt/out/first uml_dir=/mnt/uml/ umid=guest con=null con0=null,fd:1 \
             ubd0=/mnt/disk0 ubd1=/mnt/disk1"
        );
        assert_eq!(uml.disk(1), Path::new("/dev/ubdb"));
        let text = uml.boot(&machine, None).to_string();
        assert!(text.starts_with("unshare --user --map-root-user ") && !text.contains("setpriv"));
    }
}
