"""Those who read blocks at random: assay's engines alone, a bare pread loop in C, fio and sysbench.
Each run returns operations per second, and operations per second of processor time. The processor
time is that of the whole process with its children, as the kernel accounts it at its end: start and
set-up are in it, kernel threads of io_uring too, loop devices not."""

import json
import os
import pathlib
import re
import subprocess
import sys

import contenders
import page_cache

BLOCK_BYTES = 4096


def accounted(command, **options):
    """Runs a command; returns what it printed, and its processor time in seconds."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True,
                               env=dict(os.environ, LC_ALL="C"), **options)
    with process.stdout:
        told = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]} ended with {process.returncode}:\n{told}")
    return told, usage.ru_utime + usage.ru_stime


def figures(ops, seconds, cpu_s):
    """The two figures of every reader."""
    return {"iops": ops / seconds, "ops_per_cpu_s": ops / cpu_s}


def kept_resident(once, path):
    """`once` with the file in the page cache from begin to end; run again when something else on
    the machine dropped it meanwhile."""

    def checked():
        for _ in range(5):
            page_cache.read(path)
            result = once()
            if page_cache.resident_share(path) > 0.999:
                return result
        sys.exit(f"{path} does not stay in the page cache; these figures would mean nothing")
    return checked


def assay_example():
    """The release build of the engines alone."""
    root = contenders.HERE.parent
    contenders.run(["cargo", "build", "--release", "--locked", "-q", "-p", "assay-engine",
                    "--example", "io"], cwd=root)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    return target / "release" / "examples" / "io"


def assay(program, path, seconds, *words):
    """One of assay's engines, with its histograms."""

    def once():
        told, cpu_s = accounted([program, path, f"block={BLOCK_BYTES}", f"seconds={seconds}",
                                 *words])
        done = json.loads(told)
        return figures(done["ops"], done["elapsed_s"], cpu_s)
    return once


def c_pread(path, seconds, *words):
    """The bare C loop."""
    program = contenders.compiled("pread")

    def once():
        told, cpu_s = accounted([program, path, BLOCK_BYTES, seconds, *words])
        ops, ns = map(int, told.split())
        return figures(ops, ns / 1e9, cpu_s)
    return once


def fio(path, seconds, *words):
    """fio with its latency statistics. It would drop the file from the cache unless told not to."""

    def once():
        told, cpu_s = accounted(["fio", "--name=random", f"--filename={path}", "--rw=randread",
                                 f"--bs={BLOCK_BYTES}", f"--size={os.path.getsize(path)}",
                                 "--time_based", f"--runtime={seconds}", "--invalidate=0",
                                 "--output-format=json", *words])
        reads = json.loads(told[told.index("{"):])["jobs"][0]["read"]
        return figures(reads["total_ios"], reads["runtime"] / 1e3, cpu_s)
    return once


def sysbench(path, seconds):
    """sysbench fileio with one thread, on another name of the same file."""
    place = pathlib.Path(path).parent

    def once():
        name = place / "test_file.0"
        name.hardlink_to(path)
        try:
            told, cpu_s = accounted(
                ["sysbench", "fileio", "--file-num=1", "--file-test-mode=rndrd",
                 f"--file-total-size={os.path.getsize(path)}", f"--file-block-size={BLOCK_BYTES}",
                 "--file-fsync-freq=0", "--file-fsync-end=off", "--threads=1",
                 f"--time={seconds}", "run"], cwd=place)
        finally:
            name.unlink()
        ops = int(re.search(r"total number of events:\s+(\d+)", told).group(1))
        total_s = float(re.search(r"total time:\s+([0-9.]+)s", told).group(1))
        return figures(ops, total_s, cpu_s)
    return once
