#!/usr/bin/env bash
# e2fsprogs 1.47.0-2+b2 and erofs-utils 1.5-1 (Debian 12): `debugfs -R "rdump / DIR"` copies a tree out of an ext4, `fsck.erofs
# --extract=DIR` one out of an EROFS, both with modes and owners, as root. Both set the mode first and the owner after it, and
# the kernel takes the setuid and the setgid bit from a program that gets an owner. debugfs does not hand over the sticky bit
# and the setgid bit of a directory either. Nothing is said and the status is 0: su and sudo of a rescued root file system no
# longer work, and others may delete what lies in its /tmp. The mounted image, and unsquashfs 1:4.5.1-1 of one made from the
# same tree, have all bits.
#
# Seen:
#   the tree: setuid 4755, setgid 2755, shared 2775, tmp 1777
#   mounted ext4: setuid 4755, setgid 2755, shared 2775, tmp 1777
#   debugfs rdump: setuid 755, setgid 755, shared 775, tmp 777
#   mounted EROFS: setuid 4755, setgid 2755, shared 2775, tmp 1777
#   fsck.erofs --extract: setuid 755, setgid 755, shared 2775, tmp 1777
#   unsquashfs: setuid 4755, setgid 2755, shared 2775, tmp 1777
#
# Needs root, loop devices and a kernel with ext4 and EROFS. Mounts in a mount namespace of its own and leaves nothing.
set -euo pipefail

if [ "${1-}" != inside ]; then
    exec unshare --mount bash "$0" inside
fi
dir=$(mktemp -d)
undo() {
    cd /
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    rm -rf "$dir"
}
trap undo EXIT
cd "$dir"
apt-get download -qq e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 erofs-utils=1.5-1 squashfs-tools=1:4.5.1-1 \
    libselinux1 liblzo2-2 liblz4-1 libzstd1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine
export PATH=$dir/package/usr/bin:$dir/package/sbin:$PATH

mkdir tree tree/shared tree/tmp mnt by-debugfs
touch tree/setuid tree/setgid
chmod 4755 tree/setuid
chmod 2755 tree/setgid
chmod 2775 tree/shared
chmod 1777 tree/tmp
modes() {
    echo "setuid $(stat -c %a "$1/setuid"), setgid $(stat -c %a "$1/setgid")," \
        "shared $(stat -c %a "$1/shared"), tmp $(stat -c %a "$1/tmp")"
}
mounted() {
    mount -o loop,ro "$1" mnt
    modes mnt
    umount mnt
}

truncate -s 8M ext4.image
mke2fs -q -t ext4 -d tree ext4.image
mkfs.erofs erofs.image tree >/dev/null 2>&1
mksquashfs tree squashfs.image -quiet -no-progress >/dev/null
debugfs -R "rdump / by-debugfs" ext4.image >/dev/null 2>&1
fsck.erofs --extract=by-fsck erofs.image >/dev/null 2>&1
unsquashfs -quiet -no-progress -d by-unsquashfs squashfs.image >/dev/null
seen="the tree: $(modes tree)
mounted ext4: $(mounted ext4.image)
debugfs rdump: $(modes by-debugfs)
mounted EROFS: $(mounted erofs.image)
fsck.erofs --extract: $(modes by-fsck)
unsquashfs: $(modes by-unsquashfs)"
echo "$seen"
all='setuid 4755, setgid 2755, shared 2775, tmp 1777'
[ "$seen" = "the tree: $all
mounted ext4: $all
debugfs rdump: setuid 755, setgid 755, shared 775, tmp 777
mounted EROFS: $all
fsck.erofs --extract: setuid 755, setgid 755, shared 2775, tmp 1777
unsquashfs: $all" ] || { echo "this has changed"; exit 1; }
