#!/usr/bin/env bash
# dbench 4.0-2.1 (Debian 12): the throughput at the end is that of the last line of progress, and the first such line comes
# after a full second. A run of `-t 1` ends before it, and prints 0 MB/sec and a longest latency of 0 under a table with its
# hundreds of timed operations:
#
# Seen:
#   operations of WriteX: counted
#   Throughput 0 MB/sec  1 clients  1 procs  max_latency=0.000 ms
#
# Needs no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq dbench=4.0-2.1 >/dev/null 2>&1
dpkg -x dbench_*.deb package

package/usr/bin/dbench -c package/usr/share/dbench/client.txt -t 1 1 >result 2>&1
seen="operations of WriteX: $(awk '$1 == "WriteX" && $2 > 0 { print "counted" }' result)
$(grep ^Throughput result)"
echo "$seen"
[ "$seen" = 'operations of WriteX: counted
Throughput 0 MB/sec  1 clients  1 procs  max_latency=0.000 ms' ] || { echo "this has changed"; exit 1; }
