#!/usr/bin/env bash
# fio 3.33-3 (Debian 12): `write_hist_log` with `log_hist_msec=N` writes a histogram of the latencies every N ms, so
# that percentiles can be had of all jobs together, which means do not allow. What came after the last full interval is
# not written: up to N ms at the end are in no row, and a job shorter than that leaves an empty file. The logs of means
# (`log_avg_msec`) end with a row for the rest. Where the end of a job is its slow part, e.g. because the cache of the
# disk is full, its latencies are in no percentile: of 30 writes at 20 a second, where strace(1) delays the last five by
# 100 ms, the script that fio ships for such logs (fio-histo-log-pctiles.py) sees at most 25 and a maximum that is not
# one of the delayed.
#
# Seen:
#   JSON: 30 latencies, maximum above 100 ms
#   log of means: 1 row more than of histograms
#   histograms: at most 25 latencies, maximum below 100 ms
#   a job of 10 writes: histograms 0 rows, means 1 row
#
# Needs python3 and the right to trace. Takes 5 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 strace=6.1-0.1 libunwind8=1.6.2-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/usr/lib/$(uname -m)-linux-gnu
gzip -dc package/usr/share/doc/fio/fio-histo-log-pctiles.py.gz >pctiles.py

# `name writes`: a job, whose logs begin with its name.
job() {
    package/usr/bin/strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_enter=100000:when=26+ \
        package/usr/bin/fio --name="$1" --filename=file --size=1M --bs=4k --rw=write --rate_iops=20 --number_ios="$2" \
        --write_hist_log="$1" --log_hist_msec=1000 --write_lat_log="$1" --log_avg_msec=1000 \
        --output-format=json --output="$1.json" >/dev/null
}
job long 30
job short 10
python3 pctiles.py --time-quantum 10 --log-hist-msec 1000 --output-unit msec long_clat_hist.1.log >table

python3 - >seen <<'END'
import json

rows = lambda name: len(open(name).readlines())
latencies = json.load(open("long.json"))["jobs"][0]["write"]["clat_ns"]
print(f"JSON: {latencies['N']} latencies, maximum {'above' if latencies['max'] > 1e8 else 'below'} 100 ms")
print(f"log of means: {rows('long_clat.1.log') - rows('long_clat_hist.1.log')} row more than of histograms")
_, count, *told = open("table").read().strip().splitlines()[-1].rstrip(", ").split(",")
count, top = int(count), float(told[-1])
print(f"histograms: {'at most 25' if 0 < count <= 25 else count} latencies, "
      f"maximum {'above' if top > 100 else 'below'} 100 ms")
print(f"a job of 10 writes: histograms {rows('short_clat_hist.1.log')} rows, means {rows('short_clat.1.log')} row")
END
cat seen
[ "$(cat seen)" = 'JSON: 30 latencies, maximum above 100 ms
log of means: 1 row more than of histograms
histograms: at most 25 latencies, maximum below 100 ms
a job of 10 writes: histograms 0 rows, means 1 row' ] || { cat table; echo "this has changed"; exit 1; }
