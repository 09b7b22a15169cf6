//! QEMU: a whole machine with a kernel of a distribution, on the processor itself (KVM) or on an
//! emulated one (TCG), which computes about ten times slower.

use super::{
    Guest, INIT, Machine, Missing, Shared, Stranger, Venue, initramfs, kernels::Kernel, run::end,
    stage, uml::letter,
};
use crate::{
    error::LabError,
    programs::{Run, tool},
};
use ::fs::Cmd;
use model::{plan::LabKind, text::Bytes};
use rustix::fs::{MemfdFlags, memfd_create};
use std::{
    fs::{self, File},
    io::Write,
    os::fd::AsRawFd,
    path::{Path, PathBuf},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

const PROGRAM: &str = "qemu-system-x86_64";
const FIRST: &str = include_str!("qemu_init.sh");
const TOKEN_INIT: &str = include_str!("token_init.sh");
const TOKEN: &str = "assay-token";
/// A machine on which KVM works has said the token long before.
const TOKEN_TIME: Duration = Duration::from_secs(10);
/// Without the check of the timer: a busy machine interrupts the emulated one late, and its kernel panics
/// (Documentation/admin-guide/kernel-parameters.txt).
const COMMAND_LINE: &str = "console=ttyS0 quiet panic=-1 tsc=unstable no_timer_check";
const INITRAMFS: &str = "initramfs";
/// A copy of the kernel, which distributions hide from all but root.
const KERNEL: &str = "kernel";
const KVM: &str = "/dev/kvm";

/// QEMU with a kernel.
#[derive(Debug)]
pub(super) struct Qemu {
    kind: LabKind,
    image: PathBuf,
    kernel: String,
}

/// QEMU of `kind` with the kernel that was found, if one was.
pub(super) fn find(kind: LabKind, found: Result<Kernel, Missing>) -> Result<Qemu, Missing> {
    let programs = [PROGRAM, "busybox", "modprobe", "unshare", "setpriv"];
    let lacking = tool::lacking(&programs).map(|(what, fix)| Missing::new(what, fix));
    let Kernel { image, release } = match (lacking, found) {
        (None, found) => found?,
        (Some(lacking), Ok(_)) => return Err(lacking),
        (Some(lacking), Err(missing)) => return Err(lacking.and(missing)),
    };
    let qemu = Qemu { kind, image, kernel: release };
    if kind == LabKind::Kvm {
        qemu.try_kvm()?;
    }
    Ok(qemu)
}

impl Qemu {
    /// Boots a kernel that says a token. Where KVM is only half there QEMU gives no error: the machine
    /// stands still.
    fn try_kvm(&self) -> Result<(), Missing> {
        let emulated = "results come from an emulated CPU instead";
        let bad = |what: String| Missing::new(what, emulated);
        if Path::new("/sys/module/kvm_pvm").exists() {
            return Err(bad("KVM is provided by a paravirtual machine (kvm_pvm)".into()));
        }
        File::options()
            .read(true)
            .write(true)
            .open(KVM)
            .map_err(|error| bad(format!("/dev/kvm cannot be opened: {error}")))?;
        match self.token_boot() {
            Ok(true) => Ok(()),
            Ok(false) => Err(bad(format!("KVM did not boot within {} s", TOKEN_TIME.as_secs()))),
            Err(error) => Err(bad(error.to_string())),
        }
    }

    /// True when the token came in time. Both files are in memory, and gone with the process.
    fn token_boot(&self) -> Result<bool, LabError> {
        let initramfs = initramfs::without_modules(TOKEN_INIT)?;
        let (mut archive, archive_path) = memory_file("initramfs")?;
        archive.write_all(&initramfs).map_err(LabError::io("write", &archive_path))?;
        let (console, console_path) = memory_file("console")?;
        let cmd = self.machine(Cmd::new(PROGRAM), &self.image, &archive_path, Bytes(256 << 20));
        let mut child = cmd.start(console.into(), Stdio::null())?;
        let start = Instant::now();
        let mut said = false;
        while !said && start.elapsed() < TOKEN_TIME && matches!(child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(50));
            let bytes = fs::read(&console_path).map_err(LabError::io("read", &console_path))?;
            said = String::from_utf8_lossy(&bytes).contains(TOKEN);
        }
        end(&mut child);
        Ok(said)
    }

    /// A machine without disks that starts `kernel` from `initramfs`, by the command `program`.
    fn machine(&self, program: Cmd, kernel: &Path, initramfs: &Path, memory: Bytes) -> Cmd {
        let (accelerator, cpu) = match self.kind {
            LabKind::Kvm => ("kvm", "host"),
            _ => ("tcg,thread=multi", "max"),
        };
        let cpus = thread::available_parallelism().map_or(1, usize::from);
        program
            .args(["-no-user-config", "-nodefaults", "-no-reboot", "-machine", "q35"])
            .args(["-accel", accelerator, "-cpu", cpu])
            .args(["-smp", &cpus.to_string(), "-m", &(memory.0 >> 20).to_string()])
            .args(["-display", "none", "-monitor", "none", "-serial", "stdio"])
            .arg("-kernel")
            .arg(kernel)
            .arg("-initrd")
            .arg(initramfs)
            .args(["-append", COMMAND_LINE])
    }
}

