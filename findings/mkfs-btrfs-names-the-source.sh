#!/usr/bin/env bash
# btrfs-progs 6.2-1+deb12u2 (Debian 12) on Linux 6.18: mkfs.btrfs registers the devices of a file system with the kernel under the
# very paths that it was given. For a file system of two devices the mount table then shows that path as the source,
# whatever mount(8) was told. Here mkfs gets /proc/PID/fd/8 and 9, mount gets the first loop device, and findmnt prints
# /proc/PID/fd/8: a name that is gone with that process. With one device the table has what mount was told.
#
# Seen:
#   one device: mount was told LOOP, the table says LOOP
#   two devices: mount was told LOOP, the table says /proc/PID/fd/8
#
# Needs root, loop devices and a kernel with btrfs. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
loops=()
undo() {
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    exec 8>&- 9>&-
    for loop in "${loops[@]}"; do losetup -d "$loop"; done
    rm -rf "$dir"
}
trap undo EXIT

cd "$dir"
apt-get download -qq btrfs-progs=6.2-1+deb12u2 >/dev/null 2>&1
dpkg -x btrfs-progs_*.deb root
for number in 1 2; do
    truncate -s 256M "image$number"
    loops+=("$(losetup --find --show "image$number")")
done
exec 8<>"${loops[0]}" 9<>"${loops[1]}"
mkdir mnt

# The source of a file system that was made on these descriptors.
source_on() {
    root/sbin/mkfs.btrfs -q -f "${@/#//proc/$$/fd/}" >/dev/null
    mount -t btrfs "${loops[0]}" mnt
    findmnt --noheadings --output SOURCE mnt | sed "s,${loops[0]}\$,LOOP,; s,/proc/$$/,/proc/PID/,"
    umount mnt
}

one=$(source_on 8)
echo "one device: mount was told LOOP, the table says $one"
two=$(source_on 8 9)
echo "two devices: mount was told LOOP, the table says $two"
[ "$one" = LOOP ] && [ "$two" = /proc/PID/fd/8 ] || { echo "this has changed"; exit 1; }
