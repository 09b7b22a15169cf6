#!/usr/bin/env bash
# vhd 1.0.7 (PyPI) makes disk images in the format VHD. The footer of an image has its size twice: in bytes, and as
# cylinders, heads and sectors. Of the three the size is the product, and virtual machines go by it unless they know the
# program that made the image. Expected: a disk of the size that was asked for. vhd divides by 4 heads of 17 sectors and
# drops the remainder, so a disk of 64 MiB ends 36 sectors early. What qemu-img creates is a little larger instead, for
# that reason. The last sectors of a disk hold the second table of its GPT: a disk that was partitioned with its full
# size has none any more, and a partition that reaches to the end is longer than the disk. `vhd.read` gives the full
# size. Seen by qemu-img 7.2.22 (Debian 12):
#
# Seen:
#   64 MiB: vhd.read 67108864 bytes, qemu-img 67090432, 36 sectors less
#   100 MiB: vhd.read 104857600 bytes, qemu-img 104830976, 52 sectors less
#   second table of a GPT of the full size: beyond the end
#
# Needs python3 and no root. Takes 100 MiB below the temp folder, and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq qemu-utils=1:7.2+dfsg-7+deb12u18+b3 libaio1 liburing2 libglib2.0-0 libgnutls30 libhogweed6 \
    libnettle8 libgmp10 libidn2-0 libp11-kit0 libtasn1-6 libunistring2 libffi8 libnuma1 libpcre2-8-0 libzstd1 \
    >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
qemu_img() { LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine package/usr/bin/qemu-img "$@"; }
pip install -q --disable-pip-version-check --no-deps --target modules vhd==1.0.7 2>/dev/null

seen=""
for mib in 64 100; do
    told=$(PYTHONPATH=modules python3 - "$mib" <<'END'
import sys

import vhd

vhd.create("disk.vhd", int(sys.argv[1]))
print(vhd.read("disk.vhd")["current_size"])
END
    )
    bytes=$(qemu_img info -f vpc --output=json disk.vhd | sed -n 's/.*"virtual-size": \([0-9]*\),*/\1/p')
    seen+="$mib MiB: vhd.read $told bytes, qemu-img $bytes, $(((told - bytes) / 512)) sectors less"$'\n'
    [ "$mib" != 64 ] || last=$((bytes / 512 - 1))
    rm disk.vhd
done
# The header of the second table is in the last sector.
table=$((64 * 2048 - 1))
place="within the disk"
[ "$table" -le "$last" ] || place="beyond the end"
seen+="second table of a GPT of the full size: $place"
echo "$seen"
[ "$seen" = '64 MiB: vhd.read 67108864 bytes, qemu-img 67090432, 36 sectors less
100 MiB: vhd.read 104857600 bytes, qemu-img 104830976, 52 sectors less
second table of a GPT of the full size: beyond the end' ] || { echo "this has changed"; exit 1; }
