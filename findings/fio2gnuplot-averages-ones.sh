#!/usr/bin/env bash
# fio 3.33-3 (Debian 12) ships genfio, which writes a job file for a set of disks, and fio2gnuplot, which draws the logs of such
# jobs and writes their mean. genfio asks for logs without `log_avg_msec`, and fio then logs each operation: with 1 as its IOPS,
# and with its size over its own latency as its bandwidth. fio2gnuplot takes the mean of the rows as `IO per Seconds` and
# `Bandwidth (KB/sec)`. The first is 1 for every disk there is; the second leaves out the time between the operations, and with
# a queue counts one slot of it. Neither tool says so; fio's own manual warns of the ones. Of a job held to 200 operations of 4
# KiB a second:
#
# Seen:
#   fio: 200 IOPS, 800 KiB/s
#   fio2gnuplot -i: avg=1.00
#   fio2gnuplot -b: more than 10 times 800
#
# Needs python3 and no root. Takes 12 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 python3-six=1.16.0-4 libgfapi0 libglusterfs0 libgfxdr0 libgfrpc0 libibverbs1 \
    librdmacm1 librados2 librbd1 libpmemblk1 libpmem1 libndctl6 libdaxctl1 libnl-3-200 libnl-route-3-200 libnuma1 libaio1 \
    libtirpc3 libboost-thread1.74.0 libboost-iostreams1.74.0 libfmt9 libnbd0 libxml2 libicu72 libcryptsetup12 libssl3 \
    libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libargon2-1 libjson-c5 libdevmapper1.02.1 libkmod2 \
    >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine:$dir/package/usr/lib/$machine/ceph
export PATH=$dir/package/usr/bin:$PATH PYTHONPATH=$dir/package/usr/lib/python3/dist-packages
# fio2gnuplot looks for the scripts of gnuplot in /usr.
sed "s,/usr/share/fio/,$dir/package/usr/share/fio/," package/usr/bin/fio2gnuplot >fio2gnuplot

mkdir jobs
cd jobs
genfio -c -d "$dir/file" -z 1m -m randwrite -r 5 >/dev/null
fio --rate_iops=200 --output-format=json --output="$dir/result" ./*.fio
mean() {
    python3 ../fio2gnuplot "$1" -d "$dir/drawn$1" >/dev/null
    sed -n 's/^avg=//p' "$dir/drawn$1"/*.global
}
fio_says=$(python3 - "$dir/result" <<'END'
import json
import sys

write = json.load(open(sys.argv[1]))["jobs"][0]["write"]
print(f"{round(write['iops'], -1):.0f} IOPS, {round(write['bw'], -2)} KiB/s")
END
)
rate=$(mean -b)
[ "${rate%.*}" -gt 8000 ] && rate="more than 10 times 800"
seen="fio: $fio_says
fio2gnuplot -i: avg=$(mean -i)
fio2gnuplot -b: $rate"
echo "$seen"
[ "$seen" = 'fio: 200 IOPS, 800 KiB/s
fio2gnuplot -i: avg=1.00
fio2gnuplot -b: more than 10 times 800' ] || { echo "this has changed"; exit 1; }
