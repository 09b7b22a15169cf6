#!/usr/bin/env bash
# e2fsprogs 1.47.0-2+b2 (Debian 12): `mke2fs -d DIR` fills a new ext4 with the files of a directory. Its inodes of 256 bytes
# have room for nanoseconds and for years until 2446, which the kernel and debugfs use, but mke2fs writes the low 32 bits of a
# time and nothing else: a file of June 2040 is one of April 1904, and no file keeps its fraction of a second. mke2fs ends with
# 0, e2fsck finds nothing. A tree compared by its times with what it was made from (rsync, make) differs in every file.
#
# Seen:
#   2020-06-01 12:00:00.123456789 became 2020-06-01 12:00:00, fraction 00000000
#   2040-06-01 12:00:00.123456789 became 1904-04-26 05:31:44, fraction 00000000
#   inode size 256, e2fsck: 0
#
# Needs neither root nor a mount. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu PATH=$dir/package/sbin:$PATH TZ=UTC

mkdir tree
truncate -s 8M image
for year in 2020 2040; do
    echo text >"tree/$year"
    touch -d "$year-06-01 12:00:00.123456789" "tree/$year"
done
mke2fs -q -t ext4 -d tree image

# The time in the image of the file that is named after its year: `0xSECONDS:FRACTION -- TEXT`.
became() {
    local time
    time=$(debugfs -R "stat /$1" image 2>/dev/null | grep '^ mtime:')
    echo "$(date -r "tree/$1" '+%F %T.%N') became $(date -d "${time#*-- }" '+%F %T')," \
        "fraction $(expr "$time" : '.*:\([0-9a-f]*\) --')"
}
checked=0
e2fsck -fn image >/dev/null 2>&1 || checked=$?
seen="$(became 2020)
$(became 2040)
inode size $(dumpe2fs -h image 2>/dev/null | awk '/^Inode size:/ { print $3 }'), e2fsck: $checked"
echo "$seen"
[ "$seen" = '2020-06-01 12:00:00.123456789 became 2020-06-01 12:00:00, fraction 00000000
2040-06-01 12:00:00.123456789 became 1904-04-26 05:31:44, fraction 00000000
inode size 256, e2fsck: 0' ] || { echo "this has changed"; exit 1; }
