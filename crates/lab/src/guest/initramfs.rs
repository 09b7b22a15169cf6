//! The initramfs of a virtual machine: busybox, the modules needed for disks and shares, and a script. It is built for
//! each boot, which is faster than checking whether an old one still fits.

use super::cpio::Archive;
use crate::{
    error::LabError,
    programs::{Run, tool},
};
use ::fs::Cmd;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Modules for disks, the shares of the host, and a writable root.
const MODULES: [&str; 5] = ["virtio_pci", "virtio_blk", "9pnet_virtio", "9p", "overlay"];
const BUSYBOX: &str = "busybox";

/// The archive that runs `script` with the modules of `kernel` that a guest needs.
///
/// # Errors
/// busybox or a module is missing or cannot be read.
pub(super) fn with_modules(script: &str, kernel: &str) -> Result<Vec<u8>, LabError> {
    let mut archive = bare(script)?;
    archive.dir("modules");
    for (number, module) in modules(kernel)?.iter().enumerate() {
        archive.file(&format!("modules/{number:02}.ko"), &unpacked(module)?);
    }
    Ok(archive.finish())
}

/// The archive that runs `script` without any module.
///
/// # Errors
/// busybox is missing or cannot be read.
pub(super) fn without_modules(script: &str) -> Result<Vec<u8>, LabError> {
    Ok(bare(script)?.finish())
}

fn bare(script: &str) -> Result<Archive, LabError> {
    let missing =
        || LabError::MissingProgram { program: BUSYBOX.into(), fix: tool::how_to_install(BUSYBOX) };
    let busybox = tool::find_program(BUSYBOX).ok_or_else(missing)?;
    let mut archive = Archive::default();
    for dir in ["bin", "dev", "proc"] {
        archive.dir(dir);
    }
    archive.file("bin/busybox", &read(&busybox)?);
    archive.file("init", script.as_bytes());
    Ok(archive)
}

/// Files of [`MODULES`] and what they need, in the order in which they are loaded; not those that are
/// part of the kernel itself.
fn modules(kernel: &str) -> Result<Vec<PathBuf>, LabError> {
    let mut files = Vec::new();
    for module in MODULES {
        let wanted = Cmd::new("modprobe").args(["--show-depends", "--set-version", kernel, module]);
        for file in insmod_lines(&wanted.run()?.stdout) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// The files that modprobe says it would load: `insmod FILE OPTIONS`.
fn insmod_lines(text: &str) -> Vec<PathBuf> {
    let files = text.lines().filter_map(|line| line.strip_prefix("insmod "));
    files.filter_map(|rest| Some(rest.split_whitespace().next()?.into())).collect()
}

/// The module in `file` as it was before distributions packed it.
fn unpacked(file: &Path) -> Result<Vec<u8>, LabError> {
    let program = match file.extension().and_then(|e| e.to_str()) {
        Some("xz") => "xz",
        Some("zst") => "zstd",
        Some("gz") => "gzip",
        _ => return read(file),
    };
    let output = Command::new(program).arg("-dc").arg(file).output();
    let output = output.map_err(LabError::io("unpack", file))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(Cmd::new(program)
        .arg("-dc")
        .arg(file)
        .failure(output.status, &String::from_utf8_lossy(&output.stderr)))
}

fn read(file: &Path) -> Result<Vec<u8>, LabError> {
    fs::read(file).map_err(LabError::io("read", file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_what_modprobe_would_load() {
        let text =
            "builtin virtio\ninsmod /lib/modules/1/a.ko.xz \ninsmod /lib/modules/1/b.ko x=1\n";
        let files = [Path::new("/lib/modules/1/a.ko.xz"), Path::new("/lib/modules/1/b.ko")];
        assert_eq!(insmod_lines(text), files);
    }

    #[test]
    fn packed_modules_are_unpacked() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("m.ko"), b"module").unwrap();
        assert_eq!(unpacked(&dir.path().join("m.ko")).unwrap(), b"module");
        Cmd::new("gzip").arg(dir.path().join("m.ko")).run().unwrap();
        assert_eq!(unpacked(&dir.path().join("m.ko.gz")).unwrap(), b"module");
        assert!(unpacked(&dir.path().join("nothing.ko.gz")).is_err());
    }
}
