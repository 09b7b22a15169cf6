#!/usr/bin/env bash
# pymdstat 0.5.1 (PyPI) reads /proc/mdstat; Glances shows what it finds. The kernel marks members in parentheses, e.g. (S) for a
# spare and (F) for one that failed. pymdstat cuts out all from the first parenthesis to the last, so that the healthy members
# between two marks are no components of the array. The state has parentheses too: an array that was assembled and not yet
# written to is `active (auto-read-only)`. Of that one the level is lost, and taken for the name of a member whose number is the
# name of the next. Nothing is said but, on stdout, a line of the file if a member is missing.
#
# Seen:
#   raid1 sdc1[2] sdb1[1](F) sda1[0]: raid1 of sda1, sdb1, sdc1
#   raid1 sdd1[3](S) sdc1[2] sdb1[1](F) sda1[0]: raid1 of sda1, sdd1
#   (auto-read-only) raid1 sdb1[1] sda1[0]: None of 0, 1, raid1
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install pymdstat==0.5.1

cat >members.py <<'END'
import sys

from pymdstat import MdStat

array = MdStat("mdstat").get_stats()["arrays"]["md0"]
print(f"{array['type']} of {', '.join(sorted(array['components']))}", file=sys.stderr)
END
seen=""
for said in "raid1 sdc1[2] sdb1[1](F) sda1[0]" "raid1 sdd1[3](S) sdc1[2] sdb1[1](F) sda1[0]" \
    "(auto-read-only) raid1 sdb1[1] sda1[0]"; do
    counts='[2/2] [UU]'
    [[ $said != *"(F)"* ]] || counts='[3/2] [U_U]'
    cat >mdstat <<END
Personalities : [raid1] 
md0 : active $said
      1046528 blocks super 1.2 $counts
      
unused devices: <none>
END
    seen+="$said: $(venv/bin/python -W ignore members.py 2>&1 >/dev/null)"$'\n'
done
printf '%s' "$seen"
[ "$seen" = 'raid1 sdc1[2] sdb1[1](F) sda1[0]: raid1 of sda1, sdb1, sdc1
raid1 sdd1[3](S) sdc1[2] sdb1[1](F) sda1[0]: raid1 of sda1, sdd1
(auto-read-only) raid1 sdb1[1] sda1[0]: None of 0, 1, raid1
' ] || { echo "this has changed"; exit 1; }
