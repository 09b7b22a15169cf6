//! Judges disks that another program may write to: by the node, by the file behind it, and by one further below.
//! Needs root; where it or a tool is missing, a test says so and ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::{
    interlock::{SIZE, path, refused, request},
    stand_in,
};

use disk::Refusal;
use lab::backing::inspect;
use needs::Mounted;
use stand_in::{Disk, can_attach, run};
use std::{
    fs,
    path::Path,
    process::{Child, Command},
};

#[test]
fn a_disk_that_a_program_may_write_to_is_refused() {
    if !can_attach("open disks") {
        return;
    }
    let mut disk = Disk::new(SIZE);
    let part = disk.partition(1, 64 << 20, 64 << 20);
    let link = disk.name(&part);
    for (node, link) in [(&disk.node, &disk.link), (&part, &disk.link), (&disk.node, &link)] {
        let mut writer = hold(node, "<>");
        let judged = std::panic::catch_unwind(|| refused(&request(link)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let refusal = judged.unwrap();
        assert!(
            matches!(&refusal, Refusal::OpenForWriting { pid, program, .. }
                if *pid == writer.id() && program == "sleep"),
            "{refusal}"
        );
    }
    // A reader does no harm.
    let mut reader = hold(&disk.node, "<");
    let judged = inspect(&request(&disk.link));
    reader.kill().unwrap();
    reader.wait().unwrap();
    judged.unwrap();
}

/// Has the file open, by `how` of a shell, until it is killed.
fn hold(file: &Path, how: &str) -> Child {
    let script = format!("exec 3{how}\"$0\"; echo up; exec sleep 600");
    until_up(Command::new("sh").args(["-c", &script, path(file)]))
}

/// Starts `command` and waits until it has said a word.
fn until_up(command: &mut Command) -> Child {
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut up = [0; 3];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut up).unwrap();
    child
}

/// What is said of the disk at `link` while `writer` is at work.
fn refused_beside(mut writer: Child, link: &Path) -> (u32, Refusal) {
    let judged = std::panic::catch_unwind(|| refused(&request(link)));
    writer.kill().unwrap();
    writer.wait().unwrap();
    (writer.id(), judged.unwrap())
}

#[test]
fn disk_whose_file_a_program_may_write_to_is_refused() {
    if !can_attach("open files") {
        return;
    }
    let disk = Disk::new(SIZE);
    let (id, refusal) = refused_beside(hold(&disk.image(), "<>"), &disk.link);
    assert!(
        matches!(&refusal, Refusal::FileOpenForWriting { pid, program, file, .. }
            if *pid == id && program == "sleep" && *file == disk.image()),
        "{refusal}"
    );
    // By another name of the same file, too; and a reader does no harm.
    let other = disk.image().with_extension("other");
    fs::hard_link(disk.image(), &other).unwrap();
    let (_, refusal) = refused_beside(hold(&other, ">>"), &disk.link);
    assert!(matches!(refusal, Refusal::FileOpenForWriting { .. }), "{refusal}");
    let mut reader = hold(&disk.image(), "<");
    let judged = inspect(&request(&disk.link));
    reader.kill().unwrap();
    reader.wait().unwrap();
    judged.unwrap();
}

#[test]
fn disk_whose_file_is_mapped_is_refused() {
    if !can_attach("mapped files") || !needs::program_or_skip("python3") {
        return;
    }
    let disk = Disk::new(SIZE);
    let script = "import mmap, os, sys, time; f = open(sys.argv[1], 'r+b'); m = mmap.mmap(f.fileno(), 4096); \
                  os.closerange(3, 99); print('up', flush=True); time.sleep(600)";
    let writer = until_up(Command::new("python3").args(["-c", script, path(&disk.image())]));
    let (id, refusal) = refused_beside(writer, &disk.link);
    assert!(matches!(&refusal, Refusal::FileOpenForWriting { pid, .. } if *pid == id), "{refusal}");
}

#[test]
fn disk_on_a_file_on_a_disk_whose_file_is_written_to_is_refused() {
    if !can_attach("loop devices on each other") {
        return;
    }
    let mut disk = Disk::new(SIZE);
    let dir = disk.dir("m");
    run("mkfs.ext4", &["-q", path(&disk.node)]);
    let _mounted = Mounted::new(&[&disk.node], &dir);
    let file = dir.join("image");
    fs::File::create(&file).unwrap().set_len(64 << 20).unwrap();
    let node = disk.attach(&file, &[]);
    let link = disk.name(&node);
    inspect(&request(&link)).unwrap();
    let writer = hold(&disk.image(), "<>");
    let judged = std::panic::catch_unwind(|| refused_beside(writer, &link));
    run("losetup", &["--detach", path(&node)]);
    let (_, refusal) = judged.unwrap();
    assert!(
        matches!(&refusal, Refusal::FileOpenForWriting { file, .. } if *file == disk.image()),
        "{refusal}"
    );
}
