#!/usr/bin/env bash
# tdigest 0.5.2.2 (PyPI) estimates percentiles without keeping the samples. Equal samples share one centroid, however
# many they are. Between two centroids it interpolates as if their samples were spread evenly all the way to the other,
# and below the first one it goes on along the same line. Latencies are often equal, as they are counted in whole units
# and a cache answers most of them. Of 900 operations of 1 ms and 100 of 1000 ms, 5 percent took less than -798 ms, and
# a quarter of them -398 ms. Three quarters in 1 ms become a 75th percentile of 600 ms. Of 990 operations of 80 to 84 us
# and 10 of 20 ms, the 95th is 11 ms, beyond which there is one in a hundred. The estimates next to the end are better,
# so that a look at the 99th shows nothing.
#
# Seen:
#   900 of 1 and 100 of 1000: p5 -798.2 for 1, p25 -398.6 for 1, p75 600.4 for 1, p99 1000.0 for 1000
#   990 of 80 to 84 and 10 of 20000: p5 79.8 for 80, p25 80.8 for 81, p75 83.3 for 83, p95 11382.5 for 84
#
# Needs python3 and a C compiler, for two packages that tdigest uses, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
pip install -q --disable-pip-version-check --no-deps --target package tdigest==0.5.2.2 accumulation-tree==0.6.4 \
    pyudorandom==1.0.0 2>/dev/null

PYTHONPATH=package python3 - >seen <<'END'
from tdigest import TDigest

many, few = 900 * [1] + 100 * [1000], 10 * [20000]
spread = [80 + at % 5 for at in range(990)]
for name, samples, asked in (("900 of 1 and 100 of 1000", many, (5, 25, 75, 99)),
                             ("990 of 80 to 84 and 10 of 20000", spread + few, (5, 25, 75, 95))):
    digest = TDigest()
    digest.batch_update(samples)
    samples.sort()
    told = [f"p{at} {digest.percentile(at):.1f} for {samples[len(samples) * at // 100]}" for at in asked]
    print(f"{name}: " + ", ".join(told))
END
cat seen
[ "$(cat seen)" = '900 of 1 and 100 of 1000: p5 -798.2 for 1, p25 -398.6 for 1, p75 600.4 for 1, p99 1000.0 for 1000
990 of 80 to 84 and 10 of 20000: p5 79.8 for 80, p25 80.8 for 81, p75 83.3 for 83, p95 11382.5 for 84' ] || {
    echo "this has changed"
    exit 1
}