impl Guest for Qemu {
    fn venue(&self) -> Venue {
        Venue {
            kind: self.kind,
            kernel: self.kernel.clone(),
            accelerator: if self.kind == LabKind::Kvm { "kvm" } else { "tcg" },
            image_cache: "page cache of the host (cache=writeback)",
        }
    }

    fn disk(&self, number: usize) -> PathBuf {
        // A node made by the first process next to that of the kernel.
        format!("/dev/assay-{}", letter(number)).into()
    }

    fn prepare(&self, out: &Shared) -> Result<(), LabError> {
        let archive = initramfs::with_modules(FIRST, &self.kernel)?;
        out.write(INITRAMFS, &archive)?;
        let kernel = fs::read(&self.image).map_err(LabError::io("read", &self.image))?;
        out.write(KERNEL, &kernel)?;
        out.put_script("init", INIT)
    }

    fn boot(&self, machine: &Machine, stranger: Option<Stranger>) -> Cmd {
        let (program, out, disks) = match stranger {
            None => (Cmd::new(PROGRAM), machine.out.clone(), machine.disks.clone()),
            Some(_) => (
                stage::enter(machine, stranger, self.kind == LabKind::Kvm).arg(PROGRAM),
                stage::out(),
                (0..machine.disks.len()).map(stage::disk).collect(),
            ),
        };
        let mut cmd =
            self.machine(program, &out.join(KERNEL), &out.join(INITRAMFS), machine.memory);
        for (number, image) in disks.iter().enumerate() {
            let image = escaped(image);
            cmd = cmd
                .arg("-drive")
                .arg(format!("if=none,id=d{number},format=raw,cache=writeback,file={image}"))
                .args(["-device", &format!("virtio-blk-pci,drive=d{number}")]);
        }
        let share = |tag: &str, dir: &Path, how: &str| {
            let dir = escaped(dir);
            format!("local,mount_tag={tag},security_model=none,multidevs=remap{how},path={dir}")
        };
        cmd = cmd
            .args(["-virtfs", &share("root", Path::new("/"), ",readonly=on")])
            .args(["-virtfs", &share("out", &out, "")]);
        let assets = machine.assets.first().and_then(|asset| asset.parent()).map(Path::to_path_buf);
        match assets.map(|own| stranger.map_or(own, |_| stage::assets())) {
            Some(assets) => cmd.args(["-virtfs", &share("assets", &assets, ",readonly=on")]),
            None => cmd,
        }
    }
}

/// A path in a list of QEMU's options, where a comma is written twice.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

/// A file in memory, and the path by which a child can open it.
fn memory_file(name: &'static str) -> Result<(File, PathBuf), LabError> {
    let file = memfd_create(name, MemfdFlags::CLOEXEC);
    let file = File::from(file.map_err(LabError::errno("create", Path::new(name)))?);
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    Ok((file, path.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_shared_read_only_and_commas_are_kept() {
        let qemu = Qemu { kind: LabKind::Tcg, image: "/boot/vmlinuz-1".into(), kernel: "1".into() };
        let machine = Machine {
            out: "/var/out".into(),
            program: "/bin/sh".into(),
            args: Vec::new(),
            disks: vec!["/img/a,b".into()],
            assets: Vec::new(),
            cache: "/var/cache/assay".into(),
            memory: Bytes(1 << 30),
            timeout: Duration::ZERO,
        };
        let text = qemu.boot(&machine, None).to_string();
        assert!(
            text.contains(
                " -kernel /var/out/kernel -initrd /var/out/initramfs -append 'console=ttyS0 quiet \
             panic=-1 tsc=unstable no_timer_check' -drive \
             if=none,id=d0,format=raw,cache=writeback,file=/img/a,,b -device \
             virtio-blk-pci,drive=d0 -virtfs \
             local,mount_tag=root,security_model=none,multidevs=remap,readonly=on,path=/ -virtfs \
             local,mount_tag=out,security_model=none,multidevs=remap,path=/var/out"
            ),
            "{text}"
        );
        assert!(text.contains("-accel tcg,thread=multi -cpu max") && text.contains("-m 1024"));
        let text = qemu.boot(&machine, Some(Stranger { uid: 2_000_000_007 })).to_string();
        let (stage, rest) = text.split_once("exit\n' ").unwrap();
        assert!(stage.starts_with("unshare --mount --pid "), "{stage}");
        assert!(
            rest.starts_with(
                "stage /var/out - /img/a,b -- -- setpriv --reuid 2000000007 --regid 2000000007 \
                 --clear-groups --inh-caps=-all --no-new-privs qemu-system-x86_64 "
            ),
            "{rest}"
        );
        assert!(rest.contains("file=/mnt/disk0") && rest.ends_with("path=/mnt/out"), "{rest}");
    }
}
