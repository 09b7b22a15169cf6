#!/usr/bin/env bash
# fstab 0.4.0 (crates.io) reads /etc/fstab and adds and removes entries. The last two of the six fields of a line may be
# left out, as fstab(5) says, and a comment may follow. Expected: what is not added or removed stays. fstab takes a line
# for an entry only if it has six fields, passes over all other lines, and writes the file anew from the entries that it
# has. Adding a disk removes each mount that is written with four or five fields or has a comment behind it: after the
# next start the data are not there, and programs write below the empty mount point. All comments are gone as well. The
# call returns true, as for an entry that is new. The file is emptied first and written line by line, in place. A
# file of five mounts and a swap, to which one mount is added, as findmnt reads it:
#
# Seen:
#   entries read: 2 of 6
#   added: true
#   before: / /data /srv /var /tmp none, comments 2
#   after: / none /mnt, comments 0
#
# Needs cargo, findmnt, and no root. Leaves nothing but what cargo keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir src
cat >Cargo.toml <<'END'
[package]
name = "add"
version = "0.0.0"
edition = "2021"

[dependencies]
fstab = "=0.4.0"
END
cat >src/main.rs <<'END'
use fstab::{FsEntry, FsTab};
use std::path::{Path, PathBuf};

fn main() {
    let table = FsTab::new(Path::new("table"));
    println!("entries read: {} of 6", table.get_entries().unwrap().len());
    let entry = FsEntry {
        fs_spec: "/dev/sdz1".to_string(),
        mountpoint: PathBuf::from("/mnt"),
        vfs_type: "ext4".to_string(),
        mount_options: vec!["noatime".to_string()],
        dump: false,
        fsck_order: 2,
    };
    println!("added: {}", table.add_entry(entry).unwrap());
}
END
cat >table <<'END'
# The disks of this machine
/dev/sda1 / ext4 defaults 0 1
/dev/sdb1 /data xfs noatime
/dev/sdc1 /srv ext4 defaults 0
LABEL=var /var ext4 defaults,noatime
tmpfs /tmp tmpfs size=1G 0 0 # of the last job
/dev/sda2 none swap sw 0 0
END

listed() { echo "$(findmnt --fstab --tab-file table -rno TARGET | paste -sd' '), comments $(grep -c '#' table)"; }
before=$(listed) || true
seen=$(cargo run --quiet)
after=$(listed) || true
seen+="
before: $before
after: $after"
echo "$seen"
[ "$seen" = 'entries read: 2 of 6
added: true
before: / /data /srv /var /tmp none, comments 2
after: / none /mnt, comments 0' ] || { echo "this has changed"; exit 1; }
