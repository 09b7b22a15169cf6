#!/usr/bin/env bash
# romfs 0.0.7 (PyPI) packs a folder into a ROMFS image, the read-only file system of small devices, and unpacks one. Of
# the mode of a file ROMFS keeps one bit, for executable. Linux shows a file without it as 644 and one with it as 755,
# and the same holds for a directory. Expected: directories have the bit, as those of genromfs have. romfs gives it to
# regular files only, which its reader shows as well: all directories of its images are 644, the first included, and
# nothing below can be opened but by root. `unpack` does not set the mode of what it writes: an image that is unpacked,
# changed and packed again has no program that can be run. The same tree packed by genromfs 0.5.2-4+b1 (Debian 12):
#
# Seen, as executable:
#   packed by genromfs: the first directory, folder, folder/run
#   packed by romfs: folder/run
#   packed by genromfs, unpacked and packed by romfs: nothing
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq genromfs=0.5.2-4+b1 >/dev/null 2>&1
dpkg -x genromfs*.deb package
pip install -q --disable-pip-version-check --no-deps --target modules romfs==0.0.7 2>/dev/null
romfs() { PYTHONPATH=modules python3 -m romfs.cli "$@" >/dev/null; }

umask 022
mkdir -p tree/folder
printf '#!/bin/sh\n' >tree/folder/run
chmod 755 tree/folder/run
echo text >tree/folder/text
package/usr/bin/genromfs -d tree -f by_genromfs
romfs pack tree -o by_romfs
romfs unpack by_genromfs -o again
romfs pack again -o by_both

# What has the bit in an image: the directories and files that the reader of romfs finds, and the first directory.
executable() {
    PYTHONPATH=modules python3 - "$1" <<'END'
import sys

import romfs

with romfs.RomFSReader(sys.argv[1]) as image:
    nodes = [("the first directory", image.root), *image.walk()]
    print(", ".join(path for path, node in nodes if node.executable) or "nothing")
END
}
seen="packed by genromfs: $(executable by_genromfs)
packed by romfs: $(executable by_romfs)
packed by genromfs, unpacked and packed by romfs: $(executable by_both)"
echo "$seen"
[ "$seen" = 'packed by genromfs: the first directory, folder, folder/run
packed by romfs: folder/run
packed by genromfs, unpacked and packed by romfs: nothing' ] || { echo "this has changed"; exit 1; }
