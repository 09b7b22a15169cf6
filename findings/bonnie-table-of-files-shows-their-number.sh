#!/usr/bin/env bash
# bonnie++ 2.00a+nmu1 (Debian 12): the columns `/sec` of the table of file creation do not hold a rate. Where a phase took long
# enough to be shown, they hold the number of files of the run, the same for each such phase: bon_time.cpp hands the rate, a
# double, to a `%5d`, which takes what an integer's register has. The rate is only in the CSV line, which the same run prints
# below the table. Here strace(1) delays each creation of 1024 files by 2 ms, so that both phases of creation are shown and
# neither can reach 512 a second:
#
# Seen:
#   table: created 1024 and 1024 files a second
#   CSV: created less than 512 and less than 512 files a second
#
# Needs the right to trace and no disk of its own. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq bonnie++=2.00a+nmu1 strace=6.1-0.1 libunwind8=1.6.2-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
mkdir files
as=()
[ "$(id -u)" != 0 ] || as=(-u root)

LD_LIBRARY_PATH=$dir/package/usr/lib/$(uname -m)-linux-gnu package/usr/bin/strace -f -qq -o /dev/null \
    -e trace=creat,openat -e inject=creat,openat:delay_enter=2000 \
    package/usr/sbin/bonnie++ -d files -s 0 -n 1 -m host "${as[@]}" >result 2>/dev/null

# The table's row begins with the number of files in units of 1024, and has a rate and the processor's share for each phase.
table=$(awk '/files .*\/sec/ { row = NR + 1 } NR == row { print $2, "and", $8 }' result)
rate() {
    [ "$1" -lt 512 ] && echo "less than 512" || echo "$1"
}
csv=$(tail -1 result)
seen="table: created $table files a second
CSV: created $(rate "$(cut -d, -f27 <<<"$csv")") and $(rate "$(cut -d, -f33 <<<"$csv")") files a second"
echo "$seen"
[ "$seen" = 'table: created 1024 and 1024 files a second
CSV: created less than 512 and less than 512 files a second' ] || { echo "this has changed"; exit 1; }
