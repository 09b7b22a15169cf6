#!/usr/bin/env bash
# sysbench 1.0.20+ds-5 (Debian 12): with --report-checkpoints every report, the last included, counts what happened since
# the checkpoint before, while its `total time` counts from the start. Events over total time, as most readers of the last
# report compute it, are too few by the number of checkpoints. --histogram prints one histogram, which is of the last
# interval alone. A run of 3 s at 200 operations a second with checkpoints after 1 and 2 s:
#
# Seen:
#   total time, rounded: 1 2 3 s
#   events / rate, rounded: 1 1 1 s
#   the histogram has the events of the last report
#
# Needs neither root nor a disk of its own. Takes 3 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq sysbench=1.0.20+ds-5 libluajit2-5.1-2=2.1-20230119-1 \
    libmariadb3 libpq5 libaio1 libldap-2.5-0 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
libraries=root/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/libmariadb3
fileio() {
    root/usr/bin/sysbench fileio --file-num=1 --file-total-size=4M --file-test-mode=rndrd "$@"
}

fileio prepare >/dev/null
fileio --time=3 --rate=200 --histogram --report-checkpoints=1,2 run >report

times=$(awk '/total time:/ { printf "%d ", $3 + 0.5 }' report)
events=$(awk '/total number of events:/ { printf "%d ", $5 / 200 + 0.5 }' report)
last=$(awk '/total number of events:/ { n = $5 } END { print n }' report)
histogram=$(awk '/Latency histogram/ { on = 1 } /^File operations/ { on = 0 } on && /\|/ { n += $NF } END { print n }' report)
echo "total time, rounded: ${times}s"
echo "events / rate, rounded: ${events}s"
[ "$histogram" = "$last" ] && echo "the histogram has the events of the last report"
[ "$times" = "1 2 3 " ] && [ "$events" = "1 1 1 " ] && [ "$histogram" = "$last" ] || { echo "this has changed"; exit 1; }
