#!/usr/bin/env bash
# fio 3.33-3 (Debian 12): with `fsync=N` fio syncs after every N writes, except after the last write of the job: the sync is due
# before the next one. `fsync=5` on 5 writes, one sync for the whole, never syncs, and neither does `fsync=1` on one write. The
# rate of such a job counts data that was not forced to the disk. `end_fsync=1` adds the sync, but the JSON does not count it
# in `sync`.
#
# Seen, of calls of fsync(2), of which after the last write, and counted in the JSON:
#   1 write, fsync=1: 0, 0, 0
#   5 writes, fsync=1: 4, 0, 4
#   5 writes, fsync=5: 0, 0, 0
#   5 writes, fsync=5 end_fsync=1: 1, 1, 0
#
# Needs the right to trace, no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 strace=6.1-0.1 libunwind8=1.6.2-3 libgfapi0 libglusterfs0 libgfxdr0 libgfrpc0 libibverbs1 \
    librdmacm1 librados2 librbd1 libpmemblk1 libpmem1 libndctl6 libdaxctl1 libnl-3-200 libnl-route-3-200 libnuma1 libaio1 \
    libtirpc3 libboost-thread1.74.0 libboost-iostreams1.74.0 libfmt9 libnbd0 libxml2 libicu72 libcryptsetup12 libssl3 \
    libgssapi-krb5-2 libkrb5-3 libk5crypto3 libkrb5support0 libkeyutils1 libargon2-1 libjson-c5 libdevmapper1.02.1 libkmod2 \
    >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine:$dir/package/usr/lib/$machine/ceph

# Usage: job WRITES OPTION...
job() {
    local writes=$1
    shift
    package/usr/bin/strace -f -qq -e trace=pwrite64,fsync -o trace package/usr/bin/fio --name=job --filename=file \
        --ioengine=psync --rw=write --bs=4k --size="$((4 * writes))k" "${@/#/--}" --output-format=json --output=result
    rm file
    local calls counted
    calls=$(awk '/pwrite64\(/ { after = 0 } / fsync\(/ { all++; after++ } END { print all + 0 ", " after + 0 }' trace)
    counted=$(python3 -c 'import json; print(json.load(open("result"))["jobs"][0]["sync"]["total_ios"])')
    echo "$writes write$([ "$writes" = 1 ] || echo s), $*: $calls, $counted"
}
seen="$(job 1 fsync=1)
$(job 5 fsync=1)
$(job 5 fsync=5)
$(job 5 fsync=5 end_fsync=1)"
echo "$seen"
[ "$seen" = '1 write, fsync=1: 0, 0, 0
5 writes, fsync=1: 4, 0, 4
5 writes, fsync=5: 0, 0, 0
5 writes, fsync=5 end_fsync=1: 1, 1, 0' ] || { echo "this has changed"; exit 1; }
