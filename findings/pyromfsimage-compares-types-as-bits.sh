#!/usr/bin/env bash
# PyRomfsImage 0.2 (PyPI) reads ROMFS images, the read-only file system of small devices. The low bits of a field hold
# the type of a file, a number from 0 to 7, and one bit next to it says that it is executable. `hasAttribute` compares
# all of them as bits, after it has cut off the one for executable. Expected: it is true for what a file is. Each file
# and directory is executable, and a hard link; a link (type 3) is a file (2) and a directory (1) as well; and all
# devices have the attribute of a hard link, which is 0. Of a hard link itself, which genromfs makes for the second name
# of a file, `getContent` gives nothing, as the data are with the first name: a tool that copies an image out has an
# empty file there, without an error. Of an image by genromfs 0.5.2-4+b1 (Debian 12):
#
# Seen:
#   data: executable, regular, hard link, 8 bytes
#   program: executable, regular, hard link, 10 bytes
#   soft: executable, directory, regular, symbolic link, hard link, 4 bytes
#   data and its second name: 8 and 0 bytes
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq genromfs=0.5.2-4+b1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install setuptools==69.5.1 wheel==0.43.0
venv/bin/pip -q --disable-pip-version-check install --no-deps --no-build-isolation PyRomfsImage==0.2

mkdir tree
echo content >tree/data
ln tree/data tree/second
printf '#!/bin/sh\n' >tree/program
chmod 644 tree/data
chmod 755 tree/program
ln -s data tree/soft
package/usr/bin/genromfs -d tree -f image

venv/bin/python - >seen <<'END'
from PyRomfsImage import PyRomfsImage as romfs

image = romfs.Romfs()
image.open("image")
files = {node.name.decode(): node for node in image.getRoot().children}
attributes = {"executable": romfs.ROMFH_EXEC, "directory": romfs.ROMFH_DIR, "regular": romfs.ROMFH_REG,
              "symbolic link": romfs.ROMFH_SYM, "hard link": romfs.ROMFH_HRD}


def is_link(node):
    return node.next & romfs.ROMFH_TYPE == romfs.ROMFH_HRD


data, second = sorted((files["data"], files["second"]), key=is_link)
for name, node in ("data", data), ("program", files["program"]), ("soft", files["soft"]):
    held = [attribute for attribute, bits in attributes.items() if node.hasAttribute(bits)]
    print(f"{name}: {', '.join(held)}, {len(node.getContent())} bytes")
print(f"data and its second name: {len(data.getContent())} and {len(second.getContent())} bytes")
END
cat seen
[ "$(cat seen)" = 'data: executable, regular, hard link, 8 bytes
program: executable, regular, hard link, 10 bytes
soft: executable, directory, regular, symbolic link, hard link, 4 bytes
data and its second name: 8 and 0 bytes' ] || { echo "this has changed"; exit 1; }
