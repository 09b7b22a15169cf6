#!/usr/bin/env bash
# mtools 4.0.33-1+really4.0.32-1 (Debian 12): `mcopy -m` preserves the time of a file. A FAT counts years from 1980 in 7 bits.
# What is older, e.g. the first second of 1970 that OSTree and Nix give each file, is not refused, nor made 1980: mcopy takes
# 1970 for 10 years before 1980, modulo 128, and writes 2098, with status 0 and without a word. The file then is newer than all
# that ever replaces it, for make, for rsync -u and for a boot loader that sorts by age. A day of 2100 or later comes out of the
# image as the next one, for 2100 is no leap year and mcopy has one:
#
# Seen, by fatcat, and by mcopy -m out of the image again:
#   1970-01-01: 1/1/2098, 2098-01-01, status 0
#   1979-12-31: 31/12/2107, 2108-01-01, status 0
#   1980-01-02: 2/1/1980, 1980-01-02, status 0
#   2100-06-01: 1/6/2100, 2100-06-02, status 0
#
# Needs no root and no mount. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq mtools=4.0.33-1+really4.0.32-1 dosfstools=4.2-1 fatcat=1.1.1-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export PATH=$dir/package/usr/bin:$dir/package/sbin:$PATH TZ=UTC

truncate -s 4M image
mkfs.fat image >/dev/null
seen=""
for day in 1970-01-01 1979-12-31 1980-01-02 2100-06-01; do
    name=${day//-/}
    echo text >"$name"
    touch -d "$day 12:00" "$name"
    status=0
    mcopy -m -i image "$name" :: >out 2>&1 || status=$?
    [ ! -s out ] || status="$status, $(cat out)"
    rm "$name"
    mcopy -m -i image "::$name" .
    seen+="$day: $(fatcat -l / image 2>/dev/null | awk -v name="$name" 'index($0, name) { print $2 }'), "
    seen+="$(date -r "$name" +%F), status $status
"
done
printf '%s' "$seen"
[ "$seen" = '1970-01-01: 1/1/2098, 2098-01-01, status 0
1979-12-31: 31/12/2107, 2108-01-01, status 0
1980-01-02: 2/1/1980, 1980-01-02, status 0
2100-06-01: 1/6/2100, 2100-06-02, status 0
' ] || { echo "this has changed"; exit 1; }
