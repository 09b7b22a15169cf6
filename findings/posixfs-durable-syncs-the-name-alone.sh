#!/usr/bin/env bash
# posixfs 1.0.1 (PyPI) replaces files, as it says, atomically and, with `durable=True`, durably, which it names as what
# other packages lack. Expected: the content is synced, then the file gets its name, then the directory is synced; and
# where the block that writes ends with an exception, the old file stays. The content is never synced: the one fsync is
# that of the directory, after the rename, so that a crash can leave the new name on a file that is empty. And an
# exception does not keep the rename from being made: what was written before it takes the place of the whole file.
#
# Seen:
#   durable=True: write of the file, rename, fsync of the directory
#   after an exception in the block: `new, `, before: `old and whole`
#
# Needs python3, strace, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install posixfs==1.0.1

mkdir data
cat >durable.py <<'END'
import posixfs

posixfs.atomic_write_bytes("data/state", b"old and whole", durable=True)
END
strace -o calls -y -e trace=write,rename,renameat,renameat2,fsync,fdatasync,sync_file_range,sync,syncfs \
    venv/bin/python durable.py

cat >broken.py <<'END'
import posixfs

try:
    with posixfs.AtomicWritingText("data/state", durable=True) as state:
        state.write("new, ")
        raise ValueError("there is no more to be had")
except ValueError:
    pass
END
before=$(cat data/state)
venv/bin/python broken.py

order=$(sed -nE '
    s/^write\([0-9]+<.*\/data\/state[^>]*>.*/write of the file/p
    s/^rename.*/rename/p
    s/^(f|fdata)sync\([0-9]+<.*\/data>.*/\1sync of the directory/p
    s/^(f|fdata)sync\([0-9]+<.*\/data\/.*/\1sync of the file/p
    s/^(sync|syncfs|sync_file_range)\(.*/\1/p' calls | paste -sd, | sed 's/,/, /g')
seen="durable=True: $order
after an exception in the block: \`$(cat data/state)\`, before: \`$before\`"
echo "$seen"
[ "$seen" = 'durable=True: write of the file, rename, fsync of the directory
after an exception in the block: `new, `, before: `old and whole`' ] || { echo "this has changed"; exit 1; }
