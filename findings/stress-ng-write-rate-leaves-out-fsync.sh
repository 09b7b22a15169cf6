#!/usr/bin/env bash
# stress-ng 0.15.06-2 (Debian 12): with `--metrics`, the stressor hdd tells a `MB/sec write rate`, in YAML `mbsec-write-rate`.
# It is what was written over the time spent in write(2) alone. With `--hdd-opts fsync`, which the manual describes as flushing
# the data after each write, the time of the fsync(2) is in no rate: the disk may be as slow as it likes, the rate stays that of
# the page cache. Only the bogo operations, of which reads and writes are counted together, are per second of real time. Here
# strace(1) makes each fsync take 0.1 s, so that no more than 0.625 MiB can be written in a second:
#
# Seen:
#   of 16 writes of 64 KiB, each with its fsync:
#   wall-clock-time: more than 1.6 s for 1 MiB
#   mbsec-write-rate: more than 20
#
# Needs the right to trace and no disk of its own. Takes 2 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq stress-ng=0.15.06-2 strace=6.1-0.1 libunwind8=1.6.2-3 libapparmor1 libbsd0 libmd0 libegl1 libgbm1 libgles2 \
    libglvnd0 libdrm2 libwayland-server0 libexpat1 libffi8 libipsec-mb1 libjpeg62-turbo libjudydebian1 libkmod2 libsctp1 \
    libxxhash0 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine PATH=$dir/package/usr/bin:$PATH

mkdir files
strace -f -qq -o trace -e trace=write,fsync -e inject=fsync:delay_enter=100000 \
    stress-ng --hdd 1 --hdd-opts wr-seq,fsync --hdd-bytes 1M --hdd-write-size 64k --hdd-ops 32 --temp-path files \
    --metrics --yaml metrics >/dev/null 2>&1
metric() { sed -n "s/^ *$1: //p" metrics; }
above() { awk -v value="$1" -v limit="$2" 'BEGIN { print (value > limit ? "more than " limit : value) }'; }
synced=$(awk '/write\(.* = 65536$/ { written++ } /fsync\(/ && written { synced++ } END { print synced }' trace)
seen="of $synced writes of 64 KiB, each with its fsync:
wall-clock-time: $(above "$(metric wall-clock-time)" 1.6) s for 1 MiB
mbsec-write-rate: $(above "$(metric mbsec-write-rate)" 20)"
echo "$seen"
[ "$seen" = 'of 16 writes of 64 KiB, each with its fsync:
wall-clock-time: more than 1.6 s for 1 MiB
mbsec-write-rate: more than 20' ] || { echo "this has changed"; exit 1; }
