#!/usr/bin/env bash
# gpt 3.0.0 (npm) reads, checks and writes the GUID partition tables of disks and images. The number of a partition is
# its place in the table, and a table may have free places, e.g. after the second of four partitions was deleted. gpt
# leaves the free places out when it reads, and does not keep the place of the others. Expected: a table that is read
# and written again stays the same. The third partition is written as the second, with a valid checksum, and /dev/sda3
# is what was the fourth. Written over the old table, which it may also do, the fourth partition is there twice.
# `verify()`, which checks whether a table is intact, compares the checksum of the table without its free places with
# the stored one: it says false of each table with a gap.
#
# Seen, as sfdisk reads the disk:
#   made by sgdisk: 1 boot, 3 root, 4 home
#   verify() of that: false, of a table without a gap: true
#   read and written by gpt: 1 boot, 2 root, 3 home
#   written over the old table: 1 boot, 2 root, 3 home, 4 home
#
# Needs node with npm, sfdisk, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq gdisk=1.0.9-2.1 libpopt0 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
npm install --silent --no-fund --no-audit --prefix "$dir" gpt@3.0.0 >/dev/null 2>&1

sgdisk() { LD_LIBRARY_PATH=$dir/package/usr/lib/$(uname -m)-linux-gnu package/sbin/sgdisk "$@" >/dev/null; }
truncate -s 16M disk
sgdisk -n 1:2048:+1M -c 1:boot -n 2:0:+1M -c 2:old -n 3:0:+1M -c 3:root -n 4:0:+1M -c 4:home disk
cp disk full
sgdisk -d 2 disk

cat >copy.js <<'END'
const fs = require("fs"), GPT = require("gpt");

const verified = name => GPT.parse(fs.readFileSync(name), 512).verify();
console.log(`verify() of that: ${verified("disk")}, of a table without a gap: ${verified("full")}`);

const disk = fs.readFileSync("disk"), table = GPT.parse(disk, 512), over = Buffer.from(disk);
table.write().copy(disk, 512);
fs.writeFileSync("written", disk);
table.write(over, 512);
fs.writeFileSync("over", over);
END
verified=$(node copy.js)

# The second table, at the end, is the old one: only the first, which sfdisk reads, is compared.
partitions() {
    local sfdisk
    sfdisk=$(PATH=$PATH:/usr/sbin:/sbin command -v sfdisk)
    "$sfdisk" --dump "$1" 2>/dev/null | sed -nE 's/^[^ ]*[a-z]([0-9]+) : .*name="(.*)"$/\1 \2/p' |
        paste -sd, | sed 's/,/, /g'
}
seen="made by sgdisk: $(partitions disk)
$verified
read and written by gpt: $(partitions written)
written over the old table: $(partitions over)"
echo "$seen"
[ "$seen" = 'made by sgdisk: 1 boot, 3 root, 4 home
verify() of that: false, of a table without a gap: true
read and written by gpt: 1 boot, 2 root, 3 home
written over the old table: 1 boot, 2 root, 3 home, 4 home' ] || { echo "this has changed"; exit 1; }
