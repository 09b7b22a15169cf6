#!/usr/bin/env bash
# btrfs-progs 6.2-1+deb12u2 (Debian 12): `btrfs restore -m -x -S` copies the files out of a Btrfs that can no longer be
# mounted, with owner, mode, times, extended attributes and symbolic links, as its options say. A file gets its
# attributes, a directory does not: a default ACL, by which a group shares what is made below a directory, is gone, and
# so are user.* and labels. The mode of the directory is restored, so that it looks complete. A file with two names
# becomes two, and pipes and devices are left out. Nothing is said and the status is 0. cp -a from a mount of the same
# file system keeps all of it.
#
# Seen:
#   cp -a: file user.a, directory system.posix_acl_default user.a, inodes of two names 1, pipe there
#   btrfs restore: file user.a, directory nothing, inodes of two names 2, pipe missing
#   status 0, mode of the directory 2770, lines about it 0
#
# Needs root, a loop device, a kernel with btrfs, python3, and ACLs below the temp folder. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
undo() {
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    rm -rf "$dir"
}
trap undo EXIT

cd "$dir"
apt-get download -qq btrfs-progs=6.2-1+deb12u2 >/dev/null 2>&1
dpkg -x btrfs-progs_*.deb package
truncate -s 256M image
package/sbin/mkfs.btrfs -q image >/dev/null
mkdir mnt
mount -o loop image mnt
python3 - <<'END'
import os
import struct

os.umask(0)
os.mkdir("mnt/folder")
open("mnt/folder/file", "w").close()
os.link("mnt/folder/file", "mnt/folder/name")
os.mkfifo("mnt/folder/pipe")
for path in "mnt/folder", "mnt/folder/file":
    os.setxattr(path, "user.a", b"b")
# Default: rwx for the owner, user 1234, the group and the mask, nothing for others.
entries = [(1, 7, -1), (2, 7, 1234), (4, 7, -1), (16, 7, -1), (32, 0, -1)]
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
os.setxattr("mnt/folder", "system.posix_acl_default", acl)
os.chmod("mnt/folder", 0o2770)
END
sync -f mnt
cp -a mnt copy
umount mnt
mkdir restored
status=0
package/bin/btrfs restore -m -x -S image restored >said 2>&1 || status=$?

has() {
    python3 - "$1" <<'END'
import os
import sys

folder = sys.argv[1] + "/folder"
names = lambda path: " ".join(sorted(os.listxattr(path))) or "nothing"
inodes = len({os.stat(f"{folder}/{name}").st_ino for name in ("file", "name")})
pipe = "there" if os.path.exists(folder + "/pipe") else "missing"
print(f"file {names(folder + '/file')}, directory {names(folder)}, inodes of two names {inodes}, pipe {pipe}")
END
}
seen="cp -a: $(has copy)
btrfs restore: $(has restored)
status $status, mode of the directory $(stat -c %a restored/folder), lines about it $(wc -l <said)"
echo "$seen"
[ "$seen" = 'cp -a: file user.a, directory system.posix_acl_default user.a, inodes of two names 1, pipe there
btrfs restore: file user.a, directory nothing, inodes of two names 2, pipe missing
status 0, mode of the directory 2770, lines about it 0' ] || { echo "this has changed"; exit 1; }
