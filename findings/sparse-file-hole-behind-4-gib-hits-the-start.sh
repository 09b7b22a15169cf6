#!/usr/bin/env bash
# sparse-file 0.0.2 (PyPI) opens a file with a method `hole(start, length)`, which frees a range of it and returns True.
# It hands both numbers to fallocate64 through ctypes without saying that they have 64 bits, and ctypes takes the lower
# 32. A hole of one block at 4 GiB + 4096 is punched at 4096: the data there are gone, those that were to go are still
# there, and the answer is True. From 2 GiB to 4 GiB the start becomes negative and is refused, so only a file large
# enough to need holes is damaged. Its tests and its example stay below. A file with two blocks of data, of which the
# second is to be freed:
#
# Seen:
#   hole(4294971392, 4096) is True
#   at 4096: zeros, at 4294971392: data
#   hole(2147483648, 4096) is refused with EINVAL
#
# Needs python3, and a file system with holes below the temp folder. Needs no root. Takes 8 KiB and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
pip download -q --disable-pip-version-check --no-deps -d . sparse-file==0.0.2
pip install -q --disable-pip-version-check --no-deps --target package sparse_file-0.0.2-py3-none-any.whl 2>/dev/null

PYTHONPATH=package python3 - >seen <<'END'
import errno

from sparse_file import open_sparse

near, far = 4096, (4 << 30) + 4096
with open_sparse("file", "w+b") as file:
    for at in near, far:
        file.seek(at)
        file.write(b"d" * 4096)
    file.flush()
    print(f"hole({far}, 4096) is {file.hole(far, 4096)}")
    kept = []
    for at in near, far:
        file.seek(at)
        kept.append(f"at {at}: " + ("data" if any(file.read(4096)) else "zeros"))
    print(", ".join(kept))
    try:
        file.hole(2 << 30, 4096)
    except OSError as error:
        print(f"hole({2 << 30}, 4096) is refused with {errno.errorcode[error.errno]}")
END
cat seen
[ "$(cat seen)" = 'hole(4294971392, 4096) is True
at 4096: zeros, at 4294971392: data
hole(2147483648, 4096) is refused with EINVAL' ] || { echo "this has changed"; exit 1; }
