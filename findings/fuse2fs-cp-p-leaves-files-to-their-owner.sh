#!/usr/bin/env bash
# fuse2fs 1.47.0-2+b2 (Debian 12) mounts an ext4 through FUSE. `cp -p` of coreutils 9.1-1 creates a file for its owner
# alone and then hands over the mode as an ACL of three entries, of which a file system is to make a mode. fuse2fs
# stores them as an ACL, says that it worked, and leaves the mode: all that is copied with `cp -p` or `cp -a` is closed
# to everybody but its owner, 600 for 644 and 700 for 755, also once the kernel mounts the file system. cp ends with 0
# and e2fsck finds nothing. `setfacl -m g::rw` changes no mode either; chmod does. Times are kept as whole seconds,
# although the inodes have room for more.
#
# Seen:
#   cp -p ends with 0; 644 became 600, 755 became 700
#   the fraction of the time of the file was 5, is 0
#   mounted by the kernel: 600 and 700
#   attributes of the file: system.posix_acl_access
#   e2fsck ends with 0
#
# Needs root, a loop device, /dev/fuse, python3, and a kernel with ext4. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
undo() {
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    rm -rf "$dir"
}
trap undo EXIT

cd "$dir"
apt-get download -qq fuse2fs=1.47.0-2+b2 e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 coreutils=9.1-1 \
    libfuse2=2.9.9-6+b1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
libs=$dir/package/lib/$(uname -m)-linux-gnu:$dir/package/usr/lib/$(uname -m)-linux-gnu
run() {
    LD_LIBRARY_PATH=$libs "$@"
}
truncate -s 64M image
run package/sbin/mke2fs -q -t ext4 image
mkdir mnt
run package/usr/bin/fuse2fs -f image mnt >said 2>&1 &
server=$!
for ((i = 0; i < 100; i++)); do
    mountpoint -q mnt && break
    sleep 0.1
done

touch file
mkdir folder
chmod 644 file
chmod 755 folder
touch -d 2020-01-01T00:00:00.5Z file
status=0
run package/bin/cp -p file mnt/ || status=$?
run package/bin/cp -a folder mnt/ || status=$?
seen="cp -p ends with $status; 644 became $(stat -c %a mnt/file), 755 became $(stat -c %a mnt/folder)
the fraction of the time of the file was $(stat -c %.1Y file | cut -d. -f2), is $(stat -c %.1Y mnt/file | cut -d. -f2)"
umount mnt
wait "$server"

status=0
run package/sbin/e2fsck -fn image >said 2>&1 || status=$?
mount -o loop,ro image mnt
seen+="
mounted by the kernel: $(stat -c %a mnt/file) and $(stat -c %a mnt/folder)
attributes of the file: $(python3 -c 'import os; print(*os.listxattr("mnt/file"))')
e2fsck ends with $status"
echo "$seen"
[ "$seen" = 'cp -p ends with 0; 644 became 600, 755 became 700
the fraction of the time of the file was 5, is 0
mounted by the kernel: 600 and 700
attributes of the file: system.posix_acl_access
e2fsck ends with 0' ] || { echo "this has changed"; exit 1; }
