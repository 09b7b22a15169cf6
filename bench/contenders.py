"""Those who are compared: assay, bare C loops, dd and fio. Each run returns its figures as a
dictionary of rates in decimal MB/s."""

import contextlib
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import page_cache

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "target" / "bench-c"


def run(command, **options):
    """Runs a command to its end; its stderr is shown when it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C"), **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def compiled(name, *defined):
    """The program made from bench/c/NAME.c, with these names defined."""
    OUT.mkdir(parents=True, exist_ok=True)
    made = OUT / "-".join([name, *defined])
    words = [f"-D{each}" for each in defined]
    run(["cc", "-O2", "-Wall", "-Wextra", *words, "-o", made, HERE / "c" / f"{name}.c"])
    return made


class Assay:
    """The release program, with a store and a state of its own that are thrown away."""

    def __init__(self, target_dir, scale, procs=1, launcher=()):
        program = os.environ.get("ASSAY")
        self.launcher = launcher
        self.program = program or run([HERE.parent / "scripts" / "build.sh"]).stdout.strip()
        self.common = ["--on", f"dir:{pathlib.Path(target_dir).resolve()}", "--procs", str(procs),
                       "--blocks", "1", "--scale", scale]

    def samples(self, arguments):
        """Rows of samples.csv of one campaign, and the wall time of the run in seconds."""
        with tempfile.TemporaryDirectory() as place:
            own = ["--store", f"{place}/assay.db", "--state", f"{place}/state"]
            start = time.monotonic()
            run([*self.launcher, self.program, "run", *self.common, *arguments, *own, "--html",
                 f"{place}/report.html"])
            wall_s = time.monotonic() - start
            run([self.program, "export", "last", "--format", "csv", "--out", place, *own])
            with open(f"{place}/samples.csv", newline="") as file:
                return list(csv.DictReader(file)), wall_s

    def figures(self, test, *before):
        """Metrics of a valid sample of `test`, with its `bytes`; tests named `before` run before it.
        Runs again when something else on the machine emptied the cache meanwhile."""
        named = [word for each in (*before, test) for word in ("--tests", each)]
        for _ in range(5):
            rows = [row for row in self.samples(named)[0] if row["test"] == test]
            valid = [row for row in rows if row["validity"] == "valid"]
            if valid:
                figures = {row["metric"]: float(row["value"]) for row in valid}
                return dict(figures, bytes=int(valid[0]["bytes"]))
        sys.exit(f"assay: {test} gave no valid sample: {rows and rows[0]['validity']}")


@contextlib.contextmanager
def fresh_file(directory):
    """A path that does not exist; afterwards it is gone and the disk is quiet again."""
    path = pathlib.Path(directory) / "assay-bench.tmp"
    path.unlink(missing_ok=True)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        os.sync()


def write_rates(size, write_s, sync_s):
    """The two figures of every writer."""
    return {"cache_rate": size / 1e6 / write_s, "durable_rate": size / 1e6 / (write_s + sync_s)}


def fsync_s(path):
    """Seconds that it takes to make a written file durable."""
    fd = os.open(path, os.O_RDONLY)
    start = time.monotonic()
    os.fsync(fd)
    seconds = time.monotonic() - start
    os.close(fd)
    return seconds


def c_write(directory, size):
    """The bare C loop."""
    program = compiled("write")

    def once():
        with fresh_file(directory) as path:
            done, write_ns, sync_ns = map(int, run([program, path, size]).stdout.split())
            return write_rates(done, write_ns / 1e9, sync_ns / 1e9)
    return once


def dd(directory, size):
    """dd with the same block size; it times its own writes."""

    def once():
        with fresh_file(directory) as path:
            told = run(["dd", "if=/dev/zero", f"of={path}", "bs=16M", "iflag=count_bytes",
                        f"count={size}"]).stderr
            write_s = float(re.search(r"copied, ([0-9.e+-]+) s", told).group(1))
            return write_rates(size, write_s, fsync_s(path))
    return once


def fio(directory, size):
    """fio's psync engine with the same block size; it times its own writes."""

    def once():
        with fresh_file(directory) as path:
            told = run(["fio", "--name=huge", f"--filename={path}", "--ioengine=psync",
                        "--rw=write", "--bs=16M", f"--size={size}", "--fallocate=none",
                        "--invalidate=0", "--output-format=json"]).stdout
            writes = json.loads(told)["jobs"][0]["write"]
            return write_rates(writes["io_bytes"], writes["runtime"] / 1e3, fsync_s(path))
    return once


def c_touch(path):
    """The bare C loop over a file that it has brought into the page cache itself."""
    program = compiled("touch")

    def once():
        for _ in range(5):
            page_cache.drop(path)
            run([program, path])
            was_there = page_cache.resident_share(path) == 1
            size, ns = map(int, run([program, path]).stdout.split())
            if was_there and page_cache.resident_share(path) == 1:
                return {"rate": size * 1e3 / ns}
        sys.exit(f"{path} does not stay in the page cache; these figures would mean nothing")
    return once
