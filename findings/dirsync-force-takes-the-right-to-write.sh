#!/usr/bin/env bash
# dirsync 2.2.6 (PyPI) brings a directory to the state of another. `--force`, or `force=True`, is to copy where the
# permissions are in the way, "by trying to change file permissions". Expected: what a copy needs is allowed, and the
# copy is made. The mode that it sets is 1911, with a comment that this is 777 in octal, and it is 3567: the owner of
# each directory that is written to may no longer write there, and set-group-ID and the sticky bit are set. So the
# copy fails where it would not have failed without `force`, and `sync` returns the files as done all the same. Root,
# who may write anyway, gets the files, and the modes stay.
#
# Seen, of two new files, in directories of mode 755:
#   without force: 2 told, 2 there, the directory is 755
#   with force: 2 told, 0 there, the directory is 3567
#
# Needs python3, and setpriv as root, as the owner has to be another user. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'chmod -R u+rwx "$dir" && rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install dirsync==2.2.6

# Without the rights of root, which end with a change of the user.
as_user=()
if [ "$(id -u)" = 0 ]; then
    chmod 755 .
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
cat >sync.py <<'END'
import os
import sys

import dirsync

for name, options in ("without", {}), ("with", {"force": True}):
    target = f"{sys.argv[1]}/{name}"
    told = dirsync.sync(f"{sys.argv[1]}/source", target, "sync", **options)
    mode = os.stat(f"{target}/runs").st_mode & 0o7777
    os.chmod(f"{target}/runs", 0o755)
    there = sum(len(files) for _, _, files in os.walk(target))
    print(f"{name} force: {len(told)} told, {there} there, the directory is {mode:o}", file=sys.stderr)
END
mkdir -p files/source/runs files/with/runs files/without/runs
echo first >files/source/runs/first
echo second >files/source/runs/second
chmod 755 files/*/runs files/*
[ "$(id -u)" != 0 ] || chown -R 65534:65534 files
"${as_user[@]}" "$dir/venv/bin/python" sync.py "$dir/files" 2>seen >log
cat seen
[ "$(cat seen)" = 'without force: 2 told, 2 there, the directory is 755
with force: 2 told, 0 there, the directory is 3567' ] || { cat log; echo "this has changed"; exit 1; }
