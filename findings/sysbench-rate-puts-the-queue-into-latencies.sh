#!/usr/bin/env bash
# sysbench 1.0.20+ds-5 (Debian 12): with `--rate` the events are due at times of their own, and what sysbench then calls
# latency, and `execution time`, counts from there: the wait of an event that has not begun. Where the disk is slower than the
# rate, a thread has executed for longer than the test took, and the latencies grow with `--time`. Without `--rate` the same
# figures are of the operation alone. Neither its help nor its manual says so; who holds two disks to one rate to compare their
# latencies compares queues. Here strace(1) makes each read take 10 ms, so that no more than 100 of the 200 in a second can be
# done:
#
# Seen, of one thread in 3 s:
#   without --rate: latency of less than 20 ms, execution time below the total time
#   --rate=200: latency of more than 500 ms, execution time over 10 times the total time
#
# Needs the right to trace, no root and no disk of its own. Takes 7 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq sysbench=1.0.20+ds-5 libluajit2-5.1-2=2.1-20230119-1 strace=6.1-0.1 libunwind8=1.6.2-3 \
    libmariadb3 libpq5 libaio1 libldap-2.5-0 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
libraries=root/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/libmariadb3
fileio() {
    local action=$1
    shift
    "${with[@]}" root/usr/bin/sysbench fileio --file-num=1 --file-total-size=4M --file-test-mode=rndrd --time=3 "$@" "$action"
}
with=(env)
fileio prepare >/dev/null
with=(root/usr/bin/strace -f -qq -o /dev/null -e trace=pread64 -e inject=pread64:delay_enter=10000)
said() {
    fileio run "$@" | awk -F: '
        /total time:/ { total = $2 + 0 }
        /^ *avg:/ { latency = $2 + 0 }
        /execution time/ { split($2, part, "/"); executed = part[1] + 0 }
        END {
            printf "latency of %s, ", (latency < 20 ? "less than 20 ms" : latency > 500 ? "more than 500 ms" : latency " ms")
            times = executed / total
            print "execution time " (times <= 1 ? "below" : times > 10 ? "over 10 times" : times " times") " the total time"
        }'
}
seen="without --rate: $(said)
--rate=200: $(said --rate=200)"
echo "$seen"
[ "$seen" = 'without --rate: latency of less than 20 ms, execution time below the total time
--rate=200: latency of more than 500 ms, execution time over 10 times the total time' ] || { echo "this has changed"; exit 1; }
