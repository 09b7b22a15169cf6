#!/usr/bin/env bash
# jefferson 0.4.8 (PyPI) unpacks images of JFFS2, the file system of flash chips. An image holds an entry for each name
# of a file, and a file with several names (hard links) has several entries with one inode number. jefferson keeps one
# entry for each number, the last it reads, and makes a file of that one alone: the other names are not there. It says
# that the image has as many entries as it kept, and ends with 0. A BusyBox that is installed with hard links, where
# each command is a name of one file, becomes one command. mkfs.jffs2 of mtd-utils 1:2.1.5-1 makes such images, and
# jffs2dump of it lists all entries:
#
# Seen:
#   written: cat ls other sh
#   jffs2dump: 4 entries, names cat ls other sh
#   jefferson: status 0, tells 2 entries, names other sh
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq mtd-utils=1:2.1.5-1 >/dev/null 2>&1
dpkg -x mtd-utils_*.deb package
pip install -q --disable-pip-version-check --no-deps --target package jefferson==0.4.8 dissect.cstruct==4.7 \
    click==8.1.7 lzallright==0.2.6 2>/dev/null

mkdir tree
echo program >tree/cat
ln tree/cat tree/ls
ln tree/cat tree/sh
echo data >tree/other
package/usr/sbin/mkfs.jffs2 -r tree -e 0x20000 -o image
package/usr/sbin/jffs2dump -c image >dump
status=0
PYTHONPATH=package package/bin/jefferson -d new -f image >said 2>&1 || status=$?
seen="written: $(ls tree | xargs)
jffs2dump: $(grep -c Dirent dump) entries, names $(sed -n 's/.*Dirent.*name //p' dump | sort | xargs)
jefferson: status $status, tells $(sed -n 's/Jffs2_raw_dirent count: //p' said) entries, names $(ls new | xargs)"
echo "$seen"
[ "$seen" = 'written: cat ls other sh
jffs2dump: 4 entries, names cat ls other sh
jefferson: status 0, tells 2 entries, names other sh' ] || { echo "this has changed"; exit 1; }
