#!/usr/bin/env bash
# bonnie++ 2.00a+nmu1 (Debian 12): where a phase ends too soon to be measured, bonnie++ prints `+++++` in its CSV line and in its
# table. bon_csv2txt and bon_csv2html, which it ships to make the tables of that line, print `0k` and `0` for the rates of
# such phases, with the mark left in the column of the processor: too fast to tell has become as slow as can be. Only the
# rates of seeks and of files stay marked. A run on 16 MiB, whose blocks are written, rewritten and read too fast:
#
# Seen:
#   CSV: blocks written +++++, rewritten +++++, read +++++
#   bon_csv2txt: blocks written 0k +++, rewritten 0k +++, read 0k +++
#   bon_csv2html: 3 cells of 0
#
# Needs no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq bonnie++=2.00a+nmu1 >/dev/null 2>&1
dpkg -x bonnie++_*.deb package

# The last line of a run of `bonnie++ -s 16M -r 8 -n 1 -m host`.
cat >line <<'END'
1.98,2.00a,host,1,1795901119,16M,,8192,5,220,23,+++++,+++,+++++,+++,271,20,+++++,+++,+++++,+++,1,,,,,551,15,+++++,+++,+++++,+++,722,21,+++++,+++,+++++,+++,94938us,4984us,4992us,161ms,12068us,84071us,121ms,85us,21080us,28234us,42us,25794us
END
seen="CSV: $(awk -F, '{ print "blocks written " $12 ", rewritten " $14 ", read " $18 }' line)
bon_csv2txt: $(package/usr/bin/bon_csv2txt <line | awk '$1 == "host" && /16M/ { print "blocks written " $5, $6 ", rewritten " $7, $8 ", read " $11, $12 }')
bon_csv2html: $(package/usr/bin/bon_csv2html <line | grep -o '<td[^>]*>0<' | wc -l) cells of 0"
echo "$seen"
[ "$seen" = 'CSV: blocks written +++++, rewritten +++++, read +++++
bon_csv2txt: blocks written 0k +++, rewritten 0k +++, read 0k +++
bon_csv2html: 3 cells of 0' ] || { echo "this has changed"; exit 1; }
