#!/usr/bin/env bash
# simplediskimage 0.4.2 (PyPI) makes disk images with partitions and file systems in them, to boot small devices. An
# entry of an MBR has the type of its partition, 83 in hexadecimal for the file systems of Linux. Expected: ext2, ext3
# and ext4 are of that type. With its partitioner `Sfdisk` they are of type 53, which is `OnTrack DM6 Aux3`, a part of a
# disk manager of DOS: 83 in decimal, written down as hexadecimal. The file system is right, and can be mounted by its
# place; what goes by the type, as installers and partitioners of other systems do, sees none of Linux. A size that is a
# multiple of a sector gets one sector more: a partition that was to have 8 MiB ends 512 bytes behind, and all further
# ones begin 32 sectors later. Listed by sfdisk, with e2fsprogs 1.47.0-2+b2 (Debian 12):
#
# Seen:
#   ext2, 4194304 bytes asked for: type 53, 4194816 bytes
#   ext3, 8388608 bytes asked for: type 53, 8389120 bytes
#   ext4, 8389119 bytes asked for: type 53, 8389120 bytes
#   in the last partition: an ext4 without errors
#
# Needs python3, sfdisk, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
python3 -m venv venv
# setuptools has distutils, which simplediskimage uses and Python has no more.
venv/bin/pip -q --disable-pip-version-check install setuptools==69.5.1 wheel==0.43.0
venv/bin/pip -q --disable-pip-version-check install --no-deps --no-build-isolation simplediskimage==0.4.2

export PATH=$dir/package/sbin:$PATH:/usr/sbin:/sbin LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu
cat >make.py <<'END'
import simplediskimage

image = simplediskimage.DiskImage("disk", partition_table="msdos", partitioner=simplediskimage.Sfdisk)
for name, size in ("ext2", 4 << 20), ("ext3", 8 << 20), ("ext4", (8 << 20) + 511):
    image.new_partition(name).set_fixed_size_bytes(size)
    print(f"{name}, {size} bytes asked for")
image.commit()
END
venv/bin/python make.py >asked
sfdisk -d disk 2>/dev/null | sed -nE 's/.*start= *([0-9]+), size= *([0-9]+), type=(.*)/\1 \2 \3/p' >made
seen=$(
    paste -d' ' made asked | while read -r _ size type asked; do
        echo "$asked: type $type, $((size * 512)) bytes"
    done
    read -r start size _ <<<"$(tail -1 made)"
    dd if=disk of=last bs=512 skip="$start" count="$size" status=none
    e2fsck -fn last >/dev/null 2>&1 && echo "in the last partition: an ext4 without errors"
)
echo "$seen"
[ "$seen" = 'ext2, 4194304 bytes asked for: type 53, 4194816 bytes
ext3, 8388608 bytes asked for: type 53, 8389120 bytes
ext4, 8389119 bytes asked for: type 53, 8389120 bytes
in the last partition: an ext4 without errors' ] || { echo "this has changed"; exit 1; }
