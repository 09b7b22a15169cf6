#!/usr/bin/env bash
# distogram 3.0.3 (PyPI) keeps a stream of values, e.g. latencies, as a small number of bins. `count_at` says how many
# values were below a limit, and `histogram` is made of its answers. Expected: the answer does not depend on the unit
# of the values. Below the first bin, where the fastest operations are, it multiplies by the position of the bin, not by
# its number of values: in nanoseconds there are five times as many below a limit as were measured at all, in
# milliseconds none, and a higher limit may have fewer below it. And `merge`, by which the results of several machines
# become one, gives the first result the bins of the second, but not its `bounds`, the least and the greatest value:
# the slowest operation of all is forgotten.
#
# Seen, of 10000 latencies spread evenly from 100 to 1100 us, of which 300 are below 130 us:
#   in ns: 52940 below 130 us, 496 below 150 us
#   in us: 53 below 130 us, 496 below 150 us
#   in ms: 0 below 130 us, 499 below 150 us
#   greatest of one: 1099.95, of another: 2199.9, of both merged: 2077.07
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install distogram==3.0.3

venv/bin/python - >seen <<'END'
import distogram

# Evenly spread, in an order that is neither rising nor falling.
latencies = [100 + 0.1 * (number * 3779 % 10000 + 0.5) for number in range(10000)]


def summary(values, bins=10):
    kept = distogram.Distogram(bin_count=bins)
    for value in values:
        kept = distogram.update(kept, value)
    return kept


for unit, factor in ("ns", 1000), ("us", 1), ("ms", 0.001):
    kept = summary([latency * factor for latency in latencies])
    below = [round(distogram.count_at(kept, limit * factor)) for limit in (130, 150)]
    print(f"in {unit}: {below[0]} below 130 us, {below[1]} below 150 us")

one, other = summary(latencies), summary([2 * latency for latency in latencies])
greatest = [distogram.bounds(kept)[1] for kept in (one, other)]
merged = distogram.bounds(distogram.merge(one, other))[1]
print(f"greatest of one: {greatest[0]:g}, of another: {greatest[1]:g}, of both merged: {merged:g}")
END
cat seen
[ "$(cat seen)" = 'in ns: 52940 below 130 us, 496 below 150 us
in us: 53 below 130 us, 496 below 150 us
in ms: 0 below 130 us, 499 below 150 us
greatest of one: 1099.95, of another: 2199.9, of both merged: 2077.07' ] || { echo "this has changed"; exit 1; }
