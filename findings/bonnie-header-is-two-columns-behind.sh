#!/usr/bin/env bash
# bonnie++ 2.00a+nmu1 (Debian 12): with `-x N` it prints the CSV lines of N runs below a line with the names of their columns.
# The lines have two values that older versions had not, the number of seeks and of the processes that seek; the names lack
# them. From the eighth on, each value stands below the name of what comes two columns before it: `putc` is the number of seeks,
# by default 8192, the rate of `putc` is called `put_block`, and the two last latencies have no name. What reads CSV by its
# head, as pandas and csv.DictReader do, gets numbers for nearly all names. bon_csv2txt, which bonnie++ ships to make a table of
# a line, knows which is which. Two runs with 100 seeks by 2 processes:
#
# Seen:
#   48 names, 50 values
#   `putc` is 100, `putc_cpu` is 2
#   the rate of characters written in the table is that of `put_block`, the one of characters read that of `get_block`
#
# Needs python3 and no root. Takes 30 s and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq bonnie++=2.00a+nmu1 >/dev/null 2>&1
dpkg -x bonnie++_*.deb package
mkdir files
as=()
[ "$(id -u)" != 0 ] || as=(-u root)
package/usr/sbin/bonnie++ -d files -s 16M:8192:100:2 -r 8 -n 0 -x 2 -q -m host "${as[@]}" >lines 2>/dev/null
sed -n 2p lines | package/usr/bin/bon_csv2txt >table

python3 - >seen <<'END'
import csv

names, values, _ = csv.reader(open("lines"))
row = dict(zip(names, values))
print(f"{len(names)} names, {len(values)} values")
print(f"`putc` is {row['putc']}, `putc_cpu` is {row['putc_cpu']}")

# The table's row: machine, size, and for each phase a rate with its unit and the processor's share.
table = next(line.split() for line in open("table") if line.startswith("host ") and "16M" in line)
called = lambda rate: next((name for name in names if row[name] == rate.rstrip("kmg")), "none")
print(f"the rate of characters written in the table is that of `{called(table[2])}`, "
      f"the one of characters read that of `{called(table[8])}`")
END
cat seen
[ "$(cat seen)" = '48 names, 50 values
`putc` is 100, `putc_cpu` is 2
the rate of characters written in the table is that of `put_block`, the one of characters read that of `get_block`' ] || {
    echo "this has changed"
    exit 1
}
