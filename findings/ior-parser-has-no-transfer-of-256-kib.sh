#!/usr/bin/env bash
# ior-parser 0.1.1 (PyPI) makes JSON of what IOR prints, sizes in bytes. IOR prints a size that is no whole number of MiB, such as a
# transfer of 256 KiB (its own default), with the unit `bytes`. The parser knows MiB, MB and `B`, but not the unit that
# already is the one it wants: `xfer_size_bytes` is null, without a word and with status 0, and the runs that a study of
# transfer sizes compares all have one, none. The text of the size stays in `xfer_size_text`.
#
# Seen:
#   xfersize 262144 bytes: "262144 bytes", null
#   blocksize 8 MiB: "8 MiB", 8388608
#   status 0, nothing on stderr
#
# Needs no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install ior-parser==0.1.1

# Printed by `ior -a POSIX -w -t 256k -b 8m -i 1 -o FILE` of IOR 4.1.0.
cat >log <<'END'
IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O
Began               : Sat Nov 21 03:09:55 2026
Command line        : ior -a POSIX -w -t 256k -b 8m -i 1 -o data
Machine             : Linux host
TestID              : 0
StartTime           : Sat Nov 21 03:09:55 2026
Path                : data
FS                  : 2.4 GiB   Used FS: 2.0%   Inodes: 1.2 Mi   Used Inodes: 0.0%

Options: 
api                 : POSIX
apiVersion          : 
test filename       : data
access              : single-shared-file
type                : independent
segments            : 1
ordering in a file  : sequential
ordering inter file : no tasks offsets
nodes               : 1
tasks               : 2
clients per node    : 2
memoryBuffer        : CPU
dataAccess          : CPU
GPUDirect           : 0
repetitions         : 1
xfersize            : 262144 bytes
blocksize           : 8 MiB
aggregate filesize  : 16 MiB

Results: 

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     3654       14897      0.000118    8192       256.00     0.000062   0.004296   0.000542   0.004379   0   

Summary of all tests:
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     StdDev    Mean(s) Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt   blksiz    xsize aggs(MiB)   API RefNum
write        3653.77    3653.77    3653.77       0.00   14615.10   14615.10   14615.10       0.00    0.00438         NA            NA     0      2   2    1   0     0        1         0    0      1  8388608   262144      16.0 POSIX      0
Finished            : Sat Nov 21 03:09:55 2026
END

status=0
venv/bin/python -m ior_parser --json log >out 2>err || status=$?
size() {
    python3 -c 'import json, sys; options = json.load(open("out"))["options"]
print(json.dumps(options[sys.argv[1] + "_text"]) + ", " + json.dumps(options[sys.argv[1] + "_bytes"]))' "$1"
}
said="nothing"
[ ! -s err ] || said="something"
seen="xfersize 262144 bytes: $(size xfer_size)
blocksize 8 MiB: $(size block_size)
status $status, $said on stderr"
echo "$seen"
[ "$seen" = 'xfersize 262144 bytes: "262144 bytes", null
blocksize 8 MiB: "8 MiB", 8388608
status 0, nothing on stderr' ] || { echo "this has changed"; exit 1; }
