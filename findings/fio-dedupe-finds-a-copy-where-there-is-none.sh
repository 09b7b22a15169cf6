#!/usr/bin/env bash
# fio 3.33-3 (Debian 12): fio-dedupe tells how many blocks of a file are copies of others, and which `dedupe_percentage` makes fio
# write such data. With its default, a Bloom filter, it counts one block too few as unique, always: of a file of one block it says
# that all of it can be deduplicated. With `-B 0` it compares the blocks themselves and counts rightly. On a large file
# the difference is lost in the rounding, on a sample of some blocks it is not.
#
# Seen:
#   1 block, no copies: unique 0, dedupe_percentage=100; with -B 0: unique 1
#   2 blocks, no copies: unique 1, dedupe_percentage=50; with -B 0: unique 2
#   8 blocks, no copies: unique 7, dedupe_percentage=13; with -B 0: unique 8
#
# Needs no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 >/dev/null 2>&1
dpkg -x fio_*.deb package

# Blocks of 4 KiB that differ: each repeats its own number.
blocks() {
    for number in $(seq "$1"); do
        yes "$number" | head -c 4096 || true
    done
}
dedupe() { package/usr/bin/fio-dedupe -b 4096 -o 0 "$@" 2>&1; }
unique() { sed -n 's/.*Unique extents=\([0-9]*\).*/\1/p'; }
seen=""
for count in 1 2 8; do
    blocks "$count" >file
    dedupe file >by-default
    dedupe -B 0 file >exact
    seen+="$count block$([ "$count" = 1 ] || echo s), no copies: "
    seen+="unique $(unique <by-default), $(grep -o 'dedupe_percentage=[0-9]*' by-default); with -B 0: unique $(unique <exact)"$'\n'
done
printf '%s' "$seen"
[ "$seen" = '1 block, no copies: unique 0, dedupe_percentage=100; with -B 0: unique 1
2 blocks, no copies: unique 1, dedupe_percentage=50; with -B 0: unique 2
8 blocks, no copies: unique 7, dedupe_percentage=13; with -B 0: unique 8
' ] || { echo "this has changed"; exit 1; }
