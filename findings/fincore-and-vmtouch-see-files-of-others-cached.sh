#!/usr/bin/env bash
# fincore of util-linux-extra 2.38.1-5+deb12u3 and vmtouch 1.3.1-2 (Debian 12) on Linux 6.18: both tell how much of a file is in
# the page cache. To a user who may read the file, but neither owns it nor may write it, both say that all of it is there,
# always, with status 0 and without a word: mincore(2), which they ask, answers so since Linux 5.2 in order to hide what others
# read. A proof of a cold cache by another user than that of the files then fails for ever, and one of a hot cache cannot. The
# kernel has cachestat(2) since 6.5, which has the same check but refuses with EPERM instead.
#
# Seen, pages in memory of a file of 2048 pages that was just dropped from the page cache:
#   root: fincore 0, vmtouch 0/2048
#   another user: fincore 2048, vmtouch 2048/2048
#   cachestat(2) as another user: EPERM
#
# Needs root and a directory for temporary files that is on a disk. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get download -qq util-linux-extra=2.38.1-5+deb12u3 vmtouch=1.3.1-2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
chmod -R a+rX package

head -c 8M /dev/urandom >file
chmod 644 file
sync file
python3 -c 'import os; os.posix_fadvise(os.open("file", os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)'

# Usage: pages [COMMAND]: what both programs say when COMMAND runs them.
pages() {
    local fincore vmtouch
    fincore=$("$@" package/usr/bin/fincore --noheadings --raw --output PAGES file)
    vmtouch=$("$@" package/usr/bin/vmtouch file | awk '/Resident Pages/ { print $3 }')
    echo "fincore $fincore, vmtouch $vmtouch"
}
other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
cachestat='
import ctypes, errno, os
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
libc = ctypes.CDLL(None, use_errno=True)
file = open("file")
found = libc.syscall(451, file.fileno(), (ctypes.c_uint64 * 2)(), (ctypes.c_uint64 * 5)(), 0)
print("an answer" if found == 0 else errno.errorcode[ctypes.get_errno()])'
seen="root: $(pages env)
another user: $(pages "${other[@]}")
cachestat(2) as another user: $(python3 -c "$cachestat")"
echo "$seen"
[ "$seen" = 'root: fincore 0, vmtouch 0/2048
another user: fincore 2048, vmtouch 2048/2048
cachestat(2) as another user: EPERM' ] || { echo "this has changed"; exit 1; }
