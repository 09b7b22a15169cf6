//! Determines which programs of this machine a guest can run: it sees the machine's root, with tmpfs over some folders,
//! has its own PATH, and, if assay runs as root, can read only what every user can.

use crate::programs::{artifacts, tool};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Its PATH, of `init.sh`, and where the programs of ssh are.
const DIRS: [&str; 8] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/usr/lib/openssh",
    "/usr/libexec/openssh",
];
/// Folders that are others inside.
const HIDDEN: [&str; 6] = ["/dev", "/mnt", "/proc", "/run", "/sys", "/tmp"];

/// Returns where `program` is on this machine when no guest sees it there or anywhere else; `None` where a guest
/// does, or it is not installed.
pub fn unseen(program: &str) -> Option<PathBuf> {
    let found = tool::find_program(program)?;
    let dirs = DIRS.iter().map(PathBuf::from);
    let mut seen =
        dirs.map(|dir| dir.join(program)).filter(|path| is_shared(path, disk::is_root()));
    // The cache is given to it, wherever it is.
    let is_built = artifacts::bin_dirs().into_iter().any(|dir| dir.join(program).exists());
    (!is_built && seen.next().is_none()).then_some(found)
}

/// Returns true if the file at `path` is one and the same program inside; `by_all` when a guest is a user of its
/// own.
fn is_shared(path: &Path, by_all: bool) -> bool {
    let Ok(file) = path.canonicalize() else { return false };
    let mode = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.permissions().mode());
    let may = |path: &Path, wanted: u32| mode(path) & wanted == wanted;
    let is_open = !by_all || may(&file, 0o5) && file.ancestors().skip(1).all(|dir| may(dir, 0o1));
    let is_hidden = HIDDEN.iter().any(|dir| file.starts_with(dir));
    !is_hidden && is_open && mode(&file) & 0o111 != 0 && file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::INIT;

    #[test]
    fn the_folders_are_those_of_the_guests_own_path() {
        let path = INIT.lines().find_map(|line| line.strip_prefix("PATH=")).unwrap();
        assert!(path.split(':').eq(DIRS.into_iter().take(6)), "{path}");
        for dir in ["run", "tmp", "dev/shm"] {
            assert!(INIT.contains(&format!(" /{dir}\n")), "{dir}");
        }
    }

    #[test]
    fn a_program_in_a_hidden_or_private_folder_is_not_shared() {
        assert!(is_shared(Path::new("/bin/sh"), true));
        assert_eq!(unseen("sh"), None);
        assert_eq!(unseen("no-such-program-here"), None);
        let dir = tempfile::Builder::new().tempdir_in("/tmp").unwrap();
        let program = dir.path().join("tool");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(!is_shared(&program, false), "/tmp is another one inside");
        let dir = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
        let program = dir.path().join("tool");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(is_shared(&program, false) && !is_shared(&program, true));
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(is_shared(&program, true));
        fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(!is_shared(&program, false));
    }
}
