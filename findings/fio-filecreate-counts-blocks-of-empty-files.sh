#!/usr/bin/env bash
# fio 3.33-3 (Debian 12): the engines filecreate, filestat and filedelete create, stat and remove the files of a job.
# The figures do not count files, but how many blocks of `bs` would fit into them: 16 files of `filesize=64k` with the
# default block of 4k are 256 operations, 16 times as many in a second as there were. With `filesize=1M` it is 256
# times. Only the latencies count right. The files of filecreate are empty, which does not keep fio from a bandwidth,
# and all is called a read. The manual says of the size only that one needs to be set. With `bs` equal to `filesize`, as
# in fio's own example, one file is one operation. 16 files of each engine:
#
# Seen:
#   filecreate: calls 16, total_ios 256, latencies 16, MiB read 1
#   filestat: calls 16, total_ios 256, latencies 16, MiB read 1
#   filedelete: calls 16, total_ios 256, latencies 16, MiB read 1
#   bytes in the files of filecreate: 0; with bs=64k, its total_ios is 16
#
# Needs python3 and the right to trace. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 strace=6.1-0.1 libunwind8=1.6.2-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
lib=$dir/package/usr/lib/$(uname -m)-linux-gnu
mkdir files

# Runs an engine on 16 files: `bs engine`. Prints the files that had the engine's call, as traced, and what fio counts.
run() {
    LD_LIBRARY_PATH=$lib package/usr/bin/strace -f -qq -o trace package/usr/bin/fio --name=job --directory=files \
        --nrfiles=16 --filesize=64k --filename_format='job.$filenum' --bs="$1" --ioengine="$2" \
        --output-format=json --output=result >/dev/null
    python3 - "$2" <<'END'
import json
import re
import sys

engine = sys.argv[1]
call = {
    "filecreate": r"open(?:at)?\(.*O_CREAT",
    "filestat": r"(?:newfstatat|stat|statx)\(",
    "filedelete": r"unlink(?:at)?\(",
}[engine]
traced = [line for line in open("trace") if re.search(call, line)]
files = {name for line in traced for name in re.findall(r'"files/(job\.\d+)"', line)}
read = json.load(open("result"))["jobs"][0]["read"]
print(f"{engine}: calls {len(files)}, total_ios {read['total_ios']}, latencies {read['clat_ns']['N']}, "
      f"MiB read {read['io_bytes'] >> 20}")
END
}

run 4k filecreate >seen
empty="bytes in the files of filecreate: $(cat files/job.* | wc -c)"
rm files/*
for file in $(seq 0 15); do head -c 65536 /dev/zero >"files/job.$file"; done
run 4k filestat >>seen
run 4k filedelete >>seen
whole=$(run 64k filecreate)
echo "$empty; with bs=64k, its $(grep -o 'total_ios [0-9]*' <<<"$whole" | sed 's/ / is /')" >>seen
cat seen
[ "$(cat seen)" = 'filecreate: calls 16, total_ios 256, latencies 16, MiB read 1
filestat: calls 16, total_ios 256, latencies 16, MiB read 1
filedelete: calls 16, total_ios 256, latencies 16, MiB read 1
bytes in the files of filecreate: 0; with bs=64k, its total_ios is 16' ] || { echo "this has changed"; exit 1; }
