#!/usr/bin/env bash
# fio-plot 1.1.21 (PyPI) draws the logs of fio, of which there is one for each job. It adds the first rows of all jobs,
# then the second ones, and so on, and stops at the end of the shortest log. What the other jobs did from then on is not
# drawn, and the time ends there: no job is seen to be slower. With rows 2 s apart (`log_avg_msec=2000`) it divides each
# value by the square of the time between them in ms and then leaves out the fraction, so that 25 operations in a second
# are 0, and gives each second row a time of 1 ms after the first. It warns of such logs, but of the disk, which it
# takes for slow. Two jobs of 200 writes, at 50 and at 25 in a second, and the second one alone, as fio 3.33 logged
# them:
#
# Seen:
#   logs: 7 rows until 3612 ms, 15 rows until 7653 ms
#   drawn: 7 rows until 3588 ms, 75 writes in a second
#   log of rows 2 s apart: 25 writes in a second
#   drawn: 0 writes in a second, at 2000 2001 4004 4005 6005 6006 ms
#
# Needs python3 and no root. Downloads 40 MB of packages, and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
pip install -q --disable-pip-version-check --no-deps --target package fio-plot==1.1.21 2>/dev/null
pip install -q --disable-pip-version-check --target package matplotlib==3.11.2 numpy==2.4.6 pillow==13.0.0 \
    pyparsing==3.3.3 rich==15.0.0 2>/dev/null

# Rows of `write_iops_log`: `log value times...`.
log() {
    local name=$1 value=$2
    printf "%s, $value, 1, 0, 0\n" "${@:3}" >"$name"
}
mkdir two one
name=write-iodepth-1-numjobs
log two/$name-2_iops.1.log 50 501 1000 1500 2001 2522 3023 3612
log two/$name-2_iops.2.log 25 500 1007 1507 2042 2562 3063 3564 4071 4571 5082 5593 6094 6640 7152 7653
log one/$name-1_iops.1.log 25 2000 4004 6005 8005

PYTHONPATH=package python3 - >seen 2>said <<'END'
import sys
from contextlib import redirect_stdout

from fio_plot.fiolib import dataimport

mean = lambda values: round(sum(values) / len(values))


def logged(path):
    return [int(line.split(",")[0]) for line in open(path)]


# What fio-plot would draw: times and values.
def drawn(folder, jobs):
    settings = {"rw": "write", "iodepth": [1], "numjobs": [jobs], "type": ["iops"],
                "xlabel_segment_size": 1000, "xlabel_parent": 1, "xlabel_depth": 0}
    with redirect_stdout(sys.stderr):
        files = dataimport.filterLogFiles(settings, dataimport.list_fio_log_files(folder))
        data = dataimport.readLogDataFromFiles(settings, files)
        return zip(*dataimport.mergeDataSet(settings, data)[0]["data"][0]["write"])


told = [logged(f"two/write-iodepth-1-numjobs-2_iops.{job}.log") for job in (1, 2)]
print("logs: " + ", ".join(f"{len(times)} rows until {times[-1]} ms" for times in told))
times, values = drawn("two", 2)
print(f"drawn: {len(times)} rows until {times[-1]} ms, {mean(values)} writes in a second")
print("log of rows 2 s apart: 25 writes in a second")
times, values = drawn("one", 1)
print(f"drawn: {max(values)} writes in a second, at {' '.join(map(str, times))} ms")
END
cat seen
[ "$(cat seen)" = 'logs: 7 rows until 3612 ms, 15 rows until 7653 ms
drawn: 7 rows until 3588 ms, 75 writes in a second
log of rows 2 s apart: 25 writes in a second
drawn: 0 writes in a second, at 2000 2001 4004 4005 6005 6006 ms' ] || { cat said; echo "this has changed"; exit 1; }
