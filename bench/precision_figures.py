"""What a campaign knows and what that took: figures of its export and of its JSON report. Intervals are
the program's own; lengths, shares of time and the noise between blocks are taken from the samples."""

import math
import statistics

# Edges of the classes of length of a timed part, seconds.
LENGTHS_S = [0.003, 0.03, 0.1, 1.0]


def quantile(values, share):
    """The value below which `share` of `values` lie, by straight lines between them."""
    values = sorted(values)
    at = share * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (at - below) * (values[above] - values[below])


def metric(sample, name):
    """The metric `name` of a sample, `None` without it."""
    return next((m for m in sample["metrics"] if m["name"] == name), None)


def timed_parts(samples):
    """Seconds of each timed part of `samples`. Several tests can come from one run, which all have its
    `settle_s`. A test of the sync that follows a write lies within the time of that write; parts of other
    tests follow one another."""
    runs = {}
    for sample in samples:
        settled = metric(sample, "settle_s")
        if sample["validity"] != "Valid" or settled is None:
            continue
        case = sample["case"]
        key = (case["target"], sample["block"], case["procs"], settled["value"])
        runs.setdefault(key, {})[case["test"]] = sample["seconds"]
    parts = []
    for run in runs.values():
        own = [seconds for test, seconds in run.items() if ".sync." not in test]
        parts.append(sum(own or run.values()))
    return parts


def paired_noise(dataset, baseline, twin):
    """For each cell of a candidate the length of its timed part and the standard deviation of ln(ratio)
    to the baseline between blocks: [(candidate, processes, seconds, deviation)]."""
    names = {test["id"]: test["metric"] for test in dataset["tests"]}
    values, lengths = {}, {}
    for sample in dataset["samples"]:
        case = sample["case"]
        ranked = metric(sample, names.get(case["test"]))
        if sample["validity"] != "Valid" or ranked is None or ranked["value"] <= 0:
            continue
        cell = (case["test"], case["procs"])
        values.setdefault((cell, case["target"]), {})[sample["block"]] = math.log(ranked["value"])
        lengths.setdefault((cell, case["target"]), []).append(sample["seconds"])
    found = []
    for (cell, target), own in values.items():
        base = values.get((cell, baseline), {})
        logs = [own[block] - base[block] for block in own if block in base]
        if target not in (baseline, twin) and len(logs) > 1:
            seconds = statistics.median(lengths[cell, target] + lengths[cell, baseline])
            found.append((target, cell[1], seconds, statistics.stdev(logs)))
    return found


def intervals(report):
    """Every ratio of the tables that has an interval: [(candidate, processes, low, high)]."""
    return [(cell["target"], table["procs"], cell["ratio"]["low"], cell["ratio"]["high"])
            for table in report["tables"] for row in table["rows"] for cell in row["cells"]
            if cell["ratio"] and cell["ratio"]["low"] is not None]


def half_width_pct(found):
    """Median half-width of intervals, per cent."""
    halves = [math.log(high / low) / 2 for _, _, low, high in found]
    return 100 * math.expm1(statistics.median(halves)) if halves else math.nan


def excludes_one(low, high):
    return low > 1 or high < 1


def decided(low, high, band):
    """Whether the difference is told, or small enough not to matter."""
    return excludes_one(low, high) or (low >= 1 / (1 + band) and high <= 1 + band)


def share_pct(found):
    found = list(found)
    return 100 * sum(found) / len(found) if found else math.nan


def length_name(low_s, high_s):
    ms = [f"{1000 * edge:g} ms" for edge in (low_s, high_s) if 0 < edge < math.inf]
    word = "below" if low_s == 0 else "above"
    return f"{word} {ms[0]}" if len(ms) == 1 else f"{ms[0]} to {ms[1]}"


def noise_rows(noise):
    """The median deviation for each candidate, then for each class of length, with the number of cells."""
    rows = {}

    def add(name, own):
        if own:
            rows[f"SD of ln(ratio) between blocks, {name}"] = statistics.median(own)

    for target in sorted({target for target, *_ in noise}):
        add(target, [sd for own, _, _, sd in noise if own == target])
    edges = [0, *LENGTHS_S, math.inf]
    for low, high in zip(edges, edges[1:]):
        add(length_name(low, high), [sd for _, _, seconds, sd in noise if low <= seconds < high])
    return rows


def figures(dataset, report, wall_s):
    """All figures of one campaign, by name, in the order of the table."""
    parts, found = timed_parts(dataset["samples"]), intervals(report)
    pair, band = report["selfcheck"]["aa"] or {}, report["band"]
    rows = {
        "campaign, s": wall_s,
        "blocks": report["campaign"]["blocks"],
        "timed parts": len(parts),
        "time measured, %": 100 * sum(parts) / wall_s,
        "timed part, median, ms": 1000 * quantile(parts, 0.5),
        "timed part, p10, ms": 1000 * quantile(parts, 0.1),
        "cells with an interval": len(found),
        "half-width of the 95 % interval, median, %": half_width_pct(found),
    }
    for procs in sorted({procs for _, procs, *_ in found}):
        own = [cell for cell in found if cell[1] == procs]
        rows[f"half-width at {procs} process{'es' if procs > 1 else ''}, %"] = half_width_pct(own)
    for target in dict.fromkeys(target for target, *_ in found):
        own = [cell for cell in found if cell[0] == target]
        rows[f"half-width of {target}, %"] = half_width_pct(own)
    rows["cells whose interval excludes 1, %"] = share_pct(
        excludes_one(low, high) for *_, low, high in found)
    rows["cells decided or same within the band, %"] = share_pct(
        decided(low, high, band) for *_, low, high in found)
    rows |= noise_rows(paired_noise(dataset, report["baseline"], pair.get("twin")))
    rows["A/A pair: cells"] = pair.get("cells", 0)
    rows["A/A pair: false better or worse"] = pair.get("marked", 0)
    return rows
