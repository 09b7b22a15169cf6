"""A file in the page cache: how much of it is there, in folios of which size, and held there while
others on the machine drop caches."""

import contextlib
import ctypes
import mmap
import os
import struct
import sys

PAGE_BYTES = mmap.PAGESIZE

# madvise(2): bring every page of the mapping in.
POPULATE_READ = 22
# Bits of /proc/self/pagemap and /proc/kpageflags, admin-guide/mm/pagemap of the kernel.
FRAME = (1 << 55) - 1
IS_TAIL = 1 << 16

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]


def _must(failed, what):
    if failed:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


class Mapped:
    """A whole file, mapped. What is mapped and was touched is not taken by those who drop caches."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            # Private, because ctypes takes the address of writable memory alone.
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self.pages = -(-len(self.memory) // PAGE_BYTES)
        self.first = ctypes.c_char.from_buffer(self.memory)
        self.address = ctypes.addressof(self.first)

    def close(self):
        """Gives the mapping up."""
        del self.first
        self.memory.close()

    def resident_share(self):
        """Share of the pages of the file that are in the page cache."""
        seen = (ctypes.c_ubyte * self.pages)()
        _must(_libc.mincore(self.address, len(self.memory), seen), f"mincore {self.path}")
        return sum(page & 1 for page in seen) / self.pages

    def hold(self):
        """Maps every page; what is not in the cache is read."""
        _must(_libc.madvise(self.address, len(self.memory), POPULATE_READ), f"hold {self.path}")

    def folios(self):
        """Number of folios by their bytes, of a file that is held; needs root."""
        pagemap, kpageflags = open_raw("/proc/self/pagemap"), open_raw("/proc/kpageflags")
        entries = os.pread(pagemap, 8 * self.pages, self.address // PAGE_BYTES * 8)
        count, pages = {}, 0
        for (entry,) in struct.iter_unpack("Q", entries):
            (flags,) = struct.unpack("Q", os.pread(kpageflags, 8, (entry & FRAME) * 8))
            if pages and not flags & IS_TAIL:
                count[pages * PAGE_BYTES] = count.get(pages * PAGE_BYTES, 0) + 1
                pages = 0
            pages += 1
        count[pages * PAGE_BYTES] = count.get(pages * PAGE_BYTES, 0) + 1
        os.close(pagemap)
        os.close(kpageflags)
        return count


def open_raw(path):
    """Opens a file of the kernel without a buffer."""
    return os.open(path, os.O_RDONLY)


@contextlib.contextmanager
def mapped(path):
    """The file, mapped for a while."""
    file = Mapped(path)
    try:
        yield file
    finally:
        file.close()


@contextlib.contextmanager
def held(path):
    """The file in the page cache, and kept in it. Says in folios of which size."""
    read(path)
    with mapped(path) as file:
        file.hold()
        if os.geteuid() == 0:
            print(f"{path}: in the page cache in folios of {shares(file.folios())}\n", flush=True)
        yield file


def resident_share(path):
    """Share of the pages of a file that are in the page cache."""
    with mapped(path) as file:
        return file.resident_share()


def shares(folios):
    """Sizes of folios with their share of the bytes, the largest first; below 2 % together."""
    total = sum(size * count for size, count in folios.items())
    of_all = {size: size * count / total for size, count in folios.items()}
    told = [f"{size >> 10} KiB {share:.0%}" for size, share in sorted(of_all.items(), reverse=True)
            if share >= 0.02]
    rest = sum(share for share in of_all.values() if share < 0.02)
    return ", ".join(told + [f"others {rest:.0%}"] * (rest >= 0.005))


def write(path, size, piece_bytes):
    """A file of random bytes, written in pieces, on the disk as well as in the cache."""
    with open(path, "wb", buffering=0) as file:
        for at in range(0, size, piece_bytes):
            file.write(os.urandom(min(piece_bytes, size - at)))
        os.fsync(file.fileno())


def drop(path):
    """Takes a clean file out of the page cache."""
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def read(path, piece_bytes=1 << 20):
    """Reads a file from begin to end."""
    with open(path, "rb", buffering=0) as file:
        while file.read(piece_bytes):
            pass
