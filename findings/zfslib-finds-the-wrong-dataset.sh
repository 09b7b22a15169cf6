#!/usr/bin/env bash
# zfslib 0.13.5 (PyPI) gives Python the pools, datasets and snapshots of ZFS. `find_dataset_for_path` says in which
# dataset a file is, e.g. to look for its old versions in the snapshots of that dataset. Expected: the one with the
# longest mount point that is above the file. zfslib returns the first dataset of the list whose mount point is a prefix
# of the path as text. A parent is listed before its children, so a file of `tank/users/new` is said to be in
# `tank/users`, whose snapshots do not have it. A name that only begins alike is taken too: a file in /srv/data2 is in
# `tank/data`, with the path `2/a` there. Of a file in the root dataset of a pool, /tank/a, it says that there is none.
# Run with programs that print what zfs and zpool print for these datasets, as ZFS itself is not needed:
#
# Seen:
#   /tank/a: no dataset
#   /tank/users/a: tank/users, /a
#   /tank/users/new/a: tank/users, /new/a
#   /srv/data/a: tank/data, /a
#   /srv/data2/a: tank/data, 2/a
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
pip install -q --disable-pip-version-check --no-deps --target modules zfslib==0.13.5 2>/dev/null

mkdir programs
cat >programs/zfs <<'END'
#!/bin/sh
# For: zfs list -Hpr -o name,creation,mountpoint,mounted -t all
printf '%s\t1590969600\t%s\tyes\n' tank /tank tank/data /srv/data tank/data2 /srv/data2 tank/users /tank/users \
    tank/users/new /tank/users/new
END
cat >programs/zpool <<'END'
#!/bin/sh
# For: zpool list -Hp -o name,size,allocated,free,checkpoint,fragmentation,capacity,health
printf 'tank\t67108864\t1048576\t66060288\t-\t0\t1\tONLINE\n'
END
chmod +x programs/*

PATH=$dir/programs:$PATH PYTHONPATH=modules python3 - >seen <<'END'
import zfslib

pools = zfslib.Connection().load_poolset()
for path in "/tank/a", "/tank/users/a", "/tank/users/new/a", "/srv/data/a", "/srv/data2/a":
    dataset, _, rest = pools.find_dataset_for_path(path)
    print(f"{path}: {dataset.path}, {rest}" if dataset else f"{path}: no dataset")
END
cat seen
[ "$(cat seen)" = '/tank/a: no dataset
/tank/users/a: tank/users, /a
/tank/users/new/a: tank/users, /new/a
/srv/data/a: tank/data, /a
/srv/data2/a: tank/data, 2/a' ] || { echo "this has changed"; exit 1; }
