#!/usr/bin/env bash
# fio 3.33-3 (Debian 12): `ramp_time` is run before `runtime` and left out of the figures. Where it is the longer of the two,
# the logs of bandwidth, IOPS and latencies are left empty: the files are there, with no row, although the report has all
# operations of the run time, and fio ends with 0. The manual knows of no such limit. The longer warm-up of a careful
# measurement takes away its series. genfio, which fio ships, always sets a ramp of 5 s: with its `-r 4` no log has anything.
#
# Seen, at 100 operations a second:
#   ramp_time=1 runtime=2: 200 operations; rows of the logs: bw 200, iops 200, lat 200
#   ramp_time=2 runtime=1: 100 operations; rows of the logs: bw 0, iops 0, lat 0
#   ramp_time=0 runtime=1: 100 operations; rows of the logs: bw 100, iops 100, lat 100
#
# Needs python3, no root and no disk. Takes 8 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 libgfapi0 libglusterfs0 libgfxdr0 libgfrpc0 libibverbs1 \
    librdmacm1 librados2 librbd1 libpmemblk1 libpmem1 libndctl6 libdaxctl1 libnl-3-200 libnl-route-3-200 libnuma1 libaio1 \
    libtirpc3 libboost-thread1.74.0 libboost-iostreams1.74.0 libfmt9 libnbd0 libxml2 libicu72 libcryptsetup12 libssl3 \
    libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libargon2-1 libjson-c5 libdevmapper1.02.1 libkmod2 \
    >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine:$dir/package/usr/lib/$machine/ceph

# To the next ten, since a rate is not held to the operation.
tens() { echo $((($1 + 5) / 10 * 10)); }
rows() { echo "$1 $(tens "$(wc -l <"log_$1.1.log")")"; }
seen=""
for times in 1:2 2:1 0:1; do
    package/usr/bin/fio --name=job --ioengine=null --size=1g --rw=write --bs=4k --rate_iops=100 --time_based \
        --ramp_time=${times%:*} --runtime=${times#*:} --write_bw_log=log --write_iops_log=log --write_lat_log=log \
        --output-format=json --output=result
    operations=$(python3 -c 'import json; print(json.load(open("result"))["jobs"][0]["write"]["total_ios"])')
    seen+="ramp_time=${times%:*} runtime=${times#*:}: $(tens "$operations") operations; "
    seen+="rows of the logs: $(rows bw), $(rows iops), $(rows lat)
"
done
printf '%s' "$seen"
[ "$seen" = 'ramp_time=1 runtime=2: 200 operations; rows of the logs: bw 200, iops 200, lat 200
ramp_time=2 runtime=1: 100 operations; rows of the logs: bw 0, iops 0, lat 0
ramp_time=0 runtime=1: 100 operations; rows of the logs: bw 100, iops 100, lat 100
' ] || { echo "this has changed"; exit 1; }
