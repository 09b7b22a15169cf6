#!/usr/bin/env bash
# pcp-import-iostat2pcp 6.0.3-1.1 (Debian 12) makes an archive of PCP from what iostat prints. Of `iostat -x` of sysstat 12.6.1-1
# (same Debian) it knows the line of names by `r/s` and `d/s`, sees that there are 23 columns, and takes them in an order of its
# own, not by their names. So its disk.dev.write, a count of writes, is what iostat gives as KiB read, and its merged
# requests are a latency and a size. Of those below only disk.dev.read is what it says. It ends with 0, and the values look
# plausible.
#
# Seen, metric of the archive and the column of the report with that value:
#   disk.dev.read: r/s
#   disk.dev.write: rkB/s
#   disk.dev.read_merge: r_await
#   disk.dev.write_merge: rareq-sz
#   disk.dev.avactive: dkB/s
#   disk.dev.read_rawactive: wrqm/s
#
# Needs no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq pcp-import-iostat2pcp=6.0.3-1.1 pcp=6.0.3-1.1 pcp-conf=6.0.3-1.1 libpcp3=6.0.3-1.1 \
    libpcp-import1=6.0.3-1.1 libpcp-archive1=6.0.3-1.1 libpcp-import-perl=6.0.3-1.1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib:$dir/package/usr/lib/$machine PCP_DIR=$dir/package PCP_CONF=$dir/package/etc/pcp.conf
PERL5LIB=$(echo "$dir/package/usr/lib/$machine/perl5"/*)
export PERL5LIB LC_ALL=C TZ=UTC

# Printed by `iostat -x -d -t sda 1 3` with S_TIME_FORMAT=ISO. iostat2pcp leaves out the first report, the mean since the start.
cat >report <<'END'
Linux 6.1.0 (host) 	2026-11-28 	_x86_64_	(2 CPU)

2026-11-28T20:17:21+0000
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sda            178.96  18381.93    78.82  30.58    2.75   102.71  138.25  28510.93    69.65  33.50    5.79   206.23   37.81  17907.67     0.02   0.04    1.16   473.66   15.93    2.28    1.37  15.91


2026-11-28T20:17:22+0000
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sda            195.00  11440.00     1.00   0.51    0.32    58.67  112.00    704.00    46.00  29.11    0.65     6.29   11.00     64.00     0.00   0.00    0.55     5.82    5.00    2.20    0.15   5.20


2026-11-28T20:17:23+0000
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util
sda             53.00    236.00     0.00   0.00    0.32     4.45  206.00  15668.00    71.00  25.63    1.06    76.06    6.00     24.00     0.00   0.00    0.50     4.00   15.00    2.60    0.28   5.20


END

perl package/usr/bin/iostat2pcp report archive >/dev/null
package/usr/bin/pmdumplog archive >dump

# The column that has, in the second report, the value of this metric at that time.
column() {
    local value
    value=$(sed -n "s/.*($1): .* value //p" dump | head -1)
    awk -v value="$value" '/^Device/ { split($0, names) } /^sda/ && ++reports == 2 {
        for (i = 2; i <= NF; i++) if ($i - value < 0.001 && value - $i < 0.001) { print names[i]; exit }
        print "none"
    }' report
}
seen=""
for metric in read write read_merge write_merge avactive read_rawactive; do
    seen+="disk.dev.$metric: $(column "disk.dev.$metric")
"
done
printf '%s' "$seen"
[ "$seen" = 'disk.dev.read: r/s
disk.dev.write: rkB/s
disk.dev.read_merge: r_await
disk.dev.write_merge: rareq-sz
disk.dev.avactive: dkB/s
disk.dev.read_rawactive: wrqm/s
' ] || { echo "this has changed"; exit 1; }
