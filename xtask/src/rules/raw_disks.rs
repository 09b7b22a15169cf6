//! Only the crate `disk` writes to a block device itself. The lab, which knows the nodes of disks too, opens
//! for writing nothing but what is listed here, and no other code uses ioctl on a block device.

use super::line_with;
use crate::{
    problem::Problem,
    tree::{File, Tree},
};

const WALL: &str = "crates/disk/";
const LAB: &str = "crates/lab/src/";

/// Files of the lab that open something for writing, and what that is.
const WRITERS: [(&str, &str); 16] = [
    ("crates/lab/src/ageing/age/population.rs", "files below a mount"),
    ("crates/lab/src/backing/bcache.rs", "attributes of sysfs"),
    ("crates/lab/src/programs/artifacts.rs", "the cache folder"),
    ("crates/lab/src/page_cache/drop_caches.rs", "/proc/sys/vm/drop_caches"),
    ("crates/lab/src/ageing/fullness.rs", "files below a mount"),
    ("crates/lab/src/fuse.rs", "/dev/fuse"),
    ("crates/lab/src/fuse/pass.rs", "files below a mount"),
    ("crates/lab/src/guest/qemu.rs", "/dev/kvm"),
    ("crates/lab/src/guest/shared.rs", "files shared with a guest, which it makes"),
    ("crates/lab/src/recording/content.rs", "a file that it makes"),
    ("crates/lab/src/recording/detached.rs", "the file that it serves itself"),
    ("crates/lab/src/backing/image.rs", "an image, which it makes"),
    ("crates/lab/src/backing/kept.rs", "an image, which it makes"),
    ("crates/lab/src/ownership/private_dir.rs", "the marker, which it makes"),
    ("crates/lab/src/ownership/state.rs", "the state folder"),
    ("crates/lab/src/backing/throttle.rs", "files of control groups"),
];

/// How Rust opens for writing.
const OPENS: [&str; 7] = [
    ".write(true)",
    ".append(true)",
    "File::create",
    "fs::write(",
    "files::write(",
    "OFlags::WRONLY",
    "OFlags::RDWR",
];

/// The ioctls of block devices have this number (`linux/fs.h`, `linux/blkpg.h`).
const BLOCK_IOCTL: &str = "(0x12,";

/// Writers outside the wall that are not listed, and listed files that write no more.
pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let writing = |file: &&File| writes(file).is_some();
    let gone = WRITERS.iter().filter(|(path, _)| !tree.file(path).iter().any(writing));
    let gone = gone.map(|(path, _)| {
        Problem::file(path, "opens nothing for writing; remove its line in raw_disks.rs")
    });
    let is_listed = |file: &File| WRITERS.iter().any(|(path, _)| file.path == *path);
    let outside =
        || tree.rust().filter(|f| f.path.starts_with("crates/") && !f.path.starts_with(WALL));
    let unlisted = outside().filter(|file| file.path.starts_with(LAB) && !is_listed(file));
    let unlisted = unlisted.filter_map(|file| {
        let what = "opens for writing; what may be a disk belongs in crates/disk, all else is listed in raw_disks.rs";
        Some(Problem::line(&file.path, writes(file)?, what))
    });
    let ioctls = outside().filter_map(|file| {
        let what = "an ioctl of block devices belongs in crates/disk; move it there";
        Some(Problem::line(&file.path, line_with(file, &[BLOCK_IOCTL])?, what))
    });
    gone.chain(unlisted).chain(ioctls).collect()
}

/// The first line of `file` that opens for writing, outside tests.
fn writes(file: &File) -> Option<usize> {
    line_with(file, &OPENS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn problems(path: &str, text: &str) -> Vec<Problem> {
        let is_about = |problem: &Problem| problem.to_string().starts_with(path);
        check(&tree(&[(path, text)])).into_iter().filter(is_about).collect()
    }

    #[test]
    fn a_writer_in_the_lab_that_is_not_listed_is_found() {
        for open in [
            "File::options().read(true).write(true).open(node)?;",
            "fs::write(node, zeros)?;",
            "openat(dir, name, OFlags::RDWR, mode)?;",
        ] {
            assert_eq!(problems("crates/lab/src/x.rs", open).len(), 1, "{open}");
            assert_eq!(problems("crates/disk/src/x.rs", open), [], "{open}");
            assert_eq!(problems("crates/suites/src/x.rs", open), [], "{open}");
            assert_eq!(problems(WRITERS[0].0, open), [], "{open}");
        }
        let test = "#[cfg(test)]\nmod tests {\n    fs::write(a, b);\n}\n";
        assert_eq!(problems("crates/lab/src/x.rs", test), []);
    }

    #[test]
    fn an_ioctl_of_block_devices_is_found_anywhere() {
        let ioctl = "const TRIM: Opcode = opcode::none(0x12, 119);";
        assert_eq!(problems("crates/engine/src/x.rs", ioctl).len(), 1);
        assert_eq!(problems("crates/disk/src/x.rs", ioctl), []);
    }

    #[test]
    fn a_listed_file_that_writes_no_more_is_found() {
        assert_eq!(problems(WRITERS[0].0, "File::open(path)?;").len(), 1);
    }
}
