"""Campaigns of as many samples as are asked for, made of one smoke run."""

import json
import os
import subprocess
import sys
import time

import contenders


def timed(command, stderr=None):
    """Runs a command; seconds, and the most memory in MB."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command} ended with {process.returncode}")
    return time.monotonic() - began, usage.ru_maxrss * 1024 / 1e6


def exported(assay, format, place):
    """The folder with the last campaign in a format."""
    folder = place / f"one-{format}"
    contenders.run([assay.program, "export", "last", "--format", format, "--out", folder,
                    "--store", place / "one.db", "--state", place / "state"])
    return folder


def many_json(one, many, samples):
    """Writes the dataset of the folder `one` with its samples again and again, a block each time."""
    data = json.loads(next(one.iterdir()).read_text())
    head = {key: value for key, value in data.items() if key != "samples"}
    with open(many / "many.json", "w") as file:
        file.write(json.dumps(head, indent=2).rstrip("}\n") + ',\n  "samples": [\n')
        for number in range(samples):
            block, place = divmod(number, len(data["samples"]))
            file.write(",\n" * (number > 0))
            file.write(json.dumps(dict(data["samples"][place], block=block), indent=2))
        file.write("\n  ]\n}\n")


def imported(assay, samples, place):
    """Imports a campaign of `samples` samples into the store `one.db` of `place`; the folder with its JSON."""
    own = ["--store", place / "one.db", "--state", place / "state"]
    contenders.run([assay.program, "run", *assay.common, "--preset", "smoke", *own,
                    "--html", place / "report.html"])
    folder = place / "json"
    folder.mkdir()
    many_json(exported(assay, "json", place), folder, samples)
    (place / "one.db").unlink()
    timed([assay.program, "import", folder, *own])
    return folder
