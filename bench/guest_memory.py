"""The memory of a virtual machine: pages that were free for some seconds are given back to its host (free page
reporting), and who touches them next waits until it has them again. What two tools then differ by is who came first.
Here it is kept for a while."""

import contextlib
import mmap
import os
import pathlib
import time

# Blocks of free pages of this order and above are given back: mm/page_reporting.c of the kernel.
ORDER = pathlib.Path("/sys/module/page_reporting/parameters/page_reporting_order")
# madvise(2): every page of the mapping is there, and writable.
POPULATE_WRITE = 23
# Left to the others while all else is touched.
LEFT_BYTES = 1 << 30


@contextlib.contextmanager
def kept():
    """All memory is the machine's own, and stays so; as it was where nobody gives any back."""
    before = given_back()
    if before is None:
        yield
        return
    try:
        ORDER.write_text(no_order())
        touch()
        yield
    finally:
        ORDER.write_text(before)


def given_back():
    """The order from which on blocks are given back; None where none are, or nobody can say otherwise."""
    if not ORDER.exists():
        return None
    if not os.access(ORDER, os.W_OK):
        print("memory that is free goes back to the host and is slow at its next touch: run as root to keep it")
        return None
    return ORDER.read_text()


def no_order():
    """One above the largest order that this kernel has blocks of: /proc/buddyinfo counts those of each."""
    with open("/proc/buddyinfo", encoding="ascii") as file:
        _node, _number, _zone, _name, *counts = file.readline().split()
    return str(len(counts))


def touch():
    """Has all free memory, and frees it again."""
    size, since = available_bytes() - LEFT_BYTES, time.monotonic()
    if size > 0:
        with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
            memory.madvise(POPULATE_WRITE)
        print(f"{size >> 20} MiB of free memory touched in {time.monotonic() - since:.0f} s, "
              "and none given back to the host while this runs", flush=True)


def available_bytes():
    """What can be had without swapping: MemAvailable."""
    with open("/proc/meminfo", encoding="ascii") as file:
        told = dict(line.split(":", 1) for line in file)
    return int(told["MemAvailable"].split()[0]) << 10
