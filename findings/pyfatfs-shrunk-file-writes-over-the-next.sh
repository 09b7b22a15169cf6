#!/usr/bin/env bash
# pyfatfs 1.1.0 (PyPI) reads and writes a FAT without mounting it. Where a file gets shorter, by truncate or because it
# is written anew, it frees the clusters that are no longer needed but does not end the chain: the last cluster of the
# file goes on to point to the freed ones. They are the first to be given out again, to the next file, and the two now
# share them. A few bytes appended to the first file are written into the second, with no error. If nothing is appended,
# fsck.fat of dosfstools 4.2-1 finds the second file without clusters and, told to repair, empties it. Three writes and
# one append, as a log and a configuration would get them:
#
# Seen:
#   /log 3000 bytes, then 5; /config 100 bytes: bbbbb
#   1000 bytes appended to /log; /config 100 bytes: AAAAA
#   nothing appended, and repaired by fsck.fat: /config 0 bytes
#   without the shorter write: /config 100 bytes: bbbbb, and fsck.fat finds nothing in a file
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq dosfstools=4.2-1 >/dev/null 2>&1
dpkg -x dosfstools_*.deb package
pip install -q --disable-pip-version-check --no-deps --target package pyfatfs==1.1.0 fs==2.4.16 six==1.17.0 \
    appdirs==1.4.4 setuptools==65.5.0 2>/dev/null

# Makes an image and writes it: `image first-sizes append`. Prints what /config holds then.
write() {
    truncate -s 34M "$1"
    package/sbin/mkfs.fat -F 32 "$1" >/dev/null
    PYTHONPATH=package python3 -W ignore - "$@" <<'END'
import sys

from pyfatfs.PyFatFS import PyFatFS

image, sizes, append = sys.argv[1:]
disk = PyFatFS(image)
for size in sizes.split(","):
    disk.writebytes("/log", b"a" * int(size))
disk.writebytes("/config", b"b" * 100)
if int(append):
    with disk.openbin("/log", "a") as log:
        log.write(b"A" * int(append))
held = disk.readbytes("/config")
print(f"/config {len(held)} bytes: {held[:5].decode()}")
disk.close()
END
}
size() {
    PYTHONPATH=package python3 -W ignore -c '
import sys
from pyfatfs.PyFatFS import PyFatFS
print("/config", PyFatFS(sys.argv[1]).getsize("/config"), "bytes")' "$1"
}
{
    echo "/log 3000 bytes, then 5; $(write kept 3000,5 0)"
    echo "1000 bytes appended to /log; $(write mixed 3000,5 1000)"
    package/sbin/fsck.fat -a kept >said || [ $? = 1 ]
    echo "nothing appended, and repaired by fsck.fat: $(size kept)"
    whole=$(write plain 3000 1000)
    package/sbin/fsck.fat -n plain >said || [ $? = 1 ]
    found=$(grep -q '^/' said && echo something || echo nothing)
    echo "without the shorter write: $whole, and fsck.fat finds $found in a file"
} >seen
cat seen
[ "$(cat seen)" = '/log 3000 bytes, then 5; /config 100 bytes: bbbbb
1000 bytes appended to /log; /config 100 bytes: AAAAA
nothing appended, and repaired by fsck.fat: /config 0 bytes
without the shorter write: /config 100 bytes: bbbbb, and fsck.fat finds nothing in a file' ] || {
    echo "this has changed"
    exit 1
}
