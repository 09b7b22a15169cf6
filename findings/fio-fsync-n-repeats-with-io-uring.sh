#!/usr/bin/env bash
# fio 3.33-3 (Debian 12): with ioengine=io_uring and a queue depth above 1, `fsync=32` syncs far more often than after every 32
# writes: about as often as requests may be in flight, 4 times at depth 4 and 10 to 12 times at depth 16. With libaio and the same
# options, and with io_uring at depth 1, there is one sync for every 32 writes. Who compares the two engines, or two depths, by such
# a job compares other work; `sync.total_ios` of the JSON shows it.
#
# Seen, for 1024 writes of 4 KiB and fsync=32 (31 are due, as none follows the last write): syncs counted in the JSON
#   libaio, depth 1: 31
#   libaio, depth 4: 31
#   libaio, depth 16: 31
#   io_uring, depth 1: 31
#   io_uring, depth 4: more than three times as many (124)
#   io_uring, depth 16: more than three times as many (321, 369)
#
# Needs a kernel that permits io_uring, no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 libgfapi0 libglusterfs0 libgfxdr0 libgfrpc0 libibverbs1 librdmacm1 librados2 librbd1 libpmemblk1 \
    libpmem1 libndctl6 libdaxctl1 libnl-3-200 libnl-route-3-200 libnuma1 libaio1 libtirpc3 libboost-thread1.74.0 \
    libboost-iostreams1.74.0 libfmt9 libnbd0 libxml2 libicu72 libcryptsetup12 libssl3 libgssapi-krb5-2 libkrb5-3 libk5crypto3 \
    libkrb5support0 libkeyutils1 libargon2-1 libjson-c5 libdevmapper1.02.1 libkmod2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine:$dir/package/usr/lib/$machine/ceph

# Usage: syncs ENGINE DEPTH
syncs() {
    package/usr/bin/fio --name=job --filename=file --rw=randwrite --bs=4k --size=4m --fsync=32 --ioengine="$1" --iodepth="$2" \
        --output-format=json --output=result
    rm file
    local count
    count=$(python3 -c 'import json; print(json.load(open("result"))["jobs"][0]["sync"]["total_ios"])')
    if [ "$count" -gt 93 ]; then
        echo "$count" >&2
        count="more than three times as many"
    fi
    echo "$1, depth $2: $count"
}
seen="$(for engine in libaio io_uring; do for depth in 1 4 16; do syncs "$engine" "$depth"; done; done)"
echo "$seen"
[ "$seen" = 'libaio, depth 1: 31
libaio, depth 4: 31
libaio, depth 16: 31
io_uring, depth 1: 31
io_uring, depth 4: more than three times as many
io_uring, depth 16: more than three times as many' ] || { echo "this has changed"; exit 1; }
