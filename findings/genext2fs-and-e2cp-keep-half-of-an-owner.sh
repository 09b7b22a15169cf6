#!/usr/bin/env bash
# genext2fs 1.5.0-3 and e2tools 0.1.0-3 (Debian 12): both put files with their owners into an ext2 without root. An inode of ext2
# has 32 bits for an owner, in two halves. genext2fs, and `e2cp -p` with what it copies in and out, use the lower half alone:
# what belongs to user 70000 belongs to user 4464 in the image, without a word. Users of containers, whose numbers begin
# at 100000, are mapped so to others. mke2fs -d of e2fsprogs 1.47.0-2+b2 writes both halves.
#
# Seen, of a file of 70000:70001:
#   mke2fs -d: 70000:70001
#   genext2fs: 4464:4465, status 0
#   e2cp -p: 4464:4465, status 0
#   e2cp -p out of the image of mke2fs: 4464:4465, status 0
#
# Needs root, to give the file away. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq genext2fs=1.5.0-3 e2tools=0.1.0-3 e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 \
    libarchive13 libxml2 libicu72 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/lib/$machine:$dir/package/usr/lib/$machine PATH=$dir/package/sbin:$dir/package/usr/bin:$PATH

mkdir tree
echo text >tree/file
chown 70000:70001 tree/file
owner() { debugfs -R 'stat /file' "$1" 2>/dev/null | awk '/^User:/ { print $2 ":" $4 }'; }
run() {
    local status=0
    "$@" >/dev/null 2>&1 || status=$?
    echo "status $status"
}

truncate -s 2M mke2fs.image e2cp.image
mke2fs -q -t ext2 -d tree mke2fs.image
genext2fs_says=$(run genext2fs -b 2048 -d tree genext2fs.image)
mke2fs -q -t ext2 e2cp.image
in_says=$(run e2cp -p tree/file e2cp.image:/)
out_says=$(run e2cp -p mke2fs.image:/file out)
seen="mke2fs -d: $(owner mke2fs.image)
genext2fs: $(owner genext2fs.image), $genext2fs_says
e2cp -p: $(owner e2cp.image), $in_says
e2cp -p out of the image of mke2fs: $(stat -c %u:%g out), $out_says"
echo "$seen"
[ "$seen" = 'mke2fs -d: 70000:70001
genext2fs: 4464:4465, status 0
e2cp -p: 4464:4465, status 0
e2cp -p out of the image of mke2fs: 4464:4465, status 0' ] || { echo "this has changed"; exit 1; }
