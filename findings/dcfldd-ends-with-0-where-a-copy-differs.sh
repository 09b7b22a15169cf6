#!/usr/bin/env bash
# dcfldd 1.9-2 (Debian 12) copies and wipes disks for examinations. `vf=FILE` is to verify that a file or disk is bit
# for bit what was read. Expected: as with cmp, a status other than 0 where it is not, and the place. dcfldd prints
# `Total: Mismatch` and ends with 0: a script that wipes, copies and verifies, and goes on if all went well, goes on.
# The place is told as `0 - 0` wherever it is; only with `hashwindow=`, which by the manual is for hashes, it is that of
# a window. A copy that lacks its end differs by a place before the first byte, too. Of 300000 bytes:
#
# Seen:
#   same: cmp 0, dcfldd 0, Total: Match
#   byte 200000 differs: cmp 1, dcfldd 0, 0 - 0: Mismatch, Total: Mismatch
#   the same, in windows of 50000: dcfldd 0, 200000 - 250000: Mismatch, Total: Mismatch
#   1000 bytes are not there: cmp 1, dcfldd 0, 0 - 0: Mismatch, Total: Mismatch
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq dcfldd=1.9-2 >/dev/null 2>&1
dpkg -x dcfldd*.deb package

python3 - <<'END'
disk = bytes(number * 7 % 251 for number in range(300000))
for name, content in ("disk", disk), ("same", disk), ("short", disk[:-1000]):
    with open(name, "wb") as file:
        file.write(content)
with open("other", "wb") as file:
    file.write(disk[:200000] + b"\xff" + disk[200001:])
END

status_of() {
    local status=0
    "$@" >said 2>&1 || status=$?
    echo "$status"
}
# FILE [WINDOW]: the status of dcfldd and what it says.
verified() {
    local status
    status=$(status_of package/usr/bin/dcfldd if=disk vf="$1" "${@:2}")
    echo "dcfldd $status, $(sed -n '/atch$/p' said | paste -sd, | sed 's/,/, /g')"
}
seen="same: cmp $(status_of cmp disk same), $(verified same)
byte 200000 differs: cmp $(status_of cmp disk other), $(verified other)
the same, in windows of 50000: $(verified other hashwindow=50000)
1000 bytes are not there: cmp $(status_of cmp disk short), $(verified short)"
echo "$seen"
[ "$seen" = 'same: cmp 0, dcfldd 0, Total: Match
byte 200000 differs: cmp 1, dcfldd 0, 0 - 0: Mismatch, Total: Mismatch
the same, in windows of 50000: dcfldd 0, 200000 - 250000: Mismatch, Total: Mismatch
1000 bytes are not there: cmp 1, dcfldd 0, 0 - 0: Mismatch, Total: Mismatch' ] || { echo "this has changed"; exit 1; }
