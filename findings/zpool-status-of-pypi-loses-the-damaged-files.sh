#!/usr/bin/env bash
# zpool-status 0.2.4 (PyPI) makes JSON of what `zpool status -v` prints. It starts a new key at each line that begins
# with lower-case letters and a colon. zpool lists the files that are damaged for good as DATASET:PATH where the dataset
# is not mounted, and as DATASET:<OBJECT> where the file was deleted since, e.g. a snapshot still has it. Expected:
# `errors` is the list of these files. In a pool with a name of lower-case letters alone, such as `tank`, each line of
# its own dataset becomes a key `tank` and ends the list; of several, the last one stays, with all that follows it in
# one string. A program that goes by `errors` restores none of them, although the status says that files are damaged.
#
# Seen, of a pool `tank` with 4 damaged files, three of them in its own dataset:
#   named in errors: none
#   tank: "/c tank/home:<0x5>"
# Seen, of the same pool with the name `tank2`:
#   named in errors: tank2:<0x6>, tank2:<0x7>, tank2:/c, tank2/home:<0x5>
#   tank2: null
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install setuptools==69.5.1 wheel==0.43.0
venv/bin/pip -q --disable-pip-version-check install --no-deps --no-build-isolation zpool-status==0.2.4

cat >read.py <<'END'
import json
import sys

from zpool_status import ZPool

name = sys.argv[1]
status = ZPool.get_status_from_output(open("status").read())
named = [line for line in status["errors"] if line.startswith(name)]
print("named in errors: " + (", ".join(named) or "none"))
print(f"{name}: {json.dumps(status.get(name))}")
END
seen=""
for name in tank tank2; do
    # Printed by `zpool status -v` of zfs-fuse 0.7.0 after a scrub, two deleted files and an unmount. The pool and its disk
    # have other names, and the line with the address of an explanation is left out.
    cat >status <<END
  pool: $name
 state: ONLINE
status: One or more devices has experienced an error resulting in data
	corruption.  Applications may be affected.
action: Restore the file in question if possible.  Otherwise restore the
	entire pool from backup.
 scrub: scrub completed after 0h0m with 32 errors on Tue Dec  1 04:40:43 2026
config:

	NAME              STATE     READ WRITE CKSUM
	$(printf %-16s "$name")  ONLINE       0     0    32
	  sda             ONLINE       0     0    64

errors: Permanent errors have been detected in the following files:

        $name:<0x6>
        $name:<0x7>
        $name:/c
        $name/home:<0x5>
END
    seen+="$(venv/bin/python read.py "$name")"$'\n'
done
printf '%s' "$seen"
[ "$seen" = 'named in errors: none
tank: "/c tank/home:<0x5>"
named in errors: tank2:<0x6>, tank2:<0x7>, tank2:/c, tank2/home:<0x5>
tank2: null
' ] || { echo "this has changed"; exit 1; }
