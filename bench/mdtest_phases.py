"""Those who do mdtest's phases: assay's kind `tree`, mdtest itself and the bare loops. Each run returns
a dictionary of rates, operations per second by phase, as `file.create`."""

import collections
import contextlib
import os
import pathlib
import re
import shutil
import statistics
import tempfile

import contenders

PRINTED = {
    "Directory creation": "dir.create", "Directory stat": "dir.stat",
    "Directory rename": "dir.rename", "Directory removal": "dir.remove",
    "File creation": "file.create", "File stat": "file.stat", "File read": "file.read",
    "File removal": "file.remove", "Tree creation": "tree.create", "Tree removal": "tree.remove",
}

# What mdtest's options are called in a declaration.
SETTINGS = {
    "-n": "items", "-z": "depth", "-b": "branch", "-w": "write_bytes", "-e": "read_bytes",
    "-N": "stride", "-u": "unique", "-F": "files_only", "-D": "dirs_only", "-L": "leaf_only",
}

# Calls of libc in an operation of mdtest of which assay makes the like in line, so that nothing returns between it and
# the next: one, as close is none of them. Where bytes are written or read, mdtest seeks before.
RETURNS_WITH_BYTES = {"file.create": 3, "file.read": 3}


class Tree:
    """assay with a declaration of one test, made from mdtest's options."""

    def __init__(self, directory, options, procs=1, launcher=(), accepted=("valid",)):
        self.accepted = accepted
        self.program = contenders.Assay(directory, "1", procs, launcher)
        self.declaration = "".join(
            f"{SETTINGS[option]} = {'true' if value is None else value}\n"
            for option, value in options.items())

    def metrics(self):
        """{test: {metric: value}} of one run, by the end of the id."""
        os.sync()
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write("name = 'bench'\nabout = 'mdtest.'\n[[test]]\nkind = 'tree'\nid = 'bench'\n"
                       + self.declaration)
            file.flush()
            rows = self.program.samples(["--suite", file.name])[0]
        tests = collections.defaultdict(dict)
        for row in rows:
            if row["validity"].split(":")[0] not in self.accepted:
                raise SystemExit(f"assay: {row['test']}: {row['validity']}")
            tests[row["test"].removeprefix("bench.")][row["metric"]] = float(row["value"])
        return tests

    def rates(self):
        """Operations per second by phase, also under `<phase> net`: its own time counts."""
        rates = {test: metrics["ops_rate"] for test, metrics in self.metrics().items()}
        return rates | {f"{test} net": rate for test, rate in rates.items()}

    def per_cpu(self):
        """The same, and per second of processor time under `<phase> cpu`."""
        figures = {}
        for test, metrics in self.metrics().items():
            figures[test] = metrics["ops_rate"]
            figures[f"{test} cpu"] = 1e9 / metrics["cpu_ns_per_op"]
        return figures


@contextlib.contextmanager
def fresh(directory, name):
    """A directory that does not exist yet and is gone afterwards, as deep as that of assay."""
    place = pathlib.Path(directory).resolve() / name
    shutil.rmtree(place, ignore_errors=True)
    os.sync()
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def return_s(directory, items=20_000, rounds=11):
    """Seconds that the return from a call of libc costs behind the system call: of `stat` by the bare loops, the
    median of the differences of neighbours in time."""
    plain, in_line = loops(directory, items), loops(directory, items, "IN_LINE")
    costs = [1 / plain()["file.stat"] - 1 / in_line()["file.stat"] for _ in range(rounds)]
    return statistics.median(costs)


def own_s(phase, idle, options, return_s, procs):
    """Seconds of an operation of `phase`, of all processes together, that are mdtest's own: names and buffers, which
    its backend that does nothing needs as well (`idle`, its rates), and returns from libc."""
    returns = RETURNS_WITH_BYTES.get(phase, 1) if "-w" in options else 1
    at_once = min(procs, len(os.sched_getaffinity(0)))
    return 1 / idle[phase] + returns * return_s / at_once


def mdtest(program, directory, options, procs=1, return_s=0.0):
    """mdtest's table. Under `<phase> net` stands the rate without mdtest's own time, by `own_s`."""
    words = [word for option, value in options.items()
             for word in ([option] if value is None else [option, str(value)])]
    start = ["mpirun", "-np", str(procs)] if procs > 1 else []

    def table(*backend):
        with fresh(directory, "mdtest-bench") as place:
            told = contenders.run([*start, program, *backend, *words, "-d", place]).stdout
        found = re.findall(r"^ +(\w+ \w+) +[\d.]+ +[\d.]+ +([\d.]+) +[\d.]+$", told, re.M)
        return {PRINTED[name]: float(mean) for name, mean in found if float(mean) > 0}

    def once():
        rates, idle = table(), table("-a", "DUMMY")
        own = {phase: own_s(phase, idle, options, return_s, procs) for phase in rates
               if phase in idle}
        net = {f"{phase} net": 1 / (1 / rates[phase] - own[phase]) for phase in own
               if own[phase] < 1 / rates[phase]}
        return rates | net
    return once


def loops(directory, items, *defined):
    """The bare loops, with rates per second and per second of processor time."""
    program = contenders.compiled("syscalls", *defined)

    def once():
        figures = {}
        with fresh(directory, "assay-bench-tmp") as place:
            tree = place / "tree-bench" / "mdtest_tree.0"
            tree.mkdir(parents=True)
            for line in contenders.run([program, tree, items]).stdout.splitlines():
                phase, ops, ns, cpu_ns = line.split()
                figures[phase] = int(ops) * 1e9 / int(ns)
                figures[f"{phase} cpu"] = int(ops) * 1e9 / max(int(cpu_ns), 1)
        return figures
    return once
