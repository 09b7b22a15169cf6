#!/usr/bin/env bash
# blktrace 1.2.0-5 (Debian 12): blkparse ends with the reads and the writes of a trace, in requests and KiB, and with a
# throughput. A discard, which it shows as `D` and not as `W` in the lines above, is counted among the writes of all these
# figures, with the size of the range that it gives back: the kernel marks it as going to the device, and blkparse looks at that
# mark alone. A disk that was written 128 KiB and trimmed 16 MiB has written 16 MiB, at a rate that no disk has. btt of the same
# package takes it into the sizes of requests. Where a file system is mounted with `discard`, the write amplification that one
# computes of this is that of deleting.
#
# Seen, of two writes of 64 KiB, a read of 4 KiB and a discard of 16 MiB in 1.5 s:
#   in the lines: WS 128 KiB, R 4 KiB, D 16384 KiB
#   reads completed: 1, 4KiB; writes completed: 3, 16512KiB
#   throughput (R/W): 2KiB/s / 11008KiB/s
#   btt: 4 requests, 33032 blocks
#
# Needs python3 and no root: the trace is written here in the kernel's form. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq blktrace=1.2.0-5 libaio1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/usr/lib/$(uname -m)-linux-gnu:$dir/package/lib/$(uname -m)-linux-gnu

# struct blk_io_trace of linux/blktrace_api.h: a request is queued, allocated, issued and completed. A discard has the bit of
# writes too, as op_is_write() is true of it.
python3 - <<'END'
import struct

READ, WRITE, SYNC, DISCARD = 1 << 0, 1 << 1, 1 << 3, 1 << 13
STEPS = [(1, 1 << 4), (4, 1 << 4), (7, 1 << 6), (8, 1 << 7)]
REQUESTS = [(0, 65536, WRITE | SYNC), (128, 65536, WRITE | SYNC), (0, 4096, READ), (65536, 16 << 20, WRITE | DISCARD)]
with open("disk.blktrace.0", "wb") as trace:
    number = 0
    for sector, size, kind in REQUESTS:
        for step, category in STEPS:
            action = step | (kind | category) << 16
            trace.write(struct.pack("<IIQQIIIIIHH", 0x65617407, number + 1, number * 10**8, sector, size, action, 100, 8 << 20,
                                    0, 0, 0))
            number += 1
END
package/usr/bin/blkparse -i disk -d binary >said
package/usr/bin/btt -i binary >statistics
lines=$(awk '$6 == "C" { kib[$7] += $10 / 2 } END { print "WS " kib["WS"] " KiB, R " kib["R"] " KiB, D " kib["D"] " KiB" }' said)
read -r reads read_size writes write_size <<<"$(tr ',' ' ' <said | awk '/Reads Completed:/ { print $3, $4, $7, $8 }')"
seen="in the lines: $lines
reads completed: $reads, $read_size; writes completed: $writes, $write_size
throughput (R/W): $(sed -n 's/^Throughput (R\/W): //p' said)
btt: $(awk '/#Q/ { on = 1 } on && /\( *8, *0\)/ { print $5 " requests, " $12 " blocks"; exit }' statistics)"
echo "$seen"
[ "$seen" = 'in the lines: WS 128 KiB, R 4 KiB, D 16384 KiB
reads completed: 1, 4KiB; writes completed: 3, 16512KiB
throughput (R/W): 2KiB/s / 11008KiB/s
btt: 4 requests, 33032 blocks' ] || { echo "this has changed"; exit 1; }
