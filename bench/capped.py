"""A disk of steady speed: the device of a directory is held at so many bytes a second, for all of the machine. What two
tools then differ by is theirs, not that of the disk from one minute to the next."""

import contextlib
import os
import pathlib
import sys

# The throttle of control groups of version 1 knows the device in its root, too: there it holds writeback as well.
ROOT = pathlib.Path("/sys/fs/cgroup/blkio")


@contextlib.contextmanager
def held(directory, bytes_per_s):
    """Reads and writes of the device that holds `directory` at `bytes_per_s` each; as it was where that is 0."""
    if not bytes_per_s:
        yield
        return
    device = os.stat(directory).st_dev
    caps = [ROOT / f"blkio.throttle.{way}_bps_device" for way in ("read", "write")]
    if not all(os.access(cap, os.W_OK) for cap in caps):
        sys.exit(f"{caps[0]} cannot be written: this needs root and control groups of version 1")

    def put(cap):
        for file in caps:
            file.write_text(f"{os.major(device)}:{os.minor(device)} {cap}\n")
    put(bytes_per_s)
    try:
        yield
    finally:
        put(0)
