//! User-Mode Linux: a kernel that is a program. It runs at the processor's speed, but has one
//! processor, and each system call inside is a detour through ptrace(2) outside.
//!
//! What is root inside can remount the host's root writable. The kernel therefore runs as the user
//! nobody, and sees its directory and disks in a mount namespace of its own under names that do not
//! depend on who may enter which directory here. All its processes are in one process namespace,
//! which ends with this process.

use super::{Guest, INIT, Machine, Venue, find::Missing, run::write_script};
use crate::{Cmd, LabError, drop_caches, tool};
use model::LabKind;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const PROGRAM: &str = "linux.uml";
const INSTALL: &str = "run `apt-get install user-mode-linux` (Debian and Ubuntu have it)";
/// The user that owns nothing.
const NOBODY: u32 = 65534;
const STAGE: &str = concat!(include_str!("../own_mounts.sh"), include_str!("uml_stage.sh"));
const FIRST: &str = include_str!("uml_init.sh");

/// User-Mode Linux as installed here.
#[derive(Debug)]
pub(super) struct Uml {
    kernel: String,
    as_root: bool,
}

/// User-Mode Linux, when it is installed.
pub(super) fn find() -> Result<Uml, Missing> {
    let package =
        || Missing::new("User-Mode Linux is not installed", tool::how_to_install(PROGRAM));
    let program = tool::find_program(PROGRAM).ok_or_else(package)?;
    for program in ["unshare", "setpriv"] {
        let missing =
            || Missing::new(format!("`{program}` is not installed"), tool::how_to_install(program));
        tool::find_program(program).ok_or_else(missing)?;
    }
    // Not by `Cmd`: the kernel says its version and ends with 1.
    let said = Command::new(&program).arg("--version").output().ok();
    let kernel = said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_string());
    let kernel = kernel.filter(|kernel| kernel.starts_with(|c: char| c.is_ascii_digit()));
    let kernel = kernel.ok_or_else(|| {
        Missing::new(format!("{} does not tell its version", program.display()), INSTALL)
    })?;
    let modules = Path::new("/usr/lib/uml/modules").join(&kernel);
    if !modules.is_dir() {
        let what = format!("{} is missing", modules.display());
        return Err(Missing::new(what, INSTALL));
    }
    Ok(Uml { kernel, as_root: drop_caches::is_root() })
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

    fn prepare(&self, machine: &Machine) -> Result<(), LabError> {
        write_script(&machine.out.join("first"), FIRST)?;
        write_script(&machine.out.join("init"), INIT)
    }

    fn boot(&self, machine: &Machine) -> Cmd {
        let mut cmd = Cmd::new("unshare");
        if !self.as_root {
            cmd = cmd.args(["--user", "--map-root-user"]);
        }
        cmd = cmd.args(["--mount", "--pid", "--mount-proc", "--fork", "--kill-child", "--"]);
        cmd = cmd.args(["sh", "-c", STAGE, "stage"]).arg(&machine.out).args(&machine.disks);
        cmd = cmd.arg("--");
        if self.as_root {
            let user = NOBODY.to_string();
            cmd = cmd.args(["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups"]);
            cmd = cmd.arg("--no-new-privs");
        }
        // Where its memory lies: a file system in memory from which programs may run.
        cmd = cmd.args(["env", "TMPDIR=/dev/shm", "HOME=/mnt/uml", PROGRAM]);
        cmd = cmd.arg(format!("mem={}M", machine.memory.0 >> 20));
        cmd = cmd.args(["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "quiet"]);
        cmd = cmd.args(["init=/mnt/out/first", "uml_dir=/mnt/uml/", "umid=guest"]);
        cmd = cmd.args(["con=null", "con0=null,fd:1"]);
        cmd.args((0..machine.disks.len()).map(|n| format!("ubd{n}=/mnt/disk{n}")))
    }

    fn user(&self) -> Option<u32> {
        self.as_root.then_some(NOBODY)
    }
}

/// By which letter the kernel names the disk `number`.
pub(super) fn letter(number: usize) -> char {
    char::from(b'a' + (number % 26) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use std::time::Duration;

    #[test]
    fn the_kernel_is_nobody_and_sees_fixed_names() {
        let uml = Uml { kernel: "6.1.176".into(), as_root: true };
        let machine = Machine {
            out: "/var/o ut".into(),
            program: "/bin/sh".into(),
            args: Vec::new(),
            disks: vec!["/img/a,b".into(), "/img/c".into()],
            cache: "/var/cache/assay".into(),
            memory: Bytes(1 << 30),
            timeout: Duration::ZERO,
        };
        let text = uml.boot(&machine).to_string();
        let (stage, kernel) = text.split_once("exit\n' ").unwrap();
        assert!(
            stage.starts_with("unshare --mount --pid --mount-proc --fork --kill-child -- sh -c")
        );
        assert_eq!(
            kernel,
            "stage '/var/o ut' /img/a,b /img/c -- setpriv --reuid 65534 --regid 65534 \
             --clear-groups --no-new-privs env TMPDIR=/dev/shm HOME=/mnt/uml \
             linux.uml mem=1024M root=/dev/root rootfstype=hostfs rootflags=/ ro quiet \
             init=/mnt/out/first uml_dir=/mnt/uml/ umid=guest con=null con0=null,fd:1 \
             ubd0=/mnt/disk0 ubd1=/mnt/disk1"
        );
        assert_eq!(uml.disk(1), Path::new("/dev/ubdb"));
        let own = Uml { as_root: false, ..uml };
        let text = own.boot(&machine).to_string();
        assert!(text.starts_with("unshare --user --map-root-user ") && !text.contains("setpriv"));
    }
}
