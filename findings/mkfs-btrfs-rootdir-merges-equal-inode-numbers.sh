#!/usr/bin/env bash
# btrfs-progs 6.2-1+deb12u2 (Debian 12): `mkfs.btrfs --rootdir DIR` gives every file the inode number that it has in DIR and takes
# two files with one number for hard links. Where DIR has a mount below it, files of two file systems can share a number without
# being one file: the new file system then has one name of the two, with one content, and the other file is gone. mkfs.btrfs
# says nothing and ends with 0; `btrfs check` finds a wrong link count. Two new tmpfs number their first files alike.
#
# Seen:
#   the directory: a/one has "first", b/two has "second", the numbers are equal
#   mkfs.btrfs: status 0
#   the file system: a/one is missing, a/two has "second", b/two has "second"
#   btrfs check: status 1
#
# Needs root, loop devices and a kernel with btrfs. Mounts in a mount namespace of its own and leaves nothing.
set -euo pipefail

if [ "${1-}" != inside ]; then
    exec unshare --mount bash "$0" inside
fi
dir=$(mktemp -d)
undo() {
    cd /
    for mount in mnt tree/a tree/b; do
        ! mountpoint -q "$dir/$mount" || umount "$dir/$mount"
    done
    rm -rf "$dir"
}
trap undo EXIT
cd "$dir"
apt-get download -qq btrfs-progs=6.2-1+deb12u2 >/dev/null 2>&1
dpkg -x btrfs-progs_*.deb package

mkdir -p mnt tree/a tree/b
mount -t tmpfs none tree/a
mount -t tmpfs none tree/b
echo first >tree/a/one
echo second >tree/b/two
content() {
    if [ -e "$1" ]; then echo "${1#*/} has \"$(cat "$1")\""; else echo "${1#*/} is missing"; fi
}
numbers=different
[ "$(stat -c %i tree/a/one)" != "$(stat -c %i tree/b/two)" ] || numbers=equal
seen="the directory: $(content tree/a/one), $(content tree/b/two), the numbers are $numbers"

truncate -s 256M image
made=0 checked=0
package/sbin/mkfs.btrfs -q --rootdir tree image >/dev/null || made=$?
package/bin/btrfs check image >/dev/null 2>&1 || checked=$?
mount -o loop,ro image mnt
seen+="
mkfs.btrfs: status $made
the file system: $(content mnt/a/one), $(content mnt/a/two), $(content mnt/b/two)
btrfs check: status $checked"
echo "$seen"
[ "$seen" = 'the directory: a/one has "first", b/two has "second", the numbers are equal
mkfs.btrfs: status 0
the file system: a/one is missing, a/two has "second", b/two has "second"
btrfs check: status 1' ] || { echo "this has changed"; exit 1; }
