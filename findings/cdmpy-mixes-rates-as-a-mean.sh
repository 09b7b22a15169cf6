#!/usr/bin/env bash
# cdmpy 0.3.2 (PyPI) shows fio's results in the table of CrystalDiskMark. With `-x` it adds a test that reads and writes at
# once, and a column for it, of MB/s and, for random access, of operations. It holds the mean of both rates, weighted by their
# shares, and not their sum: of a disk that does 100 reads and 100 writes in a second, at a mix of 50, it says 100; 70 and 30
# MB/s at once, at a mix of 70, are 58. Each disk looks slower by about half when mixed. For the row of latencies, which the
# same function makes, the mean is right. Here fio is held to 100 operations of each kind in a second:
#
# Seen, of random access with a mix of 50:
#   fio: 100 reads and 100 writes a second
#   cdmpy: read 100, write 100, mix 100
#
# Needs python3, no root, and a disk with O_DIRECT behind /var/tmp. Takes 10 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 libgfapi0 libglusterfs0 libgfxdr0 libgfrpc0 libibverbs1 \
    librdmacm1 librados2 librbd1 libpmemblk1 libpmem1 libndctl6 libdaxctl1 libnl-3-200 libnl-route-3-200 libnuma1 libaio1 \
    libtirpc3 libboost-thread1.74.0 libboost-iostreams1.74.0 libfmt9 libnbd0 libxml2 libicu72 libcryptsetup12 libssl3 \
    libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libargon2-1 libjson-c5 libdevmapper1.02.1 libkmod2 \
    >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install cdmpy==0.3.2

# What cdmpy runs as fio: the same, at that rate, and with a copy of what it prints.
mkdir bin target
cat >bin/fio <<END
#!/bin/sh
machine=\$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/\$machine:$dir/package/lib/\$machine:$dir/package/usr/lib/\$machine/ceph
"$dir/package/usr/bin/fio" --rate_iops=100 "\$@" | tee "$dir/result"
END
chmod +x bin/fio
PATH=$dir/bin:$PATH TMPDIR=$dir venv/bin/cdm "$dir/target" -a rnd,1,1 -s 1m -n 1 -x 50 >table 2>/dev/null

of_fio=$(python3 - <<'END'
import json

mixed = json.load(open("result"))["jobs"][-1]
print(f"{round(mixed['read']['iops'], -1):.0f} reads and {round(mixed['write']['iops'], -1):.0f} writes a second")
END
)
seen="fio: $of_fio
cdmpy: $(awk -F'|' '/IOPS/ { printf "read %d, write %d, mix %d", near($3), near($4), near($5) }
    function near(rate) { return 10 * int(rate / 10 + 0.5) }' table)"
echo "$seen"
[ "$seen" = 'fio: 100 reads and 100 writes a second
cdmpy: read 100, write 100, mix 100' ] || { cat table; echo "this has changed"; exit 1; }
