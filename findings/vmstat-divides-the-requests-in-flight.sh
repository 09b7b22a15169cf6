#!/usr/bin/env bash
# procps 2:4.0.2-3 (Debian 12): `vmstat -d` shows for each disk what /proc/diskstats has, with the column `cur`, by its
# manual the I/O in progress, and `vmstat -D` the sums. Expected: the number of requests that the kernel has in flight.
# Both divide it by 1000, as they divide times: a disk with 7, or with 900, shows 0, and an idle disk cannot be told
# from one that hangs with a full queue. In the sums, `milli spent IO` and `milli weighted IO` are divided as well, and
# are seconds, next to `milli reading` and `milli writing`, which are milliseconds. With `-p`, the column `requested
# writes`, by the manual the number of write requests, holds the sectors that were written.
#
# Seen, of a disk with 2000 writes of 16 sectors, 900 requests in flight, 30900 ms of I/O and 61900 ms weighted:
#   -d: cur 0, sec 30
#   -D: 0 inprogress IO, 30 milli spent IO, 61 milli weighted IO, 20 milli writing
#   -p: writes 2000, requested writes 32000
#
# Needs unshare with user namespaces, or root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq procps=2:4.0.2-3 libproc2-0=2:4.0.2-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu:$dir/package/usr/lib/$(uname -m)-linux-gnu

# What is a disk, and not a partition, is in /sys/block.
echo "   8       0 sda 1000 1 16000 10 2000 2 32000 20 900 30900 61900 0 0 0 0 0 0" >diskstats
cat >vmstat.sh <<'END'
mount -t tmpfs none /sys/block
mkdir /sys/block/sda
mount --bind diskstats /proc/diskstats
package/usr/bin/vmstat -d >disks
package/usr/bin/vmstat -D >sums
package/usr/bin/vmstat -p sda >partition
END
[ "$(id -u)" = 0 ] && rights=-m || rights=-rm
unshare "$rights" --propagation private bash vmstat.sh

sums=$(sed -nE 's/^ *([0-9]+ (inprogress IO|milli (spent|weighted) IO))$/\1/p' sums | paste -sd, | sed 's/,/, /g')
seen="-d: $(awk '$1 == "sda" { print "cur " $10 ", sec " $11 }' disks)
-D: $sums, $(sed -nE 's/^ *([0-9]+ milli writing)$/\1/p' sums)
-p: $(awk 'NR == 2 { print "writes " $3 ", requested writes " $4 }' partition)"
echo "$seen"
[ "$seen" = '-d: cur 0, sec 30
-D: 0 inprogress IO, 30 milli spent IO, 61 milli weighted IO, 20 milli writing
-p: writes 2000, requested writes 32000' ] || { cat disks sums partition; echo "this has changed"; exit 1; }
