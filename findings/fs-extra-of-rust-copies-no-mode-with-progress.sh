#!/usr/bin/env bash
# fs_extra 1.3.0 (crates.io) copies and moves files and folders. Each of its functions has a second form that is told of
# the progress: `copy` and `copy_with_progress`, `move_file` and `move_file_with_progress`, for files and for folders.
# For files, both forms are documented to copy the permission bits. Expected: they make the same copy. The forms with
# progress make a new file of their own, with the mode that the umask leaves, and no more: a program is no longer
# executable, and a file that was closed to others is not. A move, which keeps the mode of a file without progress,
# gives it another, and the file that had the right one is gone.
#
# Seen, of a file of mode 750 with a umask of 022:
#   file::copy: 750, with progress 644
#   dir::copy: 750, with progress 644
#   file::move_file: 750, with progress 644
#
# Needs cargo and no root. Leaves nothing but what cargo keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
umask 022
mkdir -p src folder one two
printf '#!/bin/sh\n' >folder/run
chmod 750 folder/run

cat >Cargo.toml <<'END'
[package]
name = "modes"
version = "0.1.0"
edition = "2021"

[dependencies]
fs_extra = "=1.3.0"
END
cat >src/main.rs <<'END'
use std::os::unix::fs::PermissionsExt;

use fs_extra::{dir, file};

fn main() {
    let whole = dir::CopyOptions::new();
    let one = file::CopyOptions::new();
    let of_folder = |_: dir::TransitProcess| dir::TransitProcessResult::ContinueOrAbort;

    file::copy("folder/run", "copied", &one).unwrap();
    file::copy_with_progress("folder/run", "copied-with", &one, |_| ()).unwrap();
    println!("file::copy: {}, with progress {}", mode("copied"), mode("copied-with"));

    dir::copy("folder", "one", &whole).unwrap();
    dir::copy_with_progress("folder", "two", &whole, of_folder).unwrap();
    println!("dir::copy: {}, with progress {}", mode("one/folder/run"), mode("two/folder/run"));

    file::move_file("copied", "moved", &one).unwrap();
    let moved = mode("moved");
    file::move_file_with_progress("moved", "moved-with", &one, |_| ()).unwrap();
    println!("file::move_file: {moved}, with progress {}", mode("moved-with"));
}

fn mode(path: &str) -> String {
    format!("{:o}", std::fs::metadata(path).unwrap().permissions().mode() & 0o7777)
}
END
cargo build -q 2>log || { cat log; exit 1; }
seen=$("$(cargo metadata -q --format-version 1 | sed -E 's/.*"target_directory":"([^"]*)".*/\1/')/debug/modes")
echo "$seen"
[ "$seen" = 'file::copy: 750, with progress 644
dir::copy: 750, with progress 644
file::move_file: 750, with progress 644' ] || { echo "this has changed"; exit 1; }
