#!/usr/bin/env bash
# @obsidize/tar-browserify 6.3.2 (npm) reads and writes tar archives. A number in the header of an entry is octal, with
# room for 11 digits of the size and 7 of an owner. tar-browserify uses one digit less, and of a number with more digits
# it writes the first ones: it is divided by 8 for each digit that is left out. Expected: each value is kept, or
# refused. A file of 1 GiB has the size 128 MiB, the next entry is looked for in the middle of its data, and what
# follows is lost. The user 1000000 becomes 125000, which may be another user of the same machine. Headers as
# `addEntryWith` makes them, with the content added as a hole, listed by GNU tar 1.34:
#
# Seen, of a file before another one:
#   1073741823 bytes of 262143: 1073741823 bytes of 262143, next: last
#   1073741824 bytes of 262144: 134217728 bytes of 32768, next: none
#   2147483648 bytes of 1000000: 268435456 bytes of 125000, next: none
#
# Needs node with npm, GNU tar, a file system with holes below the temp folder, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" @obsidize/tar-browserify@6.3.2 >/dev/null 2>&1

cat >headers.js <<'END'
const fs = require("fs"), { ArchiveWriter } = require("@obsidize/tar-browserify");

const [fileSize, owner] = process.argv.slice(2).map(Number);
const header = { fileSize, ownerUserId: owner, groupUserId: 0, fileMode: 0o644, lastModified: 0, typeFlag: "0" };
// The header of a file and the one of the next file, each of 512 bytes.
const first = new ArchiveWriter().addEntryWith({ ...header, fileName: "first" }).toUint8Array();
const last = new ArchiveWriter().addEntryWith({ ...header, fileName: "last", fileSize: 0 }).toUint8Array();
fs.writeFileSync("first", first.subarray(0, 512));
fs.writeFileSync("last", last.subarray(0, 512));
END

seen=$(
    for values in "1073741823 262143" "1073741824 262144" "2147483648 1000000"; do
        read -r size owner <<<"$values"
        node headers.js "$size" "$owner"
        blocks=$(((size + 511) / 512))
        mv first archive.tar
        dd if=last of=archive.tar bs=512 seek=$((1 + blocks)) conv=notrunc status=none
        truncate -s $(((blocks / 20 + 2) * 10240)) archive.tar
        listed=$(tar --numeric-owner -tvf archive.tar | awk '{ sub("/.*", "", $2); print $6, $3, $2 }')
        read -r name size_read owner_read <<<"$(head -1 <<<"$listed")"
        [ "$name" = first ]
        next=$(sed -n '2s/ .*//p' <<<"$listed")
        echo "$size bytes of $owner: $size_read bytes of $owner_read, next: ${next:-none}"
    done
)
echo "$seen"
[ "$seen" = '1073741823 bytes of 262143: 1073741823 bytes of 262143, next: last
1073741824 bytes of 262144: 134217728 bytes of 32768, next: none
2147483648 bytes of 1000000: 268435456 bytes of 125000, next: none' ] || { echo "this has changed"; exit 1; }
