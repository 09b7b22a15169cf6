#!/usr/bin/env bash
# exfat-raw 0.2.1 (PyPI) sets the times of a file of a mounted exFAT on the disk, as the birth time cannot be set by a
# call, e.g. for recordings of a camera with a wrong clock. Expected: the file has the times, and is there. The entry of
# a file has the creation at byte 8 and the last change at 12; exfat-raw has them the other way round, so what was asked
# for one is the other. The checksum over the entry is a sum that is rotated; exfat-raw writes a CRC instead. From then
# on the entry is damaged: with one such file in its first directory the file system is not mounted any more by the FUSE
# driver, and fsck.exfat offers to delete the file. Nothing is said, and exfat-raw reads its times back as they were
# given. With exfat-fuse 1.3.0+git20220115-2 and exfatprogs 1.2.0-1+deb12u1 (Debian 12):
#
# Seen:
#   set by touch: changed 2020, exfat-raw: changed now, born 2020
#   set by exfat-raw to changed 2021, born 2011: changed 2021, born 2011, by exfat-raw
#   bytes 8 and 12 of the entry: 2021, 2011
#   mounted again: no, 'file' has invalid checksum
#   fsck.exfat: the checksum of a file is wrong
#
# Needs root, a loop device, FUSE, python3, and findmnt. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
loop=
undo() {
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    [ -z "$loop" ] || losetup -d "$loop"
    rm -rf "$dir"
}
trap undo EXIT
cd "$dir"
apt-get download -qq exfat-fuse=1.3.0+git20220115-2 exfatprogs=1.2.0-1+deb12u1 libfuse2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
pip install -q --disable-pip-version-check --no-deps --target modules exfat-raw==0.2.1 2>/dev/null
export TZ=UTC
mount_it() { LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu package/sbin/mount.exfat-fuse "$loop" mnt; }

truncate -s 16M image
package/usr/sbin/mkfs.exfat image >/dev/null
loop=$(losetup -f --show image)
mkdir mnt
mount_it >/dev/null
echo content >mnt/file
touch -d 2020-06-01T12:00:00Z mnt/file
umount mnt
mount_it >/dev/null

PYTHONPATH=modules python3 - >seen <<'END'
import datetime

from exfat_raw import ExfatRawFilesystem, ExfatRawIO, ExfatRawOps

device = ExfatRawIO()
files = ExfatRawFilesystem(device)
times = ExfatRawOps(device, files)
this_year = datetime.datetime.now(datetime.timezone.utc).year


def year(of):
    told = datetime.datetime.fromtimestamp(of("mnt/file"), datetime.timezone.utc).year
    return "now" if told == this_year else told


def told():
    return f"changed {year(times.read_mtime_raw)}, born {year(times.read_btime_raw)}"


print("set by touch: changed 2020, exfat-raw:", told())
changed, born = (datetime.datetime(year, 6, 1, tzinfo=datetime.timezone.utc) for year in (2021, 2011))
times.fix_exfat_raw("mnt/file", changed, dry_run=False, btime_dt=born)
print(f"set by exfat-raw to changed 2021, born 2011: {told()}, by exfat-raw")
END
umount mnt
python3 - >>seen <<'END'
# The entry of the file has type 0x85, and two entries more: 0xc0 and 0xc1.
image = open("image", "rb").read()
entry = next(at for at in range(0, len(image), 32) if image[at:at + 2] == b"\x85\x02" and image[at + 32] == 0xc0)
years = (int.from_bytes(image[entry + at:entry + at + 4], "little") >> 25 for at in (8, 12))
print("bytes 8 and 12 of the entry:", ", ".join(str(1980 + year) for year in years))
END
if again=$(mount_it 2>&1); then
    umount mnt
    again=yes
else
    again="no, ${again#*ERROR: }"
fi
found=$(package/usr/sbin/fsck.exfat -n image 2>&1 | grep -om1 'the checksum of a file is wrong') || true
echo "mounted again: ${again% (*}
fsck.exfat: $found" >>seen
cat seen
[ "$(cat seen)" = "set by touch: changed 2020, exfat-raw: changed now, born 2020
set by exfat-raw to changed 2021, born 2011: changed 2021, born 2011, by exfat-raw
bytes 8 and 12 of the entry: 2021, 2011
mounted again: no, 'file' has invalid checksum
fsck.exfat: the checksum of a file is wrong" ] || { echo "this has changed"; exit 1; }
