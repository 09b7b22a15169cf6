#!/usr/bin/env bash
# e2fsprogs 1.47.0-2+b2 (Debian 12): `e4defrag -c` scores how fragmented a file is. It counts the extents of the file,
# and takes preallocated blocks that were written and ones that were not for extents of their own, although they lie
# side by side on the disk. A file that was given its size with fallocate and is filled here and there, as by a download
# or a data file of a server, gets a score of 85 of 100 and `needs defragmentation` while it is one piece. Without `-c`,
# e4defrag counts as many extents after its work as before, and says `OK` and `Success`; the score stays. filefrag of
# the same package says that there is one extent. A file of 1 MiB, of which every other block of the first 256 KiB was
# written:
#
# Seen:
#   filefrag: 1 extent found
#   e4defrag -c: now/best 64/1, score 85, needs defragmentation
#   e4defrag: extents: 64 -> 64 [ OK ]
#   e4defrag -c again: now/best 64/1, score 85, needs defragmentation
#
# Needs root, a loop device, a kernel with ext4, and python3. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
undo() {
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    rm -rf "$dir"
}
trap undo EXIT

cd "$dir"
apt-get download -qq e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu
truncate -s 64M image
package/sbin/mke2fs -q -t ext4 -b 4096 image
mkdir mnt
mount -o loop image mnt

python3 - <<'END'
import os

fd = os.open("mnt/file", os.O_CREAT | os.O_WRONLY)
os.posix_fallocate(fd, 0, 1 << 20)
for block in range(0, 64, 2):
    os.pwrite(fd, b"x" * 4096, block * 4096)
os.fsync(fd)
END

score() {
    package/usr/sbin/e4defrag -c mnt/file >said
    echo "now/best $(awk '/Total\/best/ { print $3 }' said), score $(awk '/Fragmentation score/ { print $3 }' said)," \
        "$(grep -o 'needs defragmentation$\|does not need.*' said || grep -o 'needs defragmentation' said)"
}
seen="filefrag: $(package/usr/sbin/filefrag mnt/file | cut -d' ' -f2-)
e4defrag -c: $(score)
e4defrag: $(package/usr/sbin/e4defrag -v mnt/file | grep -o 'extents: .*' | tr -s ' \t' ' ')
e4defrag -c again: $(score)"
echo "$seen"
[ "$seen" = 'filefrag: 1 extent found
e4defrag -c: now/best 64/1, score 85, needs defragmentation
e4defrag: extents: 64 -> 64 [ OK ]
e4defrag -c again: now/best 64/1, score 85, needs defragmentation' ] || { echo "this has changed"; exit 1; }
