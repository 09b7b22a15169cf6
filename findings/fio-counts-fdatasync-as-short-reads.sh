#!/usr/bin/env bash
# fio 3.33-3 (Debian 12), JSON: with `fsync=1` the calls are counted and timed in `sync`. With `fdatasync=1` the same job calls
# fdatasync(2) as often and times the calls, but the count in `sync` stays 0. What is counted is `short_ios` of the reads, of
# a job that reads nothing. A reader of the JSON takes the run for one that never synced and whose reads came back short.
#
# Seen, of 5 writes:
#   fsync=1: 4 fsync, 0 fdatasync; sync.total_ios 4, sync.lat_ns.N 4, read.short_ios 0, read.total_ios 0
#   fdatasync=1: 0 fsync, 4 fdatasync; sync.total_ios 0, sync.lat_ns.N 4, read.short_ios 4, read.total_ios 0
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

calls() { grep -c "$1(" trace || true; }
seen=""
for option in fsync fdatasync; do
    package/usr/bin/strace -f -qq -e trace=pwrite64,fsync,fdatasync -o trace package/usr/bin/fio --name=job --filename=file \
        --ioengine=psync --rw=write --bs=4k --size=20k "--$option=1" --output-format=json --output=result
    seen+="$option=1: $(calls ' fsync') fsync, $(calls fdatasync) fdatasync; $(python3 - <<'END'
import json
job = json.load(open("result"))["jobs"][0]
sync, read = job["sync"], job["read"]
print(f"sync.total_ios {sync['total_ios']}, sync.lat_ns.N {sync['lat_ns'].get('N', 'none')}, "
      f"read.short_ios {read['short_ios']}, read.total_ios {read['total_ios']}")
END
)
"
done
printf '%s' "$seen"
[ "$seen" = 'fsync=1: 4 fsync, 0 fdatasync; sync.total_ios 4, sync.lat_ns.N 4, read.short_ios 0, read.total_ios 0
fdatasync=1: 0 fsync, 4 fdatasync; sync.total_ios 0, sync.lat_ns.N 4, read.short_ios 4, read.total_ios 0
' ] || { echo "this has changed"; exit 1; }
