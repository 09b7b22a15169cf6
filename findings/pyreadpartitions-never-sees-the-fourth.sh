#!/usr/bin/env bash
# pyreadpartitions 1.1.1 (PyPI) reads the partition tables of a disk, MBR and GPT, without a program of the system. An
# MBR has four entries. Expected: all of them are returned. pyreadpartitions reads the first three, and its
# documentation names no limit. The fourth is where fdisk, sfdisk and installers put the extended partition once three
# others were made, and only through that one are the logical partitions found: of a disk with six partitions, the
# three behind the third are missing, and 39 of its 64 MiB look free. Nothing is said. The addresses by cylinder, head
# and sector are wrong for all: the first of their three bytes is taken for the length of the others, and is not in the
# result.
#
# Seen, of partitions made by sfdisk:
#   6 of MiB 1-9, 9-17, 17-25, 25-64, 26-34, 35-43: read 1 2 3
#   4 of MiB 1-9, 9-17, 17-25, 25-64: read 1 2 3
#   first sector by cylinder, head and sector: 202100 in the table, 2100 read
#
# Needs python3, sfdisk, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
pip install -q --disable-pip-version-check --no-deps --target modules pyreadpartitions==1.1.1 2>/dev/null

sfdisk() { PATH=$PATH:/usr/sbin:/sbin command sfdisk "$@"; }
# Makes a disk with partitions of the given lines, and says which there are and which are read.
read_back() {
    truncate -s 0 disk
    truncate -s 64M disk
    { echo "label: dos"; printf '%s\n' "$@"; } | sfdisk -q disk >/dev/null
    made=$(sfdisk -d disk 2>/dev/null | sed -nE 's/^disk[0-9]+ : start= *([0-9]+), size= *([0-9]+),.*/\1 \2/p' |
        while read -r start size; do echo "$((start / 2048))-$(((start + size) / 2048))"; done)
    numbers=$(PYTHONPATH=modules python3 -c '
import pyreadpartitions
with open("disk", "rb") as disk:
    print(*(partition.index for partition in pyreadpartitions.get_mbr_info(disk).partitions))')
    echo "$(wc -l <<<"$made") of MiB $(paste -sd, <<<"$made" | sed 's/,/, /g'): read $numbers"
}
seen="$(read_back size=8M size=8M size=8M type=5 size=8M size=8M)
$(read_back size=8M size=8M size=8M type=83)
$(PYTHONPATH=modules python3 -c '
import pyreadpartitions
with open("disk", "rb") as disk:
    first = pyreadpartitions.get_mbr_info(disk).partitions[0].chs_first
    disk.seek(446 + 1)
    print(f"first sector by cylinder, head and sector: {disk.read(3).hex()} in the table, {first.hex()} read")')"
echo "$seen"
[ "$seen" = '6 of MiB 1-9, 9-17, 17-25, 25-64, 26-34, 35-43: read 1 2 3
4 of MiB 1-9, 9-17, 17-25, 25-64: read 1 2 3
first sector by cylinder, head and sector: 202100 in the table, 2100 read' ] || { echo "this has changed"; exit 1; }
