#!/usr/bin/env bash
# collectl 4.3.1-1 (Debian 12) shows the rates of all disks in one line (`-sd`, a part of what it shows and records by
# default) and those of each disk (`-sD`). The line is to leave partitions out: names that end with a digit, unless
# `nvme`, one digit and `n` are before it. Expected: it is the sum of the disks. From the eleventh NVMe disk on the
# number of the disk has two digits, `nvme10n1`, and the disk is taken for a partition: a server with 24 of them shows
# the rates of 10, with no hint that others are missing. Each disk by itself is right. Shown with a /proc/diskstats of
# five disks that all do the same:
#
# Seen, in KiB read in a second, as multiples of those of sda:
#   nvme0n1 1, nvme9n1 1, nvme10n1 1, nvme11n1 1, sda 1
#   all disks 3
#
# Needs unshare with user namespaces, or root. Takes 3 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq collectl=4.3.1-1 >/dev/null 2>&1
dpkg -x collectl*.deb package

# One line has the same length at all times, so that the file is never seen half written.
cat >disks.sh <<'END'
counters() {
    for disk in "259 0 nvme0n1" "259 9 nvme9n1" "259 10 nvme10n1" "259 11 nvme11n1" "8 0 sda"; do
        printf ' %s %07d 0 %07d 10 %07d 0 %07d 10 0 10 10 0 0 0 0 0 0\n' "$disk" $((1000 * $1)) $((16000 * $1)) \
            $((1000 * $1)) $((16000 * $1))
    done
}
counters 1 >diskstats
mount --bind diskstats /proc/diskstats
perl package/usr/bin/collectl -sdD -i1 -c1 >told 2>&1 &
for time in $(seq 2 12); do
    sleep 0.2
    counters "$time" | dd of=diskstats conv=notrunc status=none
done
wait
END
[ "$(id -u)" = 0 ] && rights=-m || rights=-rm
unshare "$rights" --propagation private bash disks.sh

# The line of all disks is the second one below its heading.
awk '
    /^# DISK SUMMARY/ { summary = NR }
    summary && NR == summary + 2 { all = $1 }
    /^(nvme|sd)/ { name[++count] = $1; read[$1] = $2 }
    END {
        for (at = 1; at <= count; at++)
            printf "%s %.0f%s", name[at], read[name[at]] / read["sda"], at < count ? ", " : "\n"
        printf "all disks %.0f\n", all / read["sda"]
    }' told >seen
cat seen
[ "$(cat seen)" = 'nvme0n1 1, nvme9n1 1, nvme10n1 1, nvme11n1 1, sda 1
all disks 3' ] || { cat told; echo "this has changed"; exit 1; }
