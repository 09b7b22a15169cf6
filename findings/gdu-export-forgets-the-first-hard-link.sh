#!/usr/bin/env bash
# gdu 5.22.0-1+b1 (Debian 12): `gdu -o FILE` exports a scan in the format of ncdu, to be looked at later or elsewhere with `gdu
# -f` or `ncdu -f`. Of the names of a file with several, it marks all but the one that it met first (`hlnkc`, with the inode),
# and gives no device. A reader cannot know that the unmarked name is of the same file, and counts it and one of the marked: the
# disk is fuller by each file that has hard links, e.g. twice as full for two names. gdu itself says 1.0 MiB before the export
# and 2.0 MiB after it. ncdu 1.18-0.2 marks all, and gdu reads its export rightly.
#
# Seen, of one file of 1 MiB with two names:
#   marked: by gdu 1 of 2, by ncdu 2 of 2
#   gdu: 1.0 MiB, of its export 2.0 MiB, of the export of ncdu 1.0 MiB
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq gdu=5.22.0-1+b1 ncdu=1.18-0.2 libncursesw6 libtinfo6 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/lib/$machine:$dir/package/usr/lib/$machine PATH=$dir/package/usr/bin:$PATH

mkdir tree
head -c 1M /dev/urandom >tree/one
ln tree/one tree/two
gdu -n -o by-gdu tree >/dev/null 2>&1
ncdu -0 -o by-ncdu tree >/dev/null 2>&1
total() { gdu -n -s "$@" 2>/dev/null | awk '{ print $1, $2 }'; }
marked() { grep -o '"hlnkc":true' "$1" | wc -l; }
seen="marked: by gdu $(marked by-gdu) of 2, by ncdu $(marked by-ncdu) of 2
gdu: $(total tree), of its export $(total -f by-gdu), of the export of ncdu $(total -f by-ncdu)"
echo "$seen"
[ "$seen" = 'marked: by gdu 1 of 2, by ncdu 2 of 2
gdu: 1.0 MiB, of its export 2.0 MiB, of the export of ncdu 1.0 MiB' ] || { echo "this has changed"; exit 1; }
