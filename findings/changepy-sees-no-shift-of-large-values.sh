#!/usr/bin/env bash
# changepy 0.4.0 (PyPI) finds the points where a series of measurements changes, e.g. the benchmark that a commit made
# slower, by PELT, with a cost for each kind of change. `normal_mean(data, variance)` is for a mean that changes while
# the variance stays. Expected: adding a number to all values, or counting in another unit and giving the variance in
# that unit, changes nothing. The cost of a segment is to be the sum of the squares less the square of the sum over
# their number. changepy sums the absolute values in place of the squares, divides both by the number, and squares the
# variance, as if a standard deviation had been given. It is right for small values with a variance of 1. Values
# around 1000 hide the shift, so does a variance of 100, and with one of 0.01 it is found in the wrong place. Of 200
# values the second half is 3 standard deviations higher:
#
# Seen:
#   mean 0, variance 1: shift at 100
#   mean 1000, variance 1: no shift
#   mean 0, variance 100: no shift
#   mean 0, variance 0.01: shift at 1
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install changepy==0.4.0 numpy==2.2.6

venv/bin/python - >seen <<'END'
from statistics import NormalDist

from changepy import pelt
from changepy.costs import normal_mean

# 100 quantiles of a normal distribution in a fixed disorder.
noise = [NormalDist().inv_cdf((at * 37 % 100 + 0.5) / 100) for at in range(100)]
for mean, variance in (0, 1), (1000, 1), (0, 100), (0, 0.01):
    deviation = variance**0.5
    before = [mean + deviation * value for value in noise]
    after = [value + 3 * deviation for value in reversed(before)]
    found = [int(at) for at in pelt(normal_mean(before + after, variance), 200) if at]
    told = f"shift at {', '.join(map(str, found))}" if found else "no shift"
    print(f"mean {mean}, variance {variance}: {told}")
END
cat seen
[ "$(cat seen)" = 'mean 0, variance 1: shift at 100
mean 1000, variance 1: no shift
mean 0, variance 100: no shift
mean 0, variance 0.01: shift at 1' ] || { echo "this has changed"; exit 1; }
