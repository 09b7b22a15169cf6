#!/usr/bin/env bash
# tar-to-zip 3.0.0 (npm) converts a tar archive into a zip. Expected: each file has its content, or is refused. Of the
# type of an entry it knows the directory only, and takes all others for files with the data that follow the header. A
# symbolic link and the second name of a file have none there, so both become empty files: of a tree that was archived
# with hard links, all but one name of each file lose their content. Behind the header of a sparse file, as `tar -S`
# writes it, there are only the parts that are not holes: 1 MiB becomes 4096 bytes, with the data at the start. Modes
# and times are lost too: each file has mode 664 and the time of the conversion. Nothing is said, and nothing fails.
#
# Seen, in the zip:
#   file 8 bytes, hard 0 bytes, soft 0 bytes, program 10 bytes, sparse 4096 bytes
#   program: mode 755 became 664
#
# Needs node with npm, python3, a file system with holes below the temp folder, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" tar-to-zip@3.0.0 >/dev/null 2>&1

mkdir tree
echo content >tree/file
ln tree/file tree/hard
ln -s file tree/soft
printf '#!/bin/sh\n' >tree/program
chmod 755 tree/program
truncate -s 1M tree/sparse
printf x | dd of=tree/sparse bs=1 seek=500000 conv=notrunc status=none
tar -S -cf archive.tar -C tree file hard soft program sparse
cat >convert.js <<'END'
const fs = require("fs"), convert = require("tar-to-zip");

const converted = convert("archive.tar");
converted.on("error", error => { throw error; });
converted.getStream().pipe(fs.createWriteStream("archive.zip"));
END
node convert.js

python3 - >seen <<'END'
from zipfile import ZipFile

entries = ZipFile("archive.zip").infolist()
print(", ".join(f"{entry.filename} {entry.file_size} bytes" for entry in entries))
mode = next(entry.external_attr >> 16 & 0o777 for entry in entries if entry.filename == "program")
print(f"program: mode 755 became {mode:o}")
END
cat seen
[ "$(cat seen)" = 'file 8 bytes, hard 0 bytes, soft 0 bytes, program 10 bytes, sparse 4096 bytes
program: mode 755 became 664' ] || { echo "this has changed"; exit 1; }
