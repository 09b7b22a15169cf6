#!/usr/bin/env bash
# dissect.extfs 3.15 (PyPI) reads an ext4 without mounting it, for examinations of disks. ext4 keeps 32 bits of the
# seconds of a time, signed, and in another field two bits that count how often 2^32 is to be added. dissect.extfs takes
# the 32 bits without a sign before it adds: from 2038 on, where the sign is set and the count is 1, each time is 136
# years too late. A file of June 2040 is one of July 2176, and one of 1960, whose count is 0, is one of 2096. The
# nanoseconds are right, and so is all from 1970 to 2038, as a test with files of today shows. The kernel wrote the
# files and debugfs of e2fsprogs 1.47.0 reads them as the kernel does.
#
# Seen:
#   1960-06-30: debugfs 1960-06-30, dissect.extfs 2096-08-05
#   2020-06-01: debugfs 2020-06-01, dissect.extfs 2020-06-01
#   2040-06-01: debugfs 2040-06-01, dissect.extfs 2176-07-08
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
pip install -q --disable-pip-version-check --no-deps --target package dissect.extfs==3.15 dissect.cstruct==4.7 \
    dissect.util==3.24 2>/dev/null
libs=$dir/package/lib/$(uname -m)-linux-gnu
export TZ=UTC
truncate -s 64M image
LD_LIBRARY_PATH=$libs package/sbin/mke2fs -q -t ext4 -I 256 image
mkdir mnt
mount -o loop image mnt
days=(1960-06-30 2020-06-01 2040-06-01)
for day in "${days[@]}"; do
    touch -d "${day}T12:00:00.5Z" "mnt/$day"
done
umount mnt

# The day of a file's time, to the given reader.
debugfs() {
    date -d "$(LD_LIBRARY_PATH=$libs package/sbin/debugfs -R "stat $1" image 2>/dev/null | sed -n 's/.*mtime: .* -- //p')" +%F
}
dissect() {
    PYTHONPATH=package python3 -c '
import datetime, sys
from dissect.extfs import ExtFS
seconds = ExtFS(open("image", "rb")).get("/" + sys.argv[1]).mtime_ns // 10**9
print((datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)).date())' "$1"
}
seen=$(for day in "${days[@]}"; do echo "$day: debugfs $(debugfs "$day"), dissect.extfs $(dissect "$day")"; done)
echo "$seen"
[ "$seen" = '1960-06-30: debugfs 1960-06-30, dissect.extfs 2096-08-05
2020-06-01: debugfs 2020-06-01, dissect.extfs 2020-06-01
2040-06-01: debugfs 2040-06-01, dissect.extfs 2176-07-08' ] || { echo "this has changed"; exit 1; }
