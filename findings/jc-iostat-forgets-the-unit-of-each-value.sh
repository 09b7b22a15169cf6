#!/usr/bin/env bash
# jc 1.26.1 (PyPI) makes JSON of what a command prints. `iostat --human` of sysstat 12.6 gives each value a unit of its
# own, k, M or G, below a head that goes on to say kB. jc keeps the head and drops the units: 8.1M a second become
# `"kb_read_s": 8.1`, less than the 25.0 that another disk's `25.0k` become, and 11.3G in all become 11 kB, with the
# fraction gone too. The order of the disks turns round, and nothing says so. For df, jc takes such units into account.
# Of `iostat -h`, which puts the device last, jc makes an empty list, with status 0, and of `iostat -s` it gives the
# rates as text.
#
# Seen:
#   --human: sda kb_read_s 8.1, kb_read 11; sdb kb_read_s 25.0, kb_read 35
#   without: sda kb_read_s 8294.54, kb_read 11893129; sdb kb_read_s 25.01, kb_read 35871
#   -h: []
#   -s: kb_s is a str, await is a float
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
pip install -q --disable-pip-version-check --no-deps --target package jc==1.26.1 2>/dev/null

# As `iostat -d` prints two disks with `--human`, without, with `-h` and with `-s`.
head='Linux 6.1.0 (host) 	11/30/26 	_x86_64_	(2 CPU)
'
names='tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd'
cat >human <<END
$head
Device             $names
sda              19.65         8.1M        10.5M         0.0k      11.3G      14.7G       0.0k
sdb               0.17        25.0k         0.2k         0.0k      35.0M     296.0k       0.0k


END
cat >plain <<END
$head
Device             $names
sda              19.65      8294.54     10745.14         0.00   11893129   15406924          0
sdb               0.17        25.01         0.21         0.00      35871        296          0


END
cat >last <<END
$head
      $names Device
    19.65         8.1M        10.5M         0.0k      11.3G      14.7G       0.0k sda
     0.17        25.0k         0.2k         0.0k      35.0M     296.0k       0.0k sdb


END
cat >short <<END
$head
Device             tps      kB/s    rqm/s   await  areq-sz  aqu-sz  %util
sda              19.65  19039.68    10.25    8.29   969.05    0.16   0.95
sdb               0.17     25.22     0.06    0.22    12.12    0.00   0.00


END

PYTHONPATH=package python3 - >seen <<'END'
import jc

parse = lambda name: jc.parse("iostat", open(name).read())
figure = lambda row: f"{row['device']} kb_read_s {row['kb_read_s']}, kb_read {row['kb_read']}"
figures = lambda rows: "; ".join(map(figure, rows))
print("--human:", figures(parse("human")))
print("without:", figures(parse("plain")))
print("-h:", parse("last"))
row = parse("short")[0]
print(f"-s: kb_s is a {type(row['kb_s']).__name__}, await is a {type(row['await']).__name__}")
END
cat seen
[ "$(cat seen)" = '--human: sda kb_read_s 8.1, kb_read 11; sdb kb_read_s 25.0, kb_read 35
without: sda kb_read_s 8294.54, kb_read 11893129; sdb kb_read_s 25.01, kb_read 35871
-h: []
-s: kb_s is a str, await is a float' ] || { echo "this has changed"; exit 1; }
