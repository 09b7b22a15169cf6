#!/usr/bin/env bash
# xfsdump 3.1.11-0.1 (Debian 12) is the backup program of XFS. An XFS made by mkfs.xfs 6.1.0 has times until 2486, with
# nanoseconds. xfsdump writes both to the dump, the seconds as 32 bits and the nanoseconds next to them. xfsrestore of
# the same package leaves the nanoseconds there and takes the seconds for a signed number: no file and no directory has
# its time again, what was changed in June 2040 was changed in April 1904, and symbolic links get the time of the
# restore. Both print SUCCESS and end with 0. A tree compared by its times with what was dumped (rsync, make, a second
# backup program) differs in every file.
#
# Seen:
#   2020: 2020-06-01 00:00:00.5 before, 1590969600 and 500000000 in the dump, 2020-06-01 00:00:00.0 restored
#   2040: 2040-06-01 00:00:00.5 before, 2222121600 and 500000000 in the dump, 1904-04-25 17:31:44.0 restored
#   xfsdump: SUCCESS, xfsrestore: SUCCESS
#
# Needs root, a loop device, a kernel with XFS, and python3. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
undo() {
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    rm -rf "$dir"
}
trap undo EXIT

cd "$dir"
apt-get download -qq xfsdump=3.1.11-0.1 xfsprogs=6.1.0-1 libinih1=55-1 liburcu8=0.13.2-1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu:$dir/package/usr/lib/$(uname -m)-linux-gnu TZ=UTC
truncate -s 320M image
package/sbin/mkfs.xfs -q image
mkdir mnt new
mount -o loop image mnt
touch -d 2020-06-01T00:00:00.5Z mnt/2020
touch -d 2040-06-01T00:00:00.5Z mnt/2040
package/sbin/xfsdump -J -l 0 -L label -M medium -f dump "$dir/mnt" >dumped 2>&1
package/sbin/xfsrestore -J -f dump new >restored 2>&1

# Prints a time if the dump holds it, as 32 bits of seconds before 32 of nanoseconds.
held() {
    python3 -c '
import os, struct, sys
ns = os.stat(sys.argv[1]).st_mtime_ns
seconds, rest = divmod(ns, 10**9)
held = struct.pack(">II", seconds, rest) in open("dump", "rb").read()
print(f"{seconds} and {rest}" if held else "nothing of it")' "$1"
}
shown() {
    stat -c %y "$1" | cut -c1-21
}
seen=""
for year in 2020 2040; do
    seen+="$year: $(shown mnt/$year) before, $(held mnt/$year) in the dump, $(shown new/$year) restored
"
done
seen+="xfsdump: $(sed -n 's/.*Dump Status: //p' dumped), xfsrestore: $(sed -n 's/.*Restore Status: //p' restored)"
echo "$seen"
[ "$seen" = '2020: 2020-06-01 00:00:00.5 before, 1590969600 and 500000000 in the dump, 2020-06-01 00:00:00.0 restored
2040: 2040-06-01 00:00:00.5 before, 2222121600 and 500000000 in the dump, 1904-04-25 17:31:44.0 restored
xfsdump: SUCCESS, xfsrestore: SUCCESS' ] || { echo "this has changed"; exit 1; }
