#!/usr/bin/env bash
# sysstat 12.6.1-1 (Debian 12): iostat -g NAME adds a line with the sum of several devices. Its %util is the sum over the number
# of devices, but iostat counts them again in each report and never begins anew: over 2 in the first report, 4 in the second, 6
# in the third of a group of two; with -y, the first report is one that is not shown. A group that is equally busy all the time
# seems idler in each line. The other columns of the group are right. Here a group of one device, while it is written to:
#
# Seen:
#   %util of the device over %util of its group: 2 3 4 5
#
# Needs no root, and a disk behind /var/tmp that is idle for less than a second. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d -p /var/tmp)
writer=
trap 'kill $writer 2>/dev/null; wait 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq sysstat=12.6.1-1 >/dev/null 2>&1
dpkg -x sysstat_*.deb package

disk=$(lsblk -ndso NAME,TYPE "$(findmnt -no SOURCE -T "$dir")" | awk '{ print $1 }' | tail -1)
while :; do dd if=/dev/zero of=file bs=64k count=64 conv=fsync status=none; done &
writer=$!

# Lines of the device and of the group in turn. Both have two decimals, so that the quotient is whole but for their rounding.
seen="%util of the device over %util of its group:$(LC_ALL=C package/usr/bin/iostat -y -d -x -g group "$disk" 2 4 |
    awk -v disk="$disk" '$1 == disk { busy = $NF } $1 == "group" { printf " %.0f", busy / $NF }')"
echo "$seen"
[ "$seen" = '%util of the device over %util of its group: 2 3 4 5' ] || { echo "this has changed"; exit 1; }
