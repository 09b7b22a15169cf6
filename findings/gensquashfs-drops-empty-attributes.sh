#!/usr/bin/env bash
# squashfs-tools-ng 1.2.0-1 (Debian 12): `gensquashfs -x` makes an image of a directory and keeps the extended attributes of its
# files, but those whose value is empty. It says nothing and ends with 0. To the kernel such an attribute is no less than
# another: overlayfs marks with an empty `trusted.overlay.metacopy` that the data of a file are in the layer below. In an image
# of such an upper directory that file has its size and only zeros. tar2sqfs of the same package, and mksquashfs of
# squashfs-tools 1:4.5.1-1, keep them.
#
# Seen:
#   the directory: trusted.overlay.metacopy, user.empty, user.k
#   gensquashfs -x: user.k, status 0, nothing on stderr
#   tar2sqfs: trusted.overlay.metacopy, user.empty, user.k
#   mksquashfs: trusted.overlay.metacopy, user.empty, user.k
#
# Needs root, python3, GNU tar and a directory for temporary files that has extended attributes. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq squashfs-tools-ng=1.2.0-1 libsquashfs1=1.2.0-1 squashfs-tools=1:4.5.1-1 \
    libselinux1 liblzo2-2 liblz4-1 libzstd1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine PATH=$dir/package/usr/bin:$PATH

mkdir tree
echo text >tree/file
python3 -c 'import os
for name in ("trusted.overlay.metacopy", "user.empty"):
    os.setxattr("tree/file", name, b"")
os.setxattr("tree/file", "user.k", b"value")'
has() {
    python3 -c 'import os, sys
print(*sorted(os.listxattr(sys.argv[1])), sep=", ")' "$1"
}
# What an image has, by unsquashfs.
of() {
    rm -rf out
    unsquashfs -quiet -no-progress -d out "$1" >/dev/null
    has out/file
}

status=0
gensquashfs -q -x -D tree gensquashfs.image >/dev/null 2>err || status=$?
said="nothing"
[ ! -s err ] || said="something"
tar --xattrs --xattrs-include='*' -cf - -C tree . | tar2sqfs -q tar2sqfs.image
mksquashfs tree mksquashfs.image -quiet -no-progress >/dev/null
seen="the directory: $(has tree/file)
gensquashfs -x: $(of gensquashfs.image), status $status, $said on stderr
tar2sqfs: $(of tar2sqfs.image)
mksquashfs: $(of mksquashfs.image)"
echo "$seen"
[ "$seen" = 'the directory: trusted.overlay.metacopy, user.empty, user.k
gensquashfs -x: user.k, status 0, nothing on stderr
tar2sqfs: trusted.overlay.metacopy, user.empty, user.k
mksquashfs: trusted.overlay.metacopy, user.empty, user.k' ] || { echo "this has changed"; exit 1; }
